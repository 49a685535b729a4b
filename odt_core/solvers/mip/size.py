"""Estimates of the size of a problem's integer program."""

from __future__ import annotations

from collections.abc import Iterable

from odt_core.errors import InputError
from odt_core.problem import Feature, Problem

MOST_TO_BUILD = 40_000_000
"""The most entries of a program. A larger program would need more than 10 GiB of memory."""

MANY_CUTS = 100
"""Deciles are offered for a column with at least this many cut points."""

DECILES = 10
"""The number of bins with deciles."""


def estimated_nonzeros(problem: Problem) -> int:
    """Estimate the number of entries of the integer program.

    Most entries are in two kinds of constraints. The constraints (left) and (right) have entries
    for each row of the table, node and feature. The constraints on the order of numerical columns
    have about a dozen entries for each node and bin. A smallest leaf adds a variable for each row
    and leaf.
    """
    data, nodes = problem.data, problem.topology.n_nodes
    rows = len(data.merged().y)
    routed = 2 * rows * nodes * (data.n_features + 2)
    if problem.smallest_leaf is not None:
        routed += 4 * rows * problem.topology.n_leaves * problem.topology.depth
    ordered = sum(feature.n_values for feature in data.features if feature.is_numerical)
    return routed + nodes * (12 * ordered + 2 * (data.n_columns - ordered))


def check_buildable(problem: Problem, solver: str) -> None:
    """Refuse a problem whose program is too large for the memory.

    Raises
    ------
    InputError
        If the program would have more than `MOST_TO_BUILD` entries.
    """
    size = estimated_nonzeros(problem)
    if size > MOST_TO_BUILD:
        raise InputError(
            f"The integer program would have about {size:,} entries, too many for {solver} (at "
            f"most {MOST_TO_BUILD:,}): choose the engine search, or fewer rows or cut points."
        )


def advice_on_cuts(features: Iterable[Feature], solver: str) -> str:
    """Say why deciles suit a solver of the integer program better; empty if they do not help.

    Parameters
    ----------
    features : iterable of Feature
        The features of the training rows.
    solver : str
        The solver's name, for the sentence.
    """
    features = tuple(features)
    if not any(len(feature.cuts) >= MANY_CUTS for feature in features):
        return ""
    now = sum(feature.n_values for feature in features)
    then = sum(
        min(feature.n_values, DECILES + feature.has_missing)
        if feature.is_numerical
        else feature.n_values
        for feature in features
    )
    return (
        f"With these cut points, each question has {now:,} variables in the integer program, and "
        f"{solver} seldom proves a tree. With deciles, it has {then:,}. Use deciles, or the exact "
        "search, which is made for every cut point."
    )
