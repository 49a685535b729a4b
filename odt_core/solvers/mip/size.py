"""How large the integer program of a problem is, before it is built."""

from __future__ import annotations

from collections.abc import Iterable

from odt_core.errors import InputError
from odt_core.problem import Feature, Problem

MOST_TO_BUILD = 40_000_000
"""Entries above which the program is not built: it would take more than 10 GiB."""

MANY_CUTS = 100
"""Cut points of a column from which deciles are offered."""

DECILES = 10


def estimated_nonzeros(problem: Problem) -> int:
    """About how many entries the integer program has.

    Two families of rows rule it: (left) and (right), which go over rows and features, and those of
    the order of numerical columns, about a dozen entries for each bin. A smallest leaf has a
    variable for each row and leaf.
    """
    data, nodes = problem.data, problem.topology.n_nodes
    rows = len(data.merged().y)
    routed = 2 * rows * nodes * (data.n_features + 2)
    if problem.smallest_leaf is not None:
        routed += 4 * rows * problem.topology.n_leaves * problem.topology.depth
    ordered = sum(feature.n_values for feature in data.features if feature.is_numerical)
    return routed + nodes * (12 * ordered + 2 * (data.n_columns - ordered))


def check_buildable(problem: Problem, solver: str) -> None:
    """Refuse a problem whose program would not fit into memory.

    Raises
    ------
    InputError
        If it would have more than `MOST_TO_BUILD` entries; the message says how many.
    """
    size = estimated_nonzeros(problem)
    if size > MOST_TO_BUILD:
        raise InputError(
            f"The integer program would have about {size:,} entries, more than {solver} can be "
            f"given ({MOST_TO_BUILD:,}): choose the engine search, or fewer rows or cut points."
        )


def advice_on_cuts(features: Iterable[Feature], solver: str) -> str:
    """Why deciles suit a solver of the integer program better; empty where they are no help.

    Parameters
    ----------
    features : iterable of Feature
        What the tree may ask about.
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
        f"With these cut points {solver} decides {now:,} variables at each question, and seldom "
        f"proves a tree; over the deciles there are {then:,}. Use deciles, or the exact search, "
        "which is made for every cut point."
    )
