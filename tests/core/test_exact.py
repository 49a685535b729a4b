"""Numbers as users write them stay exact."""

from __future__ import annotations

import argparse
from fractions import Fraction

import pytest

from odt_core.cli.option_values import percentages, share, weight
from odt_core.errors import InputError
from odt_core.exact import parse_floor, parse_percent, parse_weight


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("95", Fraction(19, 20)),
        ("97.5", Fraction(39, 40)),
        ("97,5", Fraction(39, 40)),
        (" 97.5 % ", Fraction(39, 40)),
        ("99.9", Fraction(999, 1000)),
        ("0", Fraction(0)),
        ("100", Fraction(1)),
        ("100.0%", Fraction(1)),
        (".5", Fraction(1, 200)),
    ],
)
def test_percentages_are_exact(text: str, share: Fraction) -> None:
    assert parse_percent(text, "the floor") == share


@pytest.mark.parametrize(
    "text", ["", "%", "100.1", "-1", "95 percent", "1e2", "nan", "9 5", "1/2", "9" * 40, "९५"]
)
def test_what_is_no_percentage_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match="give a percentage from 0 to 100") as refused:
        parse_percent(text, "The floor on sensitivity")
    assert str(refused.value).startswith("The floor on sensitivity is ")


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("1", Fraction(1)),
        ("0.25", Fraction(1, 4)),
        ("3/2", Fraction(3, 2)),
        ("2,5", Fraction(5, 2)),
        ("0,125", Fraction(1, 8)),
        ("1000,5", Fraction(2001, 2)),
    ],
)
def test_weights_are_exact(text: str, weight: Fraction) -> None:
    assert parse_weight(text, "C") == weight


@pytest.mark.parametrize("text", ["", "0", "-2", "1/0", "x", "1/2/3", "1e9", "inf"])
def test_what_is_no_weight_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match="give a number greater than 0"):
        parse_weight(text, "C")


@pytest.mark.parametrize("text", ["1,000", "12,500", " 2,125 ", "1,000/2", "2/1,000"])
def test_a_comma_that_may_mean_thousands_is_asked_about(text: str) -> None:
    with pytest.raises(InputError, match="write it without the comma"):
        parse_weight(text, "C")
    with pytest.raises(argparse.ArgumentTypeError, match="write it without the comma"):
        weight(text)


@pytest.mark.parametrize("text", ["95", "97.5", "97,5", " 97.5 % ", "0", "100.0%", ".5%"])
def test_the_command_line_reads_percentages_as_the_pages_do(text: str) -> None:
    percent = parse_percent(text, "the floor")
    assert share(text.strip().removesuffix("%").strip() + "%") == percent
    if "," not in text:  # commas part the levels
        assert percentages(text) == (percent,)


@pytest.mark.parametrize("text", ["1", "0.25", "3/2", "2,5", " 7 ", "1.5/2"])
def test_the_command_line_reads_weights_as_the_pages_do(text: str) -> None:
    assert weight(text) == parse_weight(text, "C")


@pytest.mark.parametrize(
    "text", ["", "0", "-2", "1/0", "x", "1/2/3", "1e9", "inf", "1_000", "9" * 40]
)
def test_the_command_line_refuses_what_the_pages_refuse(text: str) -> None:
    with pytest.raises(InputError):
        parse_weight(text, "C")
    with pytest.raises(argparse.ArgumentTypeError):
        weight(text)


def test_shares_may_be_fractions() -> None:
    assert share("19/20") == share("0.95") == share("95%") == Fraction(19, 20)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("95", Fraction(95, 100)),
        ("1", Fraction(1, 100)),
        ("0.95%", Fraction(95, 10_000)),
        ("0", Fraction(0)),
    ],
)
def test_a_floor_is_read_in_percent(text: str, level: Fraction) -> None:
    assert parse_floor(text, "The floor") == level


@pytest.mark.parametrize(("text", "whole"), [("0.95", "95"), ("0,975", "97.5"), (".5", "50")])
def test_a_floor_that_may_be_meant_as_a_share_is_asked_about(text: str, whole: str) -> None:
    with pytest.raises(InputError, match=f"write {whole} for {whole}%, or {text}% for less"):
        parse_floor(text, "The floor")
