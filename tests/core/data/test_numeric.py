"""Text as numbers and numbers as text."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.data.numeric import number_text, parse_numbers


def parse(text: str, decimal: str = ".") -> float:
    return float(parse_numbers(pa.array([text], pa.large_string()), decimal)[0])


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("7", ".", 7),
        ("+7", ".", 7),
        ("-7.50", ".", -7.5),
        ("\u22127", ".", -7),
        (".5", ".", 0.5),
        ("5.", ".", 5),
        ("1e3", ".", 1000),
        ("1.5E-3", ".", 0.0015),
        ("007", ".", 7),
        ("1,234", ".", 1234),
        ("1,234,567.89", ".", 1234567.89),
        ("1 234 567", ".", 1234567),
        ("1\u00a0234", ".", 1234),
        ("1\u202f234,5", ",", 1234.5),
        ("1'234.5", ".", 1234.5),
        ("12,5", ",", 12.5),
        ("1.234,5", ",", 1234.5),
        ("1.234", ",", 1234),
        ("0.1", ".", 0.1),
    ],
)
def test_numbers(text: str, decimal: str, number: float) -> None:
    assert parse(text, decimal) == number


@pytest.mark.parametrize(
    ("text", "decimal"),
    [
        ("", "."),
        ("x", "."),
        ("1,5", "."),
        ("12,34,567", "."),
        ("1,234 567", "."),
        ("1.5", ","),
        ("1.2.3", "."),
        ("1_000", "."),
        ("0x1F", "."),
        ("inf", "."),
        ("nan", "."),
        ("Infinity", "."),
        ("1e", "."),
        ("--1", "."),
        ("1 2", "."),
        ("5 mg", "."),
        ("True", "."),
        ("2020-01-01", "."),
        ("0,750", "."),
        ("0.750", ","),
        ("01,234", "."),
        ("-0 750", "."),
        ("\u0663", "."),
    ],
)
def test_no_numbers(text: str, decimal: str) -> None:
    assert math.isnan(parse(text, decimal))


def test_too_large_is_infinite() -> None:
    assert parse("1e400") == math.inf
    assert parse("-1e400") == -math.inf


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_as_text(value: float) -> None:
    assert parse(number_text(value)) == value
    assert parse(number_text(value).replace(".", ","), ",") == value
