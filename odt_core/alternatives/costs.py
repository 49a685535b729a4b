"""The costs of trees on rows, which add up over subtrees, and the limits on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.questions import EXACT_IN_SINGLE, Flags, Floats, Questions, Whole
from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solvers.exactness import COUNTABLE


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of a problem's trees.

    The last axis of a cost has one or two numbers. Without floors, the cost is the loss times
    `unit`, plus the number of categories that the questions name. With floors, or if the goal
    counts one kind of error, the cost is a pair. Its first number is the false negatives times
    `unit`, plus the named categories. Its second number is the false positives. The named
    categories are fewer than `unit`, so they only break ties.

    A *measure* is a weighted sum of the errors, alpha * FN + beta * FP. Each measure has a limit. A
    lower bound above a limit excludes trees.

    Attributes
    ----------
    alpha, beta : float64[M]
        The measures. The first is the loss, unless the goal counts one kind of error. With pairs,
        the last two are the numbers of false negatives and of false positives. Their lower bound is
        0.
    unit : int
        A number larger than the number of categories that a tree names.
    is_pair : bool
        Whether costs are pairs.
    most_fn, most_fp : int
        The most errors of each kind that the floors allow.
    d : float[M, N]
        In each measure, the cost of predicting positive for a row minus the cost of negative.
    negative : float[M, N]
        In each measure, the cost of predicting negative for a row.
    """

    alpha: Floats
    beta: Floats
    unit: int
    is_pair: bool
    most_fn: int
    most_fp: int
    d: Floats
    negative: Floats

    @classmethod
    def of(cls, problem: Problem, questions: Questions) -> Costs:
        """Compute the costs of a problem.

        Raises
        ------
        InputError
            If the sums are too large to be exact.
        """
        gains, data = problem.gains, problem.data
        most_fn, most_fp = data.n_positive - gains.min_tp, data.n_negative - gains.min_tn
        is_pair = gains.has_floor or gains.counts_one_class
        measures = [] if gains.counts_one_class else [(gains.gain_tp, gains.gain_tn)]
        if is_pair:
            a, b = max(most_fp, 1), max(most_fn, 1)
            measures += [(a, b), (4 * a, b), (a, 4 * b), (1, 0), (0, 1)]
        unit = 1 + problem.topology.n_nodes * max(f.n_values for f in data.features)
        alpha, beta = np.array(measures, np.float64).T
        called_negative = alpha[:, None] * questions.positive
        called_positive = beta[:, None] * questions.negative
        largest = float((called_negative + called_positive).sum(axis=1).max())
        if largest * unit >= COUNTABLE:
            raise InputError(
                "The weights of rows and classes are too large to compare trees exactly: give "
                "smaller whole numbers."
            )
        kind = np.float32 if largest < EXACT_IN_SINGLE else np.float64
        d = (called_positive - called_negative).astype(kind)
        return cls(
            alpha, beta, unit, is_pair, most_fn, most_fp, d, called_negative.astype(kind)
        )  # fmt: skip

    @property
    def is_bounded(self) -> Flags:
        """Mark the measures whose lower bounds can be above 0: bool[M]."""
        return np.asarray((self.alpha > 0) & (self.beta > 0))

    @property
    def width(self) -> int:
        """Number of numbers in a cost."""
        return 2 if self.is_pair else 1

    def of_errors(self, fn: Floats, fp: Floats, named: Floats | float) -> Floats:
        """Write errors and the number of named categories as costs: float64[..., width]."""
        if self.is_pair:
            return np.stack([fn * self.unit + named, fp + np.zeros_like(fn)], axis=-1)
        loss = self.alpha[0] * fn + self.beta[0] * fp
        return np.asarray((loss * self.unit + named)[..., None])

    def within(self, cost: Floats, limits: Floats) -> Flags:
        """Mark the costs that keep all limits.

        Parameters
        ----------
        cost : float64[..., width]
        limits : float64[M]
            The largest value allowed in each measure.
        """
        if not self.is_pair:
            kept: Flags = cost[..., 0] < (limits[0] + 1) * self.unit
            return kept
        fn, fp = np.floor(cost[..., 0] / self.unit), cost[..., 1]
        kept = (fn <= self.most_fn) & (fp <= self.most_fp)
        for alpha, beta, limit in zip(self.alpha, self.beta, limits, strict=True):
            kept &= alpha * fn + beta * fp <= limit
        return kept

    def limits_of(self, cost: Floats) -> Floats:
        """The smallest limits that a cost keeps: float64[M]."""
        if not self.is_pair:
            return np.floor(cost / self.unit)
        fn = np.floor(cost[0] / self.unit)
        return self.alpha * fn + self.beta * cost[1]

    def best(self, keys: Whole, cost: Floats) -> Whole:
        """Choose the entries to keep of each key: the least cost, or all undominated pairs.

        Parameters
        ----------
        keys : int64[E]
        cost : float64[E, width]

        Returns
        -------
        int64[F]
            Places of the kept entries, by rising key.
        """
        if not len(keys):
            return np.zeros(0, np.int64)
        order = np.lexsort((*cost.T[::-1], keys))
        key = keys[order]
        first = np.append(True, key[1:] != key[:-1])
        if not self.is_pair:
            return order[first]
        # With each new key, the false positives are lowered by more than their largest number. So
        # the running minimum starts again at each key.
        fp = cost[order, 1] - np.cumsum(first) * (cost[:, 1].max() + 1)
        least_before = np.append(np.inf, np.minimum.accumulate(fp)[:-1])
        return order[fp < least_before]
