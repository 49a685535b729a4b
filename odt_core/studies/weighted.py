"""Corners of a frontier that is too large to search completely.

Searches without floors minimise a weighted sum of both errors, which finds the corners of the
frontier's convex hull. The search goes from the outside in. For two known corners it takes the
weights for which both cost the same. The search then finds a corner between them, or proves that
there is none.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Iterator
from fractions import Fraction

from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Assignment
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.studies.bounds import LowerBound
from odt_core.tree import count_assignment

MOST_WEIGHT = 10**6
"""The largest weight, so that sums do not overflow."""


def corner_points(
    problem: Problem, bound: LowerBound, control: Control = DEFAULT_CONTROL
) -> Iterator[Assignment]:
    """Find trees at the frontier's corners, the most important first.

    Parameters
    ----------
    problem : Problem
        The problem. Its objective is not used.
    bound : LowerBound
        Receives a cut from each search, even from an unfinished search.
    control : Control
        The time limit of all searches, and who may stop them.
    """
    from odt_core.solvers.search import solve_search

    deadline = time.monotonic() + control.time_limit
    data = problem.data
    gaps = deque([((0, data.n_negative), (data.n_positive, 0))])
    while gaps:
        left, right = gaps.popleft()
        seconds = deadline - time.monotonic()
        if seconds <= 0 or control.stopped():
            return
        alpha, beta = _weights(left, right)
        plain = dataclasses.replace(
            problem, objective=Objective(Goal.ACCURACY, class_weight=Fraction(beta, alpha))
        )
        outcome = solve_search(plain, control.within(seconds))
        gains = plain.gains
        bound.add(gains.gain_tp, gains.gain_tn, plain.perfect_total - outcome.bound)
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
    """The costs of a false negative and a false positive for which two points cost the same."""
    ratio = Fraction(left[1] - right[1], right[0] - left[0])
    if max(ratio.numerator, ratio.denominator) > MOST_WEIGHT:
        ratio = max(ratio.limit_denominator(1000), Fraction(1, 1000))
    return ratio.numerator, ratio.denominator
