"""Fronts as lists of points, and the staircases of what is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from odt_core.solvers.exact import loader
from odt_core.solvers.exact.choices import Choice

Floats = npt.NDArray[np.float64]
STEPS = 64
"""Steps of the staircase that stands for a lower bound."""


@dataclass(eq=False)
class Front:
    """The points that were wanted and found, and how each is reached.

    Attributes
    ----------
    points : float64[5, n]
        See front_kernels.py.
    splits : list of (int, callable)
        For runs of split numbers: the first one, and what gives the split of a number in the run.
    size : int
        How many splits are numbered.
    below : dict
        For a split of more than two levels: the fronts of its low and high child.
    """

    points: Floats
    splits: list[tuple[int, Callable[[int], Choice]]] = field(default_factory=list)
    below: dict[int, tuple[Front, Front]] = field(default_factory=dict)

    size: int = 0

    def add(self, n: int, read: Callable[[int], Choice]) -> int:
        """Number n more splits; the first number."""
        first = self.size
        self.splits.append((first, read))
        self.size += n
        return first

    def choice(self, number: int) -> Choice:
        """The split of a number."""
        first, read = next(run for run in reversed(self.splits) if run[0] <= number)
        return read(number - first)

    @property
    def found(self) -> Floats:
        """float64[2, n]: the points that trees reach."""
        return np.ascontiguousarray(self.points[:2, self.points[2] >= 0])

    def merge(self, points: Floats, split: int) -> None:
        """Put points in; those that are not better are dropped."""
        self.combine(points, np.zeros((2, 1)), split)

    def combine(self, low: Floats, high: Floats, split: int) -> bool:
        """Put the sums of two fronts in; whether one was wanted."""
        before = self.points
        points, n = loader.primitives().combine(
            low, low.shape[1], high, high.shape[1], before, before.shape[1], split
        )
        self.points = np.ascontiguousarray(points[:, :n])
        return bool((self.points[2] == split).any())


def staircase(corners: Floats) -> Floats:
    """Points of the staircase through corners: float64[2, n], the largest wanted points."""
    order = np.lexsort((-corners[1], -corners[0]))
    corners = corners[:, order]
    best = np.maximum.accumulate(corners[1])
    keep = np.ones(corners.shape[1], np.bool_)
    keep[1:] = corners[1, 1:] > best[:-1]
    x, y = corners[:, keep][:, ::-1]
    points = np.zeros((5, len(x) + 1))
    points[0, 1:], points[1, :-1], points[2] = x + 1, y + 1, -1
    return points


def needed(wanted: Floats, floor: Floats) -> Floats | None:
    """What one child must undercut where the other child's points are no better than `floor`."""
    corners = np.stack([wanted[0, 1:] - 1, wanted[1, :-1] - 1])
    both = (corners[:, :, None] - floor[:2, None, :]).reshape(2, -1)
    both = both[:, (both >= 0).all(axis=0)]
    return staircase(both) if both.shape[1] else None


def floor_of(bounds: Floats, alpha: Floats, beta: Floats, most: float) -> Floats:
    """Points float64[2, n] that bound a front from below, from its weighted bounds ``[L]``."""
    step = max(int(most) // STEPS, 0) + 1
    first = np.arange(0.0, most + 1, step)
    last = first + step - 1
    fp = (-((alpha[:, None] * last - bounds[:, None]) // beta[:, None])).max(axis=0)
    points = np.stack([first, np.maximum(fp, 0.0)])
    keep = np.ones(len(first), np.bool_)
    keep[1:] = points[1, 1:] < points[1, :-1]
    return points[:, keep]
