"""The folder for data, which nobody else on the machine can read: data may be about patients."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "odt-studio"


def data_folder() -> Path:
    """Return the program's data folder of the user; ``ODT_DATA_DIR`` overrides it."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir(APP))


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, for this user only.

    Raises
    ------
    OSError
        If it cannot be created.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
