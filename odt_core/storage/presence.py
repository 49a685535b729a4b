"""Which servers of this machine live: each holds a lock on a file for as long as it does.

The operating system lets go of the lock when the process ends, however it ends, so that a restart
finds the runs of its predecessor at once instead of when the lease has run out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from odt_core.processes import LockedFile, is_unlocked
from odt_core.storage.errors import StorageError
from odt_core.storage.private import make_private


class Presence:
    """Lock files of the servers that use a data folder.

    Parameters
    ----------
    folder : Path
        Holds nothing else.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[str, LockedFile] = {}

    def hold(self, server: str) -> None:
        """Say that a server lives in this process, until `release` or the process's end.

        Raises
        ------
        StorageError
            If the folder cannot be written.
        """
        try:
            make_private(self.folder)
            self._held[server] = LockedFile(self.folder / server)
        except OSError as error:
            raise StorageError(
                f"The folder {str(self.folder)!r} cannot be written ({error.strerror}): make it "
                "writable, or name another folder with ODT_DATA_DIR."
            ) from error

    def release(self, server: str) -> None:
        """The server ends in good order."""
        lock = self._held.pop(server, None)
        if lock is not None:
            lock.release()
            (self.folder / server).unlink(missing_ok=True)

    def touch(self, server: str) -> None:
        """Note that a server of this process still lives."""
        if server in self._held:
            with suppress(OSError):  # a full disk: the last note stands
                os.utime(self.folder / server)

    def gone(self, servers: list[str]) -> dict[str, datetime]:
        """Those of `servers` that lived in this folder and surely do no longer, and till when."""
        found = {}
        for server in servers:
            if server not in self._held and is_unlocked(self.folder / server):
                seen = (self.folder / server).stat().st_mtime
                found[server] = datetime.fromtimestamp(seen, UTC)
        return found

    def forget(self, server: str) -> None:
        """Remove the file of a server that is gone."""
        if server not in self._held:
            (self.folder / server).unlink(missing_ok=True)
