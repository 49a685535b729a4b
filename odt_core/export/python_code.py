"""A tree as a Python module without dependencies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from odt_core import MADE_BY
from odt_core.data import ColumnEncoder
from odt_core.data.forms import REWRITES, day_number
from odt_core.data.numeric import grouped_pattern, plain_pattern, thousands_marks
from odt_core.data.spelling import spelled
from odt_core.export.branches import CategoryTest, node_test
from odt_core.export.reading import reading_words, token_numbers
from odt_core.problem import Feature
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import count_words, printable, split_words, unseen_words

INDENT = "    "

_HEAD = '''"""Predict a class with a decision tree. Needs Python only.

``predict(row)`` takes a row by column names: a dictionary, or a row of a pandas table
(``frame.apply(predict, axis=1)``). Cells are text as in the data file, or numbers of Python, numpy
or pandas. None, NaN, NA, empty text and the texts in MISSING are missing values. Text in a
numerical column has the column's decimal mark in DECIMAL. Blanks, apostrophes or the other mark may
separate thousands. Texts in JOINED count as the label beside them. Other spellings of a text in
SPELLED count as the value beside it. FORMS has patterns and replacements that turn a text into a
plain number. Dates in the columns of AGES become completed years on the date there, written as
20180130.
"""

import datetime
import math
import numbers
import re
import unicodedata
'''

_HELPERS = '''

def _text(row, column):
    """A cell as text; None if it is missing."""
    value = row.get(column)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
        value = "" if math.isnan(value) else _number_text(value, column)
    text = unicodedata.normalize("NFC", str(value)).strip()
    text = JOINED.get(column, {}).get(text, text)
    if text == "" or text in MISSING.get(column, ()):
        return None
    if MISSING_NUMBERS.get(column) and _as_number(text, column) in MISSING_NUMBERS[column]:
        return None
    spelled = SPELLED.get(column)
    return spelled.get(_folded(text), text) if spelled else text


def _folded(text):
    """A text without case, blanks, invisible signs and stops at its end."""
    text = unicodedata.normalize("NFKC", text).lower()
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    text = text.replace("\\ufe0e", "").replace("\\ufe0f", "")
    text = re.sub(r"\\s+", " ", text).strip()
    return re.sub(r"[.,;:!]+$", "", text).strip() or text


def _number_text(value, column):
    return repr(float(value) + 0.0).removesuffix(".0").replace(".", DECIMAL[column])


def _as_number(text, column):
    """The number of a text; None if it is not a number."""
    mark = DECIMAL[column]
    for pattern, replacement in FORMS.get(column, ()):
        text = re.sub(pattern, replacement, text)
    text = text.replace("\\u2212", "-")
    if re.match(GROUPED[mark], text):
        text = re.sub("[" + re.escape(THOUSANDS[mark]) + "]", "", text)
    return float(text.replace(mark, ".")) if re.match(PLAIN[mark], text) else None


def _is_in(row, column, left, right, missing, unseen):
    """Whether a category goes left; `unseen` is the answer for categories without training rows."""
    text = _text(row, column)
    if text is None:
        return missing
    return text in left or (unseen and text not in right)


def _is_within(row, column, low, high, missing):
    """Whether low < number <= high."""
    text = _text(row, column)
    if text is None:
        return missing
    number = _as_number(text, column)
    if number is not None and column in AGES:
        number = _age(number, AGES[column])
    if number is None or not math.isfinite(number):
        raise ValueError(f"column {column!r}: {row[column]!r} is not a number")
    return low < number <= high


def _age(number, reference):
    """The completed years from a date such as 20180130 to another; None if it is not a date."""
    if not 10000000 <= number < 30000000 or number % 1:
        return None
    day = int(number)
    try:
        datetime.date(day // 10000, day // 100 % 100, day % 100)
    except ValueError:
        return None
    return (reference - day) // 10000
'''


def python_code(tree: Tree, columns: Mapping[str, ColumnEncoder]) -> str:
    """Write a module with a function ``predict(row)``.

    Parameters
    ----------
    columns : mapping from str to ColumnEncoder
        The columns by name.
    """
    used = [tree.features[g].name for g in tree.used_features]
    readings = {name: columns[name].reading for name in used}
    tokens = {name: readings[name].missing_tokens for name in used}
    numbers = {name: token_numbers(readings[name]) for name in used}
    decimals = {name: readings[name].decimal for name in used}
    joined = {name: dict(readings[name].joined) for name in used}
    spellings = {
        feature.name: spelled(_labels(feature, columns[feature.name]))
        for feature in (tree.features[g] for g in tree.used_features)
        if joined[feature.name] and not feature.is_numerical
    }
    forms = {name: REWRITES[readings[name].form] for name in used}
    references = {name: readings[name].reference for name in used}
    ages = {name: day_number(day) for name, day in references.items() if day is not None}
    marks = sorted(set(decimals.values()))
    comments = [
        f"Predicts {printable(tree.target)}; the positive class is "
        f"{printable(tree.positive_label)}.",
        unseen_words(tree),
        *reading_words(tree, columns),
        f"Written by {MADE_BY}.",
    ]
    return "\n".join(
        [
            _HEAD,
            *(f"# {comment}" for comment in comments if comment),
            f"DECIMAL = {decimals!r}",
            *_table("PLAIN", {mark: plain_pattern(mark) for mark in marks}),
            *_table("GROUPED", {mark: grouped_pattern(mark) for mark in marks}),
            *_table("THOUSANDS", {mark: thousands_marks(mark) for mark in marks}),
            f"MISSING = { {name: found for name, found in tokens.items() if found}!r}",
            f"MISSING_NUMBERS = { {name: found for name, found in numbers.items() if found}!r}",
            f"JOINED = { {name: found for name, found in joined.items() if found}!r}",
            f"SPELLED = { {name: found for name, found in spellings.items() if found}!a}",
            f"FORMS = { {name: found for name, found in forms.items() if found}!a}",
            f"AGES = {ages!a}",
            "",
            "",
            "def predict(row):",
            f'{INDENT}"""The class of a row."""',
            *_lines(tree, tree.root, columns, INDENT),
            _HELPERS,
        ]
    )


def _labels(feature: Feature, column: ColumnEncoder) -> list[str]:
    """A feature's categories without missing values."""
    return [text for code, text in enumerate(feature.values) if code != column.missing_code]


