"""Conversion of a point of the integer program to a tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from odt_core.problem import Split
from odt_core.solution import Assignment
from odt_core.solvers.mip.counting import best_split
from odt_core.solvers.mip.formulation import Formulation
from odt_core.solvers.mip.program import Floats, Ints
from odt_core.tree import route

TOLERANCE = 1e-4
"""The largest distance of a value from its whole number (solvers use 1e-6)."""


def assignment_of(formulation: Formulation, x: Floats) -> Assignment:
    """Return the tree of a point.

    If a node's z is binary, its split is read directly. If z is continuous, the point may lie
    inside an optimal face, or the solver may not have finished. Then counting finds the best split
    for the rows that reach the node, which is at least as good as the point. Open labels that are
    continuous become the majority class. The caller must recount the tree.
    """
    draft = formulation.draft
    problem = replace(draft.problem, data=draft.data)
    splits = [_read_split(formulation, x, k) for k in range(draft.topology.n_nodes)]
    certain = [Split(0, frozenset()) if split is None else split for split in splits]
    reached = route(draft.topology, certain, draft.data.codes)
    signed = np.where(draft.data.y, -draft.gain, draft.gain)
    for k, split in enumerate(splits):
        if split is None:
            rows = _rows_at(formulation, k, reached)
            certain[k] = best_split(problem, k, draft.data.codes[rows], signed[rows])
    reached = route(draft.topology, certain, draft.data.codes)
    return Assignment(tuple(certain), _read_labels(formulation, x, reached))


def _read_split(formulation: Formulation, x: Floats, k: int) -> Split | None:
    """The split at a node; None if z is continuous and not at a corner."""
    draft = formulation.draft
    v, z = x[draft.v[k]], x[draft.z[k]]
    chosen = np.flatnonzero(z > 0.5)
    # If every z is 0, v may be fractional: then all features send every row right.
    g = (
        int(np.searchsorted(draft.offset, chosen[0], "right") - 1)
        if len(chosen)
        else int(v.argmax())
    )
    left = chosen[(chosen >= draft.offset[g]) & (chosen < draft.offset[g + 1])] - draft.offset[g]
    split = Split(g, frozenset(int(code) for code in left))
    if draft.z_is_continuous(k):
        whole = np.abs(z - np.round(z)).max() <= TOLERANCE and v[g] >= 1 - TOLERANCE
        if not whole or not draft.problem.admits(k, split):
            return None
    return split


def _rows_at(formulation: Formulation, k: int, reached: Ints) -> Ints:
    """Rows whose leaf lies below a node."""
    paths = formulation.draft.topology.paths
    below = [leaf for leaf, path in enumerate(paths) if any(node == k for node, _ in path)]
    return np.flatnonzero(np.isin(reached, below))


def _read_labels(formulation: Formulation, x: Floats, reached: Ints) -> tuple[bool, ...]:
    draft = formulation.draft
    signed = np.where(draft.data.y, draft.gain, -draft.gain)
    labels = []
    for leaf in range(draft.topology.n_leaves):
        fixed = draft.problem.fixed_label(leaf)
        if fixed is not None:
            labels.append(fixed)
        elif draft.u_is_continuous:
            labels.append(bool(signed[reached == leaf].sum() > 0))
        else:
            labels.append(bool(x[draft.u[leaf]] > 0.5))
    return tuple(labels)
