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
        """Whether the search found everything that the caller wanted."""
        return self in (End.NUMBER, End.WITHIN, End.ALL)


class SearchEndedError(Exception):
    """The search ends early, by a stop or the time limit.

    Attributes
    ----------
    end : End
        Why it ends.
    """

    def __init__(self, end: End) -> None:
        super().__init__(end.value)
        self.end = end


class TooManyError(Exception):
    """There are more choices within the limits than fit into memory."""
