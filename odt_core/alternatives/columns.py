"""What each column is worth: how many near-optimal trees ask it, and the least loss without it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from odt_core.alternatives.listing import NearTrees
from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solvers.search import solve_search


@dataclass(frozen=True)
class ColumnWorth:
    """A column's part in the near-optimal trees.

    Attributes
    ----------
    feature : int
        The column.
    n_trees : int
        In how many of the listed trees it is asked.
    least_without : int or None
        The least loss found of trees that may not ask it; None where none was found.
    bound_without : int or None
        No tree that may not ask it has a smaller loss; the same as `least_without` where that is
        proved. None where there is no tree without it, as where a rule asks it.
    """

    feature: int
    n_trees: int
    least_without: int | None
    bound_without: int | None

    @property
    def is_proved(self) -> bool:
        """Whether the least loss is proved, or that there is no such tree."""
        return self.least_without == self.bound_without


def column_worths(
    problems: Sequence[Problem],
    found: NearTrees,
    *,
    time_limit: float,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[ColumnWorth, ...]:
    """What each column is worth, by the listed trees and by solving without it.

    Parameters
    ----------
    problems : sequence of Problem
        As for `find_near_trees`.
    found : NearTrees
        The list.
    time_limit : float
        Seconds for all solves together.
    should_stop : callable, optional
        Asked while a solve runs; true leaves the rest unproved.
    """
    deadline = time.perf_counter() + time_limit
    asked = [tree.solution.tree.used_features for tree in found.trees if tree.solution.tree]
    usable = set[int]().union(*(_usable(problem) for problem in problems))
    return tuple(
        ColumnWorth(
            g,
            sum(g in used for used in asked),
            *_least_without(problems, found, g, deadline, should_stop),
        )
        for g in sorted(usable)
    )


def _usable(problem: Problem) -> set[int]:
    """The columns that some node may ask."""
    nodes = range(problem.topology.n_nodes)
    return {g for node in nodes for g in problem.allowed_features(node)}


def _least_without(
    problems: Sequence[Problem],
    found: NearTrees,
    feature: int,
    deadline: float,
    should_stop: Callable[[], bool] | None,
) -> tuple[int | None, int | None]:
    """The least loss of trees that may not ask a column, and its bound."""
    listed = _listed_without(problems[0], found, feature)
    if listed is not None:
        return listed, listed
    least: list[int] = []
    bounds: list[int] = []
    for problem in problems:
        without = _forbid(problem, feature)
        if without is None:
            continue
        most = problem.perfect_total
        left = max(deadline - time.perf_counter(), 0.0)
        outcome = solve_search(without, time_limit=left, should_stop=should_stop)
        if outcome.infeasible:
            continue
        bounds.append(most - outcome.bound)
        if outcome.total is not None:
            least.append(most - outcome.total)
    return min(least, default=None), min(bounds, default=None)


def _listed_without(problem: Problem, found: NearTrees, feature: int) -> int | None:
    """The least loss without a column where the list shows it; None where it does not.

    Where branches may not be empty, a tree that does not ask the column may need it for a question
    that sends all rows one way, so the list does not tell.
    """
    if problem.forbid_empty_branches:
        return None
    for tree in found.trees:
        if found.complete_below is not None and tree.loss >= found.complete_below:
            return None
        if tree.solution.tree and feature not in tree.solution.tree.used_features:
            return None if _forbid(tree.problem, feature) is None else tree.loss
    return None


def _forbid(problem: Problem, feature: int) -> Problem | None:
    """The problem without a column; None where a rule asks it, or leaves a node without another."""
    rules = problem.rules
    if any(rule.split is not None and rule.split.feature == feature for _, rule in rules.nodes):
        return None
    forbidden = dataclasses.replace(rules, forbidden=rules.forbidden | {feature})
    try:
        return dataclasses.replace(problem, rules=forbidden)
    except InputError:
        return None
