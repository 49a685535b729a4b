"""Folds: every row is tested once a repeat, groups stay whole, and test rows teach nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from odt_core.cart import cart_feature_selection
from odt_core.data import (
    Fold,
    Folding,
    ReadOptions,
    SplitSpec,
    Table,
    infer_schema,
    prepare,
    read_table,
    split_rows,
)
from odt_core.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")

Y = np.arange(90) % 3 == 0
GROUPS = np.repeat(np.arange(30), 3) * 7 % 30
HALF = SplitSpec(Fraction(2, 3), seed=4)


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["rows", "groups"])
def test_each_training_row_is_tested_once_a_repeat(groups: np.ndarray | None) -> None:
    outer, held_out = split_rows(Y, HALF, groups)
    folding = Folding(5, repeats=2)
    folds = [split_rows(Y, replace(HALF, fold=fold), groups) for fold in folding]
    assert len(folds) == len(folding) == 10
    for train, test in folds:
        assert sorted([*train, *test]) == outer.tolist()
        assert not set(test) & set(held_out)
        assert abs(Y[test].mean() - Y[outer].mean()) < 0.12
        if groups is not None:
            assert not set(groups[train]) & set(groups[test])
    for repeat in (folds[:5], folds[5:]):
        assert sorted(np.concatenate([test for _, test in repeat])) == outer.tolist()
    assert not np.array_equal(folds[0][1], folds[5][1]), "each repeat draws anew"


def test_a_hold_out_draws_as_many_rows_as_the_paper_does() -> None:
    y = np.arange(1000) % 4 == 0
    spec = SplitSpec("all", seed=3)
    draws = [
        split_rows(y, replace(spec, fold=fold)) for fold in Folding(None, 5, train_size="paper")
    ]
    assert [(len(train), len(test)) for train, test in draws] == [(600, 400)] * 5
    assert len({tuple(train) for train, _ in draws}) == 5
    for train, test in draws:
        assert sorted([*train, *test]) == list(range(1000)) and y[train].sum() == 150


def test_a_fold_is_the_same_again_by_seed_alone() -> None:
    fold = Fold(repeat=1, part=2, parts=5)
    first, again, other = (
        split_rows(Y, SplitSpec("all", seed=seed, fold=fold))[1].tolist() for seed in (8, 8, 9)
    )
    assert first == again != other


@pytest.mark.parametrize(
    "fold", [None, Fold(1, 2, parts=5), Fold(0, train_size="paper"), Fold(3, train_size=50)]
)
def test_a_split_with_a_fold_survives_json(fold: Fold | None) -> None:
    spec = replace(HALF, fold=fold)
    assert SplitSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_a_split_of_before_has_no_fold() -> None:
    record = HALF.to_json()
    del record["fold"]
    assert SplitSpec.from_json(record) == HALF


def test_a_damaged_fold_is_refused() -> None:
    record = replace(HALF, fold=Fold(0, 1, parts=5)).to_json()
    for damage in ({"part": 5}, {"part": "1"}, {"parts": None}, {"repeat": 0.5}):
        with pytest.raises(InputError):
            SplitSpec.from_json(record | {"fold": record["fold"] | damage})


@pytest.mark.parametrize(
    ("y", "fold", "groups", "says"),
    [
        (np.arange(20) < 3, Fold(0, 0, parts=5), None, "have 3 rows of the rarer class, fewer"),
        (np.arange(20) < 9, Fold(0, 0, parts=5), np.arange(20) // 5, "have 4 groups, fewer than"),
        (np.arange(20) < 9, Fold(0, train_size=20), None, "trains on 20 rows, but there are only"),
        (np.arange(20) < 9, Fold(0, train_size=Fraction(1)), None, "leaves no rows to test on"),
    ],
)
def test_what_cannot_be_divided_is_reported(
    y: np.ndarray, fold: Fold, groups: np.ndarray | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        split_rows(y, SplitSpec("all", fold=fold), groups)


@pytest.mark.parametrize(
    ("parts", "repeats", "size"),
    [
        (1, 1, None),
        (None, 1, None),
        (5, 1, "paper"),
        (5, 0, None),
        (5, 201, None),
        (None, 1, "all"),
    ],
)
def test_plans_that_mean_nothing_are_refused(parts: int, repeats: int, size: str) -> None:
    with pytest.raises(InputError):
        Folding(parts, repeats, size)  # type: ignore[arg-type]


def table_with(rows: np.ndarray) -> Table:
    """60 rows; those given have an outlier, a new category and a tell-tale in every feature."""
    lines = []
    for row in range(60):
        y = int(row % 3 == 0)
        number, colour, mark = (row * 7 % 31, "red green blue".split()[row % 3], row % 2)
        if row in rows:
            number, colour, mark = 10_000 + y, f"leak{y}", f"only{y}"
        lines.append(f"{number},{colour},{mark},{y}")
    return read_table(
        ("number,colour,mark,y\n" + "\n".join(lines)).encode(), ReadOptions(), name="leak.csv"
    )


@pytest.mark.parametrize("fold", [*Folding(4), *Folding(None, 2, Fraction(3, 4))], ids=str)
def test_test_rows_teach_a_fold_nothing(fold: Fold) -> None:
    """Test rows change no category, cut point or selected feature."""
    plain = table_with(np.array([]))
    schema = infer_schema(plain, target="y", positive="1")
    spec = SplitSpec(Fraction(4, 5), seed=2, fold=fold)
    before = prepare(plain, schema, spec)
    trained = set(before.train_rows.tolist())
    unseen = np.array([row for row in range(60) if row not in trained])
    after = prepare(table_with(unseen), schema, spec)
    assert np.array_equal(before.train_rows, after.train_rows)
    assert before.encoder.to_json() == after.encoder.to_json()
    assert np.array_equal(before.train.codes, after.train.codes)
    assert cart_feature_selection(before.train) == cart_feature_selection(after.train)
    assert after.test is not None and len(after.test.codes) == len(before.test_rows)
    colour = [f.name for f in after.train.features].index("colour")
    assert (after.test.codes[:, colour] == -1).all(), "the new category is one never seen"
