"""How far a training run is."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What a training run is doing; the time limit runs while it is ``solving``."""

    PREPARING = "preparing"
    SOLVING = "solving"
    FINISHING = "finishing"
