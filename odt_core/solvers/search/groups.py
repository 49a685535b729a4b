"""Columns (yes/no questions) and groups of columns of a problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

CHAIN, FULL, CAPPED = 0, 1, 2
"""Kinds of group: nested columns; any subset of the columns; subsets within the cap."""


@dataclass(frozen=True, eq=False)
class Group:
    """A group of columns, and the features it comes from.

    A *chain* holds nested columns, and each column is a split by itself: the thresholds of an
    ordered feature (if it has missing values, a second chain has columns that hold the missing
    values as well), nested two-valued features, or a fixed split. A *set* holds one column for each
    category. These columns are disjoint and together hold every row.
    """

    kind: int  # `CHAIN`, `FULL` or `CAPPED`
    arity: int  # the largest number of columns that go one way
    n: int  # the number of columns
    features: tuple[int, ...]  # the feature; in nested two-valued features one for each column
    # for each feature and code: the first column that holds the code (in a set the only one), `n`
    # if no column does; in nested features: 0 if the feature's column holds the code, else 1
    places: tuple[npt.NDArray[np.int32], ...]
    fixed: Split | None = None  # the fixed split that the group stands for

    def local(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """The first column that holds each of the merged rows, `n` if no column does."""
        parts = zip(self.places, self.features, strict=True)
        return np.sum([place[codes[:, g]] for place, g in parts], axis=0, dtype=np.int32)

    def question(self, columns: list[int]) -> tuple[int, frozenset[int]]:
        """A feature and the codes that some of the group's columns hold."""
        at, last = (columns[0], [0]) if len(self.features) > 1 else (0, columns)
        place = self.places[at]
        inside = place <= last[0] if self.kind == CHAIN else np.isin(place, last)
        return self.features[at], frozenset(np.flatnonzero(inside).tolist())


def _one_column(feature: int, inside: list[int], n_codes: int, fixed: Split | None = None) -> Group:
    """A chain of one column that holds some codes."""
    place = np.ones(n_codes, np.int32)
    place[inside] = 0
    return Group(CHAIN, 1, 1, (feature,), (place,), fixed)


def make_groups(
    problem: Problem, codes: npt.NDArray[np.int32], weight: npt.NDArray[np.int64]
) -> tuple[Group, ...]:
    """The groups of columns of a problem: chains first, then sets, then fixed splits.

    `codes` are the merged rows. Their weights decide from which end thresholds are counted.
    """
    chains: list[Group] = []
    sets: list[Group] = []
    for g, feature in enumerate(problem.data.features):
        count = np.bincount(codes[:, g], weight, feature.n_values)
        present = np.flatnonzero((count > 0) | problem.forbid_empty_branches).tolist()
        if len(present) < 2:
            continue
        if feature.is_numerical:
            chains += _threshold_chains(g, feature, present, count)
        elif len(present) == 2:
            rare = min(present, key=lambda code: count[code])
            chains.append(_one_column(g, [rare], feature.n_values))
        else:
            q = len(present)
            cap = problem.max_card if problem.caps(feature) else None
            arity = min(q if cap is None else cap, q // 2)
            place = np.full(feature.n_values, q, np.int32)
            place[present] = np.arange(q)
            kind = FULL if arity == q // 2 else CAPPED
            sets.append(Group(kind, arity, q, (g,), (place,)))
    if not problem.rules.forbidden and not problem.rules.nodes:
        chains = nest(codes, chains)
    sets.sort(key=lambda group: group.n)
    fixed = dict.fromkeys(rule.split for _, rule in problem.rules.nodes if rule.split is not None)
    n_codes = [feature.n_values for feature in problem.data.features]
    singles = [_one_column(s.feature, list(s.left), n_codes[s.feature], s) for s in fixed]
    return tuple(chains + sets + singles)


def _threshold_chains(
    g: int, feature: Feature, present: list[int], count: npt.NDArray
) -> list[Group]:
    """Thresholds of an ordered feature, from the end that leaves fewer rows to count."""
    n = feature.n_ordered
    ordered = present[:-1] if present[-1] >= n else present
    missing = present[len(ordered) :]
    if not ordered:
        return []
    from_above = len(ordered) > 1 and bool(count[ordered[0]] > count[ordered[-1]])
    cuts = -np.array(ordered[:0:-1]) if from_above else np.array(ordered[:-1])
    code = -np.arange(n) if from_above else np.arange(n)
    place = np.full(feature.n_values, len(cuts), np.int32)
    place[:n] = np.searchsorted(cuts, code)  # bins without rows belong to a cut as well
    chains = [Group(CHAIN, 1, len(cuts), (g,), (place,))] if len(cuts) else []
    if missing:
        place = place + np.int32(1)
        place[missing[0]] = 0
        chains.append(Group(CHAIN, 1, len(cuts) + 1, (g,), (place,)))
    return chains


# ---------------------------------------------------------------- nested two-valued features


class _Single(NamedTuple):
    """A chain of one column: the rows in it and the others, as bits and as numbers."""

    group: Group
    bits: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
    sizes: tuple[int, int]

    @classmethod
    def of(cls, group: Group, codes: npt.NDArray[np.int32]) -> _Single:
        """Count the rows of a chain of one column."""
        outside = group.local(codes)
        rows = int(outside.sum())
        bits = np.packbits(outside == 0), np.packbits(outside == 1)
        return cls(group, bits, (len(codes) - rows, rows))


def nest(codes: npt.NDArray[np.int32], chains: list[Group]) -> list[Group]:
    """Join neighbouring two-valued features whose rows are nested, like thresholds."""
    several = Counter(chain.features for chain in chains)
    joined: list[Group] = []
    for single, part in groupby(chains, lambda c: c.n == 1 and several[c.features] == 1):
        if not single:
            joined += part
            continue
        columns = [_Single.of(chain, codes) for chain in part]
        while columns:
            sides = max(_nested(columns, 0), _nested(columns, 1), key=len)
            joined.append(_joined(columns[: len(sides)], sides))
            columns = columns[len(sides) :]
    return joined


def _nested(columns: list[_Single], side: int) -> list[int]:
    """The sides of the first columns that are nested, if the first column is taken from `side`.

    A column joins only if no more rows are counted for it then than for the column by itself.
    """
    sides = [side]
    for last, column in pairwise(columns):
        rows, size = last.bits[sides[-1]], last.sizes[sides[-1]]
        fits = (
            not (rows & column.bits[1 - side]).any()
            and column.sizes[side] - size <= min(column.sizes)
            for side in (0, 1)
        )
        found = next((side for side, does in enumerate(fits) if does), None)
        if found is None:
            break
        sides.append(found)
    return sides


def _joined(columns: list[_Single], sides: list[int]) -> Group:
    """One chain from nested sides of single columns."""
    if len(columns) == 1:
        return columns[0].group
    if columns[0].sizes[sides[0]] > columns[-1].sizes[1 - sides[-1]]:
        columns, sides = columns[::-1], [1 - side for side in sides[::-1]]  # fewer rows to count
    places = [column.group.places[0] for column in columns]
    turned = tuple(1 - place if side else place for place, side in zip(places, sides, strict=True))
    features = tuple(column.group.features[0] for column in columns)
    return Group(CHAIN, 1, len(columns), features, turned)
