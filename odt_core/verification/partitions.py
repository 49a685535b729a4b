"""All questions that a decision node may ask, as divisions of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError, quoted
from odt_core.problem import Feature, Problem, Split

MOST_QUESTIONS = 50_000
"""Largest number of questions of a node; trying more would take too long."""


@dataclass(frozen=True, eq=False)
class Partitions:
    """The different divisions of the rows by a node's questions.

    Attributes
    ----------
    inside : float32[Q, N]
        1 where a row's value is in the question's set.
    splits : tuple of Split
        One question for each division.
    reversible : bool
        Whether each question also stands for its reverse, in which the set's members go right.
    """

    inside: npt.NDArray[np.float32]
    splits: tuple[Split, ...]
    reversible: bool

    def __len__(self) -> int:
        return len(self.splits)


def partitions_of(problem: Problem, node: int) -> Partitions:
    """List all questions of a node. Of questions that divide the rows alike, it lists only one.

    Raises
    ------
    InputError
        If there are too many to enumerate.
    """
    fixed = problem.rules.at(node).split
    if fixed is not None:
        return Partitions(_inside(problem, fixed)[None], (fixed,), reversible=False)
    found: dict[bytes, tuple[npt.NDArray[np.float32], Split]] = {}
    for g in problem.allowed_features(node):
        _refuse_too_many(problem, g)
        for left in _sets(problem, problem.data.features[g]):
            split = Split(g, left)
            inside = _inside(problem, split)
            # A set and its complement divide the rows alike. Keep the one with the first row.
            key = (inside if inside[0] else 1 - inside).tobytes()
            found.setdefault(key, (inside, split))
    inside_all, splits = zip(*found.values(), strict=True)
    return Partitions(np.array(inside_all), tuple(splits), reversible=True)


def _inside(problem: Problem, split: Split) -> npt.NDArray[np.float32]:
    member = np.zeros(problem.data.features[split.feature].n_values, dtype=np.float32)
    member[sorted(split.left)] = 1
    inside: npt.NDArray[np.float32] = member[problem.data.codes[:, split.feature]]
    return inside


def _sets(problem: Problem, feature: Feature) -> Iterator[frozenset[int]]:
    """Yield one of each pair of an allowed set and its complement, starting with the empty set."""
    n = feature.n_values
    if not problem.forbid_empty_branches:
        yield frozenset()
    if feature.is_numerical:
        for cut in range(feature.n_ordered + 1):
            low = frozenset(range(cut))
            for left in (low, low | {n - 1}) if feature.has_missing else (low,):
                if 0 < len(left) < n:
                    yield left
        return
    most = n // 2 if problem.max_card is None else min(problem.max_card, n - 1)
    for size in range(1, most + 1):
        yield from map(frozenset, combinations(range(n), size))


def _refuse_too_many(problem: Problem, g: int) -> None:
    feature = problem.data.features[g]
    n = feature.n_values
    if feature.is_numerical:
        questions = 2 * n
    else:
        most = n // 2 if problem.max_card is None else min(problem.max_card, n - 1)
        questions = sum(math.comb(n, size) for size in range(most + 1))
    if questions > MOST_QUESTIONS:
        raise InputError(
            f"The column {quoted(feature.name)} allows {questions:,} questions, too many to try "
            f"one by one (at most {MOST_QUESTIONS:,}): a tree trained with a cap on sets "
            "can be verified."
        )
