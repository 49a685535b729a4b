"""Run the parts of a study one after the other, and report progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Part = TypeVar("Part")
Found = TypeVar("Found")


@dataclass(frozen=True)
class StudyProgress:
    """The progress of a study.

    Attributes
    ----------
    done, total : int
        Finished parts and all parts, perhaps weighted by size.
    seconds : float
        Time since the study began.
    """

    done: int
    total: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the remaining time; None before the first part is finished."""
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
    """Run the parts of a study in this process until it is stopped.

    Parameters
    ----------
    parts : sequence
        The parts.
    run : callable
        Runs one part. If the study is stopped, it returns what it has.
    size : callable, optional
        The weight of a part in the progress; 1 by default.
    on_progress : callable, optional
        Called after each part, but not after a stop.
    should_stop : callable, optional
        True ends the study after the current part.
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
