"""Exported Python and SQL answer as the tree does."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.data import CellReading, ColumnEncoder, NumberForm
from odt_core.data.numeric import parse_numbers
from odt_core.export import ExportFormat, python_code, sql_code
from odt_core.problem import Feature, FeatureKind
from odt_core.tree import Leaf, Tree
from tests.core.trees import (
    Row,
    cells_and_codes,
    decision,
    export_tree,
    mushroom_tree,
    random_tree,
    unhurried,
)

randoms = st.randoms(use_true_random=False)


def python_answers(code: str, rows: list[Row]) -> list[str]:
    namespace: dict[str, Any] = {}
    exec(compile(code, "exported.py", "exec"), namespace)
    return [namespace["predict"](row) for row in rows]


def query(code: str) -> str:
    return f"SELECT {code.rstrip()} AS predicted FROM cells ORDER BY number"


def table_statements(tree: Tree) -> tuple[str, str]:
    """Statements that make the table and insert a row."""
    columns = ", ".join(
        '"' + f.name.replace('"', '""') + '" ' + ("DOUBLE" if f.is_numerical else "VARCHAR")
        for f in tree.features
    )
    places = ", ".join("?" for _ in range(len(tree.features) + 1))
    return f"CREATE TABLE cells (number INTEGER, {columns})", f"INSERT INTO cells VALUES ({places})"


def sqlite_answers(code: str, tree: Tree, rows: list[Row]) -> list[str]:
    create, insert = table_statements(tree)
    with sqlite3.connect(":memory:") as database:
        database.execute(create)
        database.executemany(insert, [[i, *row.values()] for i, row in enumerate(rows)])
        return [answer for (answer,) in database.execute(query(code))]


def duckdb_answers(code: str, tree: Tree, rows: list[Row]) -> list[str]:
    create, insert = table_statements(tree)
    with duckdb.connect() as database:
        database.execute(create)
        database.executemany(insert, [[i, *row.values()] for i, row in enumerate(rows)])
        return [answer for (answer,) in database.execute(query(code)).fetchall()]


def labels(tree: Tree, codes: np.ndarray) -> list[str]:
    return [tree.label_name(bool(label)) for label in tree.predict(codes)]


@unhurried
@given(randoms)
def test_python_agrees_with_the_tree(random):
    tree, _ = random_tree(random)
    rows, codes = cells_and_codes(random, tree, 60)
    code = export_tree(tree, "python").decode()
    assert python_answers(code, rows) == labels(tree, codes)
    as_text = [{k: "" if v is None else f" {v} " for k, v in row.items()} for row in rows]
    assert python_answers(code, as_text) == labels(tree, codes)


@unhurried
@given(randoms)
def test_sqlite_agrees_with_the_tree(random):
    tree, _ = random_tree(random)
    rows, codes = cells_and_codes(random, tree, 60)
    code = export_tree(tree, ExportFormat.SQL).decode()
    assert sqlite_answers(code, tree, rows) == labels(tree, codes)


@unhurried
@given(randoms)
def test_duckdb_agrees_with_the_tree(random):
    tree, _ = random_tree(random)
    rows, codes = cells_and_codes(random, tree, 20)
    code = export_tree(tree, "sql").decode()
    assert duckdb_answers(code, tree, rows) == labels(tree, codes)


# --- cells as the encoder reads them --------------------------------------------------------


def ward_tree() -> tuple[Tree, dict[str, ColumnEncoder]]:
    """Pain (2 is a code for missing) and age (-9 and ? are); commas in the numbers."""
    pain = Feature("pain", FeatureKind.CATEGORICAL, ("1", "4", "(missing)"))
    age = Feature("age", FeatureKind.NUMERICAL, ("young", "old"), (50.5,))
    inner = decision(1, {0}, Leaf(False, 9, 0), Leaf(True, 0, 5), {0, 1})
    root = decision(0, {1, 2}, Leaf(True, 1, 3), inner, {0, 1, 2}, unseen_left=False)
    columns = {
        "pain": ColumnEncoder(pain, CellReading(("2",), ","), 2),
        "age": ColumnEncoder(age, CellReading(("?", "-9"), ","), None),
    }
    return Tree(root, (pain, age), "ill", "yes", "no"), columns


def read_with(**readings: CellReading) -> tuple[Tree, dict[str, ColumnEncoder]]:
    """The same tree, with other rules for the cells."""
    tree, columns = ward_tree()
    return tree, {name: replace(columns[name], reading=readings[name]) for name in columns}


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({"pain": "4", "age": "20"}, "yes"),
        ({"pain": 4, "age": 20}, "yes"),
        ({"pain": 4.0, "age": 20}, "yes"),
        ({"pain": "2", "age": "20"}, "yes"),  # a missing pain goes left
        ({"pain": 2.0, "age": "20"}, "yes"),
        ({"pain": float("nan"), "age": 20}, "yes"),
        ({"age": 20}, "yes"),
        ({"pain": "1", "age": "50,5"}, "no"),  # the cut belongs to the lower side
        ({"pain": "1", "age": 50.5}, "no"),
        ({"pain": "1", "age": "50,51"}, "yes"),
        ({"pain": "never", "age": "60"}, "yes"),  # an unseen pain goes right, to the age
        ({"pain": "never", "age": "40"}, "no"),
        ({"pain": "1", "age": "-9,0"}, "no"),  # a missing age goes with most rows
        ({"pain": "1", "age": -9}, "no"),
        ({"pain": "1", "age": "?"}, "no"),
        ({"pain": "1", "age": None}, "no"),
    ],
)
def test_python_reads_cells_as_the_encoder_does(row, answer):
    assert python_answers(python_code(*ward_tree()), [row]) == [answer]


@pytest.mark.parametrize("age", ["old", "inf", "1 2"])
def test_python_says_which_cell_is_not_a_number(age):
    with pytest.raises(ValueError, match="column 'age': .* is not a number"):
        python_answers(python_code(*ward_tree()), [{"pain": "1", "age": age}])


@pytest.mark.parametrize(
    "pain", [4, np.int64(4), np.float64(4), np.float32(4), pd.array([4], "Int64")[0]]
)
@pytest.mark.parametrize("age", [60, np.int16(60), np.float64(60.0), np.float32(60)])
def test_python_takes_numbers_of_numpy_and_pandas(pain, age):
    code = python_code(*ward_tree())
    assert python_answers(code, [{"pain": pain, "age": 20}]) == ["yes"]
    assert python_answers(code, [{"pain": np.int64(1), "age": age}]) == ["yes"]
    assert python_answers(code, [{"pain": np.float64(2), "age": age}]) == ["yes"]


@pytest.mark.parametrize("lost", [None, pd.NA, pd.NaT, np.nan, np.float32("nan"), ""])
def test_python_takes_what_pandas_has_for_missing(lost):
    assert python_answers(python_code(*ward_tree()), [{"pain": 1, "age": lost}]) == ["no"]


def test_python_takes_the_rows_of_a_frame():
    rows = [{"pain": 1.0, "age": 20.0}, {"pain": 4.0, "age": 20.0}, {"pain": 1.0, "age": 60.0}]
    namespace: dict[str, Any] = {}
    exec(python_code(*ward_tree()), namespace)
    answers = pd.DataFrame(rows).apply(namespace["predict"], axis=1)
    assert answers.tolist() == ["no", "yes", "yes"]


CELLS = """
0,750|1.234|0.750|1 234,5|1\u202f234|1'234|\u221260|6.800|12,5|1.5|1,234|007|5.|.5|,5|1e3
1.234.567,8|12.34|x|60%|\u0663
"""


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("cell", re.split(r"[|\n]", CELLS.strip()))
def test_python_reads_the_same_number_as_the_product(cell, decimal):
    number = parse_numbers(pa.array([cell], pa.large_string()), decimal)[0]
    namespace: dict[str, Any] = {}
    tree, columns = read_with(pain=CellReading((), decimal), age=CellReading((), decimal))
    exec(python_code(tree, columns), namespace)
    # the file's own reader: a tree's answer would only tell on which side of a cut the number is
    found = namespace["_as_number"](cell, "age")
    assert found is None if np.isnan(number) else found == number


def test_python_reads_each_column_with_its_own_mark():
    tree, columns = read_with(pain=CellReading(("1,0",), ","), age=CellReading((), "."))
    columns["pain"] = replace(columns["pain"], missing_code=None)
    code = python_code(tree, columns)
    rows = [{"pain": "4,0", "age": "1"}, {"pain": "1", "age": "50.4"}, {"pain": "1", "age": "50.6"}]
    assert python_answers(code, rows) == ["no", "no", "yes"]


@pytest.mark.parametrize("run", [sqlite_answers, duckdb_answers])
def test_sql_reads_cells_as_the_encoder_does(run):
    tree, columns = ward_tree()
    rows = [
        {"pain": "4", "age": 20.0},
        {"pain": " 2 ", "age": 20.0},
        {"pain": "2.0", "age": 20.0},
        {"pain": "2,0", "age": 20.0},
        {"pain": "", "age": 20.0},
        {"pain": None, "age": 60.0},
        {"pain": "1", "age": 50.5},
        {"pain": "1", "age": 50.51},
        {"pain": "never", "age": 60.0},
        {"pain": "1", "age": None},
        {"pain": "1", "age": -9.0},
    ]
    answers = [*["yes"] * 6, "no", "yes", "yes", "no", "no"]
    assert run(sql_code(tree, columns), tree, rows) == answers


@pytest.mark.parametrize("missing_left", [False, True])
def test_a_missing_token_beyond_the_cut_is_still_missing(missing_left):
    left = {0, 2} if missing_left else {0}
    age = Feature("age", FeatureKind.NUMERICAL, ("a", "b", "(missing)"), (50.5,), True)
    root = decision(0, left, Leaf(False, 9, 0), Leaf(True, 0, 5), {0, 1, 2})
    tree = Tree(root, (age,), "ill", "yes", "no")
    answer = "no" if missing_left else "yes"
    for token in (-9.0, 999.0):
        columns = {"age": ColumnEncoder(age, CellReading((str(int(token)),)), 2)}
        rows = [{"age": token}]
        assert python_answers(python_code(tree, columns), rows) == [answer]
        assert sqlite_answers(sql_code(tree, columns), tree, rows) == [answer]
        assert duckdb_answers(sql_code(tree, columns), tree, rows) == [answer]


def test_code_of_a_lone_leaf():
    tree = replace(mushroom_tree(), root=Leaf(True, 1, 2))
    assert python_answers(export_tree(tree, "python").decode(), [{}]) == ["edible"]
    row = {"odor": "foul", "cap size": None}
    assert sqlite_answers(export_tree(tree, "sql").decode(), tree, [row]) == ["edible"]


def test_code_says_what_it_is():
    python, sql = (export_tree(mushroom_tree(), f).decode() for f in ("python", "sql"))
    for code in (python, sql):
        assert "Predicts class; the positive class is edible." in code
        assert "yes to question 1 (a new value of odor)" in code
        assert "odor is almond, anise or none?" in code
    imports = [line for line in python.splitlines() if line.startswith(("import", "from"))]
    modules = ("datetime", "math", "numbers", "re", "unicodedata")
    assert imports == [f"import {module}" for module in modules]


def read_otherwise() -> tuple[Tree, dict[str, ColumnEncoder]]:
    """Wards in several spellings, and a share that is written with signs."""
    ward = Feature("ward", FeatureKind.CATEGORICAL, ("North", "South", "caf\u00e9"))
    share = Feature("share", FeatureKind.NUMERICAL, ("low", "high"), (50.5,))
    inner = decision(1, {0}, Leaf(False, 9, 0), Leaf(True, 0, 5), {0, 1})
    root = decision(0, {1, 2}, Leaf(True, 1, 3), inner, {0, 1, 2}, unseen_left=False)
    joined = (("SOUTH", "South"), ("south", "South"), ("north", "North"))
    columns = {
        "ward": ColumnEncoder(ward, CellReading(("?",), joined=joined), None),
        "share": ColumnEncoder(share, CellReading(("?",), form=NumberForm.SIGNS), None),
    }
    return Tree(root, (ward, share), "ill", "yes", "no"), columns


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({"ward": "SOUTH", "share": "0%"}, "yes"),
        ({"ward": " south ", "share": "0%"}, "yes"),
        ({"ward": "cafe\u0301", "share": "0%"}, "yes"),
        ({"ward": "north", "share": "50.5 %"}, "no"),
        ({"ward": "North", "share": "51%"}, "yes"),
        ({"ward": "North", "share": "(51%)"}, "no"),
        ({"ward": "sOuth", "share": 20.0}, "yes"),  # no training row wrote it so
        ({"ward": "\u200bSouth\u00a0.", "share": 20.0}, "yes"),
        ({"ward": "\u202asouth\u200f\ufe0f", "share": 20.0}, "yes"),  # marks of direction
        ({"ward": "\uff23AF\u00c9", "share": 20.0}, "yes"),  # a C of full width
        ({"ward": "Southern", "share": "51"}, "yes"),  # another value: it goes right
        ({"ward": "Southern", "share": 20.0}, "no"),
    ],
)
def test_python_joins_labels_and_reads_numbers_with_signs(row, answer):
    assert python_answers(python_code(*read_otherwise()), [row]) == [answer]


@pytest.mark.parametrize("run", [sqlite_answers, duckdb_answers])
@pytest.mark.parametrize("unseen_left", [True, False])
def test_sql_joins_labels(run, unseen_left):
    tree, columns = read_otherwise()
    inner = decision(1, {0}, Leaf(False, 9, 0), Leaf(True, 0, 5), {0, 1})
    root = decision(0, {1, 2}, Leaf(True, 1, 3), inner, {0, 1, 2}, unseen_left=unseen_left)
    tree = Tree(root, tree.features, "ill", "yes", "no")
    wards = ["SOUTH", "south", "South", "north", "North", "sOuth"]
    rows = [{"ward": ward, "share": 20.0} for ward in wards]
    unseen = "yes" if unseen_left else "no"
    code = sql_code(tree, columns)
    assert "In ward, any other spelling counts as a value that no training row had." in code
    assert run(code, tree, rows) == ["yes"] * 3 + ["no"] * 2 + [unseen]


def test_rules_and_comments_say_how_cells_are_read():
    tree, columns = read_otherwise()
    said = [
        "In ward, SOUTH and south count as South.",
        "In ward, north counts as North.",
        "In share, numbers are read without their signs: 12.5% is 12.5, (3) is -3.",
    ]
    for format in ("rules", "python", "sql"):
        text = export_tree(tree, format, columns=columns).decode()
        assert all(sentence in text for sentence in said), format
