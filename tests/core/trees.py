"""Random trees, and the same trees in disguise, for tests of code that reads trees."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from odt_core.data import CellReading, ColumnEncoder, Encoder
from odt_core.export import ExportFormat, Model, export_model
from odt_core.problem import MISSING, EncodedData, Feature, FeatureKind, Problem, Rules, Split
from odt_core.topology import Topology
from odt_core.tree import Decision, Leaf, Node, Tree, build_tree, route
from tests.examples import examples
from tests.properties.referee import questions
from tests.properties.strategies import make_problem

unhurried = examples(30)
"""For property tests."""

Row = dict[str, Any]
"""Cells of a table by the names of its columns."""

Assignment = tuple[tuple[Split, ...], tuple[bool, ...]]

ODD_NAMES = (
    "plain",
    "two words",
    "it's",
    'a "quoted" name',
    "back\\slash\\",
    "semi;colon--comment",
    "percent % {brace} $x$ `tick`",
    "<b>bold</b> & &lt;",
    "línea ñ",
    "نعم",
    "狭心症",
    "line\nbreak",
    "a, b",
    "x or y",
    "*/ /* -- '",
    "None",
    "True",
    "1",
    "-0",
    "'''",
    '"""',
)
"""Names that some language reads as more than a name. None has blanks at its ends."""


def random_assignment(random: Random, problem: Problem) -> Assignment:
    """Any questions that the problem allows, and any labels."""
    splits = []
    for node in range(problem.topology.n_nodes):
        g, left = random.choice(
            sorted(questions(problem, node), key=lambda q: (q[0], sorted(q[1])))
        )
        splits.append(Split(g, left))
    labels = [random.random() < 0.5 for _ in range(problem.topology.n_leaves)]
    return tuple(splits), tuple(labels)


def without_rules(problem: Problem) -> Problem:
    """The same problem with neither expert rules nor forbidden empty branches."""
    return replace(problem, rules=Rules(), forbid_empty_branches=False)


def disguise(
    random: Random, problem: Problem, splits: tuple[Split, ...], labels: tuple[bool, ...]
) -> tuple[Problem, Assignment]:
    """Another assignment that parts the training rows in the same way.

    At random, a node's set is replaced by its complement and its subtrees change places, and values
    that no training row has at the node change sides.
    """
    data, topology = problem.data, problem.topology
    new_left: list[int] = []
    new_right: list[int] = []
    new_splits: list[Split] = []
    new_labels: list[bool] = []

    def copy(child: int, rows: np.ndarray) -> int:
        if child < 0:
            new_labels.append(labels[-1 - child])
            return -len(new_labels)
        split, node = splits[child], len(new_left)
        values = data.codes[rows, split.feature]
        goes_left = np.isin(values, sorted(split.left))
        left = random.choice(_same_parting(data.features[split.feature], values, goes_left))
        first, second = topology.children(child)
        first_rows, second_rows = rows[goes_left], rows[~goes_left]
        if random.random() < 0.5:
            left = frozenset(range(data.features[split.feature].n_values)) - left
            first, second, first_rows, second_rows = second, first, second_rows, first_rows
        new_left.append(0)
        new_right.append(0)
        new_splits.append(Split(split.feature, left))
        new_left[node] = copy(first, first_rows)
        new_right[node] = copy(second, second_rows)
        return node

    copy(0, np.arange(len(data.y)))
    shape = Topology(tuple(new_left), tuple(new_right))
    return replace(problem, topology=shape), (tuple(new_splits), tuple(new_labels))


def _same_parting(
    feature: Feature, values: np.ndarray, goes_left: np.ndarray
) -> list[frozenset[int]]:
    """All sets that send the same rows left."""
    observed = {int(value): bool(left) for value, left in zip(values, goes_left, strict=True)}
    sets = _thresholds(feature) if feature.is_numerical else _subsets(feature.n_values)
    return [s for s in sets if all((value in s) is left for value, left in observed.items())]


def _subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(c for c in range(n) if mask >> c & 1) for mask in range(2**n)]


def _thresholds(feature: Feature) -> list[frozenset[int]]:
    found = []
    for cut in range(feature.n_ordered + 1):
        for side in (range(cut), range(cut, feature.n_ordered)):
            found.append(frozenset(side))
            if feature.has_missing:
                found.append(frozenset({*side, feature.n_values - 1}))
    return sorted(set(found), key=sorted)


def tree_as_assignment(tree: Tree) -> tuple[Topology, Assignment]:
    """A tree (not a lone leaf) in the terms of the topology that it has."""
    left: list[int] = []
    right: list[int] = []
    splits: list[Split] = []
    labels: list[bool] = []

    def visit(node: Node) -> int:
        if isinstance(node, Leaf):
            labels.append(node.label)
            return -len(labels)
        here = len(left)
        left.append(0)
        right.append(0)
        splits.append(node.split)
        left[here] = visit(node.left)
        right[here] = visit(node.right)
        return here

    visit(tree.root)
    return Topology(tuple(left), tuple(right)), (tuple(splits), tuple(labels))


def rows_at(tree: Tree, data: EncodedData) -> dict[int, np.ndarray]:
    """Which rows pass each decision node (by its place in `Tree.decisions`)."""
    found: dict[int, np.ndarray] = {}
    numbers = iter(range(len(tree.decisions)))

    def visit(node: Node, rows: np.ndarray) -> None:
        if isinstance(node, Leaf):
            return
        found[next(numbers)] = rows
        goes_left = np.isin(data.codes[rows, node.split.feature], sorted(node.split.left))
        visit(node.left, rows[goes_left])
        visit(node.right, rows[~goes_left])

    visit(tree.root, np.arange(len(data.y)))
    return found


