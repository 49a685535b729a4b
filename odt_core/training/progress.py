"""How far a training run is, in words."""

from __future__ import annotations

from enum import StrEnum

from odt_core.problem import Goal, Problem
from odt_core.words import count_words, number_words, percent_words, printable


class Stage(StrEnum):
    """What a training run is doing; the time limit runs while it is ``solving``."""

    PREPARING = "preparing"
    SOLVING = "solving"
    FINISHING = "finishing"


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
