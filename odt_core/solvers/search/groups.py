"""Columns (yes/no questions) and groups of columns of a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

CHAIN, FULL, CAPPED = 0, 1, 2
"""Kinds of group: nested columns; any subset of the columns; subsets within the cap."""


@dataclass(frozen=True)
class Group:
    """Where a group of columns comes from.

    A *chain* holds nested columns, each a split by itself: the thresholds of an ordered feature (a
    second chain takes the missing bin along), two-valued features that are nested like thresholds,
    a fixed split. A *set* holds one column for each category: disjoint, together everything.

    Attributes
    ----------
    feature : int
        The feature.
    kind, arity : int
        `CHAIN`, `FULL` or `CAPPED`, and the largest number of columns that go one way.
    sets : sequence of frozenset of int
        The codes that each column holds.
    fixed : Split or None
        The fixed question the group stands for.
    features : tuple of int
        Where the columns are of several features: the feature of each.
    """

    feature: int
    kind: int
    arity: int
    sets: Sequence[frozenset[int]]
    fixed: Split | None = None
    features: tuple[int, ...] = ()

    def feature_of(self, position: int) -> int:
        """The feature of a column, by its position in the group."""
        return self.features[position] if self.features else self.feature


@dataclass(frozen=True)
class Thresholds(Sequence[frozenset[int]]):
    """The sets of codes of a chain of thresholds, made when one is asked for.

    Attributes
    ----------
    cuts : int64[L]
        The last code (or, counted from above, the first one) that each set holds; they rise (fall).
    n_ordered : int
        Codes of the feature without its missing bin.
    from_above : bool
        Whether the sets hold the codes from the cut on, not those up to it.
    missing : int
        The missing bin if it belongs to all sets and a first set holds it alone; else -1.
    """

    cuts: npt.NDArray[np.int64]
    n_ordered: int
    from_above: bool
    missing: int = -1

    def __len__(self) -> int:
        return len(self.cuts) + (self.missing >= 0)

    @overload
    def __getitem__(self, at: int) -> frozenset[int]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[frozenset[int]]: ...
    def __getitem__(self, at: int | slice) -> frozenset[int] | Sequence[frozenset[int]]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        if self.missing < 0:
            return self._plain(at)
        alone = frozenset((self.missing,))
        return alone if at == 0 else alone | self._plain(at - 1)

    def _plain(self, at: int) -> frozenset[int]:
        cut = int(self.cuts[at])
        return codes_between(cut, self.n_ordered) if self.from_above else codes_between(0, cut + 1)

    def places(self, n_codes: int) -> npt.NDArray[np.int32]:
        """The first set that holds each code, ``len(self)`` where none does."""
        sign = -1 if self.from_above else 1
        code = np.arange(self.n_ordered)
        place = np.full(n_codes, len(self), np.int32)
        place[: self.n_ordered] = np.searchsorted(sign * self.cuts, sign * code)
        if self.missing >= 0:
            place[: self.n_ordered] += 1
            place[self.missing] = 0
        return place


@lru_cache(maxsize=4096)
def codes_between(first: int, last: int) -> frozenset[int]:
    """The codes from `first` up to `last` (left out). Kept: many small sets are slow to make."""
    return frozenset(range(first, last))


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
        Their weights, which decide from which end thresholds are counted.
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
            a, b = present
            rare = b if count[b] < count[a] else a
            chains.append(Group(g, CHAIN, 1, (codes_between(rare, rare + 1),)))
        else:
            q = len(present)
            cap = problem.max_card if problem.caps(feature) else None
            arity = min(q if cap is None else cap, q // 2)
            kind = FULL if arity == q // 2 else CAPPED
            columns = tuple(codes_between(code, code + 1) for code in present)
            sets.append(Group(g, kind, arity, columns))
    if not problem.rules.forbidden and not problem.rules.nodes:
        chains = nest(problem, codes, chains)
    sets.sort(key=lambda group: len(group.sets))
    fixed = dict.fromkeys(rule.split for _, rule in problem.rules.nodes if rule.split is not None)
    singles = [Group(split.feature, CHAIN, 1, (split.left,), split) for split in fixed]
    return tuple(chains + sets + singles)


def _threshold_chains(
    g: int, feature: Feature, present: list[int], count: npt.NDArray
) -> list[Group]:
    """Thresholds of an ordered feature, counted from the end that leaves out more rows."""
    n = feature.n_ordered
    ordered = present[:-1] if present[-1] >= n else present
    missing = present[len(ordered) :]
    if not ordered:
        return []
    from_above = len(ordered) > 1 and bool(count[ordered[0]] > count[ordered[-1]])
    inner = ordered[:0:-1] if from_above else ordered[:-1]
    cuts = np.array(inner, np.int64)  # bins without rows belong to the cut, too
    chains = [Group(g, CHAIN, 1, Thresholds(cuts, n, from_above))] if inner else []
    if missing:
        chains.append(Group(g, CHAIN, 1, Thresholds(cuts, n, from_above, missing[0])))
    return chains


# ---------------------------------------------------------------- nested two-valued features


class _Single(NamedTuple):
    """A column that makes up a chain by itself, its rows, and those that the one before has too."""

    group: Group
    rows: int
    both: int


def nest(problem: Problem, codes: npt.NDArray[np.int32], chains: list[Group]) -> list[Group]:
    """Join neighbouring two-valued features whose rows are nested, as those of cut numbers are."""
    joined: list[Group] = []
    for alone, part in groupby(chains, key=_stands_alone(chains)):
        if not alone:
            joined += part
            continue
        columns = _overlaps(problem, codes, list(part))
        at, n = 0, len(codes)
        while at < len(columns):
            plain, flipped = _nested(columns, at, n, False), _nested(columns, at, n, True)
            flips = flipped if len(flipped) > len(plain) else plain
            end = at + len(flips)
            joined.append(_joined(problem, columns[at:end], n, flips))
            at = end
    return joined


def _stands_alone(chains: list[Group]) -> Callable[[Group], bool]:
    """Whether a chain is one column and its feature has no other chain."""
    several = Counter(chain.feature for chain in chains)
    return lambda chain: len(chain.sets) == 1 and several[chain.feature] == 1


def _overlaps(problem: Problem, codes: npt.NDArray[np.int32], chains: list[Group]) -> list[_Single]:
    """How many rows each column holds, alone and together with the one before it."""
    found = []
    before = np.zeros(len(codes), np.bool_)
    for chain in chains:
        member = np.zeros(problem.data.features[chain.feature].n_values, np.bool_)
        member[list(chain.sets[0])] = True
        here = member[codes[:, chain.feature]]
        found.append(_Single(chain, int(here.sum()), int((here & before).sum())))
        before = here
    return found


def _nested(columns: list[_Single], at: int, n: int, flipped: bool) -> list[bool]:
    """Which columns from `at` on to reverse so that each holds the one before; as many as go.

    A column joins only if that leaves no more of the n rows to count than it had by itself.
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
    """How many rows are in a column (or outside, if flipped) but not in the one after it."""
    if inner_flip:
        return outer.rows - outer.both if outer_flip else n - inner.rows - outer.rows + outer.both
    return outer.both if outer_flip else inner.rows - outer.both


def _joined(problem: Problem, parts: list[_Single], n: int, flips: list[bool]) -> Group:
    """One chain from single columns, of which some are reversed."""
    if len(parts) == 1:
        return parts[0].group
    first, last = (n - parts[i].rows if flips[i] else parts[i].rows for i in (0, -1))
    if first > n - last:  # count from the end that leaves out more rows
        parts, flips = parts[::-1], [not flip for flip in flips[::-1]]
    everything = [codes_between(0, problem.data.features[p.group.feature].n_values) for p in parts]
    sets = tuple(
        whole - part.group.sets[0] if flip else part.group.sets[0]
        for part, flip, whole in zip(parts, flips, everything, strict=True)
    )
    features = tuple(part.group.feature for part in parts)
    return Group(features[0], CHAIN, 1, sets, features=features)
