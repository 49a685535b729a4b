"""Bins of numerical features (paper, section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.exact import shortest_decimal
from odt_core.json_data import JsonData
from odt_core.problem import MISSING, Feature

N_DECILES = 10
MAX_BINS = 1000
MOST_LABELS_WRITTEN = 100
MOST_DIGITS = 17
"""Significant digits with which every float can be written."""


class BinMethod(StrEnum):
    """The source of a numerical feature's cut points."""

    DECILES = "deciles"
    EVERY = "every"
    QUANTILES = "quantiles"
    CUTS = "cuts"


@dataclass(frozen=True)
class Binning(JsonData):
    """The way to divide a numerical column into bins.

    Attributes
    ----------
    method : BinMethod
        Ten bins with about the same number of training rows, a bin for every value, `n_bins` bins
        with about the same number of rows, or given cut points.
    n_bins : int
        Largest number of bins; for quantiles.
    cuts : tuple of float
        The given cut points: bin b holds ``cuts[b-1] < x <= cuts[b]``.

    Raises
    ------
    InputError
        If there are fewer than two bins or too many, or if the cut points do not rise.
    """

    method: BinMethod = BinMethod.DECILES
    n_bins: int = N_DECILES
    cuts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.method is BinMethod.EVERY:
            return
        if self.method is not BinMethod.CUTS:
            if not 2 <= self.n_bins <= MAX_BINS:
                raise InputError(f"bins is {self.n_bins}: give a number between 2 and {MAX_BINS}.")
            return
        if not self.cuts or not all(math.isfinite(cut) for cut in self.cuts):
            raise InputError("The cut points must be one or more numbers.")
        if any(high <= low for low, high in zip(self.cuts, self.cuts[1:], strict=False)):
            raise InputError("The cut points must rise, without repetition.")

    @classmethod
    def deciles(cls) -> Binning:
        """Ten bins with about the same number of training rows, the default."""
        return cls()

    @classmethod
    def quantiles(cls, n_bins: int) -> Binning:
        """At most `n_bins` bins with about the same number of training rows."""
        return cls(BinMethod.QUANTILES, n_bins)

    @classmethod
    def at(cls, cuts: Sequence[float]) -> Binning:
        """Bins between given cut points."""
        return cls(BinMethod.CUTS, cuts=tuple(float(cut) for cut in cuts))


class BinLabels(Sequence[str]):
    """The names of a numerical feature's bins. Each name is made when it is needed.

    A name is ``<= 3.5``, ``3.5 to 7`` or ``> 7``. A bin with a single value has this value's name.

    Parameters
    ----------
    cuts : sequence of float
        Rising cut points; bin b holds ``cuts[b-1] < x <= cuts[b]``.
    lowest, highest : sequence of float, optional
        The least and the largest training value of each bin.
    has_missing : bool
        Whether there is a bin of missing values, which comes last.
    """

    def __init__(
        self,
        cuts: Sequence[float],
        lowest: Sequence[float] | npt.NDArray[np.float64] | None = None,
        highest: Sequence[float] | npt.NDArray[np.float64] | None = None,
        has_missing: bool = False,
    ) -> None:
        self._cuts, self._lowest, self._highest = cuts, lowest, highest
        self._has_missing = has_missing

    def with_missing(self) -> BinLabels:
        """A copy with a bin of missing values at the end."""
        return BinLabels(self._cuts, self._lowest, self._highest, has_missing=True)

    def __len__(self) -> int:
        return len(self._cuts) + 1 + self._has_missing

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            return tuple(self._label(b) for b in range(*at.indices(len(self))))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._label(at % len(self))

    def _label(self, b: int) -> str:
        n = len(self._cuts)
        if b > n:
            return MISSING
        if self._lowest is not None and self._highest is not None:
            if self._lowest[b] == self._highest[b]:
                return shortest_decimal(self._lowest[b])
        if n == 0:
            return "any number"
        if b == 0:
            return f"<= {shortest_decimal(self._cuts[0])}"
        low = shortest_decimal(self._cuts[b - 1])
        return f"> {low}" if b == n else f"{low} to {shortest_decimal(self._cuts[b])}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return self is other or (len(self) == len(other) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"BinLabels({len(self)} bins)"


def writes_labels(feature: Feature) -> bool:
    """Whether a file lists the name of each code. With very many bins, the cuts give the names."""
    return not feature.is_numerical or feature.n_values <= MOST_LABELS_WRITTEN


