"""A folder for the temporary files of workers, which are killed and cannot clean up."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nothing is swept
    fcntl = None  # type: ignore[assignment]

PREFIX = "odt-workers-"
YOUNG = 60.0
"""Seconds in which a folder may be without a lock since its owner has just made it."""


class Scratch:
    """A server's folder; the system lets go of its lock however the server ends."""

    def __init__(self) -> None:
        sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def make(self) -> Path:
        """A new folder for one worker."""
        return Path(tempfile.mkdtemp(prefix="worker-", dir=self.folder))

    def remove(self, folder: Path) -> None:
        """Remove a worker's folder once the worker is gone."""
        shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            os.close(self._lock)


def sweep() -> None:
    """Remove what servers that were killed have left behind."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG and _is_free(folder / "lock"):
                shutil.rmtree(folder, ignore_errors=True)


def _is_free(lock: Path) -> bool:
    """Whether no living process holds the lock (or none was ever made)."""
    try:
        handle = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
