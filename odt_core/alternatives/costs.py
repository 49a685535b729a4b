"""What trees cost on rows, in numbers that add up over subtrees, and the limits on these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.questions import EXACT_IN_SINGLE, Flags, Floats, Questions, Whole
from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solvers.exactness import COUNTABLE


@dataclass(frozen=True, eq=False)
class Costs:
    """How the trees of a problem are weighed.

    A cost is an array whose last axis has one or two numbers. Without floors it is the loss, times
    `unit`, plus the categories that the questions name. With floors, or where the goal counts one
    kind of error, it is a pair: the false negatives, times `unit`, plus the categories; and the
    false positives. Fractions of `unit` only break ties.

    A *measure* weighs the two kinds of errors: alpha * FN + beta * FP. Each has a limit, and a
    lower bound in a measure excludes trees.

    Attributes
    ----------
    alpha, beta : float64[M]
        The measures. The first is the loss, unless the goal counts one kind of error. With pairs
        the last two are the numbers of errors themselves, whose lower bound is 0.
    unit : int
        More than the categories that any tree names.
    is_pair : bool
        Whether costs are pairs.
    most_fn, most_fp : int
        What the floors allow.
    d : float[M, N]
        What it costs in each measure to call a row positive rather than negative.
    negative : float[M, N]
        What it costs to call a row negative.
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
        """The costs of a problem.

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
        """Whether lower bounds in each measure say something: bool[M]."""
        return np.asarray((self.alpha > 0) & (self.beta > 0))

    @property
    def width(self) -> int:
        """How many numbers a cost has."""
        return 2 if self.is_pair else 1

    def of_errors(self, fn: Floats, fp: Floats, named: Floats | float) -> Floats:
        """Write errors and the number of named categories as costs: float64[..., width]."""
        if self.is_pair:
            return np.stack([fn * self.unit + named, fp + np.zeros_like(fn)], axis=-1)
        loss = self.alpha[0] * fn + self.beta[0] * fp
        return np.asarray((loss * self.unit + named)[..., None])

    def within(self, cost: Floats, limits: Floats) -> Flags:
        """Which costs keep all limits.

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
        """The limits that a cost just keeps: float64[M]."""
        if not self.is_pair:
            return np.floor(cost / self.unit)
        fn = np.floor(cost[0] / self.unit)
        return self.alpha * fn + self.beta * cost[1]

    def best(self, keys: Whole, cost: Floats) -> Whole:
        """Which entries to keep of each key: the least cost, or of pairs all undominated ones.

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
        # the false positives, lowered by more than there are with each key, so that a running
        # minimum begins anew where the key does
        fp = cost[order, 1] - np.cumsum(first) * (cost[:, 1].max() + 1)
        least_before = np.append(np.inf, np.minimum.accumulate(fp)[:-1])
        return order[fp < least_before]
