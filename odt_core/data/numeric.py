"""Text that means a number, and numbers as text."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

DECIMAL_MARKS = (".", ",")

_BLANKS = " \u00a0\u2009\u202f"
_APOSTROPHES = "'\u2019"


def parse_numbers(texts: pa.Array, decimal: str = ".") -> npt.NDArray[np.float64]:
    """Numbers that texts stand for.

    Understood are digits with a sign, a decimal mark and an exponent, and thousands set apart by
    blanks, apostrophes, or whichever of comma and point is not the decimal mark.

    Parameters
    ----------
    texts : pyarrow.Array of str[N]
        Without blanks around them.
    decimal : str
        The decimal mark, ``.`` or ``,``.

    Returns
    -------
    float64[N]
        NaN where the text is not a number, an infinity where the number is too large for a float.
    """
    texts = pc.replace_substring(texts, "\u2212", "-")
    grouped = pc.match_substring_regex(texts, _grouped_pattern(decimal))
    marks = f"[{re.escape(_separators(decimal))}]"
    texts = pc.if_else(grouped, pc.replace_substring_regex(texts, marks, ""), texts)
    plain = pc.match_substring_regex(texts, _plain_pattern(decimal))
    if decimal != ".":
        texts = pc.replace_substring(texts, decimal, ".")
    cells = pc.if_else(plain, texts, pa.scalar(None, texts.type))
    return np.asarray(pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False), dtype=float)


def _separators(decimal: str) -> str:
    return _BLANKS + _APOSTROPHES + ("." if decimal == "," else ",")


def _plain_pattern(decimal: str) -> str:
    mark = re.escape(decimal)
    return rf"^[+-]?(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?$"


def _grouped_pattern(decimal: str) -> str:
    groups = "|".join(rf"({re.escape(separator)}\d{{3}})+" for separator in _separators(decimal))
    return rf"^[+-]?\d{{1,3}}({groups})({re.escape(decimal)}\d*)?$"


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number, without a needless ``.0``.

    Examples
    --------
    >>> number_text(7.0), number_text(3.5), number_text(-0.0)
    ('7', '3.5', '0')
    """
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0")
