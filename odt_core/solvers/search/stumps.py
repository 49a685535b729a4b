"""Which leaf-adjacent split reaches a point of a front that is known to be reached."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.model import CHAIN, FULL, Model
from odt_core.solvers.search.plant import Choice, Rows

Whole = npt.NDArray[np.int64]


def stump_for(
    model: Model, positive: Whole, negative: Whole, cls: int, rows: Rows, fn: int, fp: int
) -> tuple[Choice, bool]:
    """A leaf-adjacent split with at most so many false negatives and positives.

    Parameters
    ----------
    model : Model
    positive, negative : int64[n]
        Weight of each of the rows, by class.
    cls : int
        The class of the split.
    rows : int32[n]
    fn, fp : int
        A point that some split of the class reaches on these rows.

    Returns
    -------
    choice : Choice
    members_positive : bool
        Whether its members are called positive.
    """
    tp, tn = int(positive.sum()), int(negative.sum())
    if model.empty_ok[cls]:
        if tp <= fn:
            return Choice(-1, False, ()), True
        if tn <= fp:
            return Choice(-1, False, ()), False
    for k in model.groups[model.groups_at[cls] : model.groups_at[cls + 1]].tolist():
        s, e = int(model.start[k]), int(model.start[k + 1])
        p, q = (
            np.bincount(model.local[k, rows], weights=weight, minlength=e - s + 1)[: e - s]
            for weight in (positive, negative)
        )
        found = _in_group(model, k, p.astype(np.int64), q.astype(np.int64), (tp, tn), (fn, fp))
        if found is not None:
            members, members_positive = found
            return Choice(k, False, tuple(s + v for v in members)), members_positive
    raise AssertionError("a leaf-adjacent split does not reach its point")


def _in_group(
    model: Model, k: int, p: Whole, q: Whole, whole: tuple[int, int], most: tuple[int, int]
) -> tuple[tuple[int, ...], bool] | None:
    """Members and whether they are called positive, or None.

    p and q are the positive and negative weights of the group's columns, `whole` those of all rows,
    `most` the false negatives and positives allowed.
    """
    (tp, tn), (fn, fp) = whole, most
    chain = model.kind[k] == CHAIN
    if chain:
        p, q = np.cumsum(p), np.cumsum(q)
    for gain, cost, need, limit, members_positive in (
        (p, q, tp - fn, fp, True),
        (q, p, tn - fp, fn, False),
    ):
        found: tuple[int, ...] | None
        if chain:
            reached = np.flatnonzero((gain >= need) & (cost <= limit))
            found = (int(reached[0]),) if len(reached) else None
        else:
            full = model.kind[k] == FULL
            found = reach(gain, cost, need, limit, len(p) - 1 if full else int(model.arity[k]))
        if found is not None:
            return found, members_positive
        if model.kind[k] == FULL:  # what the members leave can be any set, too
            return None
    return None


@dataclass(frozen=True)
class _States:
    """Undominated sums of chosen values, and where each came from. S states.

    Attributes
    ----------
    gain, cost, count : int64[S]
        Sums over the values chosen, and their number (0 where it does not matter).
    parent, taken : int64[S], bool[S]
        The state before the last value was looked at, and whether that value was chosen.
    """

    gain: Whole
    cost: Whole
    count: Whole
    parent: Whole
    taken: npt.NDArray[np.bool_]

    def pick(self, which: npt.NDArray) -> _States:
        """Some of them."""
        return _States(
            self.gain[which],
            self.cost[which],
            self.count[which],
            self.parent[which],
            self.taken[which],
        )

    def undominated(self) -> _States:
        """Those that no other with as many values is as cheap and as good as."""
        order = np.lexsort((-self.gain, self.cost, self.count))
        level = self.gain[order] + self.count[order] * (int(self.gain.max()) + 1)
        keep = np.ones(len(order), np.bool_)
        keep[1:] = level[1:] > np.maximum.accumulate(level)[:-1]
        return self.pick(order[keep])


def reach(gain: Whole, cost: Whole, need: int, limit: int, most: int) -> tuple[int, ...] | None:
    """From 1 to `most` of n values that gain at least `need` and cost at most `limit`, or None.

    A knapsack: the values by falling gain for their cost, and the undominated sums after each. Two
    bounds drop a sum that cannot become enough any more: parts of values may be chosen (so what is
    left costs no more than `limit`), or costs do not matter (but no more than `most` are chosen).

    Parameters
    ----------
    gain, cost : int64[n]
        At least 0 each.
    most : int
        Below n; n - 1 of them if only all values together are not allowed.
    """
    single = np.flatnonzero((cost <= limit) & (gain >= need))
    if len(single):
        return (int(single[0]),)
    useful = np.flatnonzero((gain > 0) & (cost <= limit))
    order = useful[np.argsort(-gain[useful] / np.maximum(cost[useful], 1e-9), kind="stable")]
    g, c = gain[order], cost[order]
    counts = most < min(len(order), len(gain) - 1)
    zero = np.zeros(1, np.int64)
    states = _States(zero, zero, zero, zero, np.zeros(1, np.bool_))
    history: list[_States] = []
    gains, costs = np.concatenate([zero, np.cumsum(g)]), np.concatenate([zero, np.cumsum(c)])
    best = _best_of_rest(g, most) if counts else None
    for i in range(len(order)):
        index = np.arange(len(states.gain))
        both = _States(
            np.concatenate([states.gain, states.gain + g[i]]),
            np.concatenate([states.cost, states.cost + c[i]]),
            np.concatenate([states.count, states.count + int(counts)]),
            np.concatenate([index, index]),
            np.repeat([False, True], len(index)),
        )
        room = limit - both.cost
        at = np.searchsorted(costs, room + costs[i + 1], side="right") - 1
        parts = gains[at] - gains[i + 1]
        last = np.minimum(at, len(order) - 1)  # chosen in part
        left = room + costs[i + 1] - costs[at]
        parts += np.where(at < len(order), left * g[last] // np.maximum(c[last], 1), 0)
        enough = (room >= 0) & (both.gain + parts >= need)
        if best is not None:
            enough &= both.count <= most
            enough &= both.gain + best[i + 1, np.maximum(most - both.count, 0)] >= need
        if not enough.any():
            return None
        states = both.pick(enough).undominated()
        history.append(states)
        done = np.flatnonzero(states.gain >= need)
        if len(done):
            return _members(history, int(done[0]), order, gain, need)
    return None


def _best_of_rest(gain: Whole, most: int) -> Whole:
    """int64[n + 1, most + 1]: the gain of the best so many of the values from each on."""
    best = np.zeros((len(gain) + 1, most + 1), np.int64)
    falling: list[int] = []
    for i in range(len(gain) - 1, -1, -1):
        insort(falling, -int(gain[i]))
        del falling[most:]
        best[i, 1 : len(falling) + 1] = -np.cumsum(falling)
        best[i, len(falling) + 1 :] = best[i, len(falling)]
    return best


def _members(
    history: list[_States], at: int, order: Whole, gain: Whole, need: int
) -> tuple[int, ...] | None:
    """The values chosen; if that is all there are, without one that can be spared, or None."""
    members = []
    total = int(history[-1].gain[at])
    for i in range(len(history) - 1, -1, -1):
        if history[i].taken[at]:
            members.append(int(order[i]))
        at = int(history[i].parent[at])
    if len(members) == len(gain):
        spare = [v for v in members if total - int(gain[v]) >= need]
        if not spare:
            return None
        members.remove(spare[0])
    return tuple(sorted(members))
