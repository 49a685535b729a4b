"""Whether a problem can be solved exactly."""

from __future__ import annotations

from odt_core.errors import InputError
from odt_core.problem import Problem

COUNTABLE = 2**53
"""Whole numbers below this are exact in float64, in which the search's kernels and the solvers of
the integer program count."""


def check_countable(problem: Problem) -> None:
    """Refuse a problem whose objective is too large a whole number.

    Raises
    ------
    InputError
        If the objective (see `Gains`) of a tree that is right on every row is not below
        `COUNTABLE`.
    """
    data, gains = problem.data, problem.gains
    largest = data.n_positive * gains.gain_tp + data.n_negative * gains.gain_tn
    if largest < COUNTABLE:
        return
    if problem.objective.class_weight != 1:
        raise InputError(
            "class-weight is too large, too small or too long a number to be counted exactly on "
            f"these {data.n_rows:,} rows: give one with fewer digits."
        )
    raise InputError(
        f"The row weights sum to {data.n_rows:,}, too much to be counted exactly: give smaller "
        "whole numbers."
    )
