"""Columns (yes/no questions) and groups of columns of a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

CHAIN, FULL, CAPPED = 0, 1, 2
"""Kinds of group: nested columns; any subset of the columns; subsets within the cap."""


@dataclass(frozen=True, eq=False)
class Group:
    """A group of columns, and the features it comes from.

    A *chain* holds nested columns, each a split by itself: the thresholds of an ordered feature
    (with missing values a second chain, whose columns hold the missing bin as well), nested
    two-valued features, or a fixed split. A *set* holds one column for each category: they are
    disjoint and together hold every row.

    Attributes
    ----------
    kind, arity : int
        `CHAIN`, `FULL` or `CAPPED`, and the largest number of columns that go one way.
    n : int
        Columns.
    features : tuple of int
        The feature; for nested two-valued features the feature of each column.
    places : tuple of int32[n_codes]
        For each feature and code the first column that holds it (in a set the only one), `n` if no
        column does. For nested features 0 if the feature's column holds the code, else 1.
    fixed : Split or None
        The fixed question that the group stands for.
    """

    kind: int
    arity: int
    n: int
    features: tuple[int, ...]
    places: tuple[npt.NDArray[np.int32], ...]
    fixed: Split | None = None

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
    """The groups of columns of a problem: chains first, then sets, then fixed questions.

    Parameters
    ----------
    problem : Problem
    codes : int32[N, G]
        The merged rows.
    weight : int64[N]
        Their weights. They decide from which end thresholds are counted.
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
        chains = nest(problem, codes, chains)
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
    """A chain of one column."""

    group: Group
    rows: int  # how many rows it holds
    both: int  # how many of them the column before holds as well


def nest(problem: Problem, codes: npt.NDArray[np.int32], chains: list[Group]) -> list[Group]:
    """Join neighbouring two-valued features whose rows are nested, like thresholds."""
    joined: list[Group] = []
    for alone, part in groupby(chains, key=_stands_alone(chains)):
        if not alone:
            joined += part
            continue
        columns = _overlaps(codes, list(part))
        at, n = 0, len(codes)
        while at < len(columns):
            plain, flipped = _nested(columns, at, n, False), _nested(columns, at, n, True)
            flips = flipped if len(flipped) > len(plain) else plain
            end = at + len(flips)
            joined.append(_joined(columns[at:end], n, flips))
            at = end
    return joined


def _stands_alone(chains: list[Group]) -> Callable[[Group], bool]:
    """Whether a chain is one column and its feature has no other chain."""
    several = Counter(chain.features for chain in chains)
    return lambda chain: chain.n == 1 and several[chain.features] == 1


def _overlaps(codes: npt.NDArray[np.int32], chains: list[Group]) -> list[_Single]:
    """Count the rows of each column, and how many the column before holds as well."""
    found = []
    before = np.zeros(len(codes), np.bool_)
    for chain in chains:
        here = chain.local(codes) == 0
        found.append(_Single(chain, int(here.sum()), int((here & before).sum())))
        before = here
    return found


def _nested(columns: list[_Single], at: int, n: int, flipped: bool) -> list[bool]:
    """How far columns from `at` on are nested: for each of these, whether it must be reversed.

    A column joins only if this leaves no more of the n rows to count than the column by itself.
    """
    last, last_flip = columns[at], flipped
    size = n - last.rows if flipped else last.rows
    flips = [flipped]
    for column in columns[at + 1 :]:
        rows, others = column.rows, n - column.rows
        for flip, total in ((False, rows), (True, others)):
            fits = 0 <= total - size <= min(rows, others)
            if fits and not _left_out(last, last_flip, column, flip, n):
                flips.append(flip)
                last, last_flip, size = column, flip, total
                break
        else:
            return flips
    return flips


def _left_out(inner: _Single, inner_flip: bool, outer: _Single, outer_flip: bool, n: int) -> int:
    """How many rows a column holds (or leaves out, if flipped) that the next one does not."""
    if inner_flip:
        return outer.rows - outer.both if outer_flip else n - inner.rows - outer.rows + outer.both
    return outer.both if outer_flip else inner.rows - outer.both


def _joined(parts: list[_Single], n: int, flips: list[bool]) -> Group:
    """One chain from single columns, some of them reversed."""
    if len(parts) == 1:
        return parts[0].group
    first, last = (n - parts[i].rows if flips[i] else parts[i].rows for i in (0, -1))
    if first > n - last:  # fewer rows are left to count from the other end
        parts, flips = parts[::-1], [not flip for flip in flips[::-1]]
    places = [part.group.places[0] for part in parts]
    turned = tuple(1 - place if flip else place for place, flip in zip(places, flips, strict=True))
    return Group(CHAIN, 1, len(parts), tuple(part.group.features[0] for part in parts), turned)
