"""Columns and groups of columns of a problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split
from odt_core.solvers.search.model import CAPPED, CHAIN, FULL


@dataclass(frozen=True)
class Group:
    """Where a group of columns comes from.

    Attributes
    ----------
    feature : int
        The feature.
    kind, arity : int
        See `Model`.
    sets : tuple of frozenset of int
        The codes that each column holds.
    fixed : Split or None
        The fixed question the group stands for.
    features : tuple of int
        Where the columns are of several features: the feature of each.
    """

    feature: int
    kind: int
    arity: int
    sets: tuple[frozenset[int], ...]
    fixed: Split | None = None
    features: tuple[int, ...] = ()

    def feature_of(self, position: int) -> int:
        """The feature of a column, by its position in the group."""
        return self.features[position] if self.features else self.feature


@lru_cache(maxsize=4096)
def codes_between(first: int, last: int) -> frozenset[int]:
    """The codes from `first` up to `last` (left out). Kept: many small sets are slow to make."""
    return frozenset(range(first, last))


def make_groups(
    problem: Problem, codes: npt.NDArray[np.int32], weight: npt.NDArray[np.int64]
) -> tuple[Group, ...]:
    """The groups of columns: chains first, then sets, then fixed questions."""
    chains: list[Group] = []
    sets: list[Group] = []
    codes = np.asfortranarray(codes)  # read by columns
    heavy = weight.astype(np.float64)
    for g, feature in enumerate(problem.data.features):
        count = _weight_of_codes(codes[:, g], heavy, feature.n_values)
        present = np.flatnonzero(count > 0)
        if problem.forbid_empty_branches:
            present = np.arange(feature.n_values)
        if len(present) < 2:
            continue
        if feature.is_numerical:
            chains += _threshold_chains(g, feature, present, count)
        elif len(present) == 2:
            rare = int(min(present, key=lambda code: count[code]))
            chains.append(Group(g, CHAIN, 1, (frozenset({rare}),)))
        else:
            q = len(present)
            cap = problem.max_card if problem.caps(feature) else None
            most = q if cap is None else cap
            arity = min(most, q // 2)
            sets.append(
                Group(
                    g,
                    FULL if arity == q // 2 else CAPPED,
                    arity,
                    tuple(codes_between(code, code + 1) for code in present.tolist()),
                )
            )
    if not problem.rules.forbidden and not problem.rules.nodes:
        chains = nest(problem, codes, chains)
    sets.sort(key=lambda group: len(group.sets))
    fixed = dict.fromkeys(rule.split for _, rule in problem.rules.nodes if rule.split is not None)
    singles = [Group(split.feature, CHAIN, 1, (split.left,), split) for split in fixed]
    return tuple(chains + sets + singles)


def _weight_of_codes(
    column: npt.NDArray[np.int32], weight: npt.NDArray[np.float64], n_values: int
) -> npt.NDArray[np.float64]:
    """Weight of the rows with each code."""
    if n_values > 2:
        return np.asarray(np.bincount(column, weight, n_values), dtype=np.float64)
    second = float(weight @ (column == 1)) if n_values == 2 else 0.0  # three times as fast
    return np.array([weight.sum() - second, second])[:n_values]


def nest(problem: Problem, codes: npt.NDArray[np.int32], chains: list[Group]) -> list[Group]:
    """Join neighbouring two-valued features whose rows are nested, as those of cut numbers are."""
    single = [
        len(chain.sets) == 1
        and (k == 0 or chains[k - 1].feature != chain.feature)
        and (k + 1 == len(chains) or chains[k + 1].feature != chain.feature)
        for k, chain in enumerate(chains)
    ]
    nothing = np.zeros(0, np.bool_)
    held_by = [
        holds(codes, chain.feature, chain.sets[0]) if alone else nothing
        for chain, alone in zip(chains, single, strict=True)
    ]
    counts = [int(np.count_nonzero(column)) for column in held_by]
    joined: list[Group] = []
    k = 0
    end = 0
    while k < len(chains):
        end = max(end, k + 1)
        while single[k] and end < len(chains) and single[end]:
            end += 1
        if end == k + 1:
            joined.append(chains[k])
            k = end
            continue
        held = held_by[k:end]
        runs = [_nested(held, counts[k:end], flipped) for flipped in (False, True)]
        flips = max(runs, key=len)
        joined.append(_joined(problem, chains[k : k + len(flips)], held, flips))
        k += len(flips)
    return joined


def holds(
    codes: npt.NDArray[np.int32], feature: int, inside: frozenset[int]
) -> npt.NDArray[np.bool_]:
    """Which rows have one of these values."""
    column = codes[:, feature]
    if len(inside) == 1:
        return np.asarray(column == next(iter(inside)))
    known = np.zeros(int(column.max(initial=0)) + 1, dtype=np.bool_)
    known[[code for code in inside if code < len(known)]] = True
    return np.asarray(known[column])


def _nested(held: list[npt.NDArray[np.bool_]], counts: list[int], flipped: bool) -> list[bool]:
    """Which of the first columns to reverse so that each holds the one before; as many as go.

    A column joins only if that leaves no more rows to count than it had by itself.
    """
    n = len(held[0])
    last, last_flip = held[0], flipped
    size = n - counts[0] if flipped else counts[0]
    flips = [flipped]
    for column, count in zip(held[1:], counts[1:], strict=True):
        alone = min(count, n - count)
        for flip, total in ((False, count), (True, n - count)):
            if 0 <= total - size <= alone and not _leaves_out(last, last_flip, column, flip):
                flips.append(flip)
                last, last_flip, size = column, flip, total
                break
        else:
            return flips
    return flips


def _leaves_out(
    inner: npt.NDArray[np.bool_], inner_flip: bool, outer: npt.NDArray[np.bool_], outer_flip: bool
) -> bool:
    """Whether some row is in the first column (or outside, if flipped) but not in the second."""
    if inner_flip:
        return bool((inner < outer).any() if outer_flip else not (inner | outer).all())
    return bool((inner & outer).any() if outer_flip else (inner > outer).any())


def _joined(
    problem: Problem, parts: list[Group], held: list[npt.NDArray[np.bool_]], flips: list[bool]
) -> Group:
    """One chain from single columns, of which some are reversed."""
    if len(parts) == 1:
        return parts[0]
    ends = [int((~held[i] if flips[i] else held[i]).sum()) for i in (0, len(flips) - 1)]
    if ends[0] > len(held[0]) - ends[1]:  # count from the end that leaves out more rows
        parts, flips = parts[::-1], [not flip for flip in flips[::-1]]
    everything = [frozenset(range(problem.data.features[g.feature].n_values)) for g in parts]
    sets = tuple(
        whole - part.sets[0] if flip else part.sets[0]
        for part, flip, whole in zip(parts, flips, everything, strict=True)
    )
    features = tuple(part.feature for part in parts)
    return Group(features[0], CHAIN, 1, sets, features=features)


def _threshold_chains(
    g: int, feature: Feature, present: npt.NDArray[np.int64], count: npt.NDArray[np.float64]
) -> list[Group]:
    """Thresholds of an ordered feature, counted from the end that leaves out more rows."""
    n = feature.n_ordered
    ordered = [int(code) for code in present if code < n]
    missing = frozenset(int(code) for code in present if code >= n)
    if len(ordered) > 1 and count[ordered[0]] > count[ordered[-1]]:
        sets = [codes_between(code, n) for code in reversed(ordered)]
    else:
        sets = [codes_between(0, code + 1) for code in ordered]
    below = tuple(sets[:-1])  # bins without rows belong to the cut, too
    chains = [Group(g, CHAIN, 1, below)] if below else []
    if missing and ordered:
        also = (missing, *(missing | inside for inside in below))
        chains.append(Group(g, CHAIN, 1, also))
    return chains
