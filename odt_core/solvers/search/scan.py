"""Tables of pair counts from rows.

A table F holds, for a set of rows, ``F[u, v]`` = sum of ``d`` over the rows in columns u and v.
All sums are whole numbers small enough to be exact in the table's number type.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called, count_common, lean
from odt_core.solvers.search.model import CHAIN, LANES, Model

AT_ONCE = 2048
"""Rows that are counted as bits together: their words stay in the cache."""

GRADES = 32
"""Different values of d among them."""

BITS = 32
"""In a word."""


class Bits(NamedTuple):
    """Working memory of `scan`: up to B words of bits, one bit for each row.

    Attributes
    ----------
    word : int32[B, W]
        Which of a word's rows are in each column.
    valid : int32[B]
        Which bits stand for rows.
    common : int32[W]
        How many rows a column shares with each other.
    value : float[GRADES]
        The rows' different values of d; all rows of a word have the same.
    first, next : int64[GRADES + 1]
        The first word of each value, and the place of its next row.
    grade : int64[AT_ONCE]
        The number of each row's value.
    """

    word: npt.NDArray
    valid: npt.NDArray
    common: npt.NDArray
    value: npt.NDArray
    first: npt.NDArray
    next: npt.NDArray
    grade: npt.NDArray


def padded(size: int) -> int:
    """Columns of a table that holds `size` of them."""
    return max(-(-size // LANES) * LANES, LANES)


def make_bits(model: Model) -> Bits:
    """Working memory for one thread."""
    w = padded(int(model.size[0]))
    words = AT_ONCE // BITS + GRADES
    return Bits(
        word=np.zeros((words, w), np.int32),
        valid=np.zeros(words, np.int32),
        common=np.zeros(w, np.int32),
        value=np.zeros(GRADES, model.d.dtype),
        first=np.zeros(GRADES + 1, np.int64),
        next=np.zeros(GRADES + 1, np.int64),
        grade=np.zeros(AT_ONCE, np.int64),
    )


@called
def sum_columns(M: Model, rows, D):  # type: ignore[no-untyped-def]
    """Sum of d over the rows in each column, into D. Returns the total."""
    z = M.d.dtype.type(0)
    D[:] = z
    total = z
    for r in rows:
        d = M.d[r]
        total += d
        for b in M.cols[M.col_at[r] : M.col_at[r + 1]]:
            D[b] += d
    return total


# ---------------------------------------------------------------- one table


@called
def scan(M: Model, rows, n, first, F, D, P, B: Bits):  # type: ignore[no-untyped-def]
    """Fill table F and the columns' own sums D, P (positive weight) from the first n rows.

    What F holds of the columns before `first` has no meaning afterwards. Returns the totals of d
    and of positive weight.
    """
    z = M.d.dtype.type(0)
    for u in range(M.size[0]):
        row = F[u]
        for i in range(len(row)):
            row[i] = z
    D[:] = z
    P[:] = z
    taken, grades = _grade(M, rows, n, B)
    if _costs_less_by_cells(M, taken, grades, B.first[grades], len(D)):
        return _scan_cells(M, rows, n, F, D, P)
    total = z
    positive = z
    done = 0
    while done < n:
        _write_words(M, rows[done:], taken, grades, B)
        for c in range(grades):
            _add_columns(c, D, P, B)
        for u in range(first, M.size[0]):
            _add_row(u, grades, F[u], B)
        for i in range(done, done + taken):
            d = M.d[rows[i]]
            total += d
            if d < z:
                positive -= d
        done += taken
        taken, grades = _grade(M, rows[done:], n - done, B)
    return total, positive


@lean
def _costs_less_by_cells(M: Model, n, grades, words, width):  # type: ignore[no-untyped-def]
    """Whether rows are few and have little in common, by a rough count of cycles."""
    n_all = max(len(M.d), 1)
    cells = len(M.cells) // n_all + 1
    cols = len(M.cols) // n_all + 1
    columns = min(M.size[0], n * cols)
    by_cells = 4 * n * cells * cols + M.size[0] * width // 4
    return by_cells < 40 * n + (words + 2 * grades) * columns * width // 6


@lean
def _scan_cells(M: Model, rows, n, F, D, P):  # type: ignore[no-untyped-def]
    """Add up row by row, each cell with each column."""
    z = M.d.dtype.type(0)
    total = z
    positive = z
    for i in range(n):
        r = rows[i]
        d = M.d[r]
        total += d
        cols = M.cols[M.col_at[r] : M.col_at[r + 1]]
        cells = M.cells[M.cell_at[r] : M.cell_at[r + 1]]
        for b in cols:
            D[b] += d
        if d < z:
            positive -= d
            for b in cols:
                P[b] -= d
        for a in cells:
            row = F[a]
            for b in cols:
                row[b] += d
    expand(M, F, D)
    return total, positive


@lean
def expand(M: Model, F, D):  # type: ignore[no-untyped-def]
    """Cumulate the rows of chains and recover the dropped row of sets (first axis only)."""
    n_groups = len(M.kind)
    for back in range(n_groups):
        k = n_groups - 1 - back
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == CHAIN:
            raw = M.raw[k]
            for t in range(1, e - s):
                above = F[s + t - 1]
                row = F[s + t]
                if raw >= 0:
                    cell = F[M.start[raw] + t - 1]
                    for i in range(len(row)):
                        row[i] = above[i] + cell[i]
                else:
                    for i in range(len(row)):
                        row[i] += above[i]
        else:
            lost = F[M.dropped[k]]
            for i in range(len(lost)):
                lost[i] = D[i]
            for v in range(s, e):
                if v != M.dropped[k]:
                    row = F[v]
                    for i in range(len(row)):
                        lost[i] -= row[i]


@lean
def _grade(M: Model, rows, n, B: Bits):  # type: ignore[no-untyped-def]
    """Number the different values of d among the first rows; where the words of each begin.

    Returns how many rows were looked at (all n, unless that is too many rows or values), and how
    many values there are.
    """
    n = min(n, AT_ONCE)
    grades = 0
    for i in range(n):
        d = M.d[rows[i]]
        c = 0
        while c < grades and B.value[c] != d:
            c += 1
        if c == grades:
            if c == GRADES:
                n = i
                break
            B.value[c] = d
            B.next[c] = 0
            grades += 1
        B.grade[i] = c
        B.next[c] += 1
    B.first[0] = 0
    for c in range(grades):
        B.first[c + 1] = B.first[c] + (B.next[c] + BITS - 1) // BITS
        B.next[c] = B.first[c] * BITS
    return n, grades


@lean
def _write_words(M: Model, rows, n, grades, B: Bits):  # type: ignore[no-untyped-def]
    """The first n rows as bits of the columns they are in."""
    for w in range(B.first[grades]):
        B.valid[w] = 0
        line = B.word[w]
        for v in range(len(line)):
            line[v] = 0
    for i in range(n):
        r = rows[i]
        at = B.next[B.grade[i]]
        B.next[B.grade[i]] += 1
        bit = np.int32(np.int64(1) << (at % BITS))
        B.valid[at // BITS] |= bit
        line = B.word[at // BITS]
        for a in M.cells[M.cell_at[r] : M.cell_at[r + 1]]:
            line[a] |= bit
    for w in range(B.first[grades]):
        _expand_bits(M, B.word[w], B.valid[w])


@lean
def _expand_bits(M: Model, line, valid):  # type: ignore[no-untyped-def]
    """What `expand` does to sums: cumulate chains, and recover the dropped column of sets."""
    n_groups = len(M.kind)
    for back in range(n_groups):
        k = n_groups - 1 - back
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == CHAIN:
            raw = M.raw[k]
            for t in range(1, e - s):
                line[s + t] = line[s + t - 1] | line[M.start[raw] + t - 1 if raw >= 0 else s + t]
        else:
            lost = valid
            for v in range(s, e):
                if v != M.dropped[k]:
                    lost &= ~line[v]
            line[M.dropped[k]] = lost


@lean
def _add_columns(c, D, P, B: Bits):  # type: ignore[no-untyped-def]
    """Add the rows with one value of d to the columns' own sums."""
    number = D.dtype.type
    d = B.value[c]
    for w in range(B.first[c], B.first[c + 1]):
        line = B.word[w]
        all_of = np.int32(-1)
        for v in range(len(D)):
            D[v] += d * number(count_common(all_of, line[v], np.int32(0)))
        if d < number(0):
            for v in range(len(P)):
                P[v] -= d * number(count_common(all_of, line[v], np.int32(0)))


