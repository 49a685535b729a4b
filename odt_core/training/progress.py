"""How far a training run is, in words."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum

from odt_core.problem import Goal, Problem
from odt_core.words import count_words, number_words, percent_words, printable, seconds_words


class Stage(StrEnum):
    """What a training run is doing.

    ``compiling`` waits for the exact search to be compiled, which happens once on a machine;
    ``solving-meanwhile`` is a solve that began while it was.
    """

    PREPARING = "preparing"
    COMPILING = "compiling"
    SOLVING = "solving"
    SOLVING_MEANWHILE = "solving-meanwhile"
    FINISHING = "finishing"

    @property
    def is_solving(self) -> bool:
        """Whether the time limit runs."""
        return self in (Stage.SOLVING, Stage.SOLVING_MEANWHILE)


_ONCE = (
    "which happens once on a machine and takes about half a minute for two levels of questions, "
    "a minute or two for more"
)
COMPILING_WORDS = {
    Stage.COMPILING: f"The exact search is being compiled, {_ONCE}. The time limit begins after.",
    Stage.SOLVING_MEANWHILE: f"The exact search was still being compiled when this began, {_ONCE}. "
    "It takes over as soon as it is ready, if the time limit allows.",
}
"""What a machine's first runs wait for."""


class Waiting:
    """How long a run has waited for the exact search to be compiled, by the stages that it tells.

    Parameters
    ----------
    on_stage : callable, optional
        Who else is told.

    Attributes
    ----------
    seconds : float
        Without a wait that goes on.
    """

    def __init__(self, on_stage: Callable[[Stage], None] | None = None) -> None:
        self.seconds = 0.0
        self._since: float | None = None
        self._on_stage = on_stage

    def __call__(self, stage: Stage) -> None:
        """A stage begins, and the one before ends."""
        if self._on_stage is not None:
            self._on_stage(stage)
        now = time.perf_counter()
        if self._since is not None:
            self.seconds += now - self._since
        self._since = now if stage is Stage.COMPILING else None


def waited_words(seconds: float) -> str:
    """Ends a sentence on how long a run took apart from its waiting; empty if it hardly waited.

    Examples
    --------
    >>> waited_words(41.2)
    ', after 41 s in which the exact search was being compiled'
    """
    if seconds < 0.5:
        return ""
    return f", after {seconds_words(seconds)} in which the exact search was being compiled"


def value_words(problem: Problem, total: int) -> str:
    """What a total is worth, in the goal's own terms.

    Parameters
    ----------
    problem : Problem
        Gives the goal and the class names.
    total : int
        As a whole number (see `odt_core.problem.Gains`).

    Examples
    --------
    ``530 of 545 training rows right (97.2%)``; ``balanced accuracy 93.4%``
    """
    data, goal = problem.data, problem.objective.goal
    if goal is Goal.BALANCED:
        return f"balanced accuracy {percent_words(problem.gains.value(total))}"
    if goal is Goal.ACCURACY and problem.objective.class_weight != 1:
        return f"{number_words(float(problem.gains.value(total)))} weighted rows right"
    n, rows = {
        Goal.ACCURACY: (data.n_rows, "training row"),
        Goal.MAX_TPR: (data.n_positive, f"training row of {printable(data.positive_label)}"),
        Goal.MAX_TNR: (data.n_negative, f"training row of {printable(data.negative_label)}"),
    }[goal]
    many = rows.replace("training row", "training rows", 1)
    share = f" ({percent_words(problem.gains.value(total) / _one(problem))})" if n else ""
    return f"{total:,} of {count_words(n, rows, many)} right{share}"


def _one(problem: Problem) -> int:
    """The value of a tree without errors."""
    return problem.data.n_rows if problem.objective.goal is Goal.ACCURACY else 1
