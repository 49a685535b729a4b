"""The questions of a problem as sets of rows.

Each *listed* question has a 0/1 column: thresholds, and the sets of a feature with few sets of
categories. The questions of a *walked* feature, which has more sets, are not listed. Above two
leaves, a closed form gives its best set (`category_sets`). At other nodes, the search walks through
the sets. A walked feature's question gets its number when it is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import Feature, Problem, Split
from odt_core.solvers.search.columns import merge

Floats = npt.NDArray[np.floating]
Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]

EXACT_IN_SINGLE = 2**24
"""Sums below this are exact in single precision, which is twice as fast as double precision."""
MOST_LISTED_SETS = 40
"""The most sets of categories of a listed feature. A feature with more sets is walked."""
MOST_NUMBERS = 2**29
"""The most numbers in the 0/1 columns of the listed questions."""


@dataclass(frozen=True)
class QuestionGroup:
    """Neighbouring questions about one feature.

    Attributes
    ----------
    feature : int
        The feature.
    first, last : int
        The questions ``first`` to ``last - 1``.
    is_chain : bool
        Whether the rows of each question include those of the question before, as for thresholds.
    """

    feature: int
    first: int
    last: int
    is_chain: bool


@dataclass(frozen=True, eq=False)
class Questions:
    """The merged rows, and the questions that at least one node may ask.

    Rows with equal codes are merged. A question and its reverse separate the same rows, so there is
    only one of them.

    Attributes
    ----------
    codes : int32[N, G]
        The merged rows.
    positive, negative : int64[N]
        Weights of each row's positive and negative cases.
    counted : int64[N]
        What each row adds to the size of its leaf (see `SmallestLeaf`).
    splits : list of Split
        The K listed questions, then the questions of walked features that were found.
    inside : float32[N, K]
        1 where a row answers yes.
    groups : tuple of QuestionGroup
        The questions of each feature. A question that a rule fixes has a group of its own.
    fixed : dict of int to int
        The fixed question of each node that has one.
    walked : tuple of int
        The features whose sets of categories are not listed.
    values : float32[N, V]
        1 where a row has a category, for the V categories of all categorical features.
    members : float32[V, K]
        1 where a category is in a question's set.
    owned : float32[V, K]
        1 where a category belongs to a question's feature.
    first_value : dict of int to int
        The place of a categorical feature's first category among the V.
    """

    codes: npt.NDArray[np.int32]
    positive: Whole
    negative: Whole
    counted: Whole
    splits: list[Split]
    inside: npt.NDArray[np.float32]
    groups: tuple[QuestionGroup, ...]
    fixed: dict[int, int]
    walked: tuple[int, ...]
    values: npt.NDArray[np.float32]
    members: npt.NDArray[np.float32]
    owned: npt.NDArray[np.float32]
    first_value: dict[int, int]
    _number: dict[Split, int] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem) -> Questions:
        """List the questions of a problem.

        Raises
        ------
        InputError
            If there are too many thresholds to compare.
        """
        codes, positive, negative = merge(problem)
        present = [np.unique(column).tolist() for column in codes.T]
        walked = _walked(problem, present)
        splits, groups, fixed = _listed(problem, present, walked)
        features = problem.data.features
        if len(codes) * len(splits) > MOST_NUMBERS:
            raise InputError(
                f"The columns allow {len(splits):,} cut points and small sets on {len(codes):,} "
                "different rows, too many to compare: give fewer bins."
            )
        inside = np.zeros((len(codes), len(splits)), np.float32)
        for k, split in enumerate(splits):
            member = np.zeros(features[split.feature].n_values, np.float32)
            member[sorted(split.left)] = 1
            inside[:, k] = member[codes[:, split.feature]]
        values, members, owned, first_value = _categories(problem, codes, splits)
        counted = _counted(problem, positive, negative)
        return cls(
            codes, positive, negative, counted, splits, inside, tuple(groups), fixed, walked,
            values, members, owned, first_value,
        )  # fmt: skip

    def number(self, split: Split) -> int:
        """Return the number of a walked feature's question, which may be new."""
        found = self._number.get(split)
        if found is None:
            found = self._number[split] = len(self.splits)
            self.splits.append(split)
        return found

    def yes(self, question: int) -> Flags:
        """Mark the rows that answer yes: bool[N]."""
        if question < self.inside.shape[1]:
            return np.asarray(self.inside[:, question] > 0)
        split = self.splits[question]
        member = np.zeros(int(self.codes[:, split.feature].max()) + 1, np.bool_)
        member[[code for code in split.left if code < len(member)]] = True
        return np.asarray(member[self.codes[:, split.feature]])

    def categories(self, feature: int, n_values: int) -> slice:
        """The places of a categorical feature's categories in `values`."""
        first = self.first_value[feature]
        return slice(first, first + n_values)

    @property
    def n_rows(self) -> int:
        """Number of merged rows."""
        return len(self.codes)

    def named(self, masks: Flags, asked: Whole) -> Floats:
        """Count the categories that each question names on each set of rows.

        The rows have some categories inside the question's set and some outside. The question names
        the smaller of the two groups. A threshold counts as one category.

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
        """Return the codes of a feature that occur in some rows."""
        return frozenset(int(code) for code in np.unique(self.codes[rows, feature]))


def _walked(problem: Problem, present: list[list[int]]) -> tuple[int, ...]:
    """The features with too many sets of categories to list."""
    return tuple(
        g
        for g, feature in enumerate(problem.data.features)
        if not feature.is_numerical
        and g not in problem.rules.forbidden
        and len(present[g]) > 2
        and sum(math.comb(len(present[g]), size) for size in _sizes(problem, g, present[g]))
        > MOST_LISTED_SETS
    )


def _listed(
    problem: Problem, present: list[list[int]], walked: tuple[int, ...]
) -> tuple[list[Split], list[QuestionGroup], dict[int, int]]:
    splits: list[Split] = []
    groups: list[QuestionGroup] = []
    for g in range(len(problem.data.features)):
        if g in problem.rules.forbidden or g in walked:
            continue
        for sets, is_chain in _sets(problem, g, present[g]):
            first = len(splits)
            splits += [Split(g, left) for left in sets]
            if len(splits) > first:
                groups.append(QuestionGroup(g, first, len(splits), is_chain))
    fixed: dict[int, int] = {}
    for node, rule in problem.rules.nodes:
        if rule.split is not None:
            fixed[node] = len(splits)
            groups.append(QuestionGroup(rule.split.feature, len(splits), len(splits) + 1, False))
            splits.append(rule.split)
    return splits, groups, fixed


def _sets(
    problem: Problem, g: int, present: list[int]
) -> Iterator[tuple[list[frozenset[int]], bool]]:
    """The set of each question that can separate rows, group by group."""
    feature = problem.data.features[g]
    if not feature.is_numerical:
        yield _subsets(problem, g, present), False
        return
    n = feature.n_values
    lows = [frozenset(range(cut)) for cut in range(1, feature.n_ordered + 1)]
    yield [low for low in lows if len(low) < n], True
    if feature.has_missing:
        yield [low | {n - 1} for low in lows if len(low) + 1 < n], True


def _sizes(problem: Problem, g: int, present: list[int]) -> range:
    """How many categories a question may name, out of those that rows have."""
    most = most_named(problem, problem.data.features[g])
    return range(1, min(most, len(present) // 2) + 1)


def most_named(problem: Problem, feature: Feature) -> int:
    """Return the most categories of a feature that a question may name."""
    half = feature.n_values // 2
    return half if problem.max_card is None else min(problem.max_card, half)


def _subsets(problem: Problem, g: int, present: list[int]) -> list[frozenset[int]]:
    sizes = _sizes(problem, g, present)
    found = [frozenset(c) for size in sizes for c in combinations(present, size)]
    # two halves that are complements of each other are the same question
    n = len(present)
    return [left for left in found if 2 * len(left) < n or present[0] in left]


def _categories(
    problem: Problem, codes: npt.NDArray[np.int32], splits: list[Split]
) -> tuple[
    npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32], dict[int, int]
]:
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
    first_value = {g: at for at, (g, code) in enumerate(places) if code == 0}
    return values, members, owned, first_value


def _counted(problem: Problem, positive: Whole, negative: Whole) -> Whole:
    """What each merged row adds to the size of its leaf (see `SmallestLeaf.counted`)."""
    leaf = problem.smallest_leaf
    if leaf is None or leaf.of == "rows":
        return positive + negative
    data = problem.data
    return positive if data.n_positive <= data.n_negative else negative
