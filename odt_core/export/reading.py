"""How exported code turns a cell into a value, so that it agrees with the encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from odt_core.data.cells import Joined, joined_from_json
from odt_core.data.forms import NumberForm, form_from_json
from odt_core.data.numeric import parse_numbers
from odt_core.problem import MISSING, Feature
from odt_core.tree import Tree
from odt_core.words import category_words, list_words, printable


@dataclass(frozen=True)
class Reading:
    """How the cells of one column are read.

    Attributes
    ----------
    missing_code : int or None
        The code of a missing value; None if no training row lacked one.
    missing_tokens : tuple of str
        Texts that mean a missing value. An empty cell always does.
    decimal : str
        The decimal mark of numbers in text.
    joined : tuple of (str, str)
        Texts and the labels that they count as.
    form : NumberForm
        How numbers in text are written.
    reference : datetime.date or None
        The date on which ages are counted, if dates are read as ages.
    ends : (float, float) or None
        The least and the largest training number; None if the model does not say it.
    """

    missing_code: int | None
    missing_tokens: tuple[str, ...] = ()
    decimal: str = "."
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    reference: date | None = None
    ends: tuple[float, float] | None = None


def default_reading(feature: Feature) -> Reading:
    """What the feature itself says: its missing bin, or a category called ``(missing)``."""
    if feature.is_numerical:
        return Reading(feature.n_values - 1 if feature.has_missing else None)
    return Reading(feature.values.index(MISSING) if MISSING in feature.values else None)


def encoder_readings(encoder: Mapping[str, Any]) -> dict[str, Reading]:
    """What an encoder's JSON says of each column (see `odt_core.data.Encoder`)."""
    return {
        column["name"]: Reading(
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


def date_words(reading: Reading) -> str:
    """The number that stands for a date; empty for a column that is not read as dates."""
    if reading.reference is not None:
        return f"the age in completed years on {reading.reference}"
    return "the year" if reading.form is NumberForm.YEAR else ""


def reading_words(tree: Tree, readings: Mapping[str, Reading]) -> list[str]:
    """A sentence on each column that the tree asks about and whose cells are not read as they are.

    Parameters
    ----------
    tree : Tree
        The tree.
    readings : mapping from str to Reading
        How each feature's cells are read.
    """
    sentences = []
    for g in tree.used_features:
        name = tree.features[g].name
        reading = readings.get(name, Reading(None))
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


def token_numbers(reading: Reading) -> tuple[float, ...]:
    """Missing tokens that are numbers; these mean the same number however it is written."""
    texts = pa.array([token.strip() for token in reading.missing_tokens], pa.large_string())
    numbers = parse_numbers(texts, reading.decimal)
    return tuple(dict.fromkeys(numbers[np.isfinite(numbers)].tolist()))
