"""A tree's answers for the rows of a table, and the CSV with the answers."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from odt_core import MADE_BY
from odt_core.data import SplitSpec, Table, infer_schema, read_table
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.export.csv_cells import csv_cells, csv_text
from odt_core.scoring import ADDED, DifferenceKind, Doubt, score, scored_csv
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from tests.core.trees import ODD_NAMES

WARDS = ["u,A,30,sick"] * 20 + ["v,A,40,fine"] * 18 + ["w,A,50,fine"] * 5
WARDS += ["u,B,60,fine"] * 40 + ["z,B,70,fine"] * 3
"""Ward z has the group B only, and the ward is asked about in group A."""


def table(*lines: str) -> Table:
    return read_table("\n".join(lines).encode(), name="cases.csv")


def trained(rows: Table, positive: str, *, ignore: tuple[str, ...] = ()) -> Model:
    schema = infer_schema(rows, rows.columns[-1], positive)
    for column in ignore:
        schema = schema.with_kinds({column: "ignore"})
    spec = TrainSpec(
        schema, SplitSpec.parse("all"), Topology.parse("depth-2"), engine=Engine.SEARCH
    )
    model = run_training(rows, spec).model
    assert model is not None
    return model


@pytest.fixture(scope="module")
def wards() -> Model:
    return trained(table("ward,grp,age,class", *WARDS), "sick", ignore=("age",))


@pytest.fixture(scope="module")
def ages() -> Model:
    lines = [f"{20 + i % 50},{'sick' if i % 50 > 25 else 'fine'}" for i in range(100)]
    return trained(table("age,class", *lines), "sick")


def test_rows_are_answered_as_the_tree_answers_them(wards: Model) -> None:
    scores = score(wards, table("grp,ward", "A,u", "B,u", "A,v"))
    assert scores.positive.tolist() == [True, False, False]
    assert not scores.is_doubtful.any() and scores.differences == ()


def test_values_new_to_all_rows_differ_from_values_new_at_the_question(wards: Model) -> None:
    scores = score(wards, table("ward,grp", "z,A", "new,A", "u,A", "z,B"))
    patterns, of_row = scores.patterns
    found = [[doubt for doubt, _ in patterns[place].doubts] for place in of_row]
    assert found == [[Doubt.NEW_HERE], [Doubt.NEW], [], []]
    assert [scores.n_with(doubt) for doubt in Doubt] == [1, 1, 0, 0]
    (difference,) = scores.differences
    assert (difference.kind, difference.rows) == (DifferenceKind.NEW_VALUES, 1)
    assert difference.examples == ("new",)


def test_text_among_numbers_and_absent_values_are_read_as_missing_and_reported(ages: Model) -> None:
    scores = score(ages, table("age,x", "30,a", "unknown,a", "60,a", ",a", "60,a"))
    kinds = {each.kind: each.rows for each in scores.differences}
    assert kinds == {DifferenceKind.NOT_NUMBERS: 1, DifferenceKind.NEW_MISSING: 1}
    patterns, of_row = scores.patterns
    words = [patterns[place].words for place in of_row]
    assert words[0] == words[2] == words[4] == ""
    assert "age: not a number, read as missing" in words[1]
    assert words[3] == "age: missing, but never missing in training"


def test_numbers_beyond_those_of_training_are_flagged(ages: Model) -> None:
    scores = score(ages, table("age,x", "20,a", "19.5,a", "69,a", "500,a"))
    assert scores.is_doubtful.tolist() == [False, True, False, True]
    (difference,) = scores.differences
    assert (difference.kind, difference.rows) == (DifferenceKind.BEYOND, 2)
    assert set(difference.examples) == {"19.5", "500"}
    patterns, of_row = scores.patterns
    assert patterns[of_row[1]].words == "age: a number outside the range of the training rows"


def test_only_the_columns_that_are_asked_about_are_needed(wards: Model, ages: Model) -> None:
    whole = trained(
        table("ward,other,class", *(f"{r.split(',')[0]},{i % 3},{r.split(',')[3]}" for i, r in
                                    enumerate(WARDS[:43]))), "sick"
    )  # fmt: skip
    (difference,) = score(whole, table("ward,note", "u,x", "v,y")).differences
    assert difference.kind is DifferenceKind.UNUSED_COLUMNS and difference.examples == ("other",)
    with pytest.raises(InputError, match="no column 'age'.*Its column 'AGE' may be 'age'"):
        score(ages, table("AGE,x", "30,1"))


def test_a_model_whose_parts_disagree_is_refused(wards: Model) -> None:
    encoder = json.loads(json.dumps(wards.encoder))
    ward = next(column for column in encoder["columns"] if column["name"] == "ward")
    ward["values"] += ["x", "y", "z2"]
    damaged = replace(wards, encoder=encoder)
    with pytest.raises(InputError, match="its tree and its encoder disagree about the values"):
        score(damaged, table("ward,grp", "z2,A"))


def test_the_file_agrees_with_the_tree_row_by_row(wards: Model) -> None:
    rng = random.Random(3)
    cells = [
        (rng.choice(["u", "v", "z", "new", ""]), rng.choice("AB"), rng.choice(ODD_NAMES))
        for _ in range(300)
    ]
    lines = csv_text([("ward", "grp", "note, odd"), *cells], keep_formulas=True)
    rows = read_table(lines.encode())
    scores = score(wards, rows)
    content = scored_csv(scores, rows, keep_formulas=True).decode()
    found = list(csv.DictReader(io.StringIO(content, newline="")))
    tree = scores.tree
    assert len(found) == 300
    for cell, row, leaf in zip(cells, found, scores.leaves, strict=True):
        assert (row["ward"], row["grp"]) == cell[:2]
        assert row["predicted"] == tree.label_name(tree.leaves[leaf].label)
        assert row["leaf"] == str(leaf + 1)
        assert float(row["share_positive"]) == pytest.approx(
            tree.leaves[leaf].n_positive / tree.leaves[leaf].n, abs=1e-5
        )
        is_marked = bool(row["unseen"] or row["unseen_at_question"])
        assert is_marked == bool(row["warnings"])
        assert row["software"] == MADE_BY


def test_an_added_column_never_takes_a_name_that_is_there(ages: Model) -> None:
    rows = table("age,predicted,leaf", "30,a,b")
    header, first = scored_csv(score(ages, rows), rows).decode().splitlines()
    assert header.split(",")[:3] == ["age", "predicted", "leaf"]
    assert header.split(",")[3:5] == ["predicted_", "leaf_"] and len(ADDED) == 7
    assert first.split(",")[3] == "fine"


@pytest.mark.parametrize("keep_formulas", [False, True])
def test_many_cells_are_written_as_one_by_one(keep_formulas: bool) -> None:
    cells = [*ODD_NAMES, "=1+1", "-1.5", "-1e5", "+3", "-x", "@a", "＝1", "", "-", "\t1", "1,5"]  # noqa: RUF001
    alone = [csv_text([[cell, "x"]], keep_formulas=keep_formulas)[:-3] for cell in cells]
    together = csv_cells(pa.array(cells, pa.large_string()), keep_formulas=keep_formulas)
    assert together.to_pylist() == alone


def test_a_file_of_several_blocks_is_whole(ages: Model) -> None:
    n = 250_001
    ages_of_rows = np.arange(n) % 60 + 20
    rows = read_table(("age\n" + "\n".join(map(str, ages_of_rows)) + "\n").encode())
    content = scored_csv(score(ages, rows), rows)
    lines = content.decode().splitlines()
    assert len(lines) == n + 1
    assert [int(line.split(",")[0]) for line in lines[1:]] == ages_of_rows.tolist()
