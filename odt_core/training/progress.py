"""The stages of a training run."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """A stage of a training run. The time limit applies to ``solving``."""

    PREPARING = "preparing"
    SOLVING = "solving"
    FINISHING = "finishing"
