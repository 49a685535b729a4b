"""Marks of limits: which cells are only limits, as a feature of its own."""

from __future__ import annotations

import pandas as pd
import pytest

from odt_core.data import (
    ColumnKind,
    Encoder,
    NumberForm,
    Schema,
    SplitSpec,
    Table,
    as_numbers,
    check_schema,
    infer_schema,
    prepare,
    read_table,
    table_from_frame,
    with_limit_mark,
)
from odt_core.errors import InputError

CELLS = ["<0.5", "0.5", "≥ 20", "3", "", "-9", "7.5", "n.d.", *map(str, range(8, 19))]
MARKS = ["below", "within", "above", "within", *["(missing)"] * 2, "within", "(missing)"]
MARKS += ["within"] * 11
NAME = "crp against its limits"


def table_of(cells: list[str], name: str = "crp") -> Table:
    rows = [f'"{cell}",{i % 3},{"ab"[i % 2]}' for i, cell in enumerate(cells * 12)]
    return read_table("\n".join([f"{name},ward,y", *rows]).encode())


def marked(table: Table) -> Schema:
    schema = infer_schema(table, "y").with_column_missing("crp", ("-9", "n.d."))
    return with_limit_mark(table, schema, "crp")


def marks(encoder: Encoder, table: Table) -> list[str]:
    names = [feature.name for feature in encoder.features]
    place = names.index(NAME)
    values = encoder.features[place].values
    return [values[code] for code in encoder.encode(table)[: len(CELLS), place]]


def test_the_mark_says_below_within_above_or_missing() -> None:
    table = table_of(CELLS)
    schema = marked(table)
    assert [column.name for column in schema.columns] == ["crp", NAME, "ward"]
    assert schema.column("crp").form is NumberForm.LIMITS
    assert Schema.from_json(schema.to_json()) == schema
    prepared = prepare(table, schema, SplitSpec("all"))
    assert marks(prepared.encoder, table) == MARKS
    assert not [finding for finding in check_schema(table, schema) if finding.column == NAME]


def test_the_model_marks_new_rows_and_the_rows_of_a_frame() -> None:
    encoder = prepare(table_of(CELLS), marked(table_of(CELLS)), SplitSpec("all")).encoder
    stored = Encoder.from_json(encoder.to_json())
    frame = pd.DataFrame({"ward": [0, 1, 2], "crp": ["> 9", "4", None]})
    place = [feature.name for feature in stored.features].index(NAME)
    values = stored.features[place].values
    for source in (frame, table_from_frame(frame)):
        codes = stored.encode(source)[:, place]
        assert [values[code] for code in codes] == ["above", "within", "(missing)"]


def test_a_mark_is_missing_where_the_column_is_and_goes_with_it() -> None:
    table = table_of(CELLS)
    schema = with_limit_mark(table, infer_schema(table, "y", missing_tokens=["-9", "n.d."]), "crp")
    later = schema.with_column_missing("crp", ("-9", "n.d.", "3"))
    assert marks(prepare(table, later, SplitSpec("all")).encoder, table)[:4] == [
        *MARKS[:3],
        "(missing)",
    ]
    assert NAME not in [column.name for column in schema.with_target("crp", "3").columns]


def test_a_column_of_the_file_goes_before_a_mark() -> None:
    table = read_table(f"crp,{NAME},y\n".encode() + b"<1,u,a\n2,v,b\n3,w,b\n4,u,a\n" * 9)
    schema = with_limit_mark(table, infer_schema(table, "y"), "crp")
    encoder = prepare(table, schema, SplitSpec("all")).encoder
    assert encoder.features[1].values == ("u", "v", "w")


def test_one_click_makes_number_and_mark() -> None:
    table = table_of(["<0.5", ">20", *map(str, range(1, 20))])
    schema = infer_schema(table, "y")
    (finding,) = (f for f in check_schema(table, schema) if f.column == "crp")
    plain, with_mark = finding.remedies
    assert (
        plain.label == "Read as the limit" and with_mark.label == "Read as the limit, with a mark"
    )
    assert NAME not in [column.name for column in plain.applied(schema).columns]
    after = with_mark.applied(schema)
    assert after.column("crp").kind is ColumnKind.NUMERICAL
    assert after.column(NAME).kind is ColumnKind.CATEGORICAL
    assert with_mark.applied(after) == after


def test_a_column_that_is_read_as_limits_can_be_marked_afterwards() -> None:
    table = table_of(["<0.5", ">20", *map(str, range(1, 20))])
    read = as_numbers(table, infer_schema(table, "y"), "crp")
    (finding,) = (f for f in check_schema(table, read) if f.column == "crp")
    (mark,) = finding.remedies
    assert mark.label == "Mark the limits"
    with_mark = with_limit_mark(table, infer_schema(table, "y"), "crp")
    assert mark.applied(read) == with_mark
    (finding,) = (f for f in check_schema(table, with_mark) if f.column == "crp")
    assert finding.remedies == ()


def test_only_limits_can_be_marked() -> None:
    table = table_of([str(n) for n in range(20)])
    with pytest.raises(InputError, match="'crp' has no limits such as <0.5"):
        with_limit_mark(table, infer_schema(table, "y"), "crp")
