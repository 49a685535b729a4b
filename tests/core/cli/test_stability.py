"""The command stability."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES
from tests.core.cli.refusals import refusal


@pytest.fixture
def words(triage: Path) -> list[str]:
    schema = SAMPLES["triage"].schema()
    return ["stability", str(triage), "--target", schema.target, "--positive", schema.positive,
            "--train-size", "150", "--topology", "depth-1", "--resamples", "30"]  # fmt: skip


def timeless(record: dict) -> dict:
    return {key: value for key, value in record.items() if "seconds" not in key}


@pytest.mark.usefixtures("two_workers")
def test_it_prints_the_contract_in_one_process_and_in_two(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json"]) == 0
    first = timeless(json.loads(capsys.readouterr().out))
    columns, rows = tmp_path / "columns.csv", tmp_path / "rows.csv"
    outputs = ["--output", str(columns), "--rows-output", str(rows)]
    assert main([*words, "--json", "--jobs", "2", *outputs]) == 0
    assert timeless(json.loads(capsys.readouterr().out)) == first
    assert first["resamples"] == first["asked"] == 30 and first["status"] == "done"
    assert set(first["columns"][0]) >= {"name", "asked", "at_root"}
    assert 1 <= first["trees"] <= 30 and first["proved"] == 30
    assert set(first["optimism"]) == {"accuracy", "sensitivity", "specificity"}
    for rate in first["optimism"].values():
        assert rate["corrected"] == pytest.approx(rate["apparent"] - rate["optimism"])
    assert len(first["rows"]["changed"]) == len(first["rows"]["row"]) == 150
    table = list(csv.DictReader(io.StringIO(columns.read_text(encoding="utf-8"))))
    assert [row["column"] for row in table] == [column["name"] for column in first["columns"]]
    assert len(rows.read_text(encoding="utf-8").splitlines()) == 151


def test_it_says_in_words_first(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.startswith("In 30 resamples the first question was about ")
    assert "corrected for optimism" in text and "the integer program was not run" in text


def test_it_says_in_one_line_what_is_wrong(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal([*words, "--resamples", "20000"], capsys)
    assert "resamples is 20000: give a whole number from 1 to 10,000" in said


def test_the_answer_is_not_lost_where_a_file_cannot_be_written(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "missing" / "rows.csv")
    assert main([*words, "--resamples", "3", "--json", "--rows-output", nowhere]) == 2
    found = capsys.readouterr()
    assert json.loads(found.out)["resamples"] == 3
    assert found.err.splitlines()[-1].startswith("odt_core: --rows-output: the file")


def test_the_places_of_a_column_are_listed_by_frequency(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # missing values decide the outcome; the numbers say little about it
    lines = [f"{'' if i % 3 == 0 else (i * 7) % 41},{int(i % 3 == 0)}" for i in range(60)]
    table = tmp_path / "missing.csv"
    table.write_text("value,y\n" + "\n".join([*lines, "5,1", "9,1", "30,1"]))
    options = ["--target", "y", "--positive", "1", "--train-size", "all", "--resamples", "25"]
    command = ["stability", str(table), *options, "--topology", "cues-3"]
    assert main([*command, "--json"]) == 0
    column = json.loads(capsys.readouterr().out)["columns"][0]
    assert column["cuts"] and column["sets"][0]["n"] > max(cut["n"] for cut in column["cuts"])
    assert main(command) == 0
    line = next(x for x in capsys.readouterr().out.splitlines() if x.startswith("value "))
    assert line.split(maxsplit=3)[3].startswith(f"is missing ({column['sets'][0]['n']}), ")


def test_the_words_say_that_groups_are_drawn_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "visits.csv"
    rows = [f"P{i // 2},{i % 7},{int(i % 7 > 3)}" for i in range(60)]
    table.write_text("patient,value,y\n" + "\n".join(rows))
    options = ["--target", "y", "--positive", "1", "--group", "patient", "--resamples", "2"]
    assert main(["stability", str(table), *options, "--topology", "depth-1"]) == 0
    text = capsys.readouterr().out
    assert "as many groups as the training set" in text and "as many rows" not in text


def test_trees_without_a_question_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "noise.csv"
    rows = [f"{(i * 17) % 23},{int(i % 4 == 0 or i in (1, 6, 9))}" for i in range(40)]
    table.write_text("value,y\n" + "\n".join(rows))
    options = ["--target", "y", "--positive", "1", "--train-size", "all", "--resamples", "20"]
    command = ["stability", str(table), *options, "--topology", "depth-1"]
    assert main([*command, "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)["columns"][0]["at_root"]
    assert 1 < asked < 19
    assert main(command) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == (
        f"In 20 resamples the first question was about value {asked} times; "
        f"{20 - asked} trees asked nothing."
    )
