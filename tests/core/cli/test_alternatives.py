"""The command alternatives: the near-optimal trees, and what each column is worth."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from odt_core.cli import main
from odt_core.export import tree_from_json
from tests.core.cli.refusals import refusal

DATA = ["--target", "class", "--positive", "monk", "--train-size", "all"]


RANK = ("loss_total", "questions", "named")
"""The order of the list."""


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_it_lists_trees_by_rising_errors(monks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-2", "--most", "20"]
    found = run(words, capsys)
    errors = [tree["errors"] for tree in found["trees"]]
    assert found["study"] == "alternatives" and found["status"] == "optimal"
    assert len(errors) == 20 and errors == sorted(errors)
    assert errors[0] == found["least"] == 96
    for tree in found["trees"]:
        shown = tree_from_json(tree["tree"])
        assert [feature.name for feature in shown.features] == sorted(
            tree["columns"], key=[f.name for f in shown.features].index
        )
        assert tree["train"]["fp"] + tree["train"]["fn"] == tree["errors"]
        assert len(shown.decisions) == tree["questions"]
    assert found["complete_to"] > errors[0] and not found["is_all"]
    best = run(["train", str(monks), *DATA, "--topology", "depth-2"], capsys)
    assert best["errors"] == errors[0]


def test_the_best_without_a_column_is_what_training_without_it_finds(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-2", "--most", "3"]
    for column in run(words, capsys)["columns"]:
        without = run(
            ["train", str(monks), *DATA, "--topology", "depth-2", "--ignore", column["name"]],
            capsys,
        )
        assert column["proved"] and column["least_errors_without"] == without["errors"]


def test_limits_on_columns_are_searched_with(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-2"]
    everything = run([*words, "--most", "100"], capsys)["trees"]
    name = everything[0]["columns"][0]
    limited = run([*words, "--most", "3", "--without", name], capsys)
    rest = [tree for tree in everything if name not in tree["columns"]]
    for tree, same in zip(limited["trees"], rest[:3], strict=True):
        assert [tree[key] for key in RANK] == [same[key] for key in RANK]
        assert name not in tree["columns"]
    assert limited["least_free"] == everything[0]["errors"] and limited["is_least_free_proved"]
    two = ["head_shape", "body_shape"]
    only = run([*words, "--most", "3", "--only", ",".join(two)], capsys)["trees"]
    assert only and all(set(tree["columns"]) <= set(two) for tree in only)
    costs = ["--cost", f"{name}=10", "--cost", "is_smiling=0.5", "--max-total-cost", "1.5"]
    cheap = run([*words, "--most", "3", *costs], capsys)
    each = {name: 10.0, "is_smiling": 0.5}
    wanted = [
        tree
        for tree in everything
        if sum(each.get(column, 1.0) for column in set(tree["columns"])) <= 1.5
    ]
    assert [t["errors"] for t in cheap["trees"]] == [t["errors"] for t in wanted[:3]]
    assert main([*words, *costs]) == 0
    said = capsys.readouterr().out
    assert f"Without these limits the best tree has {limited['least_free']} errors." in said


def test_a_limit_on_the_cost_per_case_chooses_among_the_listed_trees(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-2", "--most", "100"]
    file = tmp_path / "trees.csv"
    dear = ["--cost", "jacket_color=10", "--cost", "is_smiling=0.5", "--max-cost", "2"]
    cheap = run([*words, *dear, "--csv", str(file)], capsys)["trees"]
    assert cheap and all(tree["cost_per_case"] <= 2 for tree in cheap)
    lines = list(csv.DictReader(file.open()))
    assert [int(line["train_errors"]) for line in lines] == [tree["errors"] for tree in cheap]
    assert [line["columns"] for line in lines] == ["; ".join(t["columns"]) for t in cheap]


def test_of_equal_trees_the_cheapest_comes_first(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-2", "--most", "100"]

    def rank(tree: dict[str, Any]) -> tuple[float, ...]:
        return tuple(tree[key] for key in RANK)

    free = run(words, capsys)["trees"]
    ties = [tree for tree in free if rank(tree) == rank(free[0])]
    assert len(ties) > 1
    dear = ties[0]["columns"][0]
    priced = run([*words, "--cost", f"{dear}=9"], capsys)["trees"]
    keys = [(*rank(tree), tree["cost_per_case"]) for tree in priced]
    assert keys == sorted(keys)
    assert [rank(tree) for tree in priced] == [rank(tree) for tree in free]


def test_it_prints_a_table_with_what_is_proved(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["alternatives", str(monks), *DATA, "--topology", "depth-1"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "these are all 7 choices of columns that a tree of this shape can have" in said
    assert "Each tree is the best of its choice of columns on the training rows" in said
    assert main([*words, "--without", "jacket_color"]) == 0
    said = capsys.readouterr().out
    assert "a tree of this shape can have with the limits of this list." in said
    assert main([*words[:-1], "depth-2", "--within", "0"]) == 0
    assert "every choice of columns that is as good is here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--without", "shoe"], "--without: there is no column 'shoe'"),
        (["--only", "shoe"], "--only: there is no column 'shoe'"),
        (["--cost", "shoe=1"], "A cost names the column 'shoe', which is not a feature here"),
        (["--cost", "head_shape"], "give COL=VALUE"),
        (["--cost", "head_shape=-1"], "give a number of at least 0"),
        (["--within", "few"], "give a number of at least 0"),
        (["--without", "jacket_color", "--only", "jacket_color"], "allow more columns"),
        (["--most", "0"], "give a whole number of at least 1"),
        (["--most", "90000"], "give a number from 1 to 5,000"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    monks: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refusal(["alternatives", str(monks), *DATA, *words], capsys)
