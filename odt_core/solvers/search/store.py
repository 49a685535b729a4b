"""Bounds and tables that loops share.

The row sets two levels below a root are intersections of a side A of the root's split and a side B
of the next split. Their optimum ``opt(A n B)`` does not depend on the order of A and B. So a
matrix holds a lower bound for every two sides, and whether this bound is the optimum.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from odt_core.solvers.search.columns import PAIR, BaseTables, Crossings
from odt_core.solvers.search.row_sets import Flags, Floats
from odt_core.solvers.search.splits import OUTSIDE

if TYPE_CHECKING:
    from odt_core.solvers.search.loop import Loop
    from odt_core.solvers.search.search import Search

MOST_CELLS = 2**26
"""Most cells of all matrices together. With more, only bounds of columns are kept, or none."""

MANY_ROWS = 8
"""With more rows for each column, most time is spent counting rows."""

MOST_BYTES = 2**29
"""Memory for the tables of the rows in one column, and for those of the rows in two columns."""

NARROW = 2.0**24
"""Below this, whole numbers are exact in float32."""


class Tables:
    """Tables of the rows in one column and in two columns, counted once for all loops.

    The table of a side of a split, or of its intersection with a side of the root's split, is a sum
    or difference of a few of them. That takes the same time for any number of rows. The search
    counts them when it has counted as many row sets one by one as there are tables, and sooner if
    there are many rows. Easy problems are solved before that.
    """

    crossings: Crossings  # the tables for the primitives, once they are counted

    def __init__(self, search: Search) -> None:
        self.search, self.table = search, search.table
        v, rows = search.splits.n_columns, len(search.table.d)
        self.is_deep = bool(search.table.level.max() > PAIR + 1)
        cells = max(v**3, self.is_deep * v * v * (v + 1) * (v + 2) // 6)
        narrow = np.abs(search.table.d).sum() < NARROW and not search.by_sweeps
        self.fits = bool(narrow and 0 < 4 * cells <= MOST_BYTES)
        self.everything: BaseTables | None = None  # of all rows, once the tables are counted
        n_tables = v * (v + 1) // 2 if self.is_deep else v
        # how many more row sets are counted one by one before the tables save time
        self._left = n_tables * min(MANY_ROWS * v / max(rows, 1), 1.0) ** 2
        self._lock = threading.Lock()

    def base(self, place: int, store: BoundStore | None) -> BaseTables | None:
        """The table of a place in the store, or of all rows (-1). None if it is not counted."""
        all_ = self.everything
        if place < 0 or store is None or place == store.everywhere or all_ is None:
            return all_
        side, split = divmod(place, store.n)
        columns = list(self.search.splits.columns(split))
        F, P = (
            tables.one[columns].sum(axis=0, dtype=np.float64)
            for tables in (self.crossings, self._positive)
        )
        totals = np.array([each[columns, columns].sum() for each in (all_.F, all_.P)])
        if side == OUTSIDE:
            F, P, totals = all_.F - F, all_.P - P, all_.totals - totals
        return BaseTables(F, P, totals, np.array(columns), side == OUTSIDE)

    def count(self, solved: int) -> None:
        """Note how many row sets were counted one by one. Count the tables if it is time to."""
        if self.fits and hasattr(self.search.primitives(), "count_lines"):
            with self._lock:
                self._left -= solved
                if self.everything is None and self._left <= 0:
                    self._count()

    def _count(self) -> None:
        search, table, v = self.search, self.table, self.search.splits.n_columns
        P, N = search.pair_sums(search.encoding.everything)
        totals = np.array([table.d.sum(), search.positive.sum()])
        count_lines, own = search.primitives().count_lines, search.splits.own
        self.crossings = Crossings.empty(v, self.is_deep)
        count_lines(table, own, self.crossings, self.is_deep, search.halt)
        self.crossings.copy_ones()
        if self.is_deep:
            table, self._positive = table._replace(d=search.positive), Crossings.empty(v, False)
            count_lines(table, own, self._positive, False, search.halt)
            self._positive.copy_ones()
        search.check()
        self.everything = BaseTables(N - P, P, totals, np.empty(0, np.int64), True)


class BoundStore:
    """Lower bounds of the intersections of two sides.

    The matrix has a row and a column for each side. Number s is the inside of split s, number
    ``n + s`` its outside, and number ``2 n`` stands for all rows. n is the number of splits whose
    bounds are kept.
    """

    def __init__(self, n: int, families: list[int]) -> None:
        self.n = n
        self.everywhere = 2 * n
        self.known = {c: np.zeros((2 * n + 1, 2 * n + 1)) for c in families}
        self.exact = {c: np.zeros((2 * n + 1, 2 * n + 1), np.bool_) for c in families}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, search: Search) -> BoundStore | None:
        """The store of all families of two levels; None if it would need too much memory."""
        families = np.flatnonzero(search.table.level == PAIR).tolist()
        for n in (search.splits.n, search.splits.n_columns):
            if families and (2 * n + 1) ** 2 * len(families) <= MOST_CELLS:
                return cls(n, families)
        return None

    def place(self, side: int, split: int) -> int:
        """The number of a side of a split; -1 if its bounds are not kept."""
        return side * self.n + split if split < self.n else -1

    def fill(self, loop: Loop) -> None:
        """Give a loop the known bounds of its sides and of its rows."""
        for x, known, exact in self._families_of(loop):
            with self._lock:
                loop.bound[:, x, : self.n] = known[loop.place, :-1].reshape(2, self.n)
                loop.exact[:, x, : self.n] = exact[loop.place, :-1].reshape(2, self.n)
                loop.whole[x], loop.is_solved[x] = known[-1, loop.place], exact[-1, loop.place]

    def keep(self, loop: Loop) -> None:
        """Keep the bounds that a loop found, in the matrix's row and column of its row set."""
        for x, known, exact in self._families_of(loop):
            with self._lock:
                for row in (loop.place, slice(-1)), (slice(-1), loop.place):
                    known[row] = np.maximum(known[row], loop.bound[:, x, : self.n].ravel())
                    exact[row] |= loop.exact[:, x, : self.n].ravel()

    def _families_of(self, loop: Loop) -> Iterator[tuple[int, Floats, Flags]]:
        """The children of a loop that are kept: number, bounds, and whether they are optima."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            if child in self.known:
                yield x, self.known[child], self.exact[child]
