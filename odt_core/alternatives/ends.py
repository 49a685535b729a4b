"""The reasons for which a list of near-optimal trees ends."""

from __future__ import annotations

from enum import StrEnum


class End(StrEnum):
    """The reason for which a list ends.

    ``number``: it has as many trees as the user chose. ``within``: it has all trees up to the loss
    that the user chose. ``all``: there are no further trees. ``time``, ``stopped``, ``memory``: the
    search ran out of time, was stopped, or found more than fits into memory.
    """

    NUMBER = "number"
    WITHIN = "within"
    ALL = "all"
    TIME = "time"
    STOPPED = "stopped"
    MEMORY = "memory"

    @property
    def is_as_asked(self) -> bool:
        """Whether the list has everything that the user chose."""
        return self in (End.NUMBER, End.WITHIN, End.ALL)


class SearchEndedError(Exception):
    """The search ends early, because of a stop or the time limit.

    Attributes
    ----------
    end : End
        The reason.
    """

    def __init__(self, end: End) -> None:
        super().__init__(end.value)
        self.end = end


class TooManyError(Exception):
    """More choices keep the limits than fit into memory."""
