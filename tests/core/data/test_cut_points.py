"""Over which cut points an answer holds, in words."""

from __future__ import annotations

import pytest

from odt_core.data import BinMethod, Binning
from odt_core.data.cut_points import ColumnCuts, cut_points_to_json, cut_points_words

DECILES, EVERY, GIVEN = Binning.deciles(), Binning(BinMethod.EVERY), Binning.at([40.0, 65.0])


@pytest.mark.parametrize(
    ("binnings", "words"),
    [
        ([], ""),
        ([DECILES, DECILES], "over the deciles"),
        ([EVERY], "over every cut point"),
        ([Binning.quantiles(20)], "over 20 quantiles"),
        ([GIVEN], "over the given cut points"),
        ([DECILES, EVERY, DECILES], "over the deciles (every cut point of 'b')"),
        (
            [EVERY] * 5 + [DECILES] * 4 + [GIVEN],
            "over every cut point (the deciles of 4 columns; the given cut points of 'j')",
        ),
    ],
)
def test_most_columns_are_named_first(binnings, words) -> None:
    columns = [ColumnCuts(name, b, 9) for name, b in zip("abcdefghij", binnings, strict=False)]
    assert cut_points_words(columns) == words
    record = cut_points_to_json(columns)
    assert (record is None) == (not binnings)
    if record is not None:
        assert record["words"] == words
        assert [c["method"] for c in record["columns"]] == [b.method.value for b in binnings]
