"""Findings about a table under a schema, and that errors stop the training."""

from __future__ import annotations

import pytest

from odt_core.data import (
    Finding,
    ReadOptions,
    Schema,
    Severity,
    SplitSpec,
    Table,
    check_schema,
    prepare,
    read_table,
)
from odt_core.errors import InputError
from tests.core.data.helpers import CATEGORICAL, IGNORE, NUMERICAL, schema_of, table_of

pytestmark = pytest.mark.filterwarnings("error")

SEX = ["m", "f", "f", "m"] * 5
Y = ["p", "n", "p", "p", "n"] * 4
GOOD = {"sex": SEX, "y": Y}


def found(table: Table, schema: Schema, severity: Severity) -> list[Finding]:
    return [finding for finding in check_schema(table, schema) if finding.severity is severity]


def test_a_good_table_has_no_findings() -> None:
    assert check_schema(table_of(**GOOD), schema_of(sex=CATEGORICAL)) == ()


ERRORS = {
    "no rows": (read_table(b"sex,y\n"), schema_of(sex=CATEGORICAL), None, "no rows below"),
    "absent feature": (
        table_of(**GOOD),
        schema_of(sex=CATEGORICAL, age=NUMERICAL),
        "age",
        "no column 'age': choose among its columns, 'sex', 'y'",
    ),
    "absent target": (
        table_of(**GOOD),
        schema_of(target="z", sex=CATEGORICAL),
        "z",
        "no column 'z'",
    ),
    "target among the features": (
        table_of(**GOOD),
        schema_of(sex=CATEGORICAL, y=CATEGORICAL),
        "y",
        "outcome 'y' is among the features: set it to ignore",
    ),
    "target missing everywhere": (
        table_of(sex=SEX, y=["NA", "?"] * 10),
        schema_of(sex=CATEGORICAL),
        "y",
        "No rows are left, since the outcome 'y' is missing in every row",
    ),
    "target with one class": (
        table_of(sex=SEX, y=["p", ""] * 10),
        schema_of(sex=CATEGORICAL),
        "y",
        "outcome 'y' has a single value, 'p'",
    ),
    "the other class is read as missing": (
        table_of(sex=SEX, y=["p", "?", ""] * 6 + ["p"] * 2),
        schema_of(sex=CATEGORICAL),
        "y",
        r"has a single value, 'p', since '\?' is read as missing: choose other missing values",
    ),
    "positive label never occurs": (
        table_of(**GOOD),
        schema_of(positive="q", sex=CATEGORICAL),
        "y",
        "outcome 'y' is never 'q': choose the positive label among 'n', 'p'",
    ),
    "text in a numerical column": (
        table_of(a=[*map(str, range(19)), "high"], **GOOD),
        schema_of(a=NUMERICAL, sex=CATEGORICAL),
        "a",
        r"Column 'a', row 20 \(line 21 of the file\): 'high' is not a number",
    ),
    "decimal comma under a decimal point": (
        read_table(b"a;y\n1,5;p\n2,5;n\n", ReadOptions(decimal=".")),
        schema_of(a=NUMERICAL),
        "a",
        r"row 1 .*'1,5' is not a number",
    ),
    "number too large": (
        table_of(a=[*map(str, range(19)), "1e400"], **GOOD),
        schema_of(a=NUMERICAL, sex=CATEGORICAL),
        "a",
        "row 20 .*'1e400' is too large a number",
    ),
    "infinity is no number": (
        table_of(a=[*map(str, range(19)), "inf"], **GOOD),
        schema_of(a=NUMERICAL, sex=CATEGORICAL),
        "a",
        "'inf' is not a number",
    ),
    "only constant features": (
        table_of(a=["x"] * 20, **GOOD),
        schema_of(a=CATEGORICAL),
        None,
        "There is no feature to split on",
    ),
    "everything ignored": (
        table_of(**GOOD),
        schema_of(sex=IGNORE),
        None,
        "There is no feature to split on",
    ),
}


@pytest.mark.parametrize(("table", "schema", "column", "message"), ERRORS.values(), ids=ERRORS)
def test_errors(table: Table, schema: Schema, column: str | None, message: str) -> None:
    (finding,) = found(table, schema, Severity.ERROR)
    assert finding.column == column
    with pytest.raises(InputError, match=message) as caught:
        prepare(table, schema, SplitSpec("all"))
    assert str(caught.value) == finding.message
    assert check_schema(table, schema)[0] == finding


def test_one_column_is_an_error() -> None:
    table = read_table(b"y\np\nn\n")
    (finding,) = check_schema(table, schema_of(a=CATEGORICAL))
    assert finding.severity is Severity.ERROR
    assert "only one column, 'y'" in finding.message


