"""Where this program keeps what outlives it."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "odt-studio"


def data_folder() -> Path:
    """The user's data folder of this program; ``ODT_DATA_DIR`` overrides it."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir(APP))


def cache_folder() -> Path:
    """Where what can be made again is kept; below `data_folder` if that is overridden."""
    chosen = os.environ.get("ODT_DATA_DIR")
    return Path(chosen) / "cache" if chosen else Path(platformdirs.user_cache_dir(APP))
