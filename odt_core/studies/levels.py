"""The best point of a frontier for a floor, and whether it is proved the best."""

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
    """Choose the point with the fewest false positives whose sensitivity is at least `level`.

    With `Sweep.TNR` choose the point with the fewest false negatives whose specificity is at
    least `level`. None if no point reaches the level.

    Parameters
    ----------
    points : sequence of OperatingPoint
        The points by rising false negatives.
    level : Fraction
        Floor on sensitivity (or specificity) in training.
    n_rows : int
        Number of positive (or negative) training rows.
    sweep : Sweep
        The rate that has the floor.
    """
    most = most_errors(level, n_rows)
    if sweep is Sweep.TNR:
        return next((point for point in points if point.fp <= most), None)
    return next((point for point in reversed(points) if point.fn <= most), None)


def is_best_at(
    level: Fraction, counts: Confusion, bound: LowerBound | None, sweep: Sweep = Sweep.TPR
) -> bool:
    """Whether a tree is proved the best at a floor.

    The bound must show that no tree dominates it and that no tree keeps the floor with fewer errors
    of the other kind. In an unfinished frontier the first does not imply the second: the search may
    not have found a tree between the point and the floor.

    Parameters
    ----------
    level : Fraction
        The floor.
    counts : Confusion
        The training counts of a tree that keeps the floor.
    bound : LowerBound or None
        The frontier's bound; None if all points are proved.
    sweep : Sweep
        The rate that has the floor.
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
    """A proved lower bound on the errors of the other kind of trees that keep a floor.

    Parameters
    ----------
    level : Fraction
        The floor.
    counts : Confusion
        The training counts of any tree. Only the numbers of rows of each class are used.
    bound : LowerBound
        The frontier's bound.
    sweep : Sweep
        The rate that has the floor.
    """
    if sweep is Sweep.TPR:
        return bound.least_fp(most_errors(level, counts.n_positive))
    most = most_errors(level, counts.n_negative)
    trees = range(counts.n_positive + 1)
    return next((fn for fn in trees if bound.least_fp(fn) <= most), counts.n_positive + 1)


def most_errors(level: Fraction, n_rows: int) -> int:
    """The most errors among `n_rows` rows under a floor: all but ``ceil(level * n_rows)``."""
    return n_rows - math.ceil(level * n_rows)
