"""Numbers written with more than digits: signs, limits, and years and ages from dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc


class NumberForm(StrEnum):
    """The form of a numerical column's cells, besides plain numbers.

    ``signs`` are percent and currency signs, and parentheses or a trailing minus for negative
    numbers. ``limits`` are cells such as ``<0.1`` or ``>100``, which are read as the limit.
    ``year`` takes the year of a date. ``age`` takes the completed years from a date to a reference
    date. In ``3/4/2018``, the day comes first for ``age``, and the month for ``age-month-first``.
    Other cells are read as plain numbers, but a column of ages may hold only dates.
    """

    PLAIN = "plain"
    SIGNS = "signs"
    LIMITS = "limits"
    YEAR = "year"
    AGE = "age"
    AGE_MONTH_FIRST = "age-month-first"

    @property
    def is_age(self) -> bool:
        """Whether cells are dates from which ages are counted."""
        return self in (NumberForm.AGE, NumberForm.AGE_MONTH_FIRST)

    @property
    def measure(self) -> str:
        """The part of a date that is used, in one word; empty if cells hold numbers."""
        return "age" if self.is_age else "year" if self is NumberForm.YEAR else ""


LIMIT_MARK = " against its limits"
"""End of the name of a column that marks the limits of another one (`odt_core.data.limits`)."""

_CURRENCY = "(?:[$€£¥₹]|USD|EUR|GBP|CHF)"

_MONTHS = (
    *("jan", "feb|fév|fev", "mar|mär|mrz", "apr|avr", "may|mai", "jun|juin"),
    *("jul|juil", "aug|aoû|aou", "sep", "oct|okt", "nov", "dec|dez|déc"),
)
"""The first letters of the months in English, German and French."""


def _date_rewrites(day_month: str) -> tuple[tuple[str, str], ...]:
    """Make patterns that rewrite dates as 20180130; `day_month` says which of the two is first."""
    named = [(f"(?i:{name})[^-0-9. ]{{0,9}}", f"{n:02d}") for n, name in enumerate(_MONTHS, 1)]
    return (
        (r"^([12][0-9]{3})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})([T ].*)?$", r"\1-\2-\3"),
        (r"^([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([12][0-9]{3})([T ].*)?$", day_month),
        *(
            (rf"^([0-9]{{1,2}})[-. ]{{0,2}}{name}[-. ]{{0,2}}([12][0-9]{{3}})([T: ].*)?$", to)
            for name, month in named
            for to in [rf"\2-{month}-\1"]
        ),
        *(
            (rf"^{name}[. ]{{1,2}}([0-9]{{1,2}}), ?([12][0-9]{{3}})$", rf"\2-{month}-\1")
            for name, month in named
        ),
        (r"^([12][0-9]{3})([01][0-9])([0-3][0-9])([0-9]{6}|T.*)?$", r"\1-\2-\3"),
        (r"^([12][0-9]{3})-([0-9])-", r"\1-0\2-"),
        (r"^([12][0-9]{3}-[0-9]{2})-([0-9])$", r"\1-0\2"),
        (r"^([12][0-9]{3})-([0-9]{2})-([0-9]{2})$", r"\1\2\3"),
    )


REWRITES: dict[NumberForm, tuple[tuple[str, str], ...]] = {
    NumberForm.PLAIN: (),
    NumberForm.SIGNS: (
        (r"^\((.*[0-9].*)\)$", r"-\1"),
        (r"^([^-].*[0-9])-$", r"-\1"),
        (rf"^([+-]?) *{_CURRENCY} *", r"\1"),
        (rf" *(?:%|{_CURRENCY})$", ""),
    ),
    NumberForm.LIMITS: ((r"^(?:[<>]=?|[≤≥]) *([+-]?[0-9.,].*)$", r"\1"),),
    NumberForm.YEAR: (
        (r"^([12][0-9]{3})[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ].*)?$", r"\1"),
        (r"^[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([12][0-9]{3})([T ].*)?$", r"\1"),
        (r"^[0-9]{1,2}[-. ]{0,2}[^-0-9. ]{3,12}[-. ]{0,2}([12][0-9]{3})([T: ].*)?$", r"\1"),
        (r"^[^-0-9. ]{3,12}[. ]{1,2}[0-9]{1,2}, ?([12][0-9]{3})$", r"\1"),
        (r"^([12][0-9]{3})[01][0-9][0-3][0-9]([0-9]{6}|T.*)?$", r"\1"),
    ),
    NumberForm.AGE: _date_rewrites(r"\3-\2-\1"),
    NumberForm.AGE_MONTH_FIRST: _date_rewrites(r"\3-\1-\2"),
}
"""Patterns and replacements, in this order, that leave a plain number (20180130 for a date).

They work alike in RE2 and in Python's ``re``, so that exported code can use them.
"""


def rewrite(texts: pa.Array, form: NumberForm) -> pa.Array:
    """Rewrite texts so that only the number remains, as the form demands.

    Examples
    --------
    >>> rewrite(pa.array(["(12.5 %)", "$3", "n/a"]), NumberForm.SIGNS).to_pylist()
    ['-12.5', '3', 'n/a']
    """
    for pattern, replacement in REWRITES[form]:
        texts = pc.replace_substring_regex(texts, pattern, replacement)
    return texts


_MONTH_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def completed_years(days: npt.NDArray[np.float64], reference: date) -> npt.NDArray[np.float64]:
    """Count the completed years from dates to a reference date.

    Parameters
    ----------
    days : float64[V]
        Dates such as 20180130.
    reference : datetime.date
        The date on which ages are counted. Later dates give -1 and less.

    Returns
    -------
    float64[V]
        The years; NaN if there is no such day.

    Examples
    --------
    >>> completed_years(np.array([19800130, 19800201, 19810230]), date(2018, 1, 30)).tolist()
    [38.0, 37.0, nan]
    """
    whole = np.where((days >= 1000_00_00) & (days < 3000_00_00), days, 0).astype(np.int64)
    year, month, day = whole // 1_00_00, whole // 100 % 100, whole % 100
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    last = _MONTH_DAYS[np.where(month <= 12, month, 0)] + (is_leap & (month == 2))
    known = (whole == days) & (1 <= day) & (day <= last)
    years = (day_number(reference) - whole) // 1_00_00
    return np.where(known, years.astype(np.float64), np.nan)


def latest_date(days: npt.NDArray[np.float64]) -> date | None:
    """Find the latest of dates such as 20180130; None if there is no date."""
    known = days[np.isfinite(completed_years(days, date.max))]
    if not len(known):
        return None
    latest = int(known.max())
    return date(latest // 1_00_00, latest // 100 % 100, latest % 100)


def day_number(day: date) -> int:
    """Write a date as a whole number such as 20180130."""
    return day.year * 1_00_00 + day.month * 100 + day.day


def form_from_json(record: Mapping[str, Any]) -> tuple[NumberForm, date | None]:
    """Read the form in a column's record, and the reference date of ages.

    Raises
    ------
    ValueError
        If there is no such form, or if an age has no reference date.
    TypeError
        If the reference date is not text.
    """
    form, text = NumberForm(record.get("form", NumberForm.PLAIN)), record.get("reference")
    if form.is_age != (text is not None):
        raise ValueError("an age needs a reference date, and nothing else has one")
    return form, None if text is None else date.fromisoformat(text)
