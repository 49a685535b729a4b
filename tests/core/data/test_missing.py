"""Which cells count as missing."""

from __future__ import annotations

import pytest

from odt_core.data import DEFAULT_MISSING_TOKENS
from odt_core.data.missing import missing_values
from tests.core.data.helpers import table_of


def missing(cells: list[str], *tokens: str, decimal: str = ".") -> list[str]:
    factor = table_of(a=cells, b=["x"] * len(cells)).factor("a")
    found = missing_values(factor, tokens, decimal)
    return [text for text, is_missing in zip(factor.texts, found, strict=True) if is_missing]


def test_defaults_cover_the_usual_and_leave_words_alone() -> None:
    cells = ["?", "NA", "NaN", "null", "", "None", "none", "na", "unknown", "-", "0"]
    assert missing(cells, *DEFAULT_MISSING_TOKENS) == ["?", "NA", "NaN", "null", ""]


def test_an_empty_cell_is_missing_with_any_tokens() -> None:
    assert missing(["", "NA", "?"]) == [""]


@pytest.mark.parametrize(
    ("cells", "token", "expected"),
    [
        (["-9", "-9.0", "-9.00", "9", "-99"], "-9", ["-9", "-9.0", "-9.00"]),
        (["999", "999.5", "9.99e2"], "999", ["999", "9.99e2"]),
        (["-9x", "-9"], " -9 ", ["-9"]),
    ],
)
def test_a_numeric_token_means_the_number(
    cells: list[str], token: str, expected: list[str]
) -> None:
    assert missing(cells, token) == expected


def test_text_tokens_are_compared_as_text() -> None:
    assert missing(["NA", "na", "N/A"], "NA") == ["NA"]
