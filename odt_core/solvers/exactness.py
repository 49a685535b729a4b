"""Checks that a problem can be solved exactly."""

from __future__ import annotations

from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solution import Engine

COUNTABLE = 2**53
"""Whole numbers below this are exact in float64, which the search's kernels and the solvers use."""


def check_countable(problem: Problem) -> None:
    """Refuse a problem whose objective is too large to count exactly.

    Raises
    ------
    InputError
        If the objective (see `Gains`) of a tree without errors is not below `COUNTABLE`.
    """
    data = problem.data
    if problem.perfect_total < COUNTABLE:
        return
    if problem.objective.class_weight != 1:
        raise InputError(
            "class-weight is too large, too small or has too many digits to be counted exactly on "
            f"these {data.n_rows:,} rows: give one with fewer digits."
        )
    raise InputError(
        f"The row weights sum to {data.n_rows:,}, too large to be counted exactly: give smaller "
        "whole numbers."
    )


def check_any_shape(engine: Engine, *, has_node_rules: bool) -> None:
    """Check that an engine and the rules allow trees of any shape.

    Raises
    ------
    InputError
        If a rule belongs to a node, or the engine only solves single shapes.
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
