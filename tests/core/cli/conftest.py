"""Files for the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from odt_core.cli import batches
from odt_core.data import SAMPLES
from odt_core.jobs import JobManager
from odt_core.storage import Store
from tests.core.jobs.helpers import KeptPool, managing


@pytest.fixture(scope="session")
def monks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All 432 robots of monks-1, as a CSV file."""
    path = tmp_path_factory.mktemp("cli") / "monks-1.csv"
    SAMPLES["monks-1"].load().frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def triage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated triage set, as a CSV file."""
    path = tmp_path_factory.mktemp("cli") / "triage.csv"
    path.write_bytes(SAMPLES["triage"].csv())
    return path


@pytest.fixture(autouse=True)
def _no_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command reads or writes the data of this computer's user."""
    path = tmp_path_factory.mktemp("store") / "odt.sqlite3"
    monkeypatch.setenv("ODT_DATABASE_URL", f"sqlite:///{path}")


@pytest.fixture(scope="session")
def kept_workers() -> Iterator[KeptPool]:
    """Two workers that commands use one after the other."""
    pool = KeptPool(n_kept=2)
    yield pool
    pool.end()


@pytest.fixture
def two_workers(kept_workers: KeptPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands with ``--jobs 2`` find two workers that have started already."""

    @contextmanager
    def manager(n_workers: int) -> Iterator[JobManager]:
        store = Store("sqlite://", tmp_path / "memory")
        with managing(store, kept_workers, n_workers) as manager:
            yield manager
        store.close()

    monkeypatch.setattr(batches, "temporary_manager", manager)
