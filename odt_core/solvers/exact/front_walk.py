"""Subsets of a set's columns, depth first and in batches, skipping what weighted bounds exclude."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BATCH = 64
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Payload = tuple[npt.NDArray, ...]


@dataclass(frozen=True, eq=False)
class Batch:
    """Columns sent low or high. n of them, q columns, L multipliers.

    Attributes
    ----------
    sent : int
        How many of the columns are sent.
    low : bool[n, q]
        Which are sent low.
    payload : (arrays[n, ...], arrays[n, ...])
        What stands for the rows on the low and the high side.
    lower : float64[n, 2, L]
        Bounds of the two sides.
    """

    sent: int
    low: Flags
    payload: tuple[Payload, Payload]
    lower: Floats

    def take(self, at: npt.NDArray) -> Batch:
        """Some of them."""
        low, high = (tuple(each[at] for each in side) for side in self.payload)
        return Batch(self.sent, self.low[at], (low, high), self.lower[at])


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk over the subsets of a set. q columns with rows, heaviest first.

    Attributes
    ----------
    columns : int64[q]
    arity : int
        The smaller side may have so many.
    both_needed : bool
        Whether both sides need a column.
    different : bool
        Whether the children differ.
    lower : float64[2, q, L]
        Bounds of the low and the high child in each column.
    payload : arrays[q, ...]
        What stands for the rows in each column: sums, or masks.
    join : numpy.ufunc
        Puts the payloads of disjoint row sets together.
    evaluate : callable
        (side, its payload, its bounds, bounds of everything else) to better bounds of the side.
    is_open : callable
        float64[n, L] to bool[n]: whether bounds leave anything open.
    check : callable
        Raises if the search is to end.
    """

    columns: npt.NDArray[np.int64]
    arity: int
    both_needed: bool
    different: bool
    lower: Floats
    payload: Payload
    join: np.ufunc
    evaluate: Callable[[int, Payload, Floats, Floats], Floats]
    is_open: Callable[[Floats], Flags]
    check: Callable[[], None]

    def run(self) -> Iterator[Batch]:
        """Batches of whole subsets that are open."""
        q = len(self.columns)
        least = self.lower.min(axis=0)
        rest = np.concatenate([least[::-1].cumsum(axis=0)[::-1], np.zeros_like(least[:1])])
        empty = tuple(np.zeros_like(each[:1]) for each in self.payload)
        zero = np.zeros((1, 2, self.lower.shape[2]))
        stack = [Batch(0, np.zeros((1, q), np.bool_), (empty, empty), zero)]
        while stack:
            self.check()
            batch = stack.pop()
            batch = batch.take(self.is_open(batch.lower.sum(axis=1) + rest[batch.sent]))
            if not len(batch.low):
                continue
            if batch.sent == q:
                yield batch
                continue
            ways = (0, 1) if self.different or batch.sent else (0,)
            for to in ways[::-1]:
                grown = self._send(batch, to, rest[batch.sent + 1])
                for first in range(0, len(grown.low), BATCH):
                    stack.append(grown.take(np.arange(first, min(first + BATCH, len(grown.low)))))

    def _send(self, batch: Batch, to: int, rest: Floats) -> Batch:
        """The next column sent low (0) or high (1), wherever that is allowed and open."""
        i = batch.sent
        low = batch.low.copy()
        low[:, i] = to == 0
        n_low = low[:, : i + 1].sum(axis=1)
        keep = np.minimum(n_low, i + 1 - n_low) <= self.arity
        if self.both_needed and i + 1 == len(self.columns):
            keep &= (n_low > 0) & (n_low <= i)
        lower = batch.lower.copy()
        lower[:, to] += self.lower[to, i]
        keep &= self.is_open(lower.sum(axis=1) + rest)
        payload = list(batch.payload)
        payload[to] = tuple(
            self.join(side, each[i]) for side, each in zip(payload[to], self.payload, strict=True)
        )
        grown = Batch(i + 1, low, (payload[0], payload[1]), lower).take(keep)
        if len(grown.low):
            better = self.evaluate(
                to, grown.payload[to], grown.lower[:, to], grown.lower[:, 1 - to] + rest
            )
            grown.lower[:, to] = better
        return grown

    def columns_of(self, batch: Batch, at: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The columns that a whole subset sends low and high."""
        low = batch.low[at]
        return tuple(self.columns[low].tolist()), tuple(self.columns[~low].tolist())
