"""The pages' files, so that one can link to another."""

from __future__ import annotations

from enum import StrEnum


class Place(StrEnum):
    """A page, by its file below the entry's folder."""

    DATA = "pages/build/data.py"
    TRAIN = "pages/build/train.py"
    SENSITIVITY = "pages/explore/sensitivity.py"
    RUNS = "pages/use/runs.py"
