"""The reading of cells in exported code, which agrees with the encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from odt_core.data.cells import Joined, joined_from_json
from odt_core.data.forms import LIMIT_MARK, NumberForm, form_from_json
from odt_core.data.numeric import parse_numbers
from odt_core.problem import MISSING, Feature
from odt_core.tree import Tree
from odt_core.words import category_words, list_words, printable


@dataclass(frozen=True)
class ColumnReading:
    """The reading of one column's cells.

    Attributes
    ----------
    missing_code : int or None
        The code of a missing value; None if no training row had a missing value.
    missing_tokens : tuple of str
        Texts that count as missing values. An empty cell always does.
    decimal : str
        The decimal mark of numbers in text.
    joined : tuple of (str, str)
        Pairs of a text and the label that it counts as.
    form : NumberForm
        The form of numbers in text.
    reference : datetime.date or None
        The date of the ages, if dates are read as ages.
    ends : (float, float) or None
        The least and the largest training number; None if not known.
    """

    missing_code: int | None
    missing_tokens: tuple[str, ...] = ()
    decimal: str = "."
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    reference: date | None = None
    ends: tuple[float, float] | None = None


def default_reading(feature: Feature) -> ColumnReading:
    """Return the reading from the feature alone: its missing bin or category ``(missing)``."""
    if feature.is_numerical:
        return ColumnReading(feature.n_values - 1 if feature.has_missing else None)
    return ColumnReading(feature.values.index(MISSING) if MISSING in feature.values else None)


def encoder_readings(encoder: Mapping[str, Any]) -> dict[str, ColumnReading]:
    """Return the readings in an encoder's JSON (see `odt_core.data.Encoder`)."""
    return {
        column["name"]: ColumnReading(
            column["missing_code"],
            tuple(column["missing_tokens"]),
            column.get("decimal") or encoder["decimal"],
            joined_from_json(column.get("joined")),
            *form_from_json(column),
            ends=None if column.get("range") is None else tuple(column["range"]),
        )
        for column in encoder["columns"]
    }


_FORM_WORDS = {
    NumberForm.SIGNS: "numbers are read without their signs: 12.5% is 12.5, (3) is -3",
    NumberForm.LIMITS: "a limit is read as its number: <0.1 is 0.1",
}


def date_words(reading: ColumnReading) -> str:
    """Describe the number for a date; empty for a column without dates."""
    if reading.reference is not None:
        return f"the age in completed years on {reading.reference}"
    return "the year" if reading.form is NumberForm.YEAR else ""


def reading_words(tree: Tree, readings: Mapping[str, ColumnReading]) -> list[str]:
    """Describe how cells are read, a sentence for each column of the tree with a special reading.

    Parameters
    ----------
    tree : Tree
        The tree.
    readings : mapping from str to ColumnReading
        The reading of each feature's cells.
    """
    sentences = []
    for g in tree.used_features:
        name = tree.features[g].name
        reading = readings.get(name, ColumnReading(None))
        if _is_mark(tree.features[g]):
            source = printable(name.removesuffix(LIMIT_MARK))
            sentences.append(
                f"{printable(name)} is made from {source}: below for a cell such as <0.1, above "
                "for >100, within for a plain number, and empty for an empty cell."
            )
        if tree.features[g].is_numerical:
            if reading.form in _FORM_WORDS:
                sentences.append(f"In {printable(name)}, {_FORM_WORDS[reading.form]}.")
            if date_words(reading):
                sentences.append(f"In {printable(name)}, a date is read as {date_words(reading)}.")
            continue
        spellings: dict[str, list[str]] = {}
        for text, label in reading.joined:
            spellings.setdefault(label, []).append(category_words(text))
        for label, texts in spellings.items():
            counted = "counts" if len(texts) == 1 else "count"
            sentences.append(
                f"In {printable(name)}, {list_words(texts, ' and ')} {counted} as "
                f"{category_words(label)}."
            )
    return sentences


def _is_mark(feature: Feature) -> bool:
    """Whether a feature marks the limits of another one."""
    marks = {"below", "within", "above", MISSING}
    return feature.name.endswith(LIMIT_MARK) and marks.issuperset(feature.values)


def token_numbers(reading: ColumnReading) -> tuple[float, ...]:
    """Return the missing tokens that are numbers. Other spellings of these numbers also count."""
    texts = pa.array([token.strip() for token in reading.missing_tokens], pa.large_string())
    numbers = parse_numbers(texts, reading.decimal)
    return tuple(dict.fromkeys(numbers[np.isfinite(numbers)].tolist()))
