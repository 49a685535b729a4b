"""All questions of a problem as sets of rows: one 0/1 column for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError, quoted
from odt_core.problem import Feature, Problem, Split
from odt_core.solvers.search.columns import merge

Floats = npt.NDArray[np.floating]
Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]

EXACT_IN_SINGLE = 2**24
"""Sums below this are exact in single precision, which is twice as fast as double precision."""
MOST_QUESTIONS = 40_000
"""Questions of all columns together that are tried one by one."""


@dataclass(frozen=True)
class Group:
    """Neighbouring questions about one feature.

    Attributes
    ----------
    feature : int
        The feature.
    first, last : int
        The questions ``first`` to ``last - 1``.
    is_chain : bool
        Whether each one's rows include those of the one before: thresholds.
    """

    feature: int
    first: int
    last: int
    is_chain: bool


@dataclass(frozen=True, eq=False)
class Questions:
    """The merged rows, and every question that some node may ask.

    Rows with equal codes are one row. Of a question and its complement only one is here: they
    separate the same rows.

    Attributes
    ----------
    codes : int32[N, G]
        The merged rows.
    positive, negative : int64[N]
        Weights of each row's positive and negative cases.
    counted : int64[N]
        What a row adds to what its leaf must hold.
    splits : tuple of Split
        The K questions.
    inside : float32[N, K]
        1 where a row answers yes.
    groups : tuple of Group
        The questions feature by feature; those that a rule fixes have groups of their own.
    fixed : dict of int to int
        The question of each node whose split a rule fixes.
    values : float32[N, V]
        1 where a row has a category; the V categories of all categorical features.
    members : float32[V, K]
        1 where a category is in a question's set.
    owned : float32[V, K]
        1 where a category belongs to a question's feature.
    """

    codes: npt.NDArray[np.int32]
    positive: Whole
    negative: Whole
    counted: Whole
    splits: tuple[Split, ...]
    inside: npt.NDArray[np.float32]
    groups: tuple[Group, ...]
    fixed: dict[int, int]
    values: npt.NDArray[np.float32]
    members: npt.NDArray[np.float32]
    owned: npt.NDArray[np.float32]

    @classmethod
    def of(cls, problem: Problem) -> Questions:
        """Lay out the questions of a problem.

        Raises
        ------
        InputError
            If a column has too many sets of categories to try one by one.
        """
        codes, positive, negative = merge(problem)
        splits, groups, fixed = _all_splits(problem)
        features = problem.data.features
        inside = np.zeros((len(codes), len(splits)), np.float32)
        for k, split in enumerate(splits):
            member = np.zeros(features[split.feature].n_values, np.float32)
            member[sorted(split.left)] = 1
            inside[:, k] = member[codes[:, split.feature]]
        values, members, owned = _categories(problem, codes, splits)
        counted = _counted(problem, positive, negative)
        return cls(
            codes, positive, negative, counted, tuple(splits), inside, tuple(groups), fixed,
            values, members, owned,
        )  # fmt: skip

    @property
    def n_rows(self) -> int:
        """Number of merged rows."""
        return len(self.codes)

    def named(self, masks: Flags, asked: Whole) -> Floats:
        """How many categories each question names where it is asked of some rows.

        A question about a set names the smaller of the two sets that these rows have. A threshold
        counts as one.

        Parameters
        ----------
        masks : bool[B, N]
            Sets of rows.
        asked : int64[A]
            Questions.

        Returns
        -------
        float64[B, A]
        """
        found = np.ones((len(masks), len(asked)))
        of_sets = self.owned[:, asked].any(axis=0)
        if not of_sets.any():
            return found
        sets = asked[of_sets]
        present = (masks.astype(np.float32) @ self.values > 0).astype(np.float32)
        yes = present @ self.members[:, sets]
        every = present @ self.owned[:, sets]
        found[:, of_sets] = np.minimum(yes, every - yes)
        return found

    def codes_of(self, rows: Flags, feature: int) -> frozenset[int]:
        """The values of a feature that some rows have."""
        return frozenset(int(code) for code in np.unique(self.codes[rows, feature]))


def _all_splits(problem: Problem) -> tuple[list[Split], list[Group], dict[int, int]]:
    splits: list[Split] = []
    groups: list[Group] = []
    for g, feature in enumerate(problem.data.features):
        if g in problem.rules.forbidden:
            continue
        for sets, is_chain in _sets(problem, g, feature):
            first = len(splits)
            splits += [Split(g, left) for left in sets]
            if len(splits) > first:
                groups.append(Group(g, first, len(splits), is_chain))
    fixed: dict[int, int] = {}
    for node, rule in problem.rules.nodes:
        if rule.split is not None:
            fixed[node] = len(splits)
            groups.append(Group(rule.split.feature, len(splits), len(splits) + 1, False))
            splits.append(rule.split)
    if len(splits) > MOST_QUESTIONS:
        raise InputError(
            f"The columns allow {len(splits):,} questions, too many to compare (at most "
            f"{MOST_QUESTIONS:,}): give a smaller cap on sets, or fewer bins."
        )
    return splits, groups, fixed


def _sets(
    problem: Problem, g: int, feature: Feature
) -> Iterator[tuple[list[frozenset[int]], bool]]:
    """The sets of one side of every question that can separate rows, chain by chain."""
    n = feature.n_values
    if not feature.is_numerical:
        yield _subsets(problem, feature), False
        return
    lows = [frozenset(range(cut)) for cut in range(1, feature.n_ordered + 1)]
    yield [low for low in lows if len(low) < n], True
    if feature.has_missing:
        yield [low | {n - 1} for low in lows if len(low) + 1 < n], True


def _subsets(problem: Problem, feature: Feature) -> list[frozenset[int]]:
    n = feature.n_values
    most = n // 2 if problem.max_card is None else min(problem.max_card, n // 2)
    number = sum(math.comb(n, size) for size in range(1, most + 1))
    if number > MOST_QUESTIONS:
        raise InputError(
            f"The column {quoted(feature.name)} allows {number:,} questions, too many to compare "
            f"(at most {MOST_QUESTIONS:,}): give a smaller cap on sets of categories, or "
            "leave it out."
        )
    found = [frozenset(c) for size in range(1, most + 1) for c in combinations(range(n), size)]
    # of two halves that are each other's complement, one is enough
    return [left for left in found if 2 * len(left) < n or 0 in left]


def _categories(
    problem: Problem, codes: npt.NDArray[np.int32], splits: list[Split]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    features = problem.data.features
    places = [
        (g, code)
        for g, feature in enumerate(features)
        if not feature.is_numerical
        for code in range(feature.n_values)
    ]
    values = np.zeros((len(codes), len(places)), np.float32)
    members, owned = np.zeros((2, len(places), len(splits)), np.float32)
    of_feature = np.array([split.feature for split in splits])
    for at, (g, code) in enumerate(places):
        values[:, at] = codes[:, g] == code
        owned[at] = of_feature == g
        members[at] = [split.feature == g and code in split.left for split in splits]
    return values, members, owned


def _counted(problem: Problem, positive: Whole, negative: Whole) -> Whole:
    """What each merged row adds to what its leaf must hold (see `SmallestLeaf.counted`)."""
    leaf = problem.smallest_leaf
    if leaf is None or leaf.of == "rows":
        return positive + negative
    data = problem.data
    return positive if data.n_positive <= data.n_negative else negative
