"""Calibration of a tree's leaves: events expected from training against observed events.

The leaves' training risks are the expected risks. The interval of the ratio of observed to expected
events (O:E) treats the expected number as exact. It uses the standard error of the logarithm,
``sqrt((1 - O/n) / O)`` [1]_.

References
----------
.. [1] T. P. A. Debray and others, A guide to systematic review and meta-analysis of prediction
   model performance. BMJ 356, 2017, i6460 (appendix 7).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from odt_core.evaluation.leaves import leaf_table
from odt_core.evaluation.rates import LEVEL, Estimate, Rate, rates_differ
from odt_core.tree import Tree

_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True)
class LeafCalibration:
    """A leaf's expected and observed events.

    Attributes
    ----------
    number : int
        The leaf's number from 1, left to right, as in the drawing.
    rule : str
        The simplified path in plain words.
    predicted : str
        The class that the leaf predicts.
    train : Rate
        Share of positive training rows in the leaf: the expected risk.
    observed : Rate
        Share of positive new rows in the leaf.
    """

    number: int
    rule: str
    predicted: str
    train: Rate
    observed: Rate

    @property
    def expected(self) -> float:
        """Expected events of the new rows; 0 if no training row reached the leaf."""
        return (self.train.value or 0.0) * self.observed.n

    @property
    def ratio(self) -> Estimate:
        """O:E with its interval."""
        return observed_to_expected(self.observed, self.expected)

    @property
    def agrees(self) -> bool | None:
        """Whether chance explains the difference of the two risks; None without rows.

        See `odt_core.evaluation.rates_differ`.
        """
        differ = rates_differ(self.observed, self.train)
        return None if differ is None else not differ


@dataclass(frozen=True)
class Calibration:
    """The calibration of all leaves.

    Attributes
    ----------
    leaves : tuple of LeafCalibration
        The leaves, left to right.
    """

    leaves: tuple[LeafCalibration, ...]

    @property
    def observed(self) -> Rate:
        """Share of positive rows among all new rows."""
        return Rate(
            sum(leaf.observed.successes for leaf in self.leaves),
            sum(leaf.observed.n for leaf in self.leaves),
        )

    @property
    def expected(self) -> float:
        """Expected events of all new rows."""
        return sum(leaf.expected for leaf in self.leaves)

    @property
    def ratio(self) -> Estimate:
        """O:E of all new rows: calibration in the large."""
        return observed_to_expected(self.observed, self.expected)


def observed_to_expected(observed: Rate, expected: float) -> Estimate:
    """O:E with its 95% interval; no interval if there are no events or only events."""
    if expected == 0:
        return Estimate(None)
    ratio = observed.successes / expected
    if not 0 < observed.successes < observed.n:
        return Estimate(ratio)
    error = math.sqrt((1 - observed.successes / observed.n) / observed.successes)
    spread = math.exp(_Z * error)
    return Estimate(ratio, ratio / spread, ratio * spread)


def leaf_calibration(tree: Tree, counts: Sequence[tuple[int, int]]) -> Calibration:
    """Compare the leaves' training risks with the events of new rows.

    Parameters
    ----------
    tree : Tree
        The tree with its training counts.
    counts : sequence of (int, int)
        Negative and positive new rows in each leaf, left to right.
    """
    return Calibration(
        tuple(
            LeafCalibration(row.number, row.rule, row.predicted, row.train, row.test)
            for row in leaf_table(tree, counts)
            if row.test is not None
        )
    )
