"""The pieces of work of a study, one after the other, and how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Part = TypeVar("Part")
Found = TypeVar("Found")


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


def run_parts(
    parts: Sequence[Part],
    run: Callable[[Part], Found],
    *,
    size: Callable[[Part], int] = lambda part: 1,
    on_progress: Callable[[StudyProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[Found]:
    """Do the pieces of work of a study in this process until it is stopped.

    Parameters
    ----------
    parts : sequence
        The pieces of work.
    run : callable
        Does one piece. It looks for a stop itself, and then returns what it has.
    size : callable, optional
        How much a piece counts in the progress; 1 by default.
    on_progress : callable, optional
        Told after each piece, except after one that a stop may have cut short.
    should_stop : callable, optional
        True ends the study.
    """
    stopped = should_stop or (lambda: False)
    began = time.monotonic()
    done, total = 0, sum(map(size, parts))
    found: list[Found] = []
    for part in parts:
        if stopped():
            break
        found.append(run(part))
        done += size(part)
        if on_progress is not None and not stopped():
            on_progress(StudyProgress(done, total, time.monotonic() - began))
    return found
