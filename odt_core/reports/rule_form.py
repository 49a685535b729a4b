"""The data of the rule card's form, from which rule_form.js computes the answer."""

from __future__ import annotations

import math
from typing import Any

from odt_core.data import ColumnEncoder
from odt_core.evaluation import LeafRow, Rate
from odt_core.export.branches import IntervalTest, node_test
from odt_core.export.reading import encoder_columns, token_numbers
from odt_core.problem import Feature
from odt_core.reports.derivation import Derivation
from odt_core.scoring import Doubt, beyond_words, doubt_words
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import category_words, count_words, percent_words, printable, split_words


def form_record(derivation: Derivation) -> dict[str, Any]:
    """Write the tree as plain data for the form's script.

    Parameters
    ----------
    derivation : Derivation
        The tree, the reading of its cells, and its leaves on training and test rows.
    """
    tree = derivation.tree
    columns = encoder_columns(derivation.model.encoder)
    inputs = [
        _input(feature, columns[feature.name])
        for feature in (tree.features[g] for g in tree.asked_features)
    ]
    rows = iter(derivation.leaves)
    place = {g: at for at, g in enumerate(tree.asked_features)}

    def visit(node: Node) -> dict[str, Any]:
        if isinstance(node, Leaf):
            return _leaf(next(rows), tree)
        feature = tree.features[node.split.feature]
        return {
            "input": place[node.split.feature],
            "question": split_words(tree, node).question,
            **_side(feature, node, columns[feature.name]),
            "absent": sorted(tree.absent(node)),
            "yes": visit(node.left),
            "no": visit(node.right),
        }

    return {"inputs": inputs, "root": visit(tree.root)}


def _input(feature: Feature, column: ColumnEncoder) -> dict[str, Any]:
    """A feature's input. The page shows its values."""
    ends = column.training_range
    return {
        "name": printable(feature.name),
        "numerical": feature.is_numerical,
        "missing": column.missing_or_unseen,
        "missingNumbers": list(token_numbers(column.reading)) if feature.is_numerical else [],
        "decimal": column.reading.decimal,
        "newWords": doubt_words(Doubt.NEW, feature),
        "absentWords": doubt_words(Doubt.NEW_HERE, feature),
        "ends": None if ends is None else list(ends),
        "beyondWords": "" if ends is None else beyond_words(feature, ends),
    }


def _side(feature: Feature, node: Decision, column: ColumnEncoder) -> dict[str, Any]:
    """Describe for the form's script which values answer a question with yes.

    They are a list of codes, or an interval in which null is an infinite end.
    """
    test = node_test(feature, node, column.missing_code)
    if not isinstance(test, IntervalTest):
        return {"codes": sorted(node.split.left), "newYes": node.unseen_left}
    return {
        "none": not test.low < test.high,
        "low": None if math.isinf(test.low) else test.low,
        "high": None if math.isinf(test.high) else test.high,
        "missingYes": test.missing_left,
    }


def _leaf(row: LeafRow, tree: Tree) -> dict[str, Any]:
    positive = printable(tree.positive_label)
    counts = [rate_words(row.train, "training row", positive)]
    if row.test is not None:
        counts.append(rate_words(row.test, "test row", positive))
    return {
        "leaf": row.number,
        "positive": row.label,
        "label": row.predicted,
        "counts": counts,
        "marks": list(row.marks),
    }


def rate_words(rate: Rate, rows: str, positive: str) -> str:
    """Write the events of a leaf: ``9 of 10 training rows were sick: 90.0% (95% interval ...)``."""
    if rate.value is None or rate.low is None or rate.high is None:
        return f"No {rows} ended here."
    verb = "was" if rate.n == 1 else "were"
    return (
        f"{rate.successes:,} of {count_words(rate.n, rows)} {verb} {positive}: "
        f"{percent_words(rate.value)} (95% interval {percent_words(rate.low)} to "
        f"{percent_words(rate.high)})"
    )


def options(feature: Feature, column: ColumnEncoder) -> list[tuple[int, str]]:
    """The categories of a choice with their codes, without missing values."""
    return [
        (code, category_words(text))
        for code, text in enumerate(feature.values)
        if code != column.missing_code
    ]
