"""The best operating point for given costs of errors, and the cost ratios for which it is best.

Only the ratio r = cost of a false negative / cost of a false positive matters: minimise
``r FN + FP``. The points that are best for some r are the corners of the frontier's convex hull.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from odt_core.errors import InputError


@dataclass(frozen=True)
class CostRange:
    """A range of ratios: the cost of a false negative divided by the cost of a false positive.

    Attributes
    ----------
    low, high : Fraction, Fraction or None
        The ends of the range, both included; None for no upper end.
    """

    low: Fraction
    high: Fraction | None

    def __contains__(self, ratio: Fraction) -> bool:
        return self.low <= ratio and (self.high is None or ratio <= self.high)

    @property
    def inside(self) -> Fraction:
        """A ratio within the range: its middle, or twice its lower end if there is no upper end.

        Examples
        --------
        >>> CostRange(Fraction(2), Fraction(4)).inside, CostRange(Fraction(0), None).inside
        (Fraction(3, 1), Fraction(1, 1))
        """
        if self.high is None:
            return 2 * self.low or Fraction(1)
        return (self.low + self.high) / 2


def cost_ranges(points: Sequence[tuple[int, int]]) -> tuple[CostRange | None, ...]:
    """Find for each point the cost ratios at which no other is cheaper; None if there are none.

    Parameters
    ----------
    points : sequence of (int, int)
        Undominated pairs (FN, FP), sorted by rising FN and so by falling FP.

    Examples
    --------
    >>> cost_ranges([(0, 10), (1, 9), (2, 2)])
    (CostRange(low=Fraction(4, 1), high=None), None, CostRange(low=Fraction(0, 1), \
high=Fraction(4, 1)))
    """
    if not points:
        return ()
    hull: list[int] = []
    for here in range(len(points)):
        while len(hull) > 1 and _slope(points, hull[-2], hull[-1]) < _slope(points, hull[-2], here):
            hull.pop()
        hull.append(here)
    slopes = [_slope(points, a, b) for a, b in zip(hull, hull[1:], strict=False)]
    ranges: list[CostRange | None] = [None] * len(points)
    for index, low, high in zip(hull, [*slopes, Fraction(0)], [None, *slopes], strict=True):
        ranges[index] = CostRange(low, high)
    return tuple(ranges)


def _slope(points: Sequence[tuple[int, int]], left: int, right: int) -> Fraction:
    """False positives saved for each further false negative, between two points."""
    (fn, fp), (more_fn, fewer_fp) = points[left], points[right]
    return Fraction(fp - fewer_fp, more_fn - fn)


def cheapest(points: Sequence[tuple[int, int]], cost_fn: Fraction, cost_fp: Fraction) -> int:
    """Find the index of the cheapest point; among equals, the one with the fewest FN.

    Raises
    ------
    InputError
        If there is no point, or a cost is not positive.
    """
    if cost_fn <= 0 or cost_fp <= 0:
        raise InputError("Costs must be greater than 0: give what each error costs.")
    if not points:
        raise InputError("There is no tree to choose from: give the frontier more time.")
    return min(
        range(len(points)), key=lambda i: (cost_fn * points[i][0] + cost_fp * points[i][1], i)
    )
