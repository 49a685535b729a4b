"""Fronts of leaves and of leaf-adjacent nodes, by counting."""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import called, lean
from odt_core.solvers.search.front_tables import FAR, Tables
from odt_core.solvers.search.model import CHAIN, FULL, LEAF, Model


@lean
def _point(g, fn, fp):  # type: ignore[no-untyped-def]
    if fn < len(g) and fp < g[fn]:
        g[fn] = fp


@called
def shallow_front(M: Model, cls, xp, xn, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """Front of a leaf or a leaf-adjacent split, from the columns' positive and negative weight."""
    for b in range(len(g)):
        g[b] = FAR
    if M.level[cls] == LEAF or M.empty_ok[cls]:
        _point(g, tp, 0)
        _point(g, 0, tn)
    if M.level[cls] != LEAF:
        for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
            k = M.groups[at]
            s = M.start[k]
            e = M.start[k + 1]
            if M.kind[k] != CHAIN and M.arity[k] > 1:
                _set_front(xp, xn, s, e, M.kind[k] == FULL, M.arity[k], tp, tn, T, g)
                continue
            for v in range(s, e):
                p = np.int64(xp[v])
                q = np.int64(xn[v])
                _point(g, tp - p, q)
                _point(g, p, tn - q)
    for b in range(1, len(g)):
        if g[b - 1] < g[b]:
            g[b] = g[b - 1]


@lean
def _set_front(xp, xn, s, e, full, m, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """Front of a split by the values of a set; only values with rows need a choice."""
    n = 0
    for v in range(s, e):
        p = np.int64(xp[v])
        q = np.int64(xn[v])
        if p + q > 0:
            T.own[0, n] = p
            T.own[1, n] = q
            n += 1
    if n < e - s:  # a value without rows alone on its side: all rows go the same way
        _point(g, tp, 0)
        _point(g, 0, tn)
    if full:
        _any_subset(n, T, g)
    elif m == 2:
        _up_to_two(n, tp, tn, T, g)
    else:
        _up_to_m(n, m, tp, tn, T, g)


@lean
def _any_subset(n, T: Tables, g):  # type: ignore[no-untyped-def]
    """Every value is called positive or negative; both answers occur."""
    size = len(g)
    f = T.steps[0, 0]
    for b in range(size):
        f[b] = FAR
    all_p = np.int64(0)  # false negatives if all values so far are called negative
    all_n = np.int64(0)  # false positives if all are called positive
    for v in range(n):
        p = T.own[0, v]
        q = T.own[1, v]
        for back in range(size):
            b = size - 1 - back
            x = f[b] + q
            y = f[b - p] if b >= p else x
            f[b] = x if x < y else y
        if v > 0:
            _point(f[:size], p, all_n)
            _point(f[:size], all_p, q)
        all_p += p
        all_n += q
    for b in range(size):
        if f[b] < g[b]:
            g[b] = f[b]


@lean
def _up_to_two(n, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """One or two of the values are called negative, or positive, against all the others."""
    for u in range(n):
        p = T.own[0, u]
        q = T.own[1, u]
        _point(g, p, tn - q)
        _point(g, tp - p, q)
        for v in range(u + 1, n):
            a = p + T.own[0, v]
            c = q + T.own[1, v]
            _point(g, a, tn - c)
            _point(g, tp - a, c)


@lean
def _up_to_m(n, m, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """One to m of the values are called negative, or positive, against all the others."""
    size = len(g)
    few = T.steps[0]  # few[j, b]: j values called negative, the rest positive, false negatives b
    most = T.steps[1]  # most[j, b]: j values called positive, the rest negative
    for j in range(m + 1):
        for b in range(size):
            few[j, b] = FAR
            most[j, b] = FAR
    few[0, 0] = tn
    most[0, 0] = 0
    for v in range(n):
        p = T.own[0, v]
        q = T.own[1, v]
        for back in range(m + 1):
            j = m - back
            for down in range(size):
                b = size - 1 - down
                if j > 0 and b >= p and few[j - 1, b - p] < FAR:
                    x = few[j - 1, b - p] - q
                    few[j, b] = x if x < few[j, b] else few[j, b]
                x = most[j, b - p] if b >= p else np.int64(FAR)
                if j > 0 and most[j - 1, b] + q < x:
                    x = most[j - 1, b] + q
                most[j, b] = x if x < FAR else FAR
    for j in range(1, m + 1):
        for b in range(size):
            x = few[j, b] if few[j, b] < most[j, b] else most[j, b]
            g[b] = x if x < g[b] else g[b]
