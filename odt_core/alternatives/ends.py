"""Why a list of near-optimal trees ends."""

from __future__ import annotations

from enum import StrEnum


class End(StrEnum):
    """Why a list ends."""

    NUMBER = "number"
    WITHIN = "within"
    ALL = "all"
    TIME = "time"
    STOPPED = "stopped"
    MEMORY = "memory"

    @property
    def is_as_asked(self) -> bool:
        """Whether all that was asked for was found."""
        return self in (End.NUMBER, End.WITHIN, End.ALL)
