"""The paper's data sets, where they lie beside the repository; some are made here in their form."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from odt_core.data import (
    ColumnKind,
    SplitSpec,
    Table,
    infer_schema,
    prepare,
    read_table,
    target_labels,
)
from tests.core.data.helpers import CATEGORICAL, NUMERICAL

pytestmark = pytest.mark.filterwarnings("error")

Shared = Callable[[str], Table]


@pytest.mark.parametrize(
    ("name", "n_rows", "n_features", "n_columns"),
    [
        ("a1a.csv", 1605, 14, 116),
        ("bc.csv", 683, 9, 89),
        ("bc_missing.csv", 699, 9, 90),
        ("krkp.csv", 3196, 36, 73),
        ("mush.csv", 8124, 21, 116),  # 22 and 117 with the constant veil-type
        ("ttt.csv", 958, 9, 27),
        ("monks-1.csv", 432, 6, 17),
        ("votes.csv", 435, 16, 48),
        ("heart.csv", 267, 22, 44),
    ],
)
def test_categorical_sets(
    shared: Shared, name: str, n_rows: int, n_features: int, n_columns: int
) -> None:
    table = shared(name)
    schema = infer_schema(table)
    assert schema.target == "class"
    assert all(column.kind is CATEGORICAL for column in schema.features)
    train = prepare(table, schema, SplitSpec("all")).train
    assert (train.n_rows, train.n_features, train.n_columns) == (n_rows, n_features, n_columns)
    assert sum(target_labels(table, schema).values()) == n_rows


def all_numerical(table: Table) -> ColumnKind:
    schema = infer_schema(table)
    return schema.with_kinds({column.name: NUMERICAL for column in schema.columns})


def coded(n_rows: int, n_missing: int) -> Table:
    """A table like the paper's bc: nine codes from 1 to 10, mitoses without 9, some unknown."""
    draw = random.Random(1)
    lines = [",".join([*(f"code_{c}" for c in range(7)), "bare_nuclei", "mitoses", "class"])]
    for row in range(n_rows):
        codes = [draw.randint(1, 10) for _ in range(8)]
        nuclei = "?" if row < n_missing else str(codes[7])
        mitoses = draw.choice([1, 2, 3, 4, 5, 6, 7, 8, 10])
        answer = "malignant" if codes[0] + mitoses > 10 else "benign"
        lines.append(",".join([*map(str, codes[:7]), nuclei, str(mitoses), answer]))
    return read_table("\n".join(lines).encode())


@pytest.fixture(params=["made here", "published"])
def bc(request: pytest.FixtureRequest) -> Table:
    if request.param == "made here":
        return coded(683, 0)
    table: Table = request.getfixturevalue("shared")("bc.csv")
    return table


@pytest.fixture(params=["made here", "published"])
def bc_missing(request: pytest.FixtureRequest) -> Table:
    if request.param == "made here":
        return coded(699, 16)
    table: Table = request.getfixturevalue("shared")("bc_missing.csv")
    return table


def test_bc_as_numbers_keeps_every_value(bc: Table) -> None:
    train = prepare(bc, all_numerical(bc), SplitSpec("all")).train
    assert (train.n_features, train.n_columns) == (9, 89)
    assert all(feature.is_numerical for feature in train.features)
    assert train.features[0].values == tuple(str(i) for i in range(1, 11))
    assert train.features[0].cuts == tuple(i + 0.5 for i in range(1, 10))


def test_bc_with_missing_numbers_has_a_missing_bin(bc_missing: Table) -> None:
    train = prepare(bc_missing, all_numerical(bc_missing), SplitSpec("all")).train
    with_missing = [feature.name for feature in train.features if feature.has_missing]
    assert with_missing == ["bare_nuclei"]
    assert train.n_columns == 90
    assert (train.codes == 10).sum() == 16


def test_heloc_has_about_the_published_number_of_bins(shared: Shared) -> None:
    table = shared("heloc.csv")
    train = prepare(table, all_numerical(table), SplitSpec("all")).train
    assert train.n_features == 23
    assert 160 <= train.n_columns <= 178
    coded = replace(all_numerical(table), missing_tokens=("-7", "-8", "-9"))
    train = prepare(table, coded, SplitSpec("all")).train
    assert all(
        feature.has_missing == bool(table.frame[feature.name].isin(["-7", "-8", "-9"]).any())
        for feature in train.features
    )


def test_student_has_numbers_and_categories(shared: Shared) -> None:
    table = shared("student.csv")
    schema = infer_schema(table)
    kinds = {column.name: column.kind for column in schema.columns}
    assert kinds["absences"] is kinds["G1"] is kinds["G2"] is NUMERICAL
    assert kinds["Mjob"] is kinds["Medu"] is CATEGORICAL
    prepared = prepare(table, schema, SplitSpec("paper"))
    assert (len(prepared.train_rows), len(prepared.test_rows)) == (355, 40)


def test_adult_is_read_from_gzip(shared: Shared) -> None:
    table = shared("adult.csv.gz")
    assert table.n_rows == 48842
    counts = target_labels(table, infer_schema(table, "split"))
    assert counts == {"test": 16281, "train": 32561}
    assert infer_schema(table).column("age").kind is NUMERICAL
