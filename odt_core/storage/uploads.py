"""Uploaded files, stored once under the hash of their content."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from odt_core.errors import InputError
from odt_core.folders import data_folder


class UploadStore:
    """Keeps uploaded bytes in files named by their SHA-256.

    Parameters
    ----------
    folder : Path, optional
        Where; a folder below `data_folder` by default.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = data_folder() / "uploads" if folder is None else folder

    def put(self, content: bytes) -> Path:
        """Store `content` and return its file.

        Raises
        ------
        InputError
            If the folder cannot be written.
        """
        path = self.folder / hashlib.sha256(content).hexdigest()
        if path.exists():
            return path
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(content)
            os.replace(file.name, path)
        except OSError as error:
            raise InputError(
                f"The file cannot be kept in {self.folder} ({error.strerror}): free some space "
                "there, or name another folder with ODT_DATA_DIR."
            ) from error
        return path
