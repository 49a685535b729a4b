"""The commands frontier and curve."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.cli.frontier import cost_words
from odt_core.data import SAMPLES
from odt_core.evaluation import CostRange
from odt_core.export import tree_from_json
from tests.core.cli.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]


def options(triage: Path) -> list[str]:
    schema = SAMPLES["triage"].schema()
    return [str(triage), "--target", schema.target, "--positive", schema.positive,
            "--train-size", "200", "--max-card", "1"]  # fmt: skip


def test_frontier_prints_the_contract(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "points.csv"
    words = ["frontier", *options(triage), "--json", "--output", str(table), "--costs", "10:1"]
    assert main(words) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["status"] == "optimal" and record["seconds"] > 0
    points = record["points"]
    assert points[0]["fn"] == 0 and points[-1]["fp"] == 0
    for point in points:
        assert point["tpr"] == point["train"]["tp"] / record["n_positive"]
        tree_from_json(point["tree"])
    costs = [10 * point["fn"] + point["fp"] for point in points]
    assert costs[record["best_for_costs"]] == min(costs)
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [int(row["fn"]) for row in rows] == [point["fn"] for point in points]


def test_frontier_prints_a_table_with_the_costs(
    triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["frontier", *options(triage), "--topology", "depth-1", "--costs", "3"]) == 0
    text = capsys.readouterr().out
    assert "Every point is proved, and none is missing." in text
    assert "best for the costs given" in text and "training TPR" in text


def test_costs_that_meet_are_one_number() -> None:
    half = Fraction(1, 2)
    assert cost_words(CostRange(half, half)) == "0.5"
    assert cost_words(CostRange(half, Fraction(3, 2))) == "0.5 to 1.5"
    assert cost_words(CostRange(half, None)) == "0.5 and more"
    assert cost_words(None) == "-"


def test_curve_is_the_same_in_one_process_and_in_two(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "curve",
        *options(triage),
        "--levels",
        "90,98.5,100",
        "--topologies",
        "depth-1,depth-2",
    ]
    words += ["--repeats", "3", "--seed", "5", "--json"]
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    table = tmp_path / "curve.csv"
    assert main([*words, "--jobs", "2", "--output", str(table)]) == 0
    second = json.loads(capsys.readouterr().out)
    assert first["table"] == second["table"] and first["runs"] == second["runs"]
    assert second["cpu_seconds"] > 1, "two workers start and solve: their time counts"
    assert first["repeats_done"] == 3 and len(first["runs"]) == 3 * 2 * 3
    assert first["levels"] == [90, 98.5, 100]
    assert len(table.read_text(encoding="utf-8").splitlines()) == 1 + 6


def test_curve_sweeps_floors_on_specificity(
    triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["curve", *options(triage), "--topologies", "depth-2", "--levels", "80,95"]
    words += ["--repeats", "2", "--sweep", "tnr"]
    table = tmp_path / "curve.csv"
    assert main([*words, "--json", "--output", str(table)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["sweep"] == "tnr" and len(record["runs"]) == 2 * 2
    for run in record["runs"]:
        floor = {"4/5": 0.8, "19/20": 0.95}[run["level"]]
        assert run["train"]["tn"] >= floor * (run["train"]["tn"] + run["train"]["fp"])
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [row["floor_on"] for row in rows] == ["tnr", "tnr"]
    assert main(words) == 0
    assert "floors on training specificity" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--levels", "95,abc"], "A level is 'abc': give a percentage from 0 to 100"),
        (["--levels", "101"], "A level is '101': give a percentage from 0 to 100. See"),
        (["--levels", "0.95"], "A level is '0.95': write 95 for 95%, or 0.95% for less"),
        (["--topologies", "depth-9"], "topology 'depth-9' cannot be read"),
        (["--topologies", "any-3"], "any-3, which stands for many shapes: name single shapes"),
        (["--repeats", "0"], "at least 1"),
        (["--sweep", "ppv"], "invalid choice: 'ppv'"),
        (["--train-size", "all"], "leaves none"),
    ],
)
def test_curve_says_in_one_line_what_is_wrong(
    triage: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refusal(["curve", *options(triage), *words], capsys)


@pytest.mark.parametrize("command", [["frontier"], ["curve", "--repeats", "1"]])
def test_the_table_is_not_lost_where_its_file_cannot_be_written(
    triage: Path, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "missing" / "table.csv")
    assert main([*command, *options(triage), "--json", "--output", nowhere]) == 2
    found = capsys.readouterr()
    assert json.loads(found.out)["n_train" if command == ["frontier"] else "table"]
    assert found.err.splitlines()[-1].startswith("odt_core: --output: the file")


def test_frontier_refuses_wrong_costs(triage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(["frontier", *options(triage), "--costs", "10:0"], capsys)
    assert "'10:0' is not a pair of costs" in said


def test_ctrl_c_gives_the_repeats_that_are_done(triage: Path) -> None:
    words = ["curve", *options(triage), "--topologies", "depth-2", "--repeats", "900", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "odt_core", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    deadline = time.monotonic() + 120
    for line in process.stderr:
        if b" of 900 splits" in line:
            break
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    record = json.loads(out)
    assert record["status"] == "cancelled" and 0 < record["repeats_done"] < 900
    assert record["table"]
