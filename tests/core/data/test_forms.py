"""Numbers with signs, limits and dates."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from odt_core.data.forms import REWRITES, NumberForm, rewrite
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
    ],
)
def test_other_texts_stay_as_they_are(form: NumberForm, text: str) -> None:
    assert rewrite(pa.array([text], pa.large_string()), form).to_pylist() == [text]
