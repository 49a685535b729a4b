"""Schemas: changes and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from odt_core.data import Binning, ColumnKind, ColumnSchema, NumberForm, Schema
from odt_core.errors import InputError
from tests.core.data.helpers import CATEGORICAL, IGNORE, NUMERICAL, schema_of

SCHEMA = schema_of(age=NUMERICAL, sex=CATEGORICAL, id=IGNORE)


def test_changes_leave_the_original_alone() -> None:
    changed = SCHEMA.with_kind("sex", IGNORE).with_binning("age", Binning.quantiles(4))
    assert SCHEMA == schema_of(age=NUMERICAL, sex=CATEGORICAL, id=IGNORE)
    assert [column.name for column in SCHEMA.features] == ["age", "sex"]
    assert [column.name for column in changed.features] == ["age"]
    assert changed.column("age").binning == Binning.quantiles(4)


def test_several_kinds_at_once() -> None:
    assert SCHEMA.with_kinds({"sex": NUMERICAL, "id": CATEGORICAL}) == schema_of(
        age=NUMERICAL, sex=NUMERICAL, id=CATEGORICAL
    )


def test_missing_tokens_of_a_column_overrule_the_schemas() -> None:
    schema = replace(SCHEMA, missing_tokens=("NA", "-9")).with_column_missing("sex", [])
    assert schema.tokens_of("age") == ("NA", "-9")
    assert schema.tokens_of("sex") == ()
    assert schema.tokens_of("y") == ("NA", "-9")
    assert schema.with_column_missing("sex", None).tokens_of("sex") == ("NA", "-9")


def test_former_target_becomes_an_ignored_column() -> None:
    changed = SCHEMA.with_target("sex", "f")
    assert (changed.target, changed.positive) == ("sex", "f")
    assert {column.name: column.kind for column in changed.columns} == {
        "age": NUMERICAL,
        "id": IGNORE,
        "y": IGNORE,
    }
    assert SCHEMA.with_target("y", "q").columns == SCHEMA.columns


def test_json_round_trip() -> None:
    schema = (
        replace(SCHEMA, missing_tokens=("-9",))
        .with_binning("age", Binning.at([18, 65.5]))
        .with_column_missing("sex", ["NA"])
        .with_joined("sex", (("M", "m"), ("male", "m")))
        .with_form("age", NumberForm.LIMITS)
        .with_form("id", NumberForm.AGE, date(2018, 1, 30))
        .with_joined("y", (("P", "p"),))
        .with_target_missing(["unknown"])
        .with_group("id")
    )
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


@pytest.mark.parametrize("reference", [None, "30.1.2018", 2018])
def test_an_age_without_its_date_is_refused(reference: object) -> None:
    record = SCHEMA.with_form("age", NumberForm.AGE, date(2018, 1, 30)).to_json()
    record["columns"][0]["reference"] = reference
    with pytest.raises(InputError, match="damaged"):
        Schema.from_json(record)


def test_records_of_older_programs_lack_the_later_fields() -> None:
    record = SCHEMA.to_json()
    for field in ("group", "target_missing", "target_joined", "guessed"):
        del record[field]
    for column in record["columns"]:
        del column["joined"], column["form"], column["reference"]
    assert Schema.from_json(record) == SCHEMA


def test_the_positive_label_follows_its_text_when_labels_are_joined() -> None:
    joined = schema_of("y", "yes", age=NUMERICAL).with_joined("y", (("yes", "Yes"),))
    assert joined.positive == "Yes"
    assert joined.reading_of("y").joined == (("yes", "Yes"),)
    assert joined.with_target("age", "1").target_joined is None


def test_a_group_is_no_feature_and_not_the_outcome() -> None:
    assert SCHEMA.with_group("sex").column("sex").kind is IGNORE
    assert SCHEMA.with_group("sex").with_group(None).group is None
    with pytest.raises(InputError, match="'y' cannot be the group"):
        Schema("y", "p", (), group="y")


@pytest.mark.parametrize("joined", [(("a", "b"), ("a", "c")), (("a", "b"), ("b", "c"))])
def test_labels_are_joined_in_one_step(joined) -> None:
    with pytest.raises(InputError, match="cannot be joined with two labels"):
        SCHEMA.with_joined("sex", joined)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "of version 99"),
        ({"target": None, "columns": [{}]}, "is damaged"),
        ({"columns": 5}, "is damaged"),
        ({"columns": None}, "is damaged"),
        ({"decimal": "x"}, "decimal mark 'x'"),
    ],
)
def test_damaged_json_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Schema.from_json({**SCHEMA.to_json(), **change})
    with pytest.raises(InputError, match="version None"):
        Schema.from_json([])  # type: ignore[arg-type]


def test_unknown_columns_are_named() -> None:
    with pytest.raises(InputError, match="no column 'weight'"):
        SCHEMA.with_kind("weight", NUMERICAL)
    with pytest.raises(InputError, match="'y' is the outcome"):
        SCHEMA.with_kind("y", NUMERICAL)


def test_a_column_is_described_once() -> None:
    with pytest.raises(InputError, match="'a' is described twice"):
        Schema("y", "p", (ColumnSchema("a", NUMERICAL), ColumnSchema("a", CATEGORICAL)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Binning.quantiles(1), "bins is 1"),
        (lambda: Binning.quantiles(10**6), "bins is 1000000"),
        (lambda: Binning.at([]), "one or more numbers"),
        (lambda: Binning.at([float("nan")]), "one or more numbers"),
        (lambda: Binning.at([3, 3]), "must rise"),
        (lambda: Binning.at([3, 2]), "must rise"),
    ],
)
def test_bins_that_make_no_sense_are_refused(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_kinds_are_words() -> None:
    assert [kind.value for kind in ColumnKind] == ["categorical", "numerical", "ignore"]
