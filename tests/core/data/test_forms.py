"""Numbers with signs, limits and dates."""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from odt_core.data.forms import REWRITES, NumberForm, completed_years, latest_date, rewrite
from odt_core.data.numeric import parse_numbers

CASES = [
    (NumberForm.SIGNS, "12.5%", 12.5),
    (NumberForm.SIGNS, "12.5 %", 12.5),
    (NumberForm.SIGNS, "$1,234.56", 1234.56),
    (NumberForm.SIGNS, "-$3", -3),
    (NumberForm.SIGNS, "€ 7", 7),
    (NumberForm.SIGNS, "7 EUR", 7),
    (NumberForm.SIGNS, "(987.65)", -987.65),
    (NumberForm.SIGNS, "($987.65)", -987.65),
    (NumberForm.SIGNS, "12-", -12),
    (NumberForm.SIGNS, "-12", -12),
    (NumberForm.LIMITS, "<0.1", 0.1),
    (NumberForm.LIMITS, "> 100", 100),
    (NumberForm.LIMITS, ">=5", 5),
    (NumberForm.LIMITS, "≤ 3", 3),
    (NumberForm.LIMITS, "4.2", 4.2),
    (NumberForm.YEAR, "2018-01-30", 2018),
    (NumberForm.YEAR, "30.1.2018", 2018),
    (NumberForm.YEAR, "01/30/2018 12:30", 2018),
    (NumberForm.YEAR, "2018-01-30T08:00:00Z", 2018),
    (NumberForm.YEAR, "30-Jan-2018", 2018),
    (NumberForm.YEAR, "20180130", 2018),
    (NumberForm.YEAR, "20180130120028", 2018),
    (NumberForm.YEAR, "2018", 2018),
    (NumberForm.AGE, "2018-01-30", 20180130),
    (NumberForm.AGE, "2018-1-3T08:00", 20180103),
    (NumberForm.AGE, "30.1.2018", 20180130),
    (NumberForm.AGE, "03/04/2018 12:30", 20180403),
    (NumberForm.AGE_MONTH_FIRST, "03/04/2018 12:30", 20180304),
    (NumberForm.AGE, "30-Jan-2018", 20180130),
    (NumberForm.AGE, "3MAR2018:10:30:00", 20180303),
    (NumberForm.AGE, "1. MÄRZ 2018", 20180301),
    (NumberForm.AGE, "Sept. 5, 2018", 20180905),
    (NumberForm.AGE, "5 juillet 2018", 20180705),
    (NumberForm.AGE, "20180130", 20180130),
    (NumberForm.AGE, "20180130120028", 20180130),
]


@pytest.mark.parametrize(("form", "text", "number"), CASES)
def test_cells_are_read_as_numbers(form: NumberForm, text: str, number: float) -> None:
    texts = rewrite(pa.array([text], pa.large_string()), form)
    assert parse_numbers(texts).tolist() == [number]


@pytest.mark.parametrize(("form", "text", "number"), CASES)
def test_the_patterns_mean_the_same_to_python(form: NumberForm, text: str, number: float) -> None:
    expected = rewrite(pa.array([text], pa.large_string()), form).to_pylist()
    for pattern, replacement in REWRITES[form]:
        text = re.sub(pattern, replacement, text)
    assert [text] == expected


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (NumberForm.SIGNS, "(n/a)"),
        (NumberForm.SIGNS, "<5"),
        (NumberForm.LIMITS, "<NA>"),
        (NumberForm.LIMITS, "<low"),
        (NumberForm.YEAR, "30.1.18"),
        (NumberForm.YEAR, "May"),
        (NumberForm.AGE, "30.1.18"),
        (NumberForm.AGE, "5 Foo 2018"),
    ],
)
def test_other_texts_stay_as_they_are(form: NumberForm, text: str) -> None:
    assert rewrite(pa.array([text], pa.large_string()), form).to_pylist() == [text]


@pytest.mark.parametrize(
    ("day", "reference", "years"),
    [
        (19800130, date(2018, 1, 30), 38),
        (19800131, date(2018, 1, 30), 37),
        (20000229, date(2021, 2, 28), 20),
        (20000229, date(2021, 3, 1), 21),
        (20180131, date(2018, 1, 30), -1),
        (20000229, date(2000, 2, 29), 0),
    ],
)
def test_completed_years(day: float, reference: date, years: float) -> None:
    assert completed_years(np.array([day], dtype=float), reference).tolist() == [years]


@pytest.mark.parametrize(
    "day", [20010229, 19000229, 20180431, 20181301, 20180100, 2018, 20180130.5, np.inf, np.nan]
)
def test_no_such_day(day: float) -> None:
    assert np.isnan(completed_years(np.array([day]), date(2018, 1, 30))).all()
    assert latest_date(np.array([day])) is None
    assert latest_date(np.array([day, 20170131, 20160101])) == date(2017, 1, 31)
