"""Where the program keeps its files."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """The user's data folder of this program; ``ODT_DATA_DIR`` overrides it."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("odt-studio"))


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user only.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
