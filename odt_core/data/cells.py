"""The rules for reading the cells of one column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from odt_core.data.forms import NumberForm
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.errors import InputError, quoted

Joined = tuple[tuple[str, str], ...]
"""Pairs of a text and its label."""


@dataclass(frozen=True)
class CellReading:
    """The rules for reading a column's text; the same in training, prediction and exports.

    A text is first replaced by its label, then compared with the missing tokens. In a numerical
    column, the remaining texts are read as numbers of the given form.

    Attributes
    ----------
    missing_tokens : tuple of str
        Texts that mean a missing value. An empty cell is always missing.
    decimal : str
        The decimal mark of the numbers.
    joined : tuple of (str, str)
        Texts, each with the label that replaces it.
    form : NumberForm
        The way in which numbers are written.
    reference : datetime.date or None
        The date on which ages are counted; None for forms other than ages.
    """

    missing_tokens: tuple[str, ...] = DEFAULT_MISSING_TOKENS
    decimal: str = "."
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    reference: date | None = None


def check_joined(joined: Joined, column: str) -> Joined:
    """Return the pairs if each text has one label and no label is itself replaced.

    Raises
    ------
    InputError
        If a text has two labels, or a label is itself replaced.
    """
    texts = Counter(text for text, _ in joined)
    repeated = next((text for text, n in texts.items() if n > 1), None)
    replaced = next((label for _, label in joined if label in texts), None)
    wrong = repeated if repeated is not None else replaced
    if wrong is not None:
        raise InputError(
            f"Column {quoted(column)}: the text {quoted(wrong)} cannot be joined with two labels: "
            "give each text one label, and replace no label."
        )
    return joined


def joined_from_json(record: Mapping[str, str] | None) -> Joined:
    """Read the pairs from a JSON object of texts and labels; no pairs for None."""
    return () if record is None else tuple((str(key), str(label)) for key, label in record.items())
