"""Readers of the values of options: each converts a text, or says what is wrong with it."""

from __future__ import annotations

import argparse
import csv
import unicodedata
from collections.abc import Callable
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from odt_core.errors import InputError
from odt_core.exact import exact_decimal, exact_number, parse_floor, parse_weight

Member = TypeVar("Member", bound=StrEnum)
Item = TypeVar("Item")


def names(text: str) -> list[str]:
    """Read a list option. Commas separate, and names with commas have quotes as in CSV."""
    line = " ".join(text.splitlines())  # as in the names of a table
    return [name(cell) for cell in next(csv.reader([line], skipinitialspace=True), [])]


def name(text: str) -> str:
    """Read a column or label, with accents composed as in tables."""
    return unicodedata.normalize("NFC", text).strip()


def day(text: str) -> date:
    """Read a date such as 2018-01-30."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2018-01-30") from None


def share(text: str) -> Fraction:
    """Read an exact rate: ``0.95`` or ``95%``."""
    written = text.strip()
    is_percent = written.endswith("%")
    value = exact_decimal(written[:-1]) if is_percent else exact_number(written)
    if value is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a share: give a number from 0 to 1, or a percentage such as 95%"
        )
    value = value / 100 if is_percent else value
    if value > 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is outside 0 to 1: give a share such as 0.95, or a percentage such as 95%"
        )
    return value


def weight(text: str) -> Fraction:
    """Read an exact class weight: an integer, a fraction or a decimal."""
    try:
        return parse_weight(text, "the weight")
    except InputError as error:
        # the parser adds the full stop
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def percentages(text: str) -> tuple[Fraction, ...]:
    """Read exact levels in percent, such as ``95,98.5,100``."""
    found: list[Fraction] = []
    for part in text.split(","):
        try:
            level = parse_floor(part, "A level")
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None
        if level not in found:
            found.append(level)
    return tuple(found)


def costs(text: str) -> tuple[Fraction, Fraction]:
    """Read two exact costs such as ``10:1``. The second cost is 1 if absent."""
    first, colon, second = text.partition(":")
    try:
        return weight(first), weight(second) if colon else Fraction(1)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of costs: {error}") from None


def loss(text: str) -> Fraction:
    """Read a number from 0, exactly."""
    value = exact_decimal(text.strip())
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not usable: give a number of at least 0")
    return value


def column_cost(text: str) -> tuple[str, Fraction]:
    """Read a column's cost such as ``age=0.5``. The last equals sign separates the two."""
    column, equals, cost = text.rpartition("=")
    if not equals or not column:
        raise argparse.ArgumentTypeError(f"{text!r} is not usable: give COL=VALUE, such as age=2")
    return name(column), loss(cost)


def cap(text: str) -> int | None:
    """Read max.card: a whole number, or ``none``."""
    if text.strip().lower() == "none":
        return None
    return _whole(text, least=1, extra=", or 'none' for no cap")


def _whole(text: str, *, least: int, extra: str = "") -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not usable: give a whole number of at least {least}{extra}"
        )
    return value


def at_least(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least`."""

    def parse(text: str) -> int:
        return _whole(text, least=least)

    return parse


def seconds(text: str) -> float:
    """Read a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds greater than 0")
    return value


def one_of(members: type[Member]) -> Callable[[str], Member]:
    """Return a reader of an enum's values. Argparse's message would name the enum's class."""
    word = word_of(*members)
    return lambda text: members(word(text))


def word_of(*words: str) -> Callable[[str], str]:
    """Return a reader of some words. Their enum would load the command's slow modules."""

    def parse(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not one of {', '.join(words)}: give one of these"
            )
        return text

    return parse


def listed(parse: Callable[[str], Item]) -> Callable[[str], list[Item]]:
    """Return a reader of a list option that parses each item."""

    def parse_all(text: str) -> list[Item]:
        return [parse(part.strip()) for part in text.split(",")]

    return parse_all
