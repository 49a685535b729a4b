"""The data of the rule card's form, from which rule_form.js computes the answer."""

from __future__ import annotations

import math
from typing import Any

from odt_core.evaluation import LeafRow, Rate
from odt_core.export.branches import IntervalTest, node_test
from odt_core.export.reading import ColumnReading, default_reading, encoder_readings, token_numbers
from odt_core.problem import UNSEEN, Feature
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
    readings = encoder_readings(derivation.model.encoder)
    inputs = [
        _input(feature, readings.get(feature.name, default_reading(feature)))
        for feature in (tree.features[g] for g in tree.asked_features)
    ]
    rows = iter(derivation.leaves)
    place = {g: at for at, g in enumerate(tree.asked_features)}

    def visit(node: Node) -> dict[str, Any]:
        if isinstance(node, Leaf):
            return _leaf(next(rows), tree)
        feature = tree.features[node.split.feature]
        reading = readings.get(feature.name, default_reading(feature))
        return {
            "input": place[node.split.feature],
            "question": split_words(tree, node).question,
            **_side(feature, node, reading),
            "absent": sorted(tree.absent(node)),
            "yes": visit(node.left),
            "no": visit(node.right),
        }

    return {"inputs": inputs, "root": visit(tree.root)}


def missing_code(feature: Feature, reading: ColumnReading) -> int:
    """Return the code of a missing value, or of a new value if no training row had one missing."""
    return UNSEEN if reading.missing_code is None else reading.missing_code


def _input(feature: Feature, reading: ColumnReading) -> dict[str, Any]:
    """A feature's input. The page shows its values."""
    return {
        "name": printable(feature.name),
        "numerical": feature.is_numerical,
        "missing": missing_code(feature, reading),
        "missingNumbers": list(token_numbers(reading)) if feature.is_numerical else [],
        "decimal": reading.decimal,
        "newWords": doubt_words(Doubt.NEW, feature),
        "absentWords": doubt_words(Doubt.NEW_HERE, feature),
        "ends": None if reading.ends is None else list(reading.ends),
        "beyondWords": "" if reading.ends is None else beyond_words(feature, reading.ends),
    }


def _side(feature: Feature, node: Decision, reading: ColumnReading) -> dict[str, Any]:
    """Describe for the form's script which values answer a question with yes.

    They are a list of codes, or an interval in which null is an infinite end.
    """
    test = node_test(feature, node, reading)
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


def options(feature: Feature, reading: ColumnReading) -> list[tuple[int, str]]:
    """The categories of a choice with their codes, without missing values."""
    return [
        (code, category_words(text))
        for code, text in enumerate(feature.values)
        if code != reading.missing_code
    ]
