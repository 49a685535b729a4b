"""The formats of names from files, numbers, shares and times."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"
"""Joiners that Persian, Indic scripts and emoji need."""


def printable(text: str) -> str:
    r"""Write a name from a file on one line, without control or text-direction characters.

    Examples
    --------
    >>> printable("blood\npressure")
    'blood pressure'
    """
    kept = []
    for character in text:
        if character in "\t\n\r\v\f\x85\u2028\u2029":
            kept.append(" ")
        elif character in _KEPT_FORMAT_CHARACTERS or not (
            unicodedata.category(character) in ("Cc", "Cf", "Cs") or _is_noncharacter(character)
        ):
            kept.append(character)
    return "".join(kept)


def _is_noncharacter(character: str) -> bool:
    """Whether Unicode reserves the code point. XML forbids some of these."""
    point = ord(character)
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF


def category_words(category: str) -> str:
    """Write a category for a list, in quotes if it could be misread there.

    Examples
    --------
    >>> category_words("almond"), category_words("red, or blue"), category_words("(missing)")
    ('almond', '"red, or blue"', '(missing)')
    """
    name = printable(category)
    misread = name != name.strip() or any(mark in name for mark in (",", ";", '"', " or "))
    if misread or name in ("", "missing"):
        return f'"{name}"'
    return name


def list_words(names: Sequence[str], last: str = ", ") -> str:
    """Join names with commas.

    Examples
    --------
    >>> list_words(["a", "b", "c"], " or ")
    'a, b or c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])}{last}{names[-1]}"


def capitalized(text: str) -> str:
    """Return the text with its first letter as a capital, and the rest unchanged.

    Examples
    --------
    >>> capitalized("sensitivity (TPR)")
    'Sensitivity (TPR)'
    """
    return f"{text[:1].upper()}{text[1:]}"


def number_words(value: float | Fraction, digits: int = 12) -> str:
    """Write a number without needless digits, rounded to so many significant digits.

    Examples
    --------
    >>> number_words(4.5), number_words(3.0), number_words(0.1 + 0.2), number_words(12345, 3)
    ('4.5', '3', '0.3', '12300')
    """
    return f"{float(f'{float(value):.{digits}g}'):.12g}"


def percent_words(share: float | Fraction, digits: int = 1) -> str:
    """Write a share in percent.

    Only exactly 0 and 1 become 0% and 100%.

    Examples
    --------
    >>> percent_words(0.958), percent_words(1), percent_words(0.99999), percent_words(0.004, 0)
    ('95.8%', '100%', '>99.9%', '<1%')
    """
    if share in (0, 1):
        return f"{100 * int(share)}%"
    step = Fraction(1, 10**digits)
    steps = round(100 * share / step)
    if steps == 0:
        return f"<{float(step):.{digits}f}%"
    if steps == 100 / step:
        return f">{float(100 - step):.{digits}f}%"
    return f"{float(steps * step):.{digits}f}%"


def signed_points(share: float | Fraction) -> str:
    """Write a difference of two shares in percentage points, with its sign.

    Examples
    --------
    >>> signed_points(0.0158), signed_points(-0.04), signed_points(-0.0001)
    ('+1.6', '-4.0', '0.0')
    """
    points = round(float(100 * share), 1)
    return f"{points:+.1f}" if points else "0.0"


def count_words(n: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> count_words(1, "row"), count_words(1234, "row"), count_words(2, "leaf", "leaves")
    ('1 row', '1,234 rows', '2 leaves')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def share_words(part: int, n: int, one: str) -> str:
    """Write a part of a count, with the verb that follows.

    Examples
    --------
    >>> share_words(3, 20, "row"), share_words(1, 20, "row"), share_words(0, 1, "row")
    ('3 of 20 rows are', '1 of 20 rows is', '0 of 1 row is')
    """
    return f"{part:,} of {count_words(n, one)} {'is' if 1 in (part, n) else 'are'}"


def seconds_words(seconds: float) -> str:
    """Write a time span.

    Examples
    --------
    >>> seconds_words(0.0031), seconds_words(0.84), seconds_words(59.96), seconds_words(200)
    ('less than 0.01 s', '0.84 s', '60 s', '3 min 20 s')
    """
    if seconds < 0.01:
        return "less than 0.01 s"
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def ago_words(moment: datetime, now: datetime) -> str:
    """Write how long ago something was.

    Examples
    --------
    >>> from datetime import UTC, timedelta
    >>> now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    >>> [ago_words(now - timedelta(seconds=s), now) for s in (5, 200, 7300, 90_000, 900_000)]
    ['just now', '3 minutes ago', '2 hours ago', 'yesterday', '10 days ago']
    """
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{count_words(int(seconds // 60), 'minute')} ago"
    if seconds < 86_400:
        return f"{count_words(int(seconds // 3600), 'hour')} ago"
    days = int(seconds // 86_400)
    return "yesterday" if days == 1 else f"{days:,} days ago"