def random_tree(random: Random) -> tuple[Tree, EncodedData]:
    """A canonical tree with odd names, and its training rows."""
    problem = without_rules(make_problem(random))
    problem = replace(problem, data=with_odd_names(random, problem.data))
    splits, labels = random_assignment(random, problem)
    return build_tree(problem, splits, labels), problem.data


def with_odd_names(random: Random, data: EncodedData) -> EncodedData:
    """The same rows under odd names, sometimes with a missing category, and with uneven cuts."""
    names = random.sample(ODD_NAMES, len(data.features))
    features = []
    for feature, name in zip(data.features, names, strict=True):
        if feature.kind is FeatureKind.CATEGORICAL:
            values = random.sample(ODD_NAMES, feature.n_values)
            if random.random() < 0.4:
                values[-1] = "(missing)"
            features.append(replace(feature, name=name, values=tuple(values)))
        else:
            cuts = sorted({random.choice((0.1, 1e-7, 1 / 3, 2.5e9)) * k for k in range(1, 40)})
            some = sorted(random.sample(cuts, len(feature.cuts)))
            features.append(replace(feature, name=name, cuts=tuple(some)))
    positive, negative = random.sample(ODD_NAMES, 2)
    return EncodedData(
        data.codes, data.y, data.weight, tuple(features), "the 'target'", positive, negative
    )


def decision(
    feature: int, left: set[int], yes: Node, no: Node, observed: set[int], **more: bool
) -> Decision:
    """A decision node whose counts are those of its children."""
    return Decision(
        split=Split(feature, frozenset(left)),
        left=yes,
        right=no,
        observed=frozenset(observed),
        n_negative=yes.n_negative + no.n_negative,
        n_positive=yes.n_positive + no.n_positive,
        **more,
    )


def default_column(feature: Feature) -> ColumnEncoder:
    """A column in which only an empty cell is a missing value."""
    missing_code = None
    if feature.is_numerical:
        missing_code = feature.n_values - 1 if feature.has_missing else None
    elif MISSING in feature.values:
        missing_code = feature.values.index(MISSING)
    return ColumnEncoder(feature, CellReading(()), missing_code)


def export_tree(
    tree: Tree,
    format: ExportFormat | str,
    *,
    test: EncodedData | None = None,
    columns: dict[str, ColumnEncoder] | None = None,
) -> bytes:
    """The file of a tree whose columns are default columns, apart from some given columns."""
    usual = {feature.name: default_column(feature) for feature in tree.features}
    encoder = Encoder(tuple((usual | (columns or {})).values()))
    return export_model(Model(tree, {}, encoder.to_json()), format, test=test)


def cell_and_code(random: Random, feature: Feature) -> tuple[Any, int]:
    """A cell as a table holds it, and the code that it means."""
    code = random.randrange(-1, feature.n_values)
    column = default_column(feature)
    if code == column.missing_code or (code < 0 and feature.is_numerical):
        return None, column.missing_or_unseen
    if not feature.is_numerical:
        return ("never seen" if code < 0 else feature.values[code]), code
    low = feature.cuts[code - 1] if code > 0 else -math.inf
    high = feature.cuts[code] if code < feature.n_ordered - 1 else math.inf
    # The upper end belongs to the bin, the lower one does not.
    candidates = [high, math.nextafter(low, math.inf)]
    if math.isfinite(low) and math.isfinite(high):
        candidates.append((low + high) / 2)
    elif math.isfinite(low):
        candidates.append(low + abs(low) + 1)
    elif math.isfinite(high):
        candidates.append(high - abs(high) - 1)
    else:
        candidates.append(0.0)
    return random.choice([c for c in candidates if math.isfinite(c) and low < c <= high]), code


def cells_and_codes(random: Random, tree: Tree, n: int) -> tuple[list[Row], np.ndarray]:
    rows, codes = [], np.empty((n, len(tree.features)), dtype=np.int32)
    for i in range(n):
        row: Row = {}
        for g, feature in enumerate(tree.features):
            row[feature.name], codes[i, g] = cell_and_code(random, feature)
        rows.append(row)
    return rows, codes


def mushroom_tree() -> Tree:
    """Two questions, a set and a threshold with a missing bin, by hand."""
    odor = Feature(
        "odor",
        FeatureKind.CATEGORICAL,
        ("almond", "anise", "foul", "musty", "none", "spicy", "(missing)"),
    )
    size = Feature(
        "cap size",
        FeatureKind.NUMERICAL,
        ("1", "2", "3", "(missing)"),
        cuts=(1.5, 2.5),
        has_missing=True,
    )
    inner = decision(1, {0, 1, 3}, Leaf(True, 2, 95), Leaf(False, 20, 3), {0, 1, 2, 3})
    root = decision(0, {0, 1, 4}, inner, Leaf(False, 80, 0), {0, 1, 2, 3, 4, 6})
    return Tree(root, (odor, size), "class", "edible", "poisonous")


__all__ = [
    "ODD_NAMES",
    "Row",
    "cells_and_codes",
    "decision",
    "disguise",
    "mushroom_tree",
    "random_assignment",
    "random_tree",
    "route",
    "rows_at",
    "tree_as_assignment",
    "unhurried",
    "with_odd_names",
    "without_rules",
]
