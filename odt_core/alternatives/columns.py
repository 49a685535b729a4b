"""The worth of each column: how many near-optimal trees use it, and the least loss without it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from odt_core.alternatives.choices import CostLimit
from odt_core.alternatives.listing import NearTrees, find_near_trees
from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import solve_search

QUICK_TREES = 5.0
"""Seconds for the columns that are left when the solves are over."""


@dataclass(frozen=True)
class ColumnWorth:
    """The worth of a column.

    Attributes
    ----------
    feature : int
        The column.
    n_trees : int
        Number of the listed trees with a question about it.
    least_without : int or None
        The least loss found among trees that may not use it; None if no such tree was found.
    bound_without : int or None
        A proved lower bound on that loss. If the two are equal, the least loss is proved. None if
        there is no such tree, for example because a rule demands the column.
    """

    feature: int
    n_trees: int
    least_without: int | None
    bound_without: int | None

    @property
    def is_proved(self) -> bool:
        """Whether a proof gives the least loss, or shows that no tree does without the column."""
        return self.least_without == self.bound_without


def column_worths(
    problems: Sequence[Problem],
    found: NearTrees,
    control: Control,
    cost_limit: CostLimit | None = None,
) -> tuple[ColumnWorth, ...]:
    """Find the worth of each column, from the listed trees and from solves without the column.

    Parameters
    ----------
    problems : sequence of Problem
        As for `find_near_trees`.
    found : NearTrees
        The listed trees.
    control : Control
        The time limit of all solves together, and who may stop them. After a stop, what is left
        stays unproved.
    cost_limit : CostLimit, optional
        The limit on costs, which the listed trees keep. Trees without a column must keep it too.

    Notes
    -----
    When the solves are over, the other columns get a quick tree each. With thousands of columns
    that also takes long. After `QUICK_TREES` seconds, the rest is left without a tree.
    """
    deadline = time.perf_counter() + control.time_limit
    late = deadline + QUICK_TREES

    def least_without(feature: int) -> tuple[int | None, int | None]:
        nonlocal late
        listed = _listed_without(problems[0], found, feature)
        if listed is not None:
            return listed, listed
        now = time.perf_counter()
        if control.stopped():
            late = min(late, now + QUICK_TREES)
        if now > late:
            return None, found.least or 0  # fewer columns never make the optimum better
        without = [each for each in (forbid(p, {feature}) for p in problems) if each is not None]
        return least_loss(without, control.within(max(deadline - now, 0.0)), cost_limit)

    asked = [tree.solution.tree.used_features for tree in found.trees if tree.solution.tree]
    usable = set[int]().union(*(_usable(problem) for problem in problems))
    return tuple(
        ColumnWorth(
            g,
            sum(g in used for used in asked),
            *least_without(g),
        )
        for g in sorted(usable)
    )


def least_loss(
    problems: Sequence[Problem], control: Control, cost_limit: CostLimit | None = None
) -> tuple[int | None, int | None]:
    """Find the least loss of the trees of some problems, and a proved lower bound on it.

    The loss is None if no tree was found. The bound is None if there is no tree.
    """
    deadline = time.perf_counter() + control.time_limit
    if problems and cost_limit is not None:
        found = find_near_trees(problems, control, number=1, cost_limit=cost_limit)
        listed = min((tree.loss for tree in found.trees), default=None)
        return listed, found.complete_below if found.least is None else found.least
    least: list[int] = []
    bounds: list[int] = []
    for problem in problems:
        left = max(deadline - time.perf_counter(), 0.0)
        outcome = solve_search(problem, control.within(left))
        if outcome.infeasible:
            continue
        bounds.append(problem.perfect_total - outcome.bound)
        if outcome.total is not None:
            least.append(problem.perfect_total - outcome.total)
    return min(least, default=None), min(bounds, default=None)


def _usable(problem: Problem) -> set[int]:
    """The columns that at least one node may use."""
    nodes = range(problem.topology.n_nodes)
    return {g for node in nodes for g in problem.allowed_features(node)}


def _listed_without(problem: Problem, found: NearTrees, feature: int) -> int | None:
    """The least loss without a column, if the list shows it; None if it does not.

    If branches may not be empty, a node that sends all rows one way still needs a question, which
    the canonical tree does not show. It may be about the column. So the list shows nothing then.
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
    """Forbid columns in a problem; None if a rule demands one of them or a node has no other."""
    rules = problem.rules
    if any(rule.split is not None and rule.split.feature in features for _, rule in rules.nodes):
        return None
    forbidden = dataclasses.replace(rules, forbidden=rules.forbidden | set(features))
    try:
        return dataclasses.replace(problem, rules=forbidden)
    except InputError:
        return None
