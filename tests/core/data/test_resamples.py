"""Bootstrap resamples: by seed and number, whole groups together, encoded by their own rows."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.data import (
    ColumnKind,
    SplitSpec,
    draw_resample,
    infer_schema,
    prepare,
    prepare_resample,
    read_table,
)
from odt_core.errors import InputError

Y = np.arange(60) % 3 == 0


def test_seed_and_number_alone_decide_what_is_drawn() -> None:
    first = draw_resample(Y, 7, 3)
    assert len(first.rows) == 60 and (np.diff(first.rows) >= 0).all()
    assert np.array_equal(first.rows, draw_resample(Y, 7, 3).rows)
    assert not np.array_equal(first.rows, draw_resample(Y, 7, 4).rows)
    assert not np.array_equal(first.rows, draw_resample(Y, 8, 3).rows)
    left_out = [60 - len(set(draw_resample(Y, 0, n).rows.tolist())) for n in range(200)]
    assert 60 * 0.33 < np.mean(left_out) < 60 * 0.40, "about 1/e of the rows are not drawn"


def test_groups_are_drawn_as_a_whole() -> None:
    groups = np.array([0] * 30 + [5] * 10 + [2] * 20)[np.random.default_rng(1).permutation(60)]
    sizes = set()
    for number in range(40):
        rows = draw_resample(Y, 0, number, groups).rows
        times = np.bincount(rows, minlength=60)
        for group in (0, 2, 5):
            assert len(set(times[groups == group].tolist())) == 1, "all rows equally often"
        assert sum(times[groups == group][0] for group in (0, 2, 5)) == 3
        sizes.add(len(rows))
    assert len(sizes) > 3


def test_a_resample_of_one_class_is_drawn_again() -> None:
    rare = np.arange(12) == 5
    draws = [draw_resample(rare, 0, number) for number in range(60)]
    assert all(0 < rare[draw.rows].sum() < 12 for draw in draws)
    assert sum(draw.again > 0 for draw in draws) > 5
    with pytest.raises(InputError, match="rows of one class only"):
        draw_resample(np.ones(12, dtype=bool), 0, 0)


def test_bins_and_categories_come_from_the_rows_drawn() -> None:
    lines = "".join(f"{i},{'abc'[i % 3]},{'yn'[i // 20]}\n" for i in range(40))
    table = read_table(f"size,kind,outcome\n{lines}".encode())
    schema = infer_schema(table, "outcome", "y").with_kinds({"size": ColumnKind.NUMERICAL})
    prepared = prepare(table, schema, SplitSpec("all"))
    rows = np.sort(np.concatenate([np.arange(0, 12, 3), np.arange(21, 39, 3)]).repeat(4))
    resample = prepare_resample(table, schema, prepared, rows)
    assert [feature.name for feature in resample.train.features] == ["size"], "one kind was drawn"
    assert resample.dropped == ("kind",)
    cuts = resample.train.features[0].cuts
    assert min(cuts) > 0 and max(cuts) < 36 and len(cuts) == 9, "ten values, each its own bin"
    assert resample.train.n_rows == len(rows) and resample.test is not None
    assert np.array_equal(resample.test.y, prepared.train.y)
    whole = prepare_resample(table, schema, prepared, np.arange(40))
    assert whole.train.features == prepared.train.features
    assert np.array_equal(whole.train.codes, prepared.train.codes)
    with pytest.raises(InputError, match="alike in every feature"):
        prepare_resample(table, schema, prepared, np.zeros(40, dtype=np.int64))
