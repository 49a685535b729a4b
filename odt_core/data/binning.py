"""Bins of numerical features (paper, section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.data.numeric import number_text
from odt_core.errors import InputError

N_DECILES = 10
MAX_BINS = 1000


class BinMethod(StrEnum):
    """Where the cut points of a numerical feature come from."""

    DECILES = "deciles"
    QUANTILES = "quantiles"
    CUTS = "cuts"


@dataclass(frozen=True)
class Binning:
    """How a numerical column is binned.

    Attributes
    ----------
    method : BinMethod
        Ten bins of about equally many training rows, `n_bins` of them, or cut points as given.
    n_bins : int
        For quantiles: most bins.
    cuts : tuple of float
        For given cut points: bin b holds ``cuts[b-1] < x <= cuts[b]``.

    Raises
    ------
    InputError
        If there are fewer than two bins or too many, or the cut points do not rise.
    """

    method: BinMethod = BinMethod.DECILES
    n_bins: int = N_DECILES
    cuts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
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
        """Ten bins of about equally many training rows, the default."""
        return cls()

    @classmethod
    def quantiles(cls, n_bins: int) -> Binning:
        """At most `n_bins` bins of about equally many training rows."""
        return cls(BinMethod.QUANTILES, n_bins)

    @classmethod
    def at(cls, cuts: Sequence[float]) -> Binning:
        """Bins between given cut points."""
        return cls(BinMethod.CUTS, cuts=tuple(float(cut) for cut in cuts))

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {"method": self.method.value, "n_bins": self.n_bins, "cuts": list(self.cuts)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Binning:
        """Rebuild a binning."""
        return cls(BinMethod(record["method"]), int(record["n_bins"]), tuple(record["cuts"]))


@dataclass(frozen=True)
class Bins:
    """Fitted bins.

    Attributes
    ----------
    cuts : tuple of float
        Rising; bin b holds ``cuts[b-1] < x <= cuts[b]``.
    labels : tuple of str
        The bins in words: ``<= 3.5``, ``3.5 to 7``, ``> 7``, or the value of a bin with one.
    """

    cuts: tuple[float, ...]
    labels: tuple[str, ...]


def fit_bins(
    values: npt.NDArray[np.float64],
    binning: Binning,
    weight: npt.NDArray[np.int64] | None = None,
) -> Bins:
    """Bins of training values.

    A column with no more distinct values than bins keeps each value as its own bin. Otherwise the
    bins end at the quantiles j/k of the values (the smallest value that at least that share does
    not exceed); a quantile at the largest value ends a bin below it instead. Cut points lie
    halfway between neighbouring distinct values, as 12-digit numbers where these still separate
    them, so that what is shown is what is applied.

    Parameters
    ----------
    values : float64[N]
        Finite numbers of the training rows, at least one.
    binning : Binning
        How to cut.
    weight : int64[N], optional
        How many rows have each number; one by default.
    """
    distinct, index = np.unique(values, return_inverse=True)
    counts = np.bincount(index, weight).astype(np.int64)
    if binning.method is BinMethod.CUTS:
        return Bins(binning.cuts, _interval_labels(binning.cuts))
    last_below = _last_of_bins(counts, binning.n_bins)
    cuts = tuple(_halfway(float(distinct[i]), float(distinct[i + 1])) for i in last_below)
    return Bins(cuts, _value_labels(distinct, last_below, _interval_labels(cuts)))


def _last_of_bins(counts: npt.NDArray[np.int64], n_bins: int) -> list[int]:
    """Indices of the distinct values that end a bin, the last bin's apart."""
    if len(counts) <= n_bins:
        return list(range(len(counts) - 1))
    cumulated = np.cumsum(counts)
    targets = np.arange(1, n_bins) * cumulated[-1]
    reached = np.searchsorted(cumulated * n_bins, targets, side="left")
    return sorted(set(np.minimum(reached, len(counts) - 2).tolist()))


def _halfway(low: float, high: float) -> float:
    """A number c with ``low <= c < high``, in the middle and short if possible."""
    middle = low / 2 + high / 2 if math.isinf(high - low) else low + (high - low) / 2
    for text in (f"{middle:.12g}", f"{middle:.15g}", repr(middle)):
        if low <= float(text) < high:
            return float(text) + 0.0
    return low


def _interval_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    if not cuts:
        return ("any number",)
    texts = [number_text(cut) for cut in cuts]
    middle = [f"{low} to {high}" for low, high in zip(texts, texts[1:], strict=False)]
    return (f"<= {texts[0]}", *middle, f"> {texts[-1]}")


def _value_labels(
    distinct: npt.NDArray[np.float64], last: Sequence[int], labels: Sequence[str]
) -> tuple[str, ...]:
    """Interval labels, but the value where a bin has only one."""
    ends = [*last, len(distinct) - 1]
    starts = [0, *(end + 1 for end in last)]
    return tuple(
        number_text(distinct[start]) if start == end else label
        for start, end, label in zip(starts, ends, labels, strict=True)
    )


def bin_codes(values: npt.NDArray[np.float64], cuts: Sequence[float]) -> npt.NDArray[np.int32]:
    """The bin of each number: ``cuts[b-1] < x <= cuts[b]``."""
    return np.searchsorted(np.asarray(cuts, dtype=float), values, side="left").astype(np.int32)
