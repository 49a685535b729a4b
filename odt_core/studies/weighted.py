"""Corners of a frontier by searches without floors, for where the whole cannot be searched.

The points that a weighted sum of both errors can reach are the corners of the frontier's convex
hull. They are found from the outside in: between two of them, the weights for which both cost the
same bring either a corner between or the proof that there is none.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction

from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Assignment
from odt_core.studies.bounds import LowerBound
from odt_core.tree import count_assignment

MOST_WEIGHT = 10**6
"""Largest weight tried, to keep sums in the range of whole numbers."""


def corner_points(
    problem: Problem,
    bound: LowerBound,
    deadline: float,
    should_stop: Callable[[], bool] | None = None,
) -> Iterator[Assignment]:
    """Trees at the frontier's corners, most important first; what each proves goes into `bound`.

    Parameters
    ----------
    problem : Problem
        Its objective is not looked at.
    bound : LowerBound
        Receives a cut from each search, also from one that time ended.
    deadline : float
        Monotonic time.
    should_stop : callable, optional
        Asked while searches run.
    """
    from odt_core.solvers.search import solve_search

    data = problem.data
    gaps = deque([((0, data.n_negative), (data.n_positive, 0))])
    while gaps:
        left, right = gaps.popleft()
        seconds = deadline - time.monotonic()
        if seconds <= 0 or (should_stop is not None and should_stop()):
            return
        alpha, beta = _weights(left, right)
        plain = dataclasses.replace(
            problem, objective=Objective(Goal.ACCURACY, class_weight=Fraction(beta, alpha))
        )
        outcome = solve_search(plain, time_limit=seconds, should_stop=should_stop)
        gains = plain.gains
        everything = gains.gain_tp * data.n_positive + gains.gain_tn * data.n_negative
        bound.add(gains.gain_tp, gains.gain_tn, everything - outcome.bound)
        if outcome.assignment is None:
            return
        yield outcome.assignment
        found = count_assignment(plain, outcome.assignment.splits, outcome.assignment.labels)
        here = (found.fn, found.fp)
        if alpha * here[0] + beta * here[1] < alpha * left[0] + beta * left[1]:
            gaps += [
                (a, b) for a, b in ((left, here), (here, right)) if a[0] < b[0] and a[1] > b[1]
            ]


def _weights(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Costs of a false negative and a false positive for which both points cost the same."""
    ratio = Fraction(left[1] - right[1], right[0] - left[0])
    if max(ratio.numerator, ratio.denominator) > MOST_WEIGHT:
        ratio = max(ratio.limit_denominator(1000), Fraction(1, 1000))
    return ratio.numerator, ratio.denominator
