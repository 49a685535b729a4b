"""The built-in samples are what they say."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Callable

import pytest

from odt_core.data import (
    SAMPLES,
    Sample,
    Severity,
    SplitSpec,
    Table,
    check_schema,
    prepare,
    read_table,
    target_labels,
)
from tests.core.data.helpers import NUMERICAL

pytestmark = pytest.mark.filterwarnings("error")


def rows(table: Table) -> Counter[tuple[str, ...]]:
    return Counter(map(tuple, table.frame.to_numpy().tolist()))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_samples_train(sample: Sample) -> None:
    table, schema = sample.load(), sample.schema()
    assert table.report.notes == ()
    assert table.name == f"{sample.key}.csv"
    assert table.sha256 == read_table(sample.csv()).sha256
    assert not [f for f in check_schema(table, schema) if f.severity is not Severity.INFO]
    prepared = prepare(table, schema, SplitSpec.parse("0.7"))
    assert prepared.train.n_positive > 0 and prepared.train.n_negative > 0
    assert len(list(csv.reader(sample.csv().decode().splitlines()))) == table.n_rows + 1


@pytest.mark.parametrize(
    ("key", "n_rows", "n_positive", "n_features", "n_columns"),
    [
        ("tic-tac-toe", 958, 626, 9, 27),
        ("monks-1", 432, 216, 6, 17),
        ("breast-cancer", 569, 212, 30, 300),
        ("triage", 1500, 306, 12, None),
    ],
)
def test_sizes(
    key: str, n_rows: int, n_positive: int, n_features: int, n_columns: int | None
) -> None:
    prepared = prepare(SAMPLES[key].load(), SAMPLES[key].schema(), SplitSpec("all"))
    train = prepared.train
    assert (train.n_rows, train.n_positive, train.n_features) == (n_rows, n_positive, n_features)
    assert n_columns is None or train.n_columns == n_columns


PUBLISHED = {"tic-tac-toe": "ttt.csv", "monks-1": "monks-1_named.csv"}
DIGESTS = {
    "tic-tac-toe": "ec13b36913d2d61ce86af388845db8a5c2418b96a7dbf8cb4b25ae34c1b220a9",
    "monks-1": "654a2a8295697c311e26a28abcf3744983204dd73d5cad630ec33a4db3d111d1",
}
"""Of the published rows."""


def digest(table: Table) -> str:
    """The SHA-256 of a table's header and sorted rows."""
    lines = sorted("\t".join(row) for row in table.frame.to_numpy().tolist())
    return hashlib.sha256("\n".join(["\t".join(table.columns), *lines]).encode()).hexdigest()


@pytest.mark.parametrize("key", PUBLISHED)
def test_a_made_set_is_the_published_one(key: str) -> None:
    assert digest(SAMPLES[key].load()) == DIGESTS[key]


@pytest.mark.parametrize("key", PUBLISHED)
def test_the_digest_is_that_of_the_published_file(key: str, shared: Callable[[str], Table]) -> None:
    published, made = shared(PUBLISHED[key]), SAMPLES[key].load()
    assert digest(published) == DIGESTS[key]
    assert made.columns == published.columns and rows(made) == rows(published)


def test_breast_cancer_has_malignant_as_positive() -> None:
    sample = SAMPLES["breast-cancer"]
    assert sample.schema().positive == "malignant"
    assert target_labels(sample.load(), sample.schema()) == {"benign": 357, "malignant": 212}
    assert all(column.kind is NUMERICAL for column in sample.schema().columns)


def test_triage_is_simulated_says_so_and_never_changes() -> None:
    sample = SAMPLES["triage"]
    assert "simulated" in sample.title
    assert "SIMULATED, no real patients" in sample.description
    assert hashlib.sha256(sample.csv()).hexdigest() == TRIAGE_SHA256


TRIAGE_SHA256 = "e87ec1817193e83c23e7fafa090a066ec8aebea0a8b4bc28474981e91c0d91a8"


def test_triage_is_plausible() -> None:
    frame = SAMPLES["triage"].load().frame
    for column, low, high in (
        ("age", 18, 97),
        ("heart_rate", 38, 190),
        ("systolic_bp", 62, 225),
        ("respiratory_rate", 8, 46),
        ("spo2", 70, 100),
        ("temperature", 34.0, 41.2),
        ("pain_score", 0, 10),
    ):
        numbers = frame.loc[frame[column] != "", column].astype(float)
        assert numbers.between(low, high).all()
    missing = (frame == "").sum()
    assert set(missing[missing > 0].index) == {
        "respiratory_rate",
        "spo2",
        "temperature",
        "pain_score",
    }
    assert (missing < 150).all()
    critical = frame["critical_care"] == "yes"
    assert critical[frame["arrival"] == "ambulance"].mean() > 3 * (
        critical[frame["arrival"] == "walk-in"].mean()
    )
    assert critical[frame["consciousness"] != "alert"].mean() > 0.5