REMARKS = {
    "missing target": (
        table_of(sex=SEX, y=[*Y[:18], "", "NA"]),
        schema_of(sex=CATEGORICAL),
        Severity.WARNING,
        "'y' is missing in 2 rows, which are left out",
    ),
    "three classes": (
        table_of(sex=SEX, y=[*Y[:14], *"qqqrrr"]),
        schema_of(sex=CATEGORICAL),
        Severity.INFO,
        "4 values: 'p' is positive, the rest ('n', 'q', 'r') is negative",
    ),
    "a number as outcome": (
        table_of(sex=SEX, y=[*(str(i) for i in range(19)), "p"]),
        schema_of(sex=CATEGORICAL),
        Severity.WARNING,
        "20 values: 'p' is positive and all others are negative",
    ),
    "constant": (
        table_of(a=["x"] * 20, **GOOD),
        schema_of(a=CATEGORICAL, sex=CATEGORICAL),
        Severity.INFO,
        "'a' is the same in every row, so it is ignored",
    ),
    "no value at all": (
        table_of(a=["", "NA"] * 10, **GOOD),
        schema_of(a=CATEGORICAL, sex=CATEGORICAL),
        Severity.INFO,
        "'a' has no value in any row, so it is ignored",
    ),
    "constant and set to ignore": (
        table_of(a=["x"] * 20, **GOOD),
        schema_of(a=IGNORE, sex=CATEGORICAL),
        Severity.INFO,
        "'a' is the same in every row, so it is ignored",
    ),
    "identifier": (
        table_of(a=[f"case {i}" for i in range(20)], **GOOD),
        schema_of(a=CATEGORICAL, sex=CATEGORICAL),
        Severity.WARNING,
        "20 different values in 20 rows, like identifiers: set it to ignore",
    ),
    "identifier, ignored": (
        table_of(a=[f"case {i}" for i in range(20)], **GOOD),
        schema_of(a=IGNORE, sex=CATEGORICAL),
        Severity.INFO,
        "it is ignored unless you set another kind",
    ),
    "row numbers": (
        table_of(a=[str(i) for i in range(20)], **GOOD),
        schema_of(a=NUMERICAL, sex=CATEGORICAL),
        Severity.WARNING,
        "like identifiers",
    ),
    "leak": (
        table_of(a=[{"p": "died", "n": "left"}[y] for y in Y], **GOOD),
        schema_of(a=CATEGORICAL, sex=CATEGORICAL),
        Severity.WARNING,
        "'a' alone determines the outcome 'y'",
    ),
    "look-alikes": (
        table_of(a=["Yes", "yes", "no", "no"] * 5, **GOOD),
        schema_of(a=CATEGORICAL, sex=CATEGORICAL),
        Severity.WARNING,
        "'a' has both 'Yes' and 'yes'",
    ),
    "columns without a description": (
        table_of(a=SEX, b=SEX, **GOOD),
        schema_of(sex=CATEGORICAL),
        Severity.INFO,
        "Columns that are not described are ignored: 'a', 'b'",
    ),
}


@pytest.mark.parametrize(("table", "schema", "severity", "message"), REMARKS.values(), ids=REMARKS)
def test_remarks(table: Table, schema: Schema, severity: Severity, message: str) -> None:
    (finding,) = check_schema(table, schema)
    assert finding.severity is severity
    assert message in finding.message
    assert finding in prepare(table, schema, SplitSpec("all")).findings


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([f"{n}.5%" for n in range(60)], "holds numbers with signs"),
        ([*map(str, range(60)), "QNS"], "holds numbers except for 'QNS'"),
    ],
)
def test_numbers_as_text_are_warned_of_and_not_taken_for_many_categories(
    cells: list[str], says: str
) -> None:
    table = table_of(hba1c=cells * 3, y=["pn"[row % 2] for row in range(len(cells) * 3)])
    schema = schema_of(hba1c=CATEGORICAL)
    warnings = [f.message for f in found(table, schema, Severity.WARNING) if f.column == "hba1c"]
    assert any(says in message for message in warnings)
    assert not any("categories" in message for message in warnings)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([*(f"{n}.5" for n in range(60)), "<0.1"], "holds numbers beyond a limit"),
        ([f"{n}.5 kg" if n % 5 == 0 else f"{n}.5" for n in range(60)], "holds numbers with a unit"),
        ([f"at {n}" if n % 5 == 0 else f"{n}.5" for n in range(60)], "holds numbers except for"),
    ],
)
def test_a_column_of_text_that_is_ignored_is_called_so(cells: list[str], says: str) -> None:
    rows = range(len(cells))
    table = table_of(
        sex=["mf"[row % 3 % 2] for row in rows], crp=cells, y=["pn"[row % 2] for row in rows]
    )
    (warning,) = found(table, schema_of(sex=CATEGORICAL, crp=IGNORE), Severity.WARNING)
    assert warning.message.startswith(f"Column 'crp' is ignored, because it {says}")


@pytest.mark.parametrize(
    ("cells", "units"),
    [
        ([f"{150 + n} cm" if n % 2 else f"1.{50 + n}" for n in range(40)], ["cm"]),
        ([f"{n} mg/dl" if n % 3 else f"{n} µmol/l" for n in range(60)], ["mg/dl", "µmol/l"]),
        ([f"{n}{'ab'[n % 2]}" for n in range(40)], []),  # numbers of beds
        ([f"{n % 4}0 mg" for n in range(40)], []),  # few doses are categories
        ([f"{n}00 {'abcdefgh'[n % 8]}xyz" for n in range(80)], []),  # too many to be units
        ([f"{n} days" if n % 2 else f"day {n}" for n in range(40)], []),
    ],
)
def test_numbers_with_units_are_pointed_out(cells: list[str], units: list[str]) -> None:
    table = table_of(value=cells, y=["pn"[n % 2] for n in range(len(cells))])
    messages = [finding.message for finding in check_schema(table, schema_of(value=CATEGORICAL))]
    told = [message for message in messages if "with a unit behind them" in message]
    assert len(told) == bool(units)
    assert all(f" {unit}'" in message for message in told for unit in units)


def test_errors_come_first() -> None:
    table = table_of(a=["x"] * 20, b=["Yes", "yes"] * 10, **GOOD)
    schema = schema_of(positive="q", a=CATEGORICAL, b=CATEGORICAL)
    severities = [finding.severity for finding in check_schema(table, schema)]
    assert severities == [Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.INFO]
