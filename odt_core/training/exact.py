"""Numbers as a user writes them, kept exact: 95.5 % is 191/200, not a float near it."""

from __future__ import annotations

from fractions import Fraction

from odt_core.errors import InputError


def parse_percent(text: str, name: str) -> Fraction:
    """A percentage such as ``97.5``, ``97,5`` or ``97.5 %`` as a share.

    Parameters
    ----------
    text : str
        As written.
    name : str
        What it is, for the message.

    Raises
    ------
    InputError
        If it is not a number from 0 to 100.

    Examples
    --------
    >>> parse_percent("97,5 %", "the floor")
    Fraction(39, 40)
    """
    number = _decimal(text.strip().removesuffix("%"))
    if number is None or not 0 <= number <= 100:
        raise InputError(f"{name} is {text.strip()!r}: give a percentage from 0 to 100.")
    return number / 100


def parse_weight(text: str, name: str) -> Fraction:
    """A positive number written as an integer, a decimal or a fraction.

    Parameters
    ----------
    text : str
        As written.
    name : str
        What it is, for the message.

    Raises
    ------
    InputError
        If it is not such a number.

    Examples
    --------
    >>> parse_weight("3/2", "class weight C")
    Fraction(3, 2)
    """
    numerator, slash, denominator = text.partition("/")
    number = _decimal(numerator)
    if slash and number is not None:
        divisor = _decimal(denominator)
        number = number / divisor if divisor else None
    if number is None or number <= 0:
        raise InputError(
            f"{name} is {text.strip()!r}: give a number greater than 0, such as 2, 1.5 or 3/2."
        )
    return number


def _decimal(text: str) -> Fraction | None:
    digits = text.strip().replace(",", ".", 1)
    if len(digits) > 20 or not digits.isascii() or not set(digits) <= set("0123456789."):
        return None
    try:
        return Fraction(digits)
    except ValueError:
        return None
