"""Bounds and tables that loops share.

The row sets two levels below a root are intersections of a side A of the root's split and a side B
of the next split. Their optimum ``opt(A n B)`` does not depend on the order of A and B. A matrix
holds a lower bound for each two sides, and whether it is the optimum.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import PAIR, Base, Crossings, Flags, Floats, Masks
from odt_core.solvers.search.splits import OUTSIDE

if TYPE_CHECKING:
    from odt_core.solvers.search.loop import Loop
    from odt_core.solvers.search.search import Search

MOST_CELLS = 2**26
"""Cells of the matrices of all classes. With more, only columns have bounds, or nothing has."""

MANY_ROWS = 8
"""With more rows for each column, most time is spent counting rows."""

MOST_BYTES = 2**29
"""Memory for the tables of the rows in one column, and for those of the rows in two columns."""

NARROW = 2.0**24
"""Below this, whole numbers are exact in float32."""


class Tables:
    """Tables of the rows in one column and in two columns, counted once for all loops.

    The table of a side of a split, or of its intersection with a side of the root's split, is a sum
    or difference of a few of them. That costs the same for any number of rows. They are counted
    once the search has counted as many row sets as there are tables, and sooner if there are many
    rows: easy problems are solved before.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.table = search, search.table
        self.n = v = search.splits.n_columns
        narrow = search.absolute.sum() < NARROW and not search.by_sweeps
        self.fits = bool(narrow and 0 < 4 * v**3 <= MOST_BYTES)
        lines = v * (v + 1) * (v + 2) // 6
        deep = search.table.level.max() > PAIR + 1
        self.fits_two = bool(deep and narrow and 4 * lines * v <= MOST_BYTES)
        self.everything: Base | None = None
        self._crossings: Crossings | None = None
        self._positive = np.empty((0, 0, 0), np.float32)
        self._solved = 0.0
        self._pays = max(len(self.table.d) / (MANY_ROWS * max(v, 1)), 1.0) ** 2
        self._lock = threading.Lock()

    def crossings(self) -> Crossings:
        """The tables for the primitives."""
        assert self._crossings is not None
        return self._crossings

    def base(self, place: int, store: Store | None) -> Base | None:
        """The table of the rows of a place in the store, or all rows (-1); None if not counted."""
        everything = self.everything
        if place < 0 or store is None or place == store.everywhere or everything is None:
            return everything
        if not len(self._positive):
            return None
        side, split = divmod(place, store.n)
        columns = list(self.search.splits.columns(split))
        F, P = (
            self.crossings().one[columns].sum(axis=0, dtype=np.float64),
            self._positive[columns].sum(axis=0, dtype=np.float64),
        )
        totals = np.array(
            [everything.F[columns, columns].sum(), everything.P[columns, columns].sum()]
        )
        if side == OUTSIDE:
            F, P, totals = everything.F - F, everything.P - P, everything.totals - totals
        return Base(F, P, totals, np.array(columns), side == OUTSIDE)

    def count(self, solved: int) -> None:
        """Note that so many more row sets were counted; count the tables if it is time to."""
        if not (self.fits and hasattr(self.search.primitives(), "count_ones")):
            return
        with self._lock:
            self._solved += solved * self._pays
            if self.everything is None and self._solved >= self.n:
                self._count_one()
            two = self.n * (self.n + 1) // 2
            if self.fits_two and not len(self._positive) and self._solved >= two:
                self._count_two()

    def _own(self) -> Masks:
        """The rows of each column that are not in the column before it in its chain."""
        own = self.table.bits.copy()
        nested = self.table.group[1:] == self.table.group[:-1]
        own[1:][nested] &= ~self.table.bits[:-1][nested]
        return own

    def _count_one(self) -> None:
        v = self.n
        one, F, P = np.empty((v, v, v), np.float32), np.empty((v, v)), np.empty((v, v))
        self._count(self.table.d, one, F, P)
        d = self.table.d
        totals = np.array([d.sum(), np.maximum(-d, 0).sum()])
        self._crossings = Crossings(one, np.empty((0, v), np.float32), np.zeros((v, v), np.int64))
        self.everything = Base(F, P, totals, np.empty(0, np.int64), True)

    def _count_two(self) -> None:
        v, search = self.n, self.search
        positive = np.empty((v, v, v), np.float32)
        self._count(np.maximum(-self.table.d, 0), positive, np.empty((v, v)), np.empty((v, v)))
        size = np.triu(np.broadcast_to(v - np.arange(v), (v, v)))
        at = np.cumsum(size).reshape(v, v) - size
        lines = np.empty((int(size.sum()), v), np.float32)
        lines[:] = 0
        crossings = Crossings(self.crossings().one, lines, at)
        self.search.primitives().count_lines(self.table, self._own(), crossings, search.halt)
        search.check()
        self._crossings, self._positive = crossings, positive

    def _count(self, d: Floats, *tables: npt.NDArray) -> None:
        table = self.table._replace(d=d)
        self.search.primitives().count_ones(table, self._own(), *tables, self.search.halt)
        self.search.check()


class Store:
    """Lower bounds of the intersections of two sides.

    Side ``s`` is the inside of split s, side ``n + s`` its outside, and ``2 n`` all rows.

    Parameters
    ----------
    n : int
        Number of splits that have a row in the matrix.
    classes : list of int
        The classes of two levels whose bounds are kept.
    """

    def __init__(self, n: int, classes: list[int]) -> None:
        self.n = n
        self.everywhere = 2 * n
        self.known = {c: np.zeros((2 * n + 1, 2 * n + 1)) for c in classes}
        self.exact = {c: np.zeros((2 * n + 1, 2 * n + 1), np.bool_) for c in classes}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, search: Search) -> Store | None:
        """The store of all classes of two levels; None if it would need too much memory."""
        classes = np.flatnonzero(search.table.level == PAIR).tolist()
        for n in (search.splits.n, search.splits.n_columns):
            if classes and (2 * n + 1) ** 2 * len(classes) <= MOST_CELLS:
                return cls(n, classes)
        return None

    def place(self, side: int, split: int) -> int:
        """The number of a side, -1 if it has none."""
        return side * self.n + split if split < self.n else -1

    def fill(self, loop: Loop) -> None:
        """Give a loop the known bounds of its sides and of its rows."""
        for x, known, exact in self._classes_of(loop):
            with self._lock:
                loop.bound[:, x, : self.n] = known[loop.place, :-1].reshape(2, self.n)
                loop.exact[:, x, : self.n] = exact[loop.place, :-1].reshape(2, self.n)
                loop.whole[x], loop.is_solved[x] = known[-1, loop.place], exact[-1, loop.place]

    def keep(self, loop: Loop) -> None:
        """Keep the bounds that a loop found, in the row and in the column of its rows."""
        for x, known, exact in self._classes_of(loop):
            with self._lock:
                for row in (loop.place, slice(-1)), (slice(-1), loop.place):
                    known[row] = np.maximum(known[row], loop.bound[:, x, : self.n].ravel())
                    exact[row] |= loop.exact[:, x, : self.n].ravel()

    def _classes_of(self, loop: Loop) -> Iterator[tuple[int, Floats, Flags]]:
        """The children of a loop that are kept: number, bounds, and whether they are optima."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            if child in self.known:
                yield x, self.known[child], self.exact[child]
