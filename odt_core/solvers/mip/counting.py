"""The best question of one node by counting, everything else given.

With the other nodes fixed, each row has a worth on the left and a worth on the right. A question's
worth is then a sum over the codes it sends left, so sorting (or, for bins, cumulating) finds the
best one exactly, under every cap, order and rule.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

NEVER = np.iinfo(np.int64).min // 4


def best_split(
    problem: Problem,
    node: int,
    codes: npt.NDArray[np.integer],
    advantage: npt.NDArray[np.int64],
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
    """
    fixed = problem.rules.at(node).split
    if fixed is not None:
        return fixed
    best: tuple[int, Split] | None = None
    for g in problem.allowed_features(node):
        found = best_set(problem, g, totals(problem, g, codes, advantage))
        if found is not None and (best is None or found[0] > best[0]):
            best = found[0], Split(g, found[1])
    assert best is not None, "a problem has a question for every node"
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
    problem: Problem, g: int, advantage: npt.NDArray[np.int64]
) -> tuple[int, frozenset[int]] | None:
    """The worth and the codes of the best set of feature g, given each code's advantage."""
    feature = problem.data.features[g]
    if feature.is_numerical:
        return _best_threshold(problem, feature, advantage)
    order = np.argsort(-advantage, kind="stable")
    worth = np.concatenate([[0], np.cumsum(advantage[order])])
    worth = np.where(allowed_sizes(problem, feature), worth, NEVER)
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
    problem: Problem, feature: Feature, advantage: npt.NDArray[np.int64]
) -> tuple[int, frozenset[int]] | None:
    """Low or high bins go left, the missing bin either way."""
    n = feature.n_ordered
    low = np.concatenate([[0], np.cumsum(advantage[:n])])
    sizes = np.arange(n + 1)
    outside = [frozenset[int]()]
    if feature.has_missing:
        outside.append(frozenset({n}))
    best: tuple[int, frozenset[int]] | None = None
    for extra in outside:
        more = int(advantage[n]) if extra else 0
        for is_low, worth, size in ((True, low, sizes), (False, low[-1] - low, n - sizes)):
            if problem.forbid_empty_branches:
                inside = size + len(extra)
                worth = np.where((inside > 0) & (inside < feature.n_values), worth, NEVER)
            cut = int(worth.argmax())
            if worth[cut] == NEVER or (best is not None and worth[cut] + more <= best[0]):
                continue
            bins = range(cut) if is_low else range(cut, n)
            best = int(worth[cut]) + more, frozenset(bins) | extra
    return best
