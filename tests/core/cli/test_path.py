"""The command path, and training a tree of any shape."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.export import tree_from_json
from tests.core.cli.refusals import refusal

DATA = ["--target", "class", "--positive", "1"]


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    assert main([*words, "--json"]) == 0
    record: dict = json.loads(capsys.readouterr().out)
    return record


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of which the third column needs two questions, and two equal rows that differ."""
    rows = [(a, b, c, int((a == b) != (c == 2))) for a in "xy" for b in "xy" for c in range(3)] * 2
    lines = [*(",".join(map(str, row)) for row in rows), "x,x,0,0"]
    path = tmp_path_factory.mktemp("path") / "few.csv"
    path.write_text("a,b,c,class\n" + "\n".join(lines) + "\n")
    return path


def test_it_prints_one_point_for_each_number_of_questions(
    few: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["path", str(few), *DATA, "--train-size", "all", "--most-questions", "7"]
    points = run(words, capsys)["points"]
    assert [point["questions"] for point in points] == list(range(8))
    errors = [point["errors"] for point in points]
    assert errors == sorted(errors, reverse=True) and errors[0] == 12 and errors[-1] == 1
    assert {point["status"] for point in points} == {"optimal"}
    assert points[0]["topology"] == "."
    for point in points:
        tree = tree_from_json(point["tree"])
        assert len(tree.decisions) <= point["questions"]
        assert point["train"]["fp"] + point["train"]["fn"] == point["errors"]


def test_train_finds_the_last_point_of_the_path(
    few: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = [str(few), *DATA, "--train-size", "all"]
    point = run(["path", *data, "--most-questions", "4"], capsys)["points"][-1]
    record = run(["train", *data, "--topology", "any-4"], capsys)
    assert record["errors"] == point["errors"] and record["status"] == "optimal"
    assert record["settings"]["topology"] == "any-4"
    assert "of any shape with at most 4 questions" in record["words"]["proof"]
    assert "integer program was not run" in record["words"]["proof"]


@pytest.mark.usefixtures("two_workers")
def test_folds_are_the_same_in_one_process_and_in_two(
    few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["path", str(few), *DATA, "--train-size", "all", "--most-questions", "3"]
    points = tmp_path / "points.csv"
    words += ["--folds", "2", "--seed", "1", "--output", str(points)]
    found = run(words, capsys)
    first = found["cross_validation"]
    for line, point, unseen in zip(
        csv.DictReader(points.open()), found["points"], first["points"], strict=True
    ):
        assert line["questions"] == str(point["questions"]) == str(unseen["questions"])
        assert line["train_errors"] == str(point["errors"]) and line["train_rows"] == "25"
        assert line["proved"] == "yes" and line["shape"] == point["topology"]
        assert float(line["unseen_share"]) == pytest.approx(unseen["share"], abs=1e-6)
        assert line["tree"].count("|") >= tree_from_json(point["tree"]).n_leaves - 1
    assert run([*words, "--jobs", "2"], capsys)["cross_validation"] == first
    assert first["n_folds"] == 2 and len(first["points"]) == 4
    for point in first["points"]:
        assert point["rows"] == 25 and 0 <= point["errors"] <= 25
    assert main(words) == 0
    assert "Least error on unseen rows, over 2 folds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["path", "--most-questions", "16"], "give a whole number from 1 to 15"),
        (["train", "--topology", "any-0"], "give a whole number from 1 to 15"),
        (["train", "--topology", "any-3", "--engine", "cbc"], "one shape at a time"),
        (["path", "--repeats", "3"], "give --folds, too"),
        (["frontier", "--topology", "any-3"], "choose a shape"),
        (["write-model", "--topology", "any-3", "--output", "x.lp"], "choose a shape"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    few: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = words
    assert said in refusal([command, str(few), *DATA, *options], capsys)


def test_a_rule_for_one_question_is_refused(
    few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('[{"node": 1, "features": ["a"]}]')
    assert main(["path", str(few), *DATA, "--rules", str(rules)]) == 2
    assert "Rules for single questions belong to one shape" in capsys.readouterr().err


def test_the_check_of_every_tree_needs_one_shape(
    few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.json"
    words = ["train", str(few), *DATA, "--topology", "any-2", "--output", str(model)]
    assert main(words) == 0
    assert main(["verify", str(model), str(few)]) == 2
    assert "made for one shape" in capsys.readouterr().err
