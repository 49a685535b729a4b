"""How far a study of many solves is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StudyProgress:
    """How far a study of many solves is.

    Attributes
    ----------
    done, total : int
        Pieces of work.
    seconds : float
        Since it began.
    """

    done: int
    total: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before the first piece is done."""
        if self.done == 0:
            return None
        return self.seconds / self.done * (self.total - self.done)
