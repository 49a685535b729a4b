"""The pages' files, so that one can link to another."""

from __future__ import annotations

from enum import StrEnum


class Place(StrEnum):
    """A page, by its file below the folder of `dashboard.py`."""

    DATA = "build/data.py"
    TRAIN = "build/train.py"
    SENSITIVITY = "explore/sensitivity.py"
    RUNS = "use/runs.py"
