"""Properties of encoding that hold for any table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

from odt_core.data import (
    Binning,
    ColumnSchema,
    Encoder,
    Schema,
    SplitSpec,
    Table,
    prepare,
    table_from_frame,
)
from odt_core.errors import InputError
from tests.core.data.helpers import CATEGORICAL, NUMERICAL
from tests.examples import examples

WORDS = st.sampled_from(["a", "b", "B", "c 2", "c 10", "10", "9", "(missing)", "NA", ""])
NUMBERS = st.sampled_from(["", "?", "-9", "0", "1", "1.0", "2.5", "1e3", "-7", "1,000"]) | (
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.4g}")
)
ROWS = st.lists(st.tuples(WORDS, NUMBERS, st.booleans()), min_size=4, max_size=60)


def table_of(rows: list[tuple[str, str, bool]]) -> Table:
    columns = zip(*rows, strict=True)
    word, number, y = (list(column) for column in columns)
    labels = ["p" if positive else "n" for positive in y]
    return table_from_frame(pd.DataFrame({"word": word, "number": number, "y": labels}))


def schema_of(n_bins: int) -> Schema:
    columns = (
        ColumnSchema("word", CATEGORICAL),
        ColumnSchema("number", NUMERICAL, Binning.quantiles(n_bins)),
    )
    return Schema("y", "p", columns)


@examples(50)
@given(rows=ROWS, n_bins=st.integers(2, 10), share=st.sampled_from(["0.5", "0.8", "all"]))
def test_codes_mean_what_the_features_say(
    rows: list[tuple[str, str, bool]], n_bins: int, share: str
) -> None:
    table = table_of(rows)
    try:
        prepared = prepare(table, schema_of(n_bins), SplitSpec.parse(share))
    except InputError:
        assume(False)
    encoder, train = prepared.encoder, prepared.train
    codes = encoder.encode(table)
    assert np.array_equal(codes[prepared.train_rows], train.codes)
    assert np.array_equal(Encoder.from_json(encoder.to_json()).encode(table), codes)
    assert (train.codes >= 0).all()
    for g, (feature, column) in enumerate(zip(encoder.features, encoder.columns, strict=True)):
        # Every code occurs in training, and each cell's code names the cell.
        assert set(train.codes[:, g]) == set(range(feature.n_values))
        assert len(set(feature.values)) == feature.n_values
        for cell, code in zip(table.frame[feature.name], codes[:, g], strict=True):
            if code == column.missing_code:
                assert cell in ("", "?", "NA")
            elif code >= 0 and not feature.is_numerical:
                assert feature.values[code] == cell
            elif code >= 0:
                low = feature.cuts[code - 1] if code else -np.inf
                high = feature.cuts[code] if code < len(feature.cuts) else np.inf
                assert low < float(cell.replace(",", "")) <= high


@examples(40)
@given(rows=ROWS, other=ROWS, n_bins=st.integers(2, 10), seed=st.integers(0, 9))
def test_test_rows_never_change_the_encoder(
    rows: list[tuple[str, str, bool]],
    other: list[tuple[str, str, bool]],
    n_bins: int,
    seed: int,
) -> None:
    spec = SplitSpec.parse("0.5", seed=seed)
    try:
        first = prepare(table_of(rows), schema_of(n_bins), spec)
    except InputError:
        assume(False)
    assume(len(first.test_rows))
    changed = list(rows)
    for position, row in enumerate(first.test_rows):
        word, number, _ = other[position % len(other)]
        changed[row] = (word, number, rows[row][2])  # the classes decide the split: keep them
    try:
        second = prepare(table_of(changed), schema_of(n_bins), spec)
    except InputError:
        assume(False)
    assert np.array_equal(first.train_rows, second.train_rows)
    assert first.encoder == second.encoder
    assert np.array_equal(first.train.codes, second.train.codes)
