"""Whether a problem can be solved exactly."""

from __future__ import annotations

from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solution import Engine

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


def check_any_shape(engine: Engine, *, has_node_rules: bool) -> None:
    """Whether a tree of any shape can be looked for.

    Raises
    ------
    InputError
        If a rule is tied to a node, or the engine solves single shapes only.
    """
    if has_node_rules:
        raise InputError(
            "Rules for single questions belong to one shape: choose a shape, or leave these rules "
            "out."
        )
    if engine not in (Engine.HYBRID, Engine.SEARCH):
        raise InputError(
            f"The engine {engine} solves one shape at a time: choose hybrid or search for trees of "
            "any shape."
        )
