"""What each column is worth: how many near-optimal trees ask it, and the least loss without it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from odt_core.alternatives.choices import CostLimit
from odt_core.alternatives.listing import NearTrees, find_near_trees
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
    cost_limit: CostLimit | None = None,
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
    cost_limit : CostLimit, optional
        The limit that the listed trees keep, and those without a column, too.
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
            *_least_without(problems, found, g, cost_limit, deadline, should_stop),
        )
        for g in sorted(usable)
    )


def least_loss(
    problems: Sequence[Problem],
    *,
    time_limit: float,
    cost_limit: CostLimit | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[int | None, int | None]:
    """The least loss of some problems' trees, and a proved lower bound of it.

    The first is None where no tree was found, the second where there is none.
    """
    deadline = time.perf_counter() + time_limit
    if cost_limit is not None:
        found = find_near_trees(
            problems,
            number=1,
            cost_limit=cost_limit,
            time_limit=time_limit,
            should_stop=should_stop,
        )
        listed = min((tree.loss for tree in found.trees), default=None)
        return listed, found.complete_below if found.least is None else found.least
    least: list[int] = []
    bounds: list[int] = []
    for problem in problems:
        left = max(deadline - time.perf_counter(), 0.0)
        outcome = solve_search(problem, time_limit=left, should_stop=should_stop)
        if outcome.infeasible:
            continue
        bounds.append(problem.perfect_total - outcome.bound)
        if outcome.total is not None:
            least.append(problem.perfect_total - outcome.total)
    return min(least, default=None), min(bounds, default=None)


def _usable(problem: Problem) -> set[int]:
    """The columns that some node may ask."""
    nodes = range(problem.topology.n_nodes)
    return {g for node in nodes for g in problem.allowed_features(node)}


def _least_without(
    problems: Sequence[Problem],
    found: NearTrees,
    feature: int,
    cost_limit: CostLimit | None,
    deadline: float,
    should_stop: Callable[[], bool] | None,
) -> tuple[int | None, int | None]:
    """The least loss of trees that may not ask a column, and its bound."""
    listed = _listed_without(problems[0], found, feature)
    if listed is not None:
        return listed, listed
    without = [each for each in (forbid(p, {feature}) for p in problems) if each is not None]
    if not without:
        return None, None
    return least_loss(
        without,
        time_limit=max(deadline - time.perf_counter(), 0.0),
        cost_limit=cost_limit,
        should_stop=should_stop,
    )


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
            return None if forbid(tree.problem, {feature}) is None else tree.loss
    return None


def forbid(problem: Problem, features: Collection[int]) -> Problem | None:
    """The problem without some columns; None where a rule asks one, or a node has no other."""
    rules = problem.rules
    if any(rule.split is not None and rule.split.feature in features for _, rule in rules.nodes):
        return None
    forbidden = dataclasses.replace(rules, forbidden=rules.forbidden | set(features))
    try:
        return dataclasses.replace(problem, rules=forbidden)
    except InputError:
        return None
