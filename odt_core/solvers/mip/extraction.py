"""From a point of the integer program to a tree."""

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
"""How far from a whole number a value may be that is read as one (solvers use 1e-6)."""


def assignment_of(formulation: Formulation, x: Floats) -> Assignment:
    """The tree of a point.

    Questions at nodes whose z is binary are read off. Where z is continuous a solver may return a
    point inside an optimal face, or one it has not finished optimising: there the best question for
    the rows that arrive is found by counting, which is at least as good as any such point. Open
    labels, where they are continuous, become the majority. What the tree is worth is for the
    recount to say.
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
    """The question at a node, or None where z is continuous and not at a corner."""
    draft = formulation.draft
    v, z = x[draft.v[k]], x[draft.z[k]]
    chosen = np.flatnonzero(z > 0.5)
    # With every z at 0 the v may be fractional: all features then send every row right.
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
