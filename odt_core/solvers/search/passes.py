"""Compiled passes over the rows of a problem: merging, counting codes, laying out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called

TOGETHER = 128
"""Rows that are laid out together: they stay in the cache."""

LEAST_BITS = 6
"""Of the number of places in a table of rows."""


@lru_cache(maxsize=64)
def multipliers(n: int) -> npt.NDArray[np.int64]:
    """Odd random numbers: rows that differ rarely have equal sums of codes times these."""
    return np.random.default_rng(n).integers(2**62, size=n, dtype=np.int64) * 2 + 1


def merge(
    codes: npt.NDArray[np.int32], y: npt.NDArray[np.bool_], weight: npt.NDArray[np.int64]
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]
]:
    """Find the distinct rows, in the order in which they come first.

    Returns
    -------
    codes : int32[n, G]
        All rows, each contiguous.
    first : int32[N]
        Where each distinct row comes first.
    positive, negative : int64[N]
        Weights of its positive and negative rows.
    """
    # of one kind: numba compiles for read-only arrays anew
    codes = np.require(codes, np.int32, ["C", "W"])
    y, weight = np.require(y, np.bool_, ["C", "W"]), np.require(weight, np.int64, ["C", "W"])
    n = len(y)
    bits = max(int(2 * n).bit_length(), LEAST_BITS)
    place = np.full(1 << bits, -1, dtype=np.int32)
    first, key = np.empty(n, np.int32), np.empty(n, np.int64)
    positive, negative = np.zeros(n, np.int64), np.zeros(n, np.int64)
    found = merge_rows(
        codes, y, weight, multipliers(codes.shape[1]), 64 - bits, place, key, first, positive,
        negative,
    )  # fmt: skip
    return codes, first[:found], positive[:found], negative[:found]


@called
def merge_rows(codes, y, weight, factor, shift, place, key, first, positive, negative):  # type: ignore[no-untyped-def]
    """Find equal rows by a table of hashes (open addressing); returns how many differ."""
    n_columns = codes.shape[1]
    mask = len(place) - 1
    found = 0
    for i in range(len(y)):
        row = codes[i]
        h = np.int64(0)
        for g in range(n_columns):
            h += row[g] * factor[g]
        at = (h >> shift) & mask
        while True:
            j = place[at]
            if j < 0:
                j = found
                place[at] = found
                key[found] = h
                first[found] = i
                found += 1
                break
            if key[j] == h:
                other = codes[first[j]]
                equal = True
                for g in range(n_columns):
                    equal &= row[g] == other[g]
                if equal:
                    break
            at = (at + 1) & mask
        if y[i]:
            positive[j] += weight[i]
        else:
            negative[j] += weight[i]
    return found


@called
def weigh_codes(codes, weight, base, total):  # type: ignore[no-untyped-def]
    """Weight of the rows with each code of each feature: ``total[base[g] + code]``."""
    for i in range(codes.shape[0]):
        for g in range(codes.shape[1]):
            total[base[g] + codes[i, g]] += weight[i]


@called
def count_overlaps(codes, feature, base, member, count, both):  # type: ignore[no-untyped-def]
    """How many rows each column holds, and how many both it and the one before it.

    Column j holds the codes of ``feature[j]`` with ``member[base[j] + code]`` 1, others have 0.
    """
    for i in range(codes.shape[0]):
        before = 0
        for j in range(len(feature)):
            here = member[base[j] + codes[i, feature[j]]]
            count[j] += here
            both[j] += here & before
            before = here


@called
def place_rows(codes, part, group, base, place, local, begin, count):  # type: ignore[no-untyped-def]
    """Positions of the rows in the groups, ``local[k, i]``, and how many rows have each.

    A group's position is the sum over its parts: ``place[base[j] + code]`` of feature ``part[j]``
    for the parts j with ``group[j] == k``, which are neighbours. The number of rows at position p
    goes to ``count[begin[k] + p]``.
    """
    n = codes.shape[0]
    for first in range(0, n, TOGETHER):
        last = min(first + TOGETHER, n)
        for j in range(len(part)):
            row = local[group[j]]
            own = place[base[j] : base[j + 1]]
            g = part[j]
            if j > 0 and group[j] == group[j - 1]:
                for i in range(first, last):
                    row[i] += own[codes[i, g]]
            else:
                for i in range(first, last):
                    row[i] = own[codes[i, g]]
        for k in range(len(local)):
            row = local[k]
            if begin[k + 1] - begin[k] == 2:
                outside = 0
                for i in range(first, last):
                    outside += row[i]
                count[begin[k]] += last - first - outside
                count[begin[k] + 1] += outside
            else:
                for i in range(first, last):
                    count[begin[k] + row[i]] += 1


@called
def write_rows(local, start, dropped, last, cell_at, col_at, cells, cols):  # type: ignore[no-untyped-def]
    """Write down each row's cells and columns (see `Model`), and where each row's begin.

    Positions from ``last[k]`` on are not counted as cells, nor is the column ``dropped[k]``. There
    must be room for one more cell and column than there are.
    """
    at = 0
    to = 0
    for i in range(local.shape[1]):
        for k in range(len(last)):
            p = local[k, i]
            v = start[k] + p
            if start[k + 1] - start[k] == 1:  # written in any case: a branch costs more
                cells[at] = v
                cols[to] = v
                at += 1 - p
                to += 1 - p
                continue
            if p < last[k] and v != dropped[k]:
                cells[at] = v
                at += 1
            end = start[k + 1] if dropped[k] < 0 else v + 1
            for u in range(v, end):
                cols[to] = u
                to += 1
        cell_at[i + 1] = at
        col_at[i + 1] = to
