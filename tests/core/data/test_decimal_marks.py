"""Decimal marks of a table's columns, and of tables that a tree is applied to."""

from __future__ import annotations

import pytest

from odt_core.data import (
    Encoder,
    ReadOptions,
    SplitSpec,
    Table,
    as_numbers,
    infer_schema,
    prepare,
    read_table,
)
from odt_core.data.profile import profile_column
from odt_core.errors import InputError
from odt_core.export.reading import encoder_columns

COMMAS = "x;g;class\n" + "".join(
    f"{n // 10},{n % 10}00;{'ab'[n % 2]};{'sick' if n > 16 else 'fine'}\n" for n in range(5, 30)
)
POINTS = COMMAS.replace(",", ".").replace(";", ",")


def table(text: str, **options: str) -> Table:
    return read_table(text.encode(), ReadOptions(**options))


def trained(text: str) -> Encoder:
    read = table(text)
    return prepare(read, infer_schema(read, "class"), SplitSpec("all")).encoder


def x_codes(encoder: Encoder, scored: Table) -> list[int]:
    return encoder.encode(scored)[:, 0].tolist()


@pytest.mark.parametrize("training", [COMMAS, POINTS])
@pytest.mark.parametrize("scored", ["x,g\n0.750,a\n2.400,b\n", "x;g\n0,750;a\n2,400;b\n"])
def test_a_scored_file_is_read_with_its_own_mark(training, scored):
    low, high = x_codes(trained(training), table(scored))
    assert low < 5 < high


def test_a_scored_file_that_can_be_read_in_two_ways_is_refused():
    encoder = trained(COMMAS)
    with pytest.raises(InputError, match=r"'x': numbers such as '1.400' can be read in two ways"):
        encoder.encode(table("x,g\n1.400,a\n2.400,b\n"))
    low, high = x_codes(encoder, table("x,g\n1.400,a\n2.400,b\n", decimal="."))
    assert low < high


def test_or_read_as_in_training_where_nothing_speaks_against_it():
    low, high = x_codes(trained(POINTS), table("x,g\n1.400,a\n2.400,b\n"))
    assert low < high
    low, high = x_codes(trained(COMMAS), table("x;g\n1,400;a\n2,400;b\n"))
    assert low < high


def test_or_as_its_other_columns_tell():
    low, high = x_codes(trained(COMMAS), table("x,g,z\n1.400,a,0.5\n2.400,b,1.5\n"))
    assert low < high


def test_a_mark_that_is_given_holds_for_every_column():
    read = table("x;y;class\n1.5;2,5;a\n2.5;3,5;b\n", decimal=",")
    assert read.report.marks["x"] == ","


MIXED = "a;b;c;class\n" + "".join(
    f"{n},5;{n}.25;{n},75;{'yes' if n > 4 else 'no'}\n" for n in range(12)
)


def test_marks_that_differ_between_columns_are_reported_and_read():
    read = table(MIXED)
    assert read.report.decimal == ","
    assert "differs between columns: it is the point in 'b', and the comma" in read.report.notes[0]
    schema = infer_schema(read, "class")
    encoder = prepare(read, schema, SplitSpec("all")).encoder
    b = encoder.columns[1]
    assert b.feature.is_numerical and b.feature.cuts[-1] < 12
    assert encoder_columns(encoder.to_json())["b"].reading.decimal == "."
    again = Encoder.from_json(encoder.to_json())
    assert again.encode(read).tolist() == encoder.encode(read).tolist()
    frame = read.frame.drop(columns="class")
    numbers = frame.apply(lambda column: column.str.replace(",", ".").astype(float))
    assert again.encode(numbers).tolist() == encoder.encode(read).tolist()


def test_points_between_thousands_are_reported():
    read = table("cost;w;class\n1.100;1,5;a\n6.800;2,5;b\n")
    assert read.report.notes == (
        "In 'cost', the point is read as separating thousands, because other columns have a "
        "decimal comma.",
    )


def test_a_group_that_begins_with_zero_is_no_thousand():
    assert table("x;class\n0.750;a\n0.900;b\n").report.marks == {"x": "."}


def test_only_numbers_that_can_be_read_in_two_ways_are_called_so():
    mixed = table("x;class\n" + "1;a\n0;b\n" * 20 + "1.0;a\n")
    assert (mixed.report.marks, mixed.report.notes) == ({"x": "."}, ())
    decimals = table("x;class\n" + "1,234;a\n2,345;b\n" * 20 + "12,5;a\n0,100;b\n")
    assert (decimals.report.marks, decimals.report.doubtful) == ({"x": ","}, ())
    differing = table("x;z;n;class\n" + "1.5;2,5;1.400;a\n2.5;3,5;2.400;b\n" * 4)
    assert differing.report.doubtful == ("n",)
    assert "Numbers such as 1.400 can be read in two ways" in differing.report.notes[-1]


def test_many_columns_are_refused_with_a_number():
    names = ",".join(f"x{n}" for n in range(20_001))
    with pytest.raises(InputError, match="20,001 columns, and at most 20,000"):
        table(f"{names}\n{names}\n")


@pytest.mark.parametrize(
    ("cell", "numbers"),
    [
        ("{n}.250,50 €", {11250.5, 12250.5}),
        ("EUR {n},5", {11.5, 12.5}),
        ("{n},5 %", {11.5, 12.5}),
        ("<{n},5", {11.5, 12.5}),
        ("({n},5)", {-11.5, -12.5}),
        ("{n}.5%", {11.5, 12.5}),
        ("${n},250.50", {11250.5, 12250.5}),
    ],
)
def test_the_mark_of_numbers_with_signs_is_found(cell: str, numbers: set[float]) -> None:
    rows = [f"{cell.format(n=11 + i % 2)};{'ab'[i % 2]};{'yn'[i // 2 % 2]}" for i in range(40)]
    extra = [f"{i},5;a;y" if "," in cell[-6:] else f"{i}.5;a;y" for i in range(4)]
    table = read_table("\n".join(["x;g;class", *rows, *(extra if "<" in cell else [])]).encode())
    schema = as_numbers(table, infer_schema(table), "x")
    profile = profile_column(table, "x", schema.reading_of("x"))
    assert set(profile.distinct_numbers) - {0.5, 1.5, 2.5, 3.5} == numbers
