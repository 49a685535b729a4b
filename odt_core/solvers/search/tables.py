"""A problem in the search's own terms: merged rows, columns, classes of subtrees."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import EncodedData, Problem
from odt_core.solvers.exactness import check_countable
from odt_core.solvers.search.groups import Group, make_groups
from odt_core.solvers.search.layout import lay_out_groups, lay_out_rows, lay_out_runs
from odt_core.solvers.search.model import (
    CAPPED,
    CHAIN,
    FULL,
    LEAF,
    PAIR,
    QUAD,
    STUMP,
    TRIPLE,
    Model,
)
from odt_core.solvers.search.passes import merge

__all__ = [
    "CAPPED", "CHAIN", "FULL", "LEAF", "PAIR", "QUAD", "STUMP", "TRIPLE",
    "Encoding", "Group", "Model", "encode", "encode_both", "frontier_may_need_doubles",
    "may_need_doubles",
]  # fmt: skip

FLOAT32_LIMIT = 2**24
MOST_COLUMNS = 2**14
"""Tables grow with the square of the columns: with so many, one takes 1 GiB."""


@dataclass(frozen=True)
class Encoding:
    """A problem in the search's own terms.

    Attributes
    ----------
    model : Model
        The arrays.
    groups : tuple of Group
        What each group means.
    classes : tuple of int
        The class of each decision node of the topology.
    leaf : int
        The class of leaves.
    base : int
        Cost that no tree avoids (contradictory rows), in units.
    unit : int
        What one unit of cost is worth in the problem's whole-number objective.
    most : int
        The objective if every row were right.
    weight : int
        Total weight of the rows in the tables, in units.
    """

    model: Model
    groups: tuple[Group, ...]
    classes: tuple[int, ...]
    leaf: int
    base: int
    unit: int
    most: int
    weight: int

    def total(self, cost: float) -> int:
        """The objective of a tree of that cost (lower bounds of cost give upper bounds)."""
        return self.most - self.unit * (self.base + math.ceil(cost))


def by_fronts(problem: Problem) -> bool:
    """Whether a problem is solved by lists of undominated pairs of errors.

    With floors, and where one class alone counts, so that of equal trees none is dominated: a floor
    of 0 % is no floor, but its tree lies on the frontier like any other.
    """
    return problem.gains.has_floor or problem.gains.counts_one_class


def may_need_doubles(problem: Problem) -> bool:
    """Whether a search of a problem may count in float64, told from the weights at once."""
    gains, data = problem.gains, problem.data
    if by_fronts(problem) and frontier_may_need_doubles(data):
        return True
    largest = data.n_positive * gains.gain_tp + data.n_negative * gains.gain_tn
    return largest >= FLOAT32_LIMIT


def frontier_may_need_doubles(data: EncodedData) -> bool:
    """The same for frontiers: class weights go from one row of a class against all others."""
    return 2 * int(data.weight.sum()) ** 2 >= FLOAT32_LIMIT


def check_columns(groups: tuple[Group, ...]) -> None:
    """Refuse tables that could not be kept in memory.

    Raises
    ------
    InputError
        If there are more than `MOST_COLUMNS` columns.
    """
    columns = sum(len(group.sets) for group in groups)
    if columns > MOST_COLUMNS:
        raise InputError(
            f"The features have {columns:,} categories and cuts in all, more than the exact search "
            f"can compare ({MOST_COLUMNS:,}): leave out columns such as identifiers, or choose the "
            "engine cbc."
        )


def encode_both(problem: Problem, alpha: int, beta: int) -> tuple[Encoding, Model, Model]:
    """The problem with positive and negative rows apart, for fronts.

    Parameters
    ----------
    alpha, beta : int
        The largest multipliers of false negatives and positives that will be used.

    Returns
    -------
    encoding : Encoding
        With ``d`` = negative minus positive weight.
    positive, negative : Model
        The same with positive weight, and with negative weight, as ``d``.
    """
    data = problem.data.merged()
    weight = int(data.weight.sum()) * max(alpha, beta)
    codes = np.ascontiguousarray(data.codes)
    groups = make_groups(problem, codes, data.weight)
    check_columns(groups)
    classes, tree = make_classes(problem, groups)
    rows = lay_out_rows(codes, groups, data.features)
    number = np.float32 if weight < FLOAT32_LIMIT else np.float64
    d: npt.NDArray = np.where(data.y, -1, 1) * data.weight.astype(number)
    d = d.astype(number)
    model = Model(d, *rows[:5], *lay_out_groups(groups), *rows[5:], *tree)
    zero = number(0)
    return (
        Encoding(model, groups, classes, 0, 0, 1, int(data.weight.sum()), weight),
        model._replace(d=np.where(data.y, np.abs(d), zero).astype(number)),
        model._replace(d=np.where(data.y, zero, d).astype(number)),
    )


def encode(problem: Problem) -> Encoding:
    """Turn a problem into arrays.

    Raises
    ------
    InputError
        If the weights are too large for exact arithmetic, or there are too many columns.
    """
    check_countable(problem)
    gains, data = problem.gains, problem.data
    codes, first, positive, negative = merge(data.codes, data.y, data.weight)
    gain = negative * gains.gain_tn - positive * gains.gain_tp
    both = np.minimum(negative * gains.gain_tn, positive * gains.gain_tp)
    unit = _common_unit(gain, both)
    keep = gain != 0
    codes, d = codes[first[keep]], gain[keep] // unit
    weight = int(np.abs(d).sum())
    groups = make_groups(problem, codes, np.abs(d))
    check_columns(groups)
    classes, tree = make_classes(problem, groups)
    rows = lay_out_rows(codes, groups, data.features)
    number = np.float32 if weight < FLOAT32_LIMIT else np.float64
    model = Model(d.astype(number), *rows[:5], *lay_out_groups(groups), *rows[5:], *tree)
    return Encoding(
        model=model,
        groups=groups,
        classes=classes,
        leaf=0,
        base=int(both.sum()) // unit,
        unit=unit,
        most=int(positive.sum()) * gains.gain_tp + int(negative.sum()) * gains.gain_tn,
        weight=weight,
    )


def _common_unit(*costs: npt.NDArray[np.int64]) -> int:
    """The largest number that divides all costs."""
    sizes = np.abs(np.concatenate(costs))
    if (sizes == 1).any():  # as where rows have no weights; a gcd of each is slow
        return 1
    return max(int(np.gcd.reduce(np.unique(sizes))), 1)


def _free_groups(problem: Problem, groups: tuple[Group, ...], node: int) -> tuple[int, ...]:
    """The groups a node may split on whose split is not fixed."""
    features = set(problem.allowed_features(node))
    return tuple(
        k for k, group in enumerate(groups) if group.fixed is None and group.feature in features
    )


def make_classes(problem: Problem, groups: tuple[Group, ...]) -> tuple[tuple[int, ...], tuple]:
    """Number the subtrees so that equal ones (shape and rules) share a number.

    Returns
    -------
    classes : tuple of int
        The class of each decision node. Class 0 is the leaf.
    arrays : tuple
        ``level`` to ``runs`` of `Model`.
    """
    topology = problem.topology
    known: dict[tuple, int] = {("leaf",): 0}
    level, low, high = [0], [0], [0]
    lists: list[tuple[int, ...]] = [()]
    empty_ok, one_way = [True], [False]
    classes = [0] * topology.n_nodes
    free: dict[frozenset[int] | None, tuple[int, ...]] = {}

    def visit(child: int) -> int:
        if child < 0:
            return 0
        left, right = (visit(below) for below in topology.children(child))
        rule = problem.rules.at(child)
        if rule.split is not None:
            allowed = tuple(k for k, group in enumerate(groups) if group.fixed == rule.split)
        else:
            if rule.features not in free:
                free[rule.features] = _free_groups(problem, groups, child)
            allowed = free[rule.features]
            left, right = sorted((left, right), key=lambda c: (level[c], c))
        fixed = rule.split is not None
        key = (left, right, allowed, fixed)
        if key not in known:
            known[key] = len(level)
            level.append(1 + max(level[left], level[right]))
            low.append(left)
            high.append(right)
            lists.append(allowed)
            stump = level[-1] == STUMP
            empty_ok.append(not problem.forbid_empty_branches if not fixed else stump)
            one_way.append(fixed)
        classes[child] = known[key]
        return known[key]

    visit(0)
    at = np.cumsum([0] + [len(allowed) for allowed in lists]).astype(np.int64)
    flat = np.array([k for allowed in lists for k in allowed], dtype=np.int64)
    return tuple(classes), (
        np.array(level, dtype=np.int64),
        np.array(low, dtype=np.int64),
        np.array(high, dtype=np.int64),
        at,
        flat,
        np.array(empty_ok, dtype=np.bool_),
        np.array(one_way, dtype=np.bool_),
        *lay_out_runs(groups, lists),
    )