@lean
def _add_row(u, grades, row, B: Bits):  # type: ignore[no-untyped-def]
    """Add what column u has in common with every column to its row of the table."""
    number = row.dtype.type
    none = np.int32(0)
    for c in range(grades):
        d = B.value[c]
        last = B.first[c + 1] - 1
        touched = False
        for w in range(B.first[c], last):
            x = B.word[w, u]
            if x == 0:
                continue
            line = B.word[w]
            if touched:
                for v in range(len(row)):
                    B.common[v] = count_common(x, line[v], B.common[v])
            else:
                for v in range(len(row)):
                    B.common[v] = count_common(x, line[v], none)
            touched = True
        x = B.word[last, u]
        line = B.word[last]
        if touched:
            for v in range(len(row)):
                row[v] += d * number(count_common(x, line[v], B.common[v]))
        elif x != 0:
            for v in range(len(row)):
                row[v] += d * number(count_common(x, line[v], none))


# ---------------------------------------------------------------- tables of a group's columns


@lean
def sort_rows(local, size, rows, order, begin):  # type: ignore[no-untyped-def]
    """The rows by their position in a group, into `order`, and where each position begins."""
    for p in range(size + 2):
        begin[p] = 0
    if size == 1:  # those of the only column; the others are not asked for
        n = 0
        for i in range(len(rows)):
            order[n] = rows[i]
            n += 1 - local[rows[i]]
        begin[1] = n
        begin[2] = n
        return
    for i in range(len(rows)):
        begin[local[rows[i]] + 1] += 1
    for p in range(size + 1):
        begin[p + 1] += begin[p]
    for i in range(len(rows)):
        p = local[rows[i]]
        order[begin[p]] = rows[i]
        begin[p] += 1
    for back in range(size + 1):
        begin[size + 1 - back] = begin[size - back]
    begin[0] = 0


