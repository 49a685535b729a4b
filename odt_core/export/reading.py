"""The reading of cells in exported code, which agrees with the encoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from odt_core.data import CellReading, ColumnEncoder, Encoder, NumberForm
from odt_core.data.forms import LIMIT_MARK
from odt_core.data.numeric import parse_numbers
from odt_core.problem import MISSING, Feature
from odt_core.tree import Tree
from odt_core.words import category_words, list_words, printable


def encoder_columns(encoder: Mapping[str, Any]) -> dict[str, ColumnEncoder]:
    """Return the columns in an encoder's JSON (see `odt_core.data.Encoder`) by name."""
    return {column.feature.name: column for column in Encoder.from_json(encoder).columns}


_FORM_WORDS = {
    NumberForm.SIGNS: "numbers are read without their signs: 12.5% is 12.5, (3) is -3",
    NumberForm.LIMITS: "a limit is read as its number: <0.1 is 0.1",
}


def date_words(reading: CellReading) -> str:
    """Describe the number for a date; empty for a column without dates."""
    if reading.reference is not None:
        return f"the age in completed years on {reading.reference}"
    return "the year" if reading.form is NumberForm.YEAR else ""


def reading_words(tree: Tree, columns: Mapping[str, ColumnEncoder]) -> list[str]:
    """Describe how cells are read, a sentence for each column of the tree with a special reading.

    Parameters
    ----------
    columns : mapping from str to ColumnEncoder
        The columns by name.
    """
    sentences = []
    for g in tree.used_features:
        name = tree.features[g].name
        reading = columns[name].reading
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


def token_numbers(reading: CellReading) -> tuple[float, ...]:
    """Return the missing tokens that are numbers. Other spellings of these numbers also count."""
    texts = pa.array([token.strip() for token in reading.missing_tokens], pa.large_string())
    numbers = parse_numbers(texts, reading.decimal)
    return tuple(dict.fromkeys(numbers[np.isfinite(numbers)].tolist()))