def _table(name: str, entries: Mapping[str, str]) -> Iterator[str]:
    """A dictionary in source code, with ASCII characters only."""
    yield f"{name} = {{"
    yield from (f"{INDENT}{mark!r}: {text!a}," for mark, text in entries.items())
    yield "}"


def _lines(
    tree: Tree, node: Node, columns: Mapping[str, ColumnEncoder], indent: str
) -> Iterator[str]:
    if isinstance(node, Leaf):
        rows = count_words(node.n, "training row")
        positive = f"{node.n_positive:,} positive"
        yield f"{indent}return {tree.label_name(node.label)!r}  # {rows}, {positive}"
        return
    yield f"{indent}# {split_words(tree, node).question}"
    yield f"{indent}if {_condition(tree, node, columns)}:"
    yield from _lines(tree, node.left, columns, indent + INDENT)
    yield from _lines(tree, node.right, columns, indent)


def _condition(tree: Tree, node: Decision, columns: Mapping[str, ColumnEncoder]) -> str:
    feature = tree.features[node.split.feature]
    test = node_test(feature, node, columns[feature.name].missing_code)
    if isinstance(test, CategoryTest):
        # The right side is only needed to distinguish known categories from unseen ones.
        right = test.right if test.unseen_left else ()
        return (
            f"_is_in(row, {feature.name!r}, {test.left!r}, {right!r}, "
            f"missing={test.missing_left}, unseen={test.unseen_left})"
        )
    return (
        f"_is_within(row, {feature.name!r}, {_number(test.low)}, {_number(test.high)}, "
        f"missing={test.missing_left})"
    )


def _number(value: float) -> str:
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)
