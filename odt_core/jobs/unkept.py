"""A manager for one command: its store is in memory and ends with it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from odt_core.jobs.manager import JobManager
from odt_core.storage import Store


@contextmanager
def unkept_manager(n_workers: int) -> Iterator[JobManager]:
    """A manager whose store is in memory; all of it is gone afterwards.

    Parameters
    ----------
    n_workers : int
        How many jobs run at once.
    """
    with tempfile.TemporaryDirectory(prefix="odt-memory-") as folder:
        store = Store("sqlite://", Path(folder))
        manager = JobManager(store, n_workers)
        try:
            yield manager
        finally:
            manager.close()
            store.close()
