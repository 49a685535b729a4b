"""Questions about walked features above two leaves: sets of categories that predict positive.

Three numbers decide the cost of such a set: its size, its false negatives and its false positives.
If a cost is one number, the sorted categories give the best set of each size. In other cases, and
with a smallest leaf, categories are added one by one. Sets with the same three numbers are alike,
and only one of them is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.costs import Costs
from odt_core.alternatives.ends import TooManyError
from odt_core.alternatives.questions import Flags, Floats, Whole

MOST_STATES = 300_000
"""The most sets that are kept at a time."""


def least_of_sets(d: Floats, most_named: int) -> Floats:
    """A lower bound on the cost that the best set adds, on each of B row sets.

    Parameters
    ----------
    d : float[B, n]
        The cost of predicting positive for each category's rows, minus the cost of negative.
    most_named : int
        The most categories that a question may name.

    Returns
    -------
    float[B]
    """
    n = d.shape[1]
    if most_named >= n // 2:
        return np.asarray(np.minimum(d, 0).sum(axis=1))
    sums = np.cumsum(np.sort(d, axis=1), axis=1)
    size = np.arange(1, n + 1)
    allowed = np.minimum(size, n - size) <= most_named
    return np.asarray(np.minimum(0, sums[:, allowed].min(axis=1)))


def least_costs(d: Floats, is_present: Flags, most_named: int, unit: int) -> Floats:
    """The cost that the best set adds, if a cost is one number; infinite if there is no set.

    Parameters
    ----------
    d : float64[B, n]
        The cost of predicting positive for each category's rows, minus the cost of negative.
    is_present : bool[B, n]
        Whether the row set has the category.
    most_named : int
        The most categories that a question may name.
    unit : int
        See `Costs`.

    Returns
    -------
    float64[B]
    """
    if d.shape[1] < 2:
        return np.full(len(d), np.inf)
    sums = np.cumsum(np.sort(np.where(is_present, d, np.inf), axis=1), axis=1)[:, :-1]
    size, n = np.arange(1, d.shape[1]), is_present.sum(axis=1)[:, None]
    named = np.minimum(size, n - size)
    costs = np.where((size < n) & (named <= most_named), sums * unit + named, np.inf)
    return np.asarray(costs.min(axis=1))


@dataclass(frozen=True, eq=False)
class SetStates:
    """Sets of a feature's categories that predict positive, on one row set.

    Attributes
    ----------
    size, fn, fp : int64[S]
        Number of categories in the set, and its errors.
    members : bool[S, n]
        The categories in the set.
    """

    size: Whole
    fn: Whole
    fp: Whole
    members: Flags

    def take(self, places: Whole | Flags) -> SetStates:
        """Select some of the sets."""
        return SetStates(self.size[places], self.fn[places], self.fp[places], self.members[places])

    def with_category(self, at: int, positive: int, negative: int) -> SetStates:
        """Return each set twice: without a further category, and with it."""
        with_it = self.members.copy()
        with_it[:, at] = True
        return SetStates(
            np.concatenate([self.size, self.size + 1]),
            np.concatenate([self.fn + positive, self.fn]),
            np.concatenate([self.fp, self.fp + negative]),
            np.concatenate([self.members, with_it]),
        )

    def alike_once(self, costs: Costs, *, with_all: bool) -> SetStates:
        """Keep one of the sets that are alike. Unless `with_all`, drop dominated sets of a size."""
        if with_all:
            keys = np.stack([self.size, self.fn, self.fp], axis=1)
            return self.take(np.unique(keys, axis=0, return_index=True)[1])
        cost = np.stack([self.fn, self.fp], axis=1).astype(np.float64)
        if not costs.is_pair:
            cost = (costs.alpha[0] * self.fn + costs.beta[0] * self.fp)[:, None]
        return self.take(costs.best(self.size, cost))


def states_within(
    positive: Whole, negative: Whole, costs: Costs, limits: Floats, *, with_all: bool
) -> SetStates:
    """Find the sets of categories that keep the limits; one of those that are alike.

    Parameters
    ----------
    positive, negative : int64[n]
        Weights of each category's rows. A category without rows is in no set.
    costs : Costs
        The measures.
    limits : float64[M]
        The largest value allowed in each measure.
    with_all : bool
        Whether to keep a set that another of the same size dominates.

    Raises
    ------
    TooManyError
        If there are more than `MOST_STATES`.
    """
    none = np.zeros(1, np.int64)
    states = SetStates(none, none, none, np.zeros((1, len(positive)), np.bool_))
    least = np.minimum(costs.alpha[:, None] * positive, costs.beta[:, None] * negative)
    present = np.flatnonzero(positive + negative > 0)
    rest = least[:, present].sum(axis=1)
    for at in present.tolist():
        rest = rest - least[:, at]
        states = states.with_category(at, int(positive[at]), int(negative[at]))
        sums = costs.alpha[:, None] * states.fn + costs.beta[:, None] * states.fp
        kept = (sums + rest[:, None] <= limits[:, None]).all(axis=0)
        kept &= (states.fn <= costs.most_fn) & (states.fp <= costs.most_fp)
        states = states.take(kept).alike_once(costs, with_all=with_all)
        if len(states.size) > MOST_STATES:
            raise TooManyError
    return states
