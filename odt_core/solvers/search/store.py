"""Bounds and tables that loops share.

The row sets two levels below a root are intersections of a side A of the root's split and a side B
of the next split. Their optimum ``opt(A n B)`` does not depend on the order of A and B. A matrix
holds a lower bound for each two sides, and whether it is the optimum.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import PAIR, Base, Columns, Crossings, Floats, Masks
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Splits

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
        deep = search.table.level[search.encoding.classes[0]] > PAIR + 1
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

    Side ``s`` is the inside of split s, side ``n + s`` its outside, and ``2 n`` all rows, where n
    is the number of splits that have a row in the matrix.

    Parameters
    ----------
    search : Search
    n : int
        Number of splits.
    classes : list of int
        The classes of two levels whose bounds are kept.
    """

    def __init__(self, search: Search, n: int, classes: list[int]) -> None:
        self.splits: Splits = search.splits
        self.table: Columns = search.table
        self.n = n
        self.everywhere = 2 * n
        self.known = {c: np.zeros((2 * n + 1, 2 * n)) for c in classes}
        self.sure = {c: np.zeros((2 * n + 1, 2 * n), np.bool_) for c in classes}
        self.shared = search.pair_weights()
        self.total = float(search.absolute.sum())
        self.all_rows = self._both_sides(np.diagonal(self.shared), self.total)
        self._lock = threading.Lock()

    @classmethod
    def of(cls, search: Search) -> Store | None:
        """The store of all classes of two levels; None if it would need too much memory."""
        classes = np.flatnonzero(search.table.level == PAIR).tolist()
        for n in (search.splits.n, search.splits.n_columns):
            if classes and (2 * n + 1) ** 2 * len(classes) <= MOST_CELLS:
                return cls(search, n, classes)
        return None

    def place(self, side: int, split: int) -> int:
        """The number of a side, -1 if it has none."""
        return side * self.n + split if split < self.n else -1

    # ------------------------------------------------------------ weights

    def _both_sides(self, columns: Floats, all_of: float) -> Floats:
        """Weights inside and outside every split, from weights inside the columns."""
        inside = np.empty(self.n)
        v = self.splits.n_columns
        inside[:v] = columns
        if self.n > v:
            inside[v:] = self.splits.pair_sums(columns)
        return np.concatenate([inside, all_of - inside])

    def weigh(self, place: int) -> tuple[Floats, float]:
        """Weight of a side's rows in each column, and of all of them."""
        every = np.diagonal(self.shared)
        if place == self.everywhere:
            return every, self.total
        side, split = divmod(place, self.n)
        columns = list(self.splits.columns(split))
        inside, own = self.shared[columns].sum(axis=0), float(every[columns].sum())
        return (every - inside, self.total - own) if side == OUTSIDE else (inside, own)

    def _weights(self, columns: tuple[int, ...]) -> Floats:
        """Weight of the rows that some columns share with every side."""
        row = self.shared[list(columns)].sum(axis=0)
        return self._both_sides(row, float(self.shared[columns, columns].sum()))

    # ------------------------------------------------------------ before and after a loop

    def whole(self, place: int, cls: int) -> tuple[float, bool]:
        """Lower bound of a class on all rows of a side, and whether it is the optimum."""
        if cls not in self.known or place == self.everywhere:
            return 0.0, False
        with self._lock:
            return float(self.known[cls][-1, place]), bool(self.sure[cls][-1, place])

    def fill(self, loop: Loop) -> None:
        """Give a loop the known bounds of its sides."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            if child not in self.known:
                continue
            with self._lock:
                row = self.known[child][loop.place]
                sure = self.sure[child][loop.place]
                if loop.place != self.everywhere:
                    row = np.maximum(row, self._bounds(self.known[child], loop.place))
                loop.bound[:, x, : self.n] = row.reshape(2, self.n)
                loop.exact[:, x, : self.n] = sure.reshape(2, self.n)

    def keep(self, loop: Loop) -> None:
        """Keep the bounds that a loop found."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            if child not in self.known:
                continue
            row = loop.bound[:, x, : self.n].ravel()
            sure = loop.exact[:, x, : self.n].ravel()
            with self._lock:
                known, certain = self.known[child], self.sure[child]
                np.maximum(known[loop.place], row, out=known[loop.place])
                certain[loop.place] |= sure
                if loop.place < self.everywhere:
                    column = known[: self.everywhere, loop.place]
                    np.maximum(column, row, out=column)
                    certain[: self.everywhere, loop.place] |= sure

    def _bounds(self, known: Floats, place: int) -> Floats:
        """Lower bounds of a side's intersections with all sides (disjoint sets, similarity)."""
        side, split = divmod(place, self.n)
        columns = self.splits.columns(split)
        weight = self._weights(columns)
        members = known[list(columns)].sum(axis=0)
        whole = known[-1]
        if side == INSIDE:
            low = np.maximum(members, whole - (self.all_rows - weight) + known[self.n + split])
        else:
            low = whole - weight + members
            for one, other in (columns, columns[::-1]) if len(columns) == 2 else ():
                left = known[self.n + one] - self._weights((other,)) + known[other]
                np.maximum(low, left, out=low)
        return low


class SharedBounds:
    """Bounds and tables that searches of one problem for several topologies share.

    Bounds of a subtree on the sides of a root's splits do not depend on the root's other subtree.

    Attributes
    ----------
    store : Store or None
        Bounds of row sets two levels below the root.
    tables : Tables or None
        The tables for roots of four levels.
    sides : dict of int to float64[2, S]
        For each class, lower bounds inside and outside each split.
    whole : dict of int to float
        For each class, a lower bound on all rows.
    """

    def __init__(self) -> None:
        self.store: Store | None = None
        self.tables: Tables | None = None
        self.sides: dict[int, Floats] = {}
        self.whole: dict[int, float] = {}
        self._has_store = False

    def begin(self, search: Search, root: int) -> None:
        """Prepare for a search of a root's class."""
        if not self._has_store:
            self._has_store = True
            self.store = None if search.by_sweeps else Store.of(search)
        if search.table.level[root] > PAIR + 1:
            search.store = self.store
            if self.tables is None:
                self.tables = search.tables
            search.tables, self.tables.search = self.tables, search

    def fill(self, loop: Loop) -> None:
        """Give the loop of a root the known bounds of its sides."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            if child in self.sides:
                np.maximum(loop.bound[:, x], self.sides[child], out=loop.bound[:, x])
                loop.whole[x] = max(loop.whole[x], self.whole[child])

    def keep(self, loop: Loop) -> None:
        """Keep the bounds that the loop of a root found."""
        for x, child in enumerate(loop.children[: loop.h + 1]):
            found = np.maximum(loop.bound[:, x], self.sides.get(child, 0.0))
            self.sides[child] = np.where(np.isfinite(found), found, 0.0)
            self.whole[child] = max(loop.whole[x], self.whole.get(child, 0.0))