@lean
def most_frequent(begin, size):  # type: ignore[no-untyped-def]
    """The position of a group that most rows have."""
    most = 0
    for p in range(1, size):
        if begin[p + 1] - begin[p] > begin[most + 1] - begin[most]:
            most = p
    return most


@lean
def count_columns(M: Model, k, order, begin, first, T, Q, F, P, spare, B: Bits):  # type: ignore[no-untyped-def]
    """Tables T and positive weights Q of the rows in each column of group k.

    Parameters
    ----------
    order, begin : int32[n], int64[size + 2]
        Rows sorted by their position in the group, and where each position begins.
    first : int
        The first column of the tables that is wanted (as in `scan`).
    F, P
        Table and positive weights of all these rows (for a set only).
    spare : float[W]
        Working memory.
    B : Bits
    """
    size = M.start[k + 1] - M.start[k]
    skip = -1 if M.kind[k] == CHAIN else most_frequent(begin, size)
    if skip >= 0:
        copy(F[first:], T[skip, first:], P, Q[skip])
    for p in range(size):
        if p == skip:
            continue
        scan(M, order[begin[p] :], begin[p + 1] - begin[p], first, T[p], spare, Q[p], B)
        if skip >= 0:
            add(T[skip, first:], T[p, first:], -1, Q[skip], Q[p])
        elif p > 0:
            add(T[p, first:], T[p - 1, first:], 1, Q[p], Q[p - 1])


@lean
def copy(F, G, P, Q):  # type: ignore[no-untyped-def]
    """G = F and Q = P."""
    for u in range(len(F)):
        row = F[u]
        to = G[u]
        for i in range(len(row)):
            to[i] = row[i]
    for i in range(len(P)):
        Q[i] = P[i]


@lean
def add(F, G, sign, P, Q):  # type: ignore[no-untyped-def]
    """Add `sign` times table G to F (and Q to P)."""
    x = F.dtype.type(sign)
    for u in range(len(F)):
        to = F[u]
        row = G[u]
        for i in range(len(row)):
            to[i] += x * row[i]
    for i in range(len(P)):
        P[i] += x * Q[i]