@dataclass(frozen=True)
class Bins:
    """Fitted bins.

    Attributes
    ----------
    cuts : tuple of float
        Rising cut points; bin b holds ``cuts[b-1] < x <= cuts[b]``.
    labels : BinLabels
        The names of the bins.
    """

    cuts: tuple[float, ...]
    labels: BinLabels


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one column, and the way to divide them; see `fit_bins`.

    Attributes
    ----------
    values : float64[N]
        Finite numbers of the training rows, at least one.
    binning : Binning
        The way to divide them.
    weight : int64[N] or None
        Number of rows with each value; None for one each.
    """

    values: npt.NDArray[np.float64]
    binning: Binning
    weight: npt.NDArray[np.int64] | None = None


def fit_bins(columns: Sequence[Values]) -> list[Bins]:
    """Divide the training values of columns into bins; many together are faster than one by one.

    If a column has no more distinct values than bins, each value gets its own bin. Otherwise the
    bins end at the quantiles j/k. The quantile is the smallest value such that at least the share
    j/k of the values does not exceed it. If a quantile is the largest value, a bin ends below it
    instead. A cut point is the shortest decimal between two neighbouring distinct values (see
    `cuts_between`), so that the number on the screen is exactly the number that is applied.
    """
    ends = [_ends_of_bins(column) for column in columns]
    n_cuts = [max(len(lowest) - 1, 0) for lowest, _ in ends]
    low = np.concatenate([np.empty(0), *(highest[:-1] for _, highest in ends)])
    high = np.concatenate([np.empty(0), *(lowest[1:] for lowest, _ in ends)])
    found = np.split(cuts_between(low, high), np.cumsum(n_cuts)[:-1]) if columns else []
    return [
        Bins(column.binning.cuts, BinLabels(column.binning.cuts))
        if column.binning.method is BinMethod.CUTS
        else Bins(tuple(cuts.tolist()), BinLabels(tuple(cuts.tolist()), *each))
        for column, each, cuts in zip(columns, ends, found, strict=True)
    ]


def _ends_of_bins(
    column: Values,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The lowest and the highest value of each bin; empty if the cut points are given."""
    if column.binning.method is BinMethod.CUTS:
        return np.empty(0), np.empty(0)
    distinct, index = np.unique(column.values, return_inverse=True)
    counts = np.bincount(index, column.weight).astype(np.int64)
    every = column.binning.method is BinMethod.EVERY
    last = _last_of_bins(counts, len(distinct) if every else column.binning.n_bins)
    return distinct[np.append(0, last + 1)], distinct[np.append(last, len(distinct) - 1)]


def _last_of_bins(counts: npt.NDArray[np.int64], n_bins: int) -> npt.NDArray[np.int64]:
    """Indices of the distinct values at which bins end, without the last bin."""
    if len(counts) <= n_bins:
        return np.arange(len(counts) - 1)
    cumulated = np.cumsum(counts)
    targets = np.arange(1, n_bins) * cumulated[-1]
    reached = np.searchsorted(cumulated * n_bins, targets, side="left")
    return np.unique(np.minimum(reached, len(counts) - 2))


def cuts_between(
    low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Find the shortest decimal between two numbers, for each of many pairs.

    A result has the fewest significant digits of all decimals strictly between the two numbers. Of
    the decimals with as few digits, it is the nearest to the middle: 17.4 between 17.35 and 17.42,
    3.5 between 3 and 4, 0 between -2 and 5. No training value equals it, so another program may
    read a cell as the next float without harm. If there is no decimal in between, the result is the
    lower number.

    Parameters
    ----------
    low, high : float64[n]
        ``low < high``.

    Returns
    -------
    float64[n]
        Numbers c with ``low <= c < high``.

    Examples
    --------
    >>> cuts_between(np.array([17.35, 3.0, -2.0]), np.array([17.42, 4.0, 5.0])).tolist()
    [17.4, 3.5, 0.0]
    """
    found = np.where((low < 0) & (high > 0), 0.0, low)
    middle = low / 2 + high / 2
    is_left = (low >= 0) | (high <= 0)
    left = np.flatnonzero(is_left)
    for digits in range(1, MOST_DIGITS + 1):
        if not len(left):
            break
        # If any decimal with this many digits is inside, then the one nearest to the middle is.
        near = left[_may_be_inside(low[left], middle[left], digits)]
        rounded = np.array([float(f"{m:.{digits - 1}e}") for m in middle[near].tolist()])
        inside = (low[near] < rounded) & (rounded < high[near])
        found[near[inside]] = rounded[inside]
        is_left[near[inside]] = False
        left = left[is_left[left]]
    return found


def _may_be_inside(
    low: npt.NDArray[np.float64], middle: npt.NDArray[np.float64], digits: int
) -> npt.NDArray[np.bool_]:
    """Whether the middle, rounded to a number of digits, may still lie inside its gap.

    This test allows for rounding errors of floats. It only saves time, because printing a number
    takes ten times as long.
    """
    with np.errstate(all="ignore"):
        step = 10.0 ** (np.floor(np.log10(np.abs(middle))) - digits + 1)
        moved = np.abs(np.rint(middle / step) * step - middle)
        return ~(moved > (middle - low) + 1e-9 * np.abs(middle) + step / 1e6)


def bin_codes(values: npt.NDArray[np.float64], cuts: Sequence[float]) -> npt.NDArray[np.int32]:
    """Find the bin of each number: ``cuts[b-1] < x <= cuts[b]``."""
    return np.searchsorted(np.asarray(cuts, dtype=float), values, side="left").astype(np.int32)
