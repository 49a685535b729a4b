"""The best question of one node by counting, everything else given.

With the other nodes fixed, each row has a worth on the left and a worth on the right. A question's
worth is then a sum over the codes it sends left, so sorting (or, for bins, cumulating) finds the
best one exactly, under every cap, order and rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

NEVER = np.iinfo(np.int64).min // 4

Codes = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
Fits = Callable[[Codes], Flags]
"""For codes in some order: bool[len(codes) + 1], whether the first so many may go left."""


@dataclass(frozen=True, eq=False)
class Held:
    """What the two sides of a question must hold, if any row goes there.

    Attributes
    ----------
    counted : int64[n]
        What each row that reaches the node adds to its side.
    least : int
        The least sum.
    """

    counted: npt.NDArray[np.int64]
    least: int

    def fits(self, problem: Problem, g: int, codes: Codes, order: Codes) -> Flags:
        """Whether the first so many of feature g's codes may go left, and the rest right."""
        held = totals(problem, g, codes, self.counted)
        rows = totals(problem, g, codes, np.ones(len(codes), dtype=np.int64))
        fits = np.ones(len(order) + 1, dtype=np.bool_)
        left_held = np.concatenate([[0], np.cumsum(held[order])])
        left_rows = np.concatenate([[0], np.cumsum(rows[order])])
        for some_held, some_rows in (
            (left_held, left_rows),
            (held.sum() - left_held, rows.sum() - left_rows),
        ):
            fits &= (some_held >= self.least) | (some_rows == 0)
        return fits


def best_split(
    problem: Problem,
    node: int,
    codes: npt.NDArray[np.integer],
    advantage: npt.NDArray[np.int64],
    held: Held | None = None,
) -> Split:
    """The question that a node may ask with the largest total worth.

    Parameters
    ----------
    problem : Problem
        Gives the caps and rules.
    node : int
        The decision node.
    codes : int[n, G]
        The rows that reach the node.
    advantage : int64[n]
        What each row is worth on the left minus what it is worth on the right.
    held : Held, optional
        What both sides must hold. Of the sets of a categorical feature only those are tried that
        have the codes of most advantage. If no question fits, it is not looked at.
    """
    fixed = problem.rules.at(node).split
    if fixed is not None:
        return fixed
    best: tuple[int, Split] | None = None
    for g in problem.allowed_features(node):
        fits = None if held is None else partial(held.fits, problem, g, codes)
        found = best_set(problem, g, totals(problem, g, codes, advantage), fits)
        if found is not None and (best is None or found[0] > best[0]):
            best = found[0], Split(g, found[1])
    if best is None:
        assert held is not None, "a problem has a question for every node"
        return best_split(problem, node, codes, advantage)
    return best[1]


def totals(
    problem: Problem,
    g: int,
    codes: npt.NDArray[np.integer],
    worth: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Sum of a worth over the rows with each code of feature g, exactly."""
    total = np.zeros(problem.data.features[g].n_values, dtype=np.int64)
    np.add.at(total, codes[:, g], worth)
    return total


def best_set(
    problem: Problem, g: int, advantage: npt.NDArray[np.int64], fits: Fits | None = None
) -> tuple[int, frozenset[int]] | None:
    """The worth and the codes of the best set of feature g, given each code's advantage."""
    feature = problem.data.features[g]
    if feature.is_numerical:
        return _best_threshold(problem, feature, advantage, fits)
    order = np.argsort(-advantage, kind="stable")
    worth = np.concatenate([[0], np.cumsum(advantage[order])])
    allowed = allowed_sizes(problem, feature)
    if fits is not None:
        allowed = allowed & fits(order)
    worth = np.where(allowed, worth, NEVER)
    size = int(worth.argmax())
    if worth[size] == NEVER:
        return None
    return int(worth[size]), frozenset(int(code) for code in order[:size])


def allowed_sizes(problem: Problem, feature: Feature) -> npt.NDArray[np.bool_]:
    """bool[n_values + 1]: how many codes of a feature a question may send left."""
    n = feature.n_values
    sizes = np.arange(n + 1)
    allowed = np.ones(n + 1, dtype=np.bool_)
    if problem.caps(feature):
        assert problem.max_card is not None
        allowed &= (sizes <= problem.max_card) | (sizes >= n - problem.max_card)
    if problem.forbid_empty_branches:
        allowed[[0, n]] = False
    return allowed


def _best_threshold(
    problem: Problem, feature: Feature, advantage: npt.NDArray[np.int64], fits: Fits | None
) -> tuple[int, frozenset[int]] | None:
    """Low or high bins go left, the missing bin either way."""
    n = feature.n_ordered
    low = np.concatenate([[0], np.cumsum(advantage[:n])])
    sizes = np.arange(n + 1)
    low_alone, low_with_missing = _cuts_that_fit(feature, fits)
    outside = [frozenset[int]()]
    if feature.has_missing:
        outside.append(frozenset({n}))
    best: tuple[int, frozenset[int]] | None = None
    for extra in outside:
        more = int(advantage[n]) if extra else 0
        for is_low, worth, size in ((True, low, sizes), (False, low[-1] - low, n - sizes)):
            # High bins without the missing one go left where low bins with it go right.
            allowed = low_alone if is_low != bool(extra) else low_with_missing
            if problem.forbid_empty_branches:
                inside = size + len(extra)
                allowed = allowed & (inside > 0) & (inside < feature.n_values)
            worth = np.where(allowed, worth, NEVER)
            cut = int(worth.argmax())
            if worth[cut] == NEVER or (best is not None and worth[cut] + more <= best[0]):
                continue
            bins = range(cut) if is_low else range(cut, n)
            best = int(worth[cut]) + more, frozenset(bins) | extra
    return best


def _cuts_that_fit(feature: Feature, fits: Fits | None) -> tuple[Flags, Flags]:
    """bool[n_ordered + 1] twice: bins below a cut apart from the rest, without and with missing."""
    n = feature.n_ordered
    if fits is None:
        return np.ones(n + 1, dtype=np.bool_), np.ones(n + 1, dtype=np.bool_)
    codes = np.arange(feature.n_values)
    alone = fits(codes)[: n + 1]
    if not feature.has_missing:
        return alone, alone
    return alone, fits(np.roll(codes, 1))[1:]
