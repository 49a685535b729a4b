"""Numbers in text, and numbers as text."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

DECIMAL_MARKS = (".", ",")

MINUS = "\u2212"
"""The typographic minus sign, which is read as a hyphen."""

_BLANKS = " \u00a0\u2009\u202f"
_APOSTROPHES = "'\u2019"


def parse_numbers(texts: pa.Array, decimal: str = ".") -> npt.NDArray[np.float64]:
    """Read texts as numbers.

    A number has digits and may have a sign, a decimal mark and an exponent. Thousands may be
    separated by blanks or apostrophes, by commas if the decimal mark is a point, or by points if it
    is a comma.
    Digits that begin with 0 have no thousands: ``0.750`` is never 750.

    Parameters
    ----------
    texts : pyarrow.Array of str[N]
        Texts without surrounding blanks.
    decimal : str
        The decimal mark, ``.`` or ``,``.

    Returns
    -------
    float64[N]
        The numbers; NaN if a text is not a number, infinity if it is too large for a float.
    """
    texts = pc.replace_substring(texts, MINUS, "-")
    grouped = pc.match_substring_regex(texts, grouped_pattern(decimal))
    marks = f"[{re.escape(thousands_marks(decimal))}]"
    texts = pc.if_else(grouped, pc.replace_substring_regex(texts, marks, ""), texts)
    plain = pc.match_substring_regex(texts, plain_pattern(decimal))
    if decimal != ".":
        texts = pc.replace_substring(texts, decimal, ".")
    cells = pc.if_else(plain, texts, pa.scalar(None, texts.type))
    return np.asarray(pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False), dtype=float)


def thousands_marks(decimal: str) -> str:
    """The characters that may separate thousands with this decimal mark."""
    return _BLANKS + _APOSTROPHES + ("." if decimal == "," else ",")


@cache
def plain_pattern(decimal: str) -> str:
    """Make a regular expression for a number without separated thousands."""
    mark = re.escape(decimal)
    return rf"^[+-]?([0-9]+({mark}[0-9]*)?|{mark}[0-9]+)([eE][+-]?[0-9]+)?$"


@cache
def grouped_pattern(decimal: str) -> str:
    """Make a regular expression for a number with separated thousands, all by the same mark."""
    groups = "|".join(rf"({re.escape(mark)}[0-9]{{3}})+" for mark in thousands_marks(decimal))
    return rf"^[+-]?[1-9][0-9]{{0,2}}({groups})({re.escape(decimal)}[0-9]*)?$"


def number_text(value: float) -> str:
    """Write the shortest text that reads back as the same number, without a needless ``.0``.

    Examples
    --------
    >>> number_text(7.0), number_text(3.5), number_text(-0.0)
    ('7', '3.5', '0')
    """
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0")
