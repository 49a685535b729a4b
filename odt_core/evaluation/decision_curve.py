"""Net benefit and decision curves (Vickers and Elkin, Medical Decision Making 26, 2006, 565-574).

At a threshold probability pt, a false positive costs as much as pt / (1 - pt) true positives gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.tree import Tree

THRESHOLDS = tuple(step / 200 for step in range(1, 199))
"""Threshold probabilities at which a curve is drawn."""


@dataclass(frozen=True)
class DecisionCurve:
    """Net benefit over threshold probabilities. Treating nobody has a net benefit of 0.

    Attributes
    ----------
    thresholds : tuple of float
        Threshold probabilities, each in [0, 1).
    tree : tuple of float
        Net benefit of treating the rows whose leaf has a training risk of at least the threshold.
    treat_all : tuple of float
        Net benefit of treating every row.
    """

    thresholds: tuple[float, ...]
    tree: tuple[float, ...]
    treat_all: tuple[float, ...]


def net_benefit(confusion: Confusion, threshold: float, prevalence: float | None = None) -> float:
    """Compute the net benefit of acting on positive answers: ``TP/n - FP/n * pt / (1 - pt)``.

    Parameters
    ----------
    confusion : Confusion
        The 2x2 table; at least one row.
    threshold : float
        Threshold probability pt, in [0, 1).
    prevalence : float, optional
        Share of positives at the place of use, in [0, 1]; by default the share in these rows. If
        it is given, TP/n is sensitivity times prevalence, and FP/n is the false-positive rate
        times one minus the prevalence.

    Raises
    ------
    InputError
        If the threshold is outside [0, 1), if there are no rows, or if a prevalence is given and a
        class has no rows.
    """
    if not 0 <= threshold < 1:
        raise InputError(f"threshold is {threshold:g}: give a probability from 0 to below 1.")
    if confusion.n == 0:
        raise InputError("Net benefit needs at least one row.")
    odds = threshold / (1 - threshold)
    if prevalence is None:
        return (confusion.tp - confusion.fp * odds) / confusion.n
    if not confusion.n_positive or not confusion.n_negative:
        raise InputError("Net benefit at a prevalence of your own needs rows of both classes.")
    treated = confusion.tp / confusion.n_positive * prevalence
    wrongly = confusion.fp / confusion.n_negative * (1 - prevalence)
    return treated - wrongly * odds


def decision_curve(
    tree: Tree, counts: Sequence[tuple[int, int]], thresholds: Sequence[float]
) -> DecisionCurve:
    """Compute a tree's decision curve from counts in its leaves, ranked by training risk.

    Parameters
    ----------
    tree : Tree
        The tree with its training counts.
    counts : sequence of (int, int)
        Negative and positive rows in each leaf, left to right.
    thresholds : sequence of float
        Threshold probabilities, each in [0, 1).

    Raises
    ------
    InputError
        As for `net_benefit`.
    """
    n_negative = sum(negative for negative, _ in counts)
    n_positive = sum(positive for _, positive in counts)
    everyone = Confusion(tp=n_positive, fp=n_negative, tn=0, fn=0)

    def treated(threshold: float) -> Confusion:
        tp = fp = 0
        for leaf, (negative, positive) in zip(tree.leaves, counts, strict=True):
            if leaf.n_positive >= threshold * leaf.n:
                tp, fp = tp + positive, fp + negative
        return Confusion(tp=tp, fp=fp, tn=n_negative - fp, fn=n_positive - tp)

    return DecisionCurve(
        thresholds=tuple(thresholds),
        tree=tuple(net_benefit(treated(pt), pt) for pt in thresholds),
        treat_all=tuple(net_benefit(everyone, pt) for pt in thresholds),
    )
