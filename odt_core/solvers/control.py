"""How a solve is limited, stopped and followed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from odt_core.solution import Found, TracePoint


@dataclass(frozen=True)
class Control:
    """The limits of one solve, and the functions that it calls while it runs.

    Attributes
    ----------
    time_limit : float
        Seconds for the entire call; without a limit by default.
    threads, seed : int
        The engine's threads, and the seed of engines that make random choices.
    on_progress : callable, optional
        Called with each new point of the trace.
    on_found : callable, optional
        Called with better trees during the solve. It may skip some, and skips the last.
    should_stop : callable, optional
        Called many times a second. True ends the solve with the best tree so far.
    """

    time_limit: float = math.inf
    threads: int = 1
    seed: int = 0
    on_progress: Callable[[TracePoint], None] | None = None
    on_found: Callable[[Found], None] | None = None
    should_stop: Callable[[], bool] | None = None

    def within(self, seconds: float) -> Control:
        """Return a copy with another time limit."""
        return replace(self, time_limit=seconds)

    def stopped(self) -> bool:
        """Whether somebody asks to stop."""
        return self.should_stop is not None and self.should_stop()


DEFAULT_CONTROL = Control()
