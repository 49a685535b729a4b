"""Copies of the database's data sets as files, which workers read; made on request."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path

from odt_core.folders import make_private
from odt_core.storage.errors import StorageError


class FileCache:
    """Files named by the SHA-256 of their content.

    Parameters
    ----------
    folder : Path
        A folder that only this cache uses.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, sha256: str, size: int) -> Path | None:
        """Return the path of a file; None if it is missing or incomplete."""
        path = self.folder / sha256
        try:
            return path if path.stat().st_size == size else None
        except OSError:
            return None

    def put(self, sha256: str, pieces: Iterable[bytes]) -> Path:
        """Write a file. It appears as a whole or not at all.

        Raises
        ------
        StorageError
            If the folder cannot be written, or the pieces do not have that hash.
        """
        path = self.folder / sha256
        temporary = None
        try:
            make_private(self.folder)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                temporary = file.name
                digest = hashlib.sha256()
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
            if digest.hexdigest() != sha256:
                raise StorageError(
                    "A data set in the database is damaged: delete it and upload its file again."
                )
            os.replace(temporary, path)
            temporary = None
        except OSError as error:
            raise StorageError(
                f"The data set cannot be put into {str(self.folder)!r} ({error.strerror}): free "
                "some space there, or name another folder with ODT_DATA_DIR."
            ) from error
        finally:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
        return path

    def remove(self, sha256: str) -> None:
        """Remove a file if it exists.

        Raises
        ------
        StorageError
            If the folder cannot be written.
        """
        try:
            (self.folder / sha256).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"The file of a deleted data set cannot be removed from {str(self.folder)!r} "
                f"({error.strerror}): make that folder writable."
            ) from error

    def names(self) -> list[str]:
        """List the names of all files, including files that a killed process left unfinished."""
        try:
            return sorted(entry.name for entry in os.scandir(self.folder))
        except FileNotFoundError:
            return []

    def keep_only(self, hashes: Collection[str], half_written_before: float) -> None:
        """Remove files of other hashes than these: another server has deleted their data sets.

        Parameters
        ----------
        half_written_before : float
            Unfinished files newer than this (seconds since the epoch) may still be growing.
        """
        wanted = set(hashes)
        stale = [name for name in self.names() if name not in wanted]
        stale = [name for name in stale if len(name) == 64 or self._age(name) < half_written_before]
        for name in stale:
            self.remove(name)

    def _age(self, name: str) -> float:
        try:
            return (self.folder / name).stat().st_mtime
        except FileNotFoundError:
            return float("inf")
