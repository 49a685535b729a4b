"""The point of a frontier that serves a floor, and whether it is proved to serve it best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from odt_core.confusion import Confusion
from odt_core.studies.bounds import LowerBound
from odt_core.studies.frontier import OperatingPoint
from odt_core.studies.sweep import Sweep


def point_for_level(
    points: Sequence[OperatingPoint], level: Fraction, n_rows: int, sweep: Sweep = Sweep.TPR
) -> OperatingPoint | None:
    """The point with the fewest false positives whose sensitivity is at least `level`.

    With `Sweep.TNR` the floor is on specificity and the false negatives are the fewest.

    Parameters
    ----------
    points : sequence of OperatingPoint
        By rising false negatives.
    level : Fraction
        Floor on sensitivity (or specificity) in training.
    n_rows : int
        Positive (or negative) training rows.
    sweep : Sweep
        Which of the two the floor is on.
    """
    most = most_errors(level, n_rows)
    if sweep is Sweep.TNR:
        return next((point for point in points if point.fp <= most), None)
    return next((point for point in reversed(points) if point.fn <= most), None)


def is_best_at(
    level: Fraction, counts: Confusion, bound: LowerBound | None, sweep: Sweep = Sweep.TPR
) -> bool:
    """Whether no tree keeps a floor with fewer errors of the other kind, and none dominates.

    Where a frontier is not searched to its end this is more than being undominated: between a
    proved point and the floor there may be a tree that nobody has found.

    Parameters
    ----------
    level : Fraction
        The floor.
    counts : Confusion
        In training, of a tree that keeps it.
    bound : LowerBound or None
        What is proved of the frontier; None if all of it is.
    sweep : Sweep
        Which rate the floor is on.
    """
    if bound is None:
        return True
    other = counts.fp if sweep is Sweep.TPR else counts.fn
    return (
        bound.proves(counts.fn, counts.fp) and fewest_errors(level, counts, bound, sweep) >= other
    )


def fewest_errors(
    level: Fraction, counts: Confusion, bound: LowerBound, sweep: Sweep = Sweep.TPR
) -> int:
    """It is proved that no tree keeps a floor with fewer errors of the other kind than this.

    Parameters
    ----------
    level : Fraction
        The floor.
    counts : Confusion
        Of any tree in training, for the number of rows of each class.
    bound : LowerBound
        What is proved of the frontier.
    sweep : Sweep
        Which rate the floor is on.
    """
    if sweep is Sweep.TPR:
        return bound.least_fp(most_errors(level, counts.n_positive))
    most = most_errors(level, counts.n_negative)
    trees = range(counts.n_positive + 1)
    return next((fn for fn in trees if bound.least_fp(fn) <= most), counts.n_positive + 1)


def most_errors(level: Fraction, n_rows: int) -> int:
    """How many of so many rows may be wrong under a floor: all but ``ceil(level * n_rows)``."""
    return n_rows - math.ceil(level * n_rows)
