"""How the cells of one column are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from odt_core.data.forms import NumberForm
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.errors import InputError

Joined = tuple[tuple[str, str], ...]
"""Pairs of a text and the label that it counts as."""


@dataclass(frozen=True)
class CellReading:
    """From a column's text to values; the same in training, prediction and exports.

    A text is first replaced by its joined label, then compared with the missing tokens; in a
    numerical column the rest is read as a number of the given form.

    Attributes
    ----------
    missing_tokens : tuple of str
        Texts that mean a missing value. An empty cell always does.
    decimal : str
        The decimal mark of the numbers.
    joined : tuple of (str, str)
        Texts and the labels that they count as.
    form : NumberForm
        How numbers are written.
    reference : datetime.date or None
        The date on which ages are counted; None for other forms.
    """

    missing_tokens: tuple[str, ...] = DEFAULT_MISSING_TOKENS
    decimal: str = "."
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    reference: date | None = None


def check_joined(joined: Joined, column: str) -> Joined:
    """The pairs themselves, if each text has one label and no label is itself replaced.

    Raises
    ------
    InputError
        If they are otherwise.
    """
    texts = Counter(text for text, _ in joined)
    repeated = next((text for text, n in texts.items() if n > 1), None)
    replaced = next((label for _, label in joined if label in texts), None)
    if repeated is not None or replaced is not None:
        wrong = repeated if repeated is not None else replaced
        raise InputError(
            f"Column {column!r}: the text {wrong!r} cannot be joined with two labels: give each "
            "text one label, and replace no label."
        )
    return joined


def joined_from_json(record: Mapping[str, str] | None) -> Joined:
    """The pairs of a JSON object from texts to labels; none for None."""
    return () if record is None else tuple((str(key), str(label)) for key, label in record.items())


def joined_to(label: str, texts: Iterable[str]) -> Joined:
    """Pairs that make all the texts one label."""
    return tuple((text, label) for text in texts if text != label)
