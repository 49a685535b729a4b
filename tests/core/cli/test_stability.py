"""The command stability."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("cli") / "triage.csv"
    path.write_bytes(SAMPLES["triage"].csv())
    schema = SAMPLES["triage"].schema()
    return ["stability", str(path), "--target", schema.target, "--positive", schema.positive,
            "--train-size", "150", "--topology", "depth-1", "--resamples", "30"]  # fmt: skip


def timeless(record: dict) -> dict:
    return {key: value for key, value in record.items() if "seconds" not in key}


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
    assert "corrected for optimism" in text and "the integer program was not asked" in text


def test_it_says_in_one_line_what_is_wrong(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--resamples", "20000"]) == 2
    assert "resamples is 20000: give a whole number from 1 to 10,000" in capsys.readouterr().err
