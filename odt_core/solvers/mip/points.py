"""Conversion of trees to points of the integer program, and of points to trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from odt_core.problem import Split
from odt_core.solution import Assignment
from odt_core.solvers.mip.best_splits import best_split
from odt_core.solvers.mip.formulation import NONE, Draft, Formulation
from odt_core.solvers.mip.program import Floats, Ints
from odt_core.tree import route

TOLERANCE = 1e-4
"""The largest distance of a value from its whole number (solvers use 1e-6)."""


# ---- from a tree to a point: a start for the solver ----


def point_of(formulation: Formulation, assignment: Assignment) -> Floats:
    """Return the point of a tree, with a value for every column.

    The tree is mirrored at reversible nodes if the program's symmetry breaking requires it.
    """
    draft = formulation.draft
    assignment = mirrored(draft, assignment)
    x = np.zeros(formulation.program.n_columns)
    x[draft.constant] = 1
    for k, split in enumerate(assignment.splits):
        x[draft.v[k, split.feature]] = 1
        x[draft.values(k, split.feature)[sorted(split.left)]] = 1
    for (k, g), column in draft.w.items():
        x[column] = _w_value(draft, k, g, assignment.splits[k])
    for (k, g), columns in draft.rising.items():
        if x[draft.w[k, g]] == 1:
            x[columns] = x[draft.values(k, g)]
    for open_leaf, column in draft.u.items():
        x[column] = assignment.labels[open_leaf]
    reached = route(draft.topology, assignment.splits, draft.data.codes)
    if len(draft.e):
        x[draft.e[np.unique(reached)]] = 1
    for b, leaf in enumerate(draft.leaves):
        if assignment.labels[leaf.leaf] == leaf.label:
            counted = draft.c[reached == leaf.leaf, b]
            x[counted[counted != NONE]] = 1
    return x


def mirrored(draft: Draft, assignment: Assignment) -> Assignment:
    """Mirror a tree as the program's symmetry breaking requires.

    If a node can be reversed and its anchor goes right (or, with w = 1, its low bins or its large
    set go left), the split is reversed and the subtrees are swapped.
    """
    topology = draft.topology
    splits, labels = list(assignment.splits), list(assignment.labels)
    for k in range(topology.n_nodes):
        if not draft.problem.is_reversible(k) or not _is_reversed(draft, k, splits[k]):
            continue
        splits[k] = splits[k].reversed(draft.features)
        left, right = (topology.descendants[child] for child in topology.children(k))
        for a, b in zip(left, right, strict=True):
            splits[a], splits[b] = splits[b], splits[a]
        for a, b in zip(_leaves_of(draft, k, True), _leaves_of(draft, k, False), strict=True):
            labels[a], labels[b] = labels[b], labels[a]
    return Assignment(tuple(splits), tuple(labels))


def _leaves_of(draft: Draft, k: int, left: bool) -> list[int]:
    paths = draft.topology.paths
    return [leaf for leaf in range(draft.topology.n_leaves) if (k, left) in paths[leaf]]


def _is_reversed(draft: Draft, k: int, split: Split) -> bool:
    """Whether the program forbids the split at node k but allows its reverse."""
    g, problem = split.feature, draft.problem
    if draft.has_anchor(k, g):
        return draft.anchor[g] not in split.left
    if (k, g) in draft.w and draft.w_is_one(k, g):
        if draft.features[g].is_numerical:
            return not _rises(draft, split)
        assert problem.max_card is not None
        return len(split.left) > problem.max_card
    return False


def _rises(draft: Draft, split: Split) -> bool:
    """Whether a numerical split sends the high bins left (or no ordered bin, or all)."""
    n = draft.features[split.feature].n_ordered
    ordered = [code in split.left for code in range(n)]
    return ordered == sorted(ordered)


def _w_value(draft: Draft, k: int, g: int, split: Split) -> bool:
    """The w of a group: from the split on it, or else any value that the rows allow."""
    if split.feature != g:
        return draft.w_is_one(k, g) or not draft.features[g].is_numerical
    if draft.features[g].is_numerical:
        return _rises(draft, split)
    assert draft.problem.max_card is not None
    return len(split.left) <= draft.problem.max_card


# ---- from a point to a tree ----


def assignment_of(formulation: Formulation, x: Floats) -> Assignment:
    """Return the tree of a point.

    If a node's z is binary, its split is read directly. If z is continuous, the point may lie
    inside an optimal face, or the solver may not have finished. Then counting finds the best split
    for the rows that reach the node, which is at least as good as the point. Open labels that are
    continuous become the majority class. The caller must recount the tree.
    """
    draft = formulation.draft
    problem = replace(draft.problem, data=draft.data)
    splits = [_read_split(draft, x, k) for k in range(draft.topology.n_nodes)]
    certain = [Split(0, frozenset()) if split is None else split for split in splits]
    reached = route(draft.topology, certain, draft.data.codes)
    signed = np.where(draft.data.y, -draft.gain, draft.gain)
    for k, split in enumerate(splits):
        if split is None:
            below = _leaves_of(draft, k, True) + _leaves_of(draft, k, False)
            rows = np.flatnonzero(np.isin(reached, below))
            certain[k] = best_split(problem, k, draft.data.codes[rows], signed[rows])
    reached = route(draft.topology, certain, draft.data.codes)
    return Assignment(tuple(certain), _read_labels(draft, x, reached))


def _read_split(draft: Draft, x: Floats, k: int) -> Split | None:
    """The split at a node; None if z is continuous and not at a corner."""
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


def _read_labels(draft: Draft, x: Floats, reached: Ints) -> tuple[bool, ...]:
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
