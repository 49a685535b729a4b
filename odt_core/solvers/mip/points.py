"""Conversion of trees to points of the integer program, for a solver's start."""

from __future__ import annotations

import numpy as np

from odt_core.problem import Split
from odt_core.solution import Assignment
from odt_core.solvers.mip.formulation import NONE, Draft, Floats, Formulation
from odt_core.tree import route


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
