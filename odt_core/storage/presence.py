"""The servers of this machine that are alive: each holds a lock on a file while it lives.

The operating system releases the lock when the process ends for any reason. So after a restart, the
new server finds the runs of the old one at once and need not wait until the lease runs out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from odt_core.folders import make_private
from odt_core.processes import LockedFile, is_unlocked
from odt_core.storage.errors import StorageError


class Presence:
    """Lock files of the servers that use a data folder.

    Parameters
    ----------
    folder : Path
        A folder that holds these lock files only.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: dict[str, LockedFile] = {}

    def hold(self, server: str) -> None:
        """Lock a server's file, until `release` or until this process ends.

        Raises
        ------
        StorageError
            If the folder cannot be written.
        """
        try:
            make_private(self.folder)
            self._locks[server] = LockedFile(self.folder / server)
        except OSError as error:
            raise StorageError(
                f"The folder {str(self.folder)!r} cannot be written ({error.strerror}): make it "
                "writable, or name another folder with ODT_DATA_DIR."
            ) from error

    def release(self, server: str) -> None:
        """Release the lock of a server that ends in an orderly way."""
        lock = self._locks.pop(server, None)
        if lock is not None:
            lock.release()
            (self.folder / server).unlink(missing_ok=True)

    def touch(self, server: str) -> None:
        """Note that a server of this process is still alive."""
        if server in self._locks:
            with suppress(OSError):  # a full disk: the earlier note remains
                os.utime(self.folder / server)

    def gone(self, servers: list[str]) -> dict[str, datetime]:
        """Find the servers of this folder that have certainly ended, and when they last lived."""
        found = {}
        for server in servers:
            if server not in self._locks and is_unlocked(self.folder / server):
                seen = (self.folder / server).stat().st_mtime
                found[server] = datetime.fromtimestamp(seen, UTC)
        return found

    def forget(self, server: str) -> None:
        """Remove the file of a server that has ended."""
        if server not in self._locks:
            (self.folder / server).unlink(missing_ok=True)
