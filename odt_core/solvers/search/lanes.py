"""The leaf-adjacent split for many sets of rows at once, one in each lane of vectors."""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import lean
from odt_core.solvers.search.model import ANY, ONE, TWO

BLOCK = 128
"""Lanes that are treated together; accumulators are this far apart, which the compiler must know
to use vector instructions."""

LOW, HIGH = 0, BLOCK
"""Where a block keeps the least sum of what is called positive, and the largest that is not."""

A, B, C, D = 2 * BLOCK, 3 * BLOCK, 4 * BLOCK, 5 * BLOCK
"""The two smallest and two largest entries of a run."""

MORE = 6 * BLOCK
"""Where the entries of larger subsets begin."""

VECTOR = 16
"""Lanes are filled up to a multiple of this, where the table has columns left."""


def accumulators(arity: int) -> int:
    """How many numbers `stump_lanes` needs as working memory."""
    return (7 + 2 * arity) * BLOCK


@lean
def _fill(acc, at, n, value):  # type: ignore[no-untyped-def]
    row = acc[at : at + n]
    for i in range(n):
        row[i] = value


@lean
def _extremes(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    """Least and largest entry of rows s..e into LOW and HIGH, four rows a pass."""
    j = s
    while j + 3 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        k2 = c0[j + 2]
        k3 = c0[j + 3]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        r2 = F[j + 2, lo : lo + n]
        r3 = F[j + 3, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            x2 = k2 + c1 * r2[i]
            x3 = k3 + c1 * r3[i]
            a = x0 if x0 < x1 else x1
            b = x2 if x2 < x3 else x3
            c = x0 if x0 > x1 else x1
            d = x2 if x2 > x3 else x3
            a = a if a < b else b
            c = c if c > d else d
            low = acc[i]
            high = acc[i + HIGH]
            acc[i] = a if a < low else low
            acc[i + HIGH] = c if c > high else high
        j += 4
    while j < e:
        k0 = c0[j]
        r0 = F[j, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            low = acc[i]
            high = acc[i + HIGH]
            acc[i] = x0 if x0 < low else low
            acc[i + HIGH] = x0 if x0 > high else high
        j += 1


@lean
def _two(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    """The two smallest and two largest entries of rows s..e into A, B and C, D.

    With many short runs, what is done once for each of them counts: the first two rows take the
    place of filling the accumulators.
    """
    j = s + 2
    if j > e:
        far = F.dtype.type(np.inf)
        _fill(acc, A, 2 * BLOCK, far)
        _fill(acc, C, 2 * BLOCK, -far)
        j = s
    else:
        k0 = c0[s]
        k1 = c0[s + 1]
        r0 = F[s, lo : lo + n]
        r1 = F[s + 1, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            less = x0 if x0 < x1 else x1
            more = x0 if x0 > x1 else x1
            acc[i + A] = less
            acc[i + B] = more
            acc[i + C] = more
            acc[i + D] = less
    while j + 3 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        k2 = c0[j + 2]
        k3 = c0[j + 3]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        r2 = F[j + 2, lo : lo + n]
        r3 = F[j + 3, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            x2 = k2 + c1 * r2[i]
            x3 = k3 + c1 * r3[i]
            # the two smallest and largest of four, by pairs
            l0 = x0 if x0 < x1 else x1
            h0 = x0 if x0 > x1 else x1
            l1 = x2 if x2 < x3 else x3
            h1 = x2 if x2 > x3 else x3
            least = l0 if l0 < l1 else l1
            upper = l0 if l0 > l1 else l1
            most = h0 if h0 > h1 else h1
            lower = h0 if h0 < h1 else h1
            second = upper if upper < lower else lower
            next_most = upper if upper > lower else lower
            # merged with what is known
            a = acc[i + A]
            b = acc[i + B]
            c = acc[i + C]
            d = acc[i + D]
            t = a if a > least else least
            b = b if b < second else second
            acc[i + A] = a if a < least else least
            acc[i + B] = t if t < b else b
            t = c if c < most else most
            d = d if d > next_most else next_most
            acc[i + C] = c if c > most else most
            acc[i + D] = t if t > d else d
        j += 4
    if j + 1 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            less = x0 if x0 < x1 else x1
            more = x0 if x0 > x1 else x1
            a = acc[i + A]
            b = acc[i + B]
            c = acc[i + C]
            d = acc[i + D]
            t = a if a > less else less
            b = b if b < more else more
            acc[i + A] = a if a < less else less
            acc[i + B] = t if t < b else b
            t = c if c < more else more
            d = d if d > less else less
            acc[i + C] = c if c > more else more
            acc[i + D] = t if t > d else d
        j += 2
    if j < e:
        k0 = c0[j]
        r0 = F[j, lo : lo + n]
        for i in range(n):
            x = k0 + c1 * r0[i]
            a = acc[i + A]
            b = acc[i + B]
            c = acc[i + C]
            d = acc[i + D]
            t = a if a > x else x
            acc[i + A] = a if a < x else x
            acc[i + B] = t if t < b else b
            t = c if c < x else x
            acc[i + C] = c if c > x else x
            acc[i + D] = t if t > d else d


@lean
def _negatives(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    """Sum of the negative entries of rows s..e into A."""
    z = F.dtype.type(0)
    j = s
    while j + 1 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            x0 = x0 if x0 < z else z
            x1 = x1 if x1 < z else z
            acc[i + A] += x0 + x1
        j += 2
    if j < e:
        k0 = c0[j]
        r0 = F[j, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            acc[i + A] += x0 if x0 < z else z


@lean
def _several(F, s, e, lo, n, c0, c1, m, acc):  # type: ignore[no-untyped-def]
    """The m smallest and m largest entries of rows s..e, from MORE on."""
    for j in range(s, e):
        k = c0[j]
        r = F[j, lo : lo + n]
        for i in range(n):
            x = k + c1 * r[i]
            acc[i + A] = x
            acc[i + B] = x
        for t in range(m):
            small = acc[MORE + t * BLOCK : MORE + t * BLOCK + n]
            large = acc[MORE + (m + t) * BLOCK : MORE + (m + t) * BLOCK + n]
            for i in range(n):
                p = acc[i + A]
                q = small[i]
                small[i] = p if p < q else q
                acc[i + A] = q if p < q else p
            for i in range(n):
                p = acc[i + B]
                q = large[i]
                large[i] = p if p > q else q
                acc[i + B] = q if p > q else p


@lean
def _run_any(F, s, e, lo, n, c0, c1, empty_ok, acc):  # type: ignore[no-untyped-def]
    """Any subset: everything negative is called positive."""
    z = F.dtype.type(0)
    _fill(acc, A, n, z)
    _negatives(F, s, e, lo, n, c0, c1, acc)
    if not empty_ok:
        far = F.dtype.type(np.inf)
        _fill(acc, B, n, far)
        _fill(acc, C, n, -far)
        for j in range(s, e):
            k = c0[j]
            r = F[j, lo : lo + n]
            for i in range(n):
                x = k + c1 * r[i]
                low = acc[i + B]
                high = acc[i + C]
                acc[i + B] = x if x < low else low
                acc[i + C] = x if x > high else high
        for i in range(n):
            low = acc[i + B]
            high = acc[i + C]
            # none would be negative, or all: one value has to differ
            acc[i + A] = low if low >= z else (acc[i + A] - high if high < z else acc[i + A])
    for i in range(n):
        low = acc[i]
        x = acc[i + A]
        acc[i] = x if x < low else low


@lean
def _run_two(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    z = F.dtype.type(0)
    _two(F, s, e, lo, n, c0, c1, acc)
    for i in range(n):
        b = acc[i + B]
        x = acc[i + A] + (b if b < z else z)
        low = acc[i]
        acc[i] = x if x < low else low
        d = acc[i + D]
        y = acc[i + C] + (d if d > z else z)
        high = acc[i + HIGH]
        acc[i + HIGH] = y if y > high else high


@lean
def _run_several(F, s, e, lo, n, c0, c1, m, acc):  # type: ignore[no-untyped-def]
    z = F.dtype.type(0)
    far = F.dtype.type(np.inf)
    _fill(acc, MORE, m * BLOCK, far)
    _fill(acc, MORE + m * BLOCK, m * BLOCK, -far)
    _several(F, s, e, lo, n, c0, c1, m, acc)
    for i in range(n):
        x = acc[MORE + i]
        y = acc[MORE + m * BLOCK + i]
        for t in range(1, m):
            p = acc[MORE + t * BLOCK + i]
            x += p if p < z else z
            p = acc[MORE + (m + t) * BLOCK + i]
            y += p if p > z else z
        acc[i] = x if x < acc[i] else acc[i]
        acc[i + HIGH] = y if y > acc[i + HIGH] else acc[i + HIGH]


@lean
def stump_lanes(runs, r0, r1, F, c0, lo, n, c1, tot, pos, empty_ok, acc, out, at):  # type: ignore[no-untyped-def]
    """Least cost of a leaf-adjacent split for each of n lanes.

    Lane i stands for a set of rows; ``c0[j] + c1 * F[j, lo + i]`` is its sum of d over column j,
    ``tot[i]`` its sum over all, ``pos[i]`` its positive weight. The rows labelled positive are
    chosen from the runs r0..r1 to make their sum of d least; all or none are allowed if
    `empty_ok`. The results go to ``out[at:at + n]``.
    """
    z = F.dtype.type(0)
    far = F.dtype.type(np.inf)
    for first in range(0, n, BLOCK):
        own = min(BLOCK, n - first)
        begin = lo + first
        m = own + VECTOR - 1
        m -= m % VECTOR
        if begin + m > F.shape[1]:
            m = own
        _fill(acc, LOW, m, far)
        _fill(acc, HIGH, m, -far)
        for r in range(r0, r1):
            take = runs[r, 0]
            s = runs[r, 1]
            e = runs[r, 2]
            if take == ONE:
                _extremes(F, s, e, begin, m, c0, c1, acc)
            elif take == TWO:
                _run_two(F, s, e, begin, m, c0, c1, acc)
            elif take == ANY:
                _run_any(F, s, e, begin, m, c0, c1, empty_ok, acc)
            else:
                _run_several(F, s, e, begin, m, c0, c1, runs[r, 3], acc)
        for i in range(own):
            total = tot[first + i]
            x = total - acc[i + HIGH]
            low = acc[i]
            x = x if x < low else low
            if empty_ok:
                low = total if total < z else z
                x = x if x < low else low
            out[at + first + i] = pos[first + i] + x
