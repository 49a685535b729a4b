"""The folders for data and caches."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "odt-studio"


def data_folder() -> Path:
    """Return the program's data folder of the user; ``ODT_DATA_DIR`` overrides it."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir(APP))


def cache_folder() -> Path:
    """Return the folder of caches, which is in `data_folder` if that is overridden."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) / "cache" if chosen else Path(platformdirs.user_cache_dir(APP))
