"""Exact reading of numbers in text: 95.5 % is 191/200, not a float."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from odt_core.errors import InputError

_IN_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}", re.ASCII)
"""An ambiguous comma: it may separate thousands or three decimals."""


def parse_percent(text: str, name: str) -> Fraction:
    """Read a percentage such as ``97.5``, ``97,5`` or ``97.5 %`` as a share.

    Raises
    ------
    InputError
        If `text` is not a number from 0 to 100.

    Examples
    --------
    >>> parse_percent("97,5 %", "the floor")
    Fraction(39, 40)
    """
    number = exact_decimal(text.strip().removesuffix("%"))
    if number is None or not 0 <= number <= 100:
        raise InputError(f"{name} is {text.strip()!r}: give a percentage from 0 to 100.")
    return number / 100


def parse_floor(text: str, name: str) -> Fraction:
    """Read a floor in percent as a share. A number that may already be a share is refused.

    Raises
    ------
    InputError
        If `text` is not a number from 0 to 100, or is below 1 without a percent sign.

    Examples
    --------
    >>> parse_floor("95", "the floor")
    Fraction(19, 20)
    """
    level, written = parse_percent(text, name), text.strip()
    if 0 < level < Fraction(1, 100) and not written.endswith("%"):
        percent = exact_decimal(written)
        assert percent is not None
        whole = f"{float(100 * percent):g}"
        raise InputError(
            f"{name} is {written!r}: write {whole} for {whole}%, or {written}% for less than one "
            "percent."
        )
    return level


def parse_weight(text: str, name: str) -> Fraction:
    """Read a positive integer, decimal or fraction.

    Raises
    ------
    InputError
        If `text` is not such a number, or its comma is ambiguous.

    Examples
    --------
    >>> parse_weight("3/2", "class weight C")
    Fraction(3, 2)
    """
    if any(_IN_THOUSANDS.fullmatch(part.strip()) for part in text.split("/")):
        raise InputError(
            f"{name} is {text.strip()!r}, which is {text.strip().replace(',', '')} to some and "
            f"{text.strip().replace(',', '.')} to others: write it without the comma."
        )
    number = exact_number(text)
    if number is None or number <= 0:
        raise InputError(
            f"{name} is {text.strip()!r}: give a number greater than 0, such as 2, 1.5 or 3/2."
        )
    return number


def exact_number(text: str) -> Fraction | None:
    """Read an integer, a decimal or a fraction from 0.

    Returns
    -------
    Fraction or None
        None if `text` is not such a number.

    Examples
    --------
    >>> exact_number("1.5/2")
    Fraction(3, 4)
    """
    numerator, slash, denominator = text.partition("/")
    number = exact_decimal(numerator)
    if not slash or number is None:
        return number
    divisor = exact_decimal(denominator)
    return number / divisor if divisor else None


def exact_decimal(text: str) -> Fraction | None:
    """Read a number from 0 with at most one decimal point or comma; None if it is not one.

    Parameters
    ----------
    text : str
        The text, of at most 20 characters.

    Examples
    --------
    >>> exact_decimal(" 97,5 ")
    Fraction(195, 2)
    """
    digits = text.strip().replace(",", ".", 1)
    if len(digits) > 20 or not digits.isascii() or not set(digits) <= set("0123456789."):
        return None
    try:
        return Fraction(digits)
    except ValueError:
        return None


def shortest_decimal(value: float) -> str:
    """Write the shortest decimal for a float, without an exponent.

    Reading it gives the same float. Numbers from 1e22 or below 1e-9 keep their exponent.

    Examples
    --------
    >>> shortest_decimal(17.4), shortest_decimal(3.0), shortest_decimal(20180130120028.5)
    ('17.4', '3', '20180130120028.5')
    """
    number = float(value) + 0.0
    text = repr(number)
    if "e" in text and 1e-9 <= abs(number) < 1e22:
        text = f"{Decimal(text):f}"
    return text.removesuffix(".0")
