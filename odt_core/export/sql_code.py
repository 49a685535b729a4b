"""A tree as an SQL expression."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from odt_core import MADE_BY
from odt_core.data import CellReading, ColumnEncoder
from odt_core.export.branches import CategoryTest, IntervalTest, node_test
from odt_core.export.reading import reading_words, token_numbers
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import list_words, printable, split_words, unseen_words

INDENT = "  "


def sql_code(tree: Tree, columns: Mapping[str, ColumnEncoder]) -> str:
    """Write a CASE expression in standard SQL for the predicted class.

    Categorical columns are compared as text without surrounding blanks. Numerical columns must be
    numbers, or NULL for missing values.

    Parameters
    ----------
    columns : mapping from str to ColumnEncoder
        The columns by name.
    """
    comments = [
        f"Predicts {printable(tree.target)}; the positive class is "
        f"{printable(tree.positive_label)}.",
        "Use it in a query: SELECT ..., <this> AS predicted FROM ...",
        "Numerical columns must be numbers, or NULL (not NaN) for missing values.",
        unseen_words(tree),
        *reading_words(tree, columns),
        _spelling_words(tree, columns),
        f"Written by {MADE_BY}.",
    ]
    lines = [f"-- {comment}" for comment in comments if comment]
    return "\n".join([*lines, *_lines(tree, tree.root, columns, "")]) + "\n"


def _spelling_words(tree: Tree, columns: Mapping[str, ColumnEncoder]) -> str:
    """A note that the code only knows the listed spellings. The encoder also joins new ones."""
    names = [tree.features[g].name for g in tree.used_features]
    joined = [name for name in names if columns[name].reading.joined]
    if not joined:
        return ""
    return (
        f"In {list_words([printable(name) for name in joined], ' and ')}, any other spelling "
        "counts as a value that no training row had."
    )


def _lines(
    tree: Tree, node: Node, columns: Mapping[str, ColumnEncoder], indent: str
) -> Iterator[str]:
    if isinstance(node, Leaf):
        yield f"{indent}{_text(tree.label_name(node.label))}"
        return
    condition, when_left = _condition(tree, node, columns)
    first, second = (node.left, node.right) if when_left else (node.right, node.left)
    yield f"{indent}CASE -- {split_words(tree, node).question}"
    yield f"{indent}WHEN {condition} THEN"
    yield from _lines(tree, first, columns, indent + INDENT)
    yield f"{indent}ELSE"
    yield from _lines(tree, second, columns, indent + INDENT)
    yield f"{indent}END"


def _condition(
    tree: Tree, node: Decision, columns: Mapping[str, ColumnEncoder]
) -> tuple[str, bool]:
    """The condition of a node, and whether rows that meet it go left or right.

    Values that meet no condition, such as NULL, go to ELSE. So unseen values must go there, too.
    """
    feature = tree.features[node.split.feature]
    column = columns[feature.name]
    test = node_test(feature, node, column.missing_code)
    if isinstance(test, CategoryTest):
        when_left = not test.unseen_left
        return _category_condition(_name(feature.name), test, column.reading, when_left), when_left
    return _interval_condition(_name(feature.name), test, column.reading), True


def _category_condition(
    column: str, test: CategoryTest, reading: CellReading, when_left: bool
) -> str:
    text = f"TRIM(CAST({column} AS VARCHAR))"
    missing_names = _missing_texts(reading)
    labels = test.left if when_left else test.right
    names = [*labels, *(written for written, label in reading.joined if label in labels)]
    parts = [_is_one_of(text, [name for name in names if name not in missing_names])]
    if test.missing_left is when_left:
        parts += [f"{column} IS NULL", _is_one_of(text, missing_names)]
    return _any(parts)


def _missing_texts(reading: CellReading) -> list[str]:
    """The texts that mean a missing value. A number has those of a database, too: -9 and -9.0."""
    numbers = [repr(number) for number in token_numbers(reading)]
    spelled = [text for number in numbers for text in (number, number.removesuffix(".0"))]
    marked = [text.replace(".", reading.decimal) for text in spelled]
    return list(dict.fromkeys(["", *reading.missing_tokens, *spelled, *marked]))


def _interval_condition(column: str, test: IntervalTest, reading: CellReading) -> str:
    tokens = token_numbers(reading)
    is_missing = [f"{column} IS NULL", *(f"{column} = {_number(token)}" for token in tokens)]
    bounds = []
    if test.low >= test.high:
        return _any(is_missing) if test.missing_left else "1 = 0"
    if not math.isinf(test.low):
        bounds.append(f"{column} > {_number(test.low)}")
    if not math.isinf(test.high):
        bounds.append(f"{column} <= {_number(test.high)}")
    within = " AND ".join(bounds) or f"{column} IS NOT NULL"
    if test.missing_left:
        return _any([within, *is_missing])
    not_tokens = "".join(f" AND {column} <> {_number(token)}" for token in tokens)
    return within + not_tokens


def _any(parts: list[str]) -> str:
    return " OR ".join(part for part in parts if part) or "1 = 0"


def _is_one_of(text: str, names: list[str]) -> str:
    return f"{text} IN ({', '.join(_text(name) for name in names)})" if names else ""


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _number(value: float) -> str:
    """Write a double. With an exponent, databases do not read it as a decimal."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"
