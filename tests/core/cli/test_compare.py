"""The command compare."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES
from tests.core.cli.refusals import refusal


def options(triage: Path) -> list[str]:
    schema = SAMPLES["triage"].schema()
    return ["compare", str(triage), "--target", schema.target, "--positive", schema.positive,
            "--train-size", "150", "--topologies", "depth-1,depth-2"]  # fmt: skip


def timeless(record: dict) -> dict:
    """The record without the parts that differ from run to run."""
    for candidate in record["candidates"]:
        del candidate["seconds"]
        for fold in candidate["folds"]:
            del fold["seconds"]
    for run in record["runs"]:
        del run["seconds"]
    return {key: value for key, value in record.items() if "seconds" not in key}


@pytest.mark.usefixtures("two_workers")
def test_it_prints_the_contract_in_one_process_and_in_two(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*options(triage), "--max-cards", "1,none", "--folds", "3", "--repeats", "2"]
    words += ["--seed", "5", "--json"]
    assert main(words) == 0
    first = timeless(json.loads(capsys.readouterr().out))
    table = tmp_path / "compare.csv"
    assert main([*words, "--jobs", "2", "--output", str(table)]) == 0
    assert timeless(json.loads(capsys.readouterr().out)) == first
    assert first["status"] == "done" and first["folds"] == first["folds_done"] == 6
    trees = [entry for entry in first["candidates"] if entry["baseline"] is None]
    pairs = [(entry["topology"], entry["max_card"]) for entry in trees]
    assert pairs == [("depth-1", 1), ("depth-1", None), ("depth-2", 1), ("depth-2", None)]
    for entry in first["candidates"]:
        assert len(entry["folds"]) == 6
        rates = [
            (fold["test"]["tp"] + fold["test"]["tn"]) / sum(fold["test"].values())
            for fold in entry["folds"]
        ]
        assert entry["mean_test_accuracy"] == pytest.approx(sum(rates) / 6)
        assert all(sum(fold["train"].values()) == 100 for fold in entry["folds"])
    best = max(trees, key=lambda entry: entry["mean_test_accuracy"])
    chosen = first["candidates"][first["best"]]
    assert chosen["mean_test_accuracy"] == best["mean_test_accuracy"]
    assert first["candidates"][first["one_standard_error"]]["baseline"] is None
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [row["candidate"] for row in rows] == [entry["name"] for entry in first["candidates"]]


def test_it_prints_a_table_and_says_which_is_best(
    triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*options(triage), "--hold-out", "60%", "--repeats", "2", "--feature-selections"]
    assert main([*words, "none,cart", "--least-features", "4"]) == 0
    text = capsys.readouterr().out
    assert "2 folds of the training rows (without the test rows)" in text
    assert "Best: depth-" in text and "CART's columns" in text
    assert "weaker by construction" in text and "CART, pruned" in text
    assert "Nadeau and Bengio" in text


def test_cart_is_called_weaker_only_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{i % 13},{'pq'[i % 2]},{'ny'[i * 7 % 13 > 5]}" for i in range(60)]
    file = tmp_path / "numbers.csv"
    file.write_text("\n".join(["age,sex,ill", *rows]))
    words = ["compare", str(file), "--target", "ill", "--positive", "y", "--engine", "search"]
    assert main([*words, "--topologies", "depth-1", "--hold-out", "0.5", "--repeats", "1"]) == 0
    text = capsys.readouterr().out
    # one of two categories against the other is all that any tree can ask
    assert "CART, pruned" in text and "weaker by construction" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--folds", "1"], "at least 2"),
        (["--folds", "5", "--hold-out", "0.5"], "two ways to divide the rows: give one"),
        (["--hold-out", "150"], "trains on 150 rows, but there are only 150"),
        (["--hold-out", "all"], "leaves none to test on"),
        (["--folds", "100"], "of the rarer class, fewer than the 100 folds"),
        (["--max-cards", "0"], "at least 1, or 'none' for no cap"),
        (["--cut-points", "halves"], "'halves' is not one of as-set, deciles, every"),
        (["--feature-selections", "forest"], "'forest' is not one of none, cart"),
        (["--topologies", "depth-1,any-3"], "any-3, which stands for many shapes: name single"),
        (["--repeats", "500"], "has 2500 folds in all its repeats: give from 1 to 1000"),
    ],
)
def test_it_says_in_one_line_what_is_wrong(
    triage: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refusal([*options(triage), *words], capsys)


def test_intervals_in_the_file_stay_within_0_and_100_percent(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "compare.csv"
    words = ["--topologies", "depth-2", "--train-size", "60", "--objective", "max-tpr"]
    words += ["--min-tnr", "0.5", "--folds", "2", "--output", str(table)]
    assert main([*options(triage), *words]) == 0
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    ends = [(float(row["test_low_percent"]), float(row["test_high_percent"])) for row in rows]
    assert all(0 <= low <= high <= 100 for low, high in ends)
    assert any(end in (0, 100) for pair in ends for end in pair), "some interval was cut off"


def test_more_least_features_than_columns_are_noted(
    triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--folds", "2", "--feature-selections", "cart", "--least-features"]
    assert main([*options(triage), *words, "99"]) == 0
    noted = [x for x in capsys.readouterr().err.splitlines() if "--least-features" in x]
    assert len(noted) == 1 and "is 99, but the table has only 12 columns to ask about" in noted[0]
    assert main([*options(triage), *words, "12"]) == 0
    assert "--least-features" not in capsys.readouterr().err


def test_the_table_is_not_lost_where_its_file_cannot_be_written(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "missing" / "table.csv")
    assert main([*options(triage), "--folds", "2", "--json", "--output", nowhere]) == 2
    found = capsys.readouterr()
    assert json.loads(found.out)["folds_done"] == 2
    assert found.err.splitlines()[-1].startswith("odt_core: --output: the file")
