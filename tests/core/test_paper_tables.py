"""The commands that print the paper's tables, on small sets made up here."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from benchmarks.paper import main
from benchmarks.paper_rows import Division, Way, load

SPLITS = 2


def table_rows(text: str) -> list[list[str]]:
    """The cells of a Markdown table, without its heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[2:]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two of the paper's sets in small, with a rule and some noise."""
    random.seed(3)
    for name, answers, values in (
        ("bc", ("benign", "malignant"), "1 2 3 4 5 6 7 8 9 10".split()),
        ("mush", ("edible", "poisonous"), list("abcd")),
        ("votes", ("democrat", "republican"), list("ny?")),
    ):
        rows = [[random.choice(values) for _ in range(4)] for _ in range(120)]
        labels = [
            answers[(row[0] in values[:2]) != (random.random() < 0.1 and row[1] == values[0])]
            for row in rows
        ]
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["x1", "x2", "x3", "x4", "class"])
            writer.writerows([*row, label] for row, label in zip(rows, labels, strict=True))
    return tmp_path


def run(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints."""
    assert main([*words, "--data", str(folder), "--splits", str(SPLITS), "--limit", "60"]) == 0
    return capsys.readouterr().out


def test_cart_has_four_shapes_with_and_without_selection_each_proved(folder, capsys):
    out = run(folder, capsys, "cart", "--sets", "bc,votes")
    rows = table_rows(out)
    assert [row[:3] for row in rows if row[2] == "ours"] == [
        [name, columns, "ours"]
        for name in ("bc", "votes")
        for columns in ("all columns", "CART's columns")
    ]
    assert all(len(row) == 8 for row in rows)
    assert f"{2 * 2 * 4 * SPLITS} trees, {2 * 2 * 4 * SPLITS} of them proved" in out


def test_a_deeper_tree_is_no_worse_in_training(folder, capsys):
    ours = table_rows(run(folder, capsys, "cart", "--sets", "votes"))[0]
    training = [float(cell.split(" ")[0]) for cell in ours[3:7]]
    assert training == sorted(training)
    assert training[-1] > 80


def test_branching_with_a_larger_cap_is_no_worse_in_training(folder, capsys):
    out = run(folder, capsys, "branching", "--sets", "mush")
    ours = [float(cell.split(" ")[0]) for cell in table_rows(out)[0][3:]]
    assert ours[:3] == sorted(ours[:3])
    assert ours[3:] == sorted(ours[3:])
    assert f"{6 * SPLITS} trees, {6 * SPLITS} of them proved" in out


def test_the_chosen_shape_is_validated_on_five_folds_of_four_shapes(folder, capsys):
    out = run(folder, capsys, "chosen", "--sets", "votes")
    trees = SPLITS * (5 * 4 + 1)
    assert f"{trees} trees, {trees} of them proved" in out
    often = table_rows(out)[0][-1]
    assert sum(int(part.split(" ")[-1]) for part in often.split(", ")) == SPLITS


def test_switches_are_solved_by_cbc_and_highs(folder, capsys):
    words = ("--sets", "bc", "--rows", "30", "--topology", "depth-2")
    out = run(folder, capsys, "switches", *words)
    ours = [row for row in table_rows(out) if row[2] == "ours"]
    assert [row[1] for row in ours] == [f"{s}, 30 rows, depth-2" for s in ("cbc", "highs")]
    trees = 2 * 5 * SPLITS
    assert f"{trees} trees, {trees} of them proved" in out


def test_an_absent_set_is_named(tmp_path, capsys):
    assert main(["heloc", "--data", str(tmp_path)]) == 2
    assert "heloc is not in" in capsys.readouterr().err


def test_an_unknown_set_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["cart", "--data", str(tmp_path), "--sets", "iris"])
    assert "'iris' is no data set of the paper" in capsys.readouterr().err


def test_every_tree_is_tested_on_the_same_rows_and_trained_on_none_of_them(folder):
    division = Division(*load(folder, "bc"), seed=1)
    few, all_of_them = division.rows(50), division.rows(None)
    assert len(all_of_them.train_rows) == 108
    assert len(few.train_rows) == few.train.n_rows == 50
    assert set(few.train_rows) < set(all_of_them.train_rows)
    for prepared in (few, all_of_them, division.for_cart):
        assert prepared.test is not None
        assert list(prepared.test_rows) == list(division.for_cart.test_rows)
        assert prepared.test.n_rows == 12
        assert not set(prepared.test_rows) & set(prepared.train_rows)
    assert few.test is not None and all_of_them.test is not None
    assert list(few.test.y) == list(all_of_them.test.y)


def test_columns_that_are_not_selected_are_not_asked_about(folder, monkeypatch):
    division = Division(*load(folder, "votes"), seed=0)
    monkeypatch.setattr(division, "selected", lambda least: frozenset({"x4"}))
    free = division.train(Way("depth-1", is_selected=False), 60)
    tied = division.train(Way("depth-1"), 60)
    assert free.train is not None and tied.train is not None
    assert free.train.errors < tied.train.errors
