"""Cells that a spreadsheet would compute."""

from __future__ import annotations

import csv
import io

import pytest

from odt_core.export.csv_cells import csv_text, harmless

FORMULAS = [
    "=1+1",
    "=HYPERLINK(1)",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\tx",
    "+a",
    "\n=1",
    "＝1+1",
]  # noqa: RUF001
PLAIN = ["", "-", "+", "=", "low", "a=b", "-1.5", "+3", "-1e-5", "-1.234,5", "-12 %", "-.5", "1-2"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_formulas_get_an_apostrophe_unless_they_are_to_be_kept(cell: str) -> None:
    (shown,), (kept,) = (
        next(csv.reader(io.StringIO(text, newline="")))
        for text in (csv_text([[cell]]), csv_text([[cell]], keep_formulas=True))
    )
    assert shown == f"'{cell}" and kept == cell


@pytest.mark.parametrize("cell", PLAIN)
def test_numbers_and_other_text_stay_as_they_are(cell: str) -> None:
    assert harmless(cell) == cell


def test_only_text_is_looked_at() -> None:
    assert csv_text([["a", -1, 2.5, None]]) == "a,-1,2.5,\n"
