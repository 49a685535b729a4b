"""``verify``: a proof is checked by plain enumeration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from odt_core.cli import main
from tests.core.cli.training import monks_arguments, train_json


def verify_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    status = main(["verify", *map(str, arguments), "--json"])
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    return status, json.loads(output)


@pytest.fixture(scope="module")
def model(monks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The best tree of depth 2; it is not to be changed."""
    path = tmp_path_factory.mktemp("verify") / "model.json"
    arguments = [*map(str, monks_arguments(monks)), "--engine", "search", "--output", str(path)]
    assert main(["train", *arguments]) == 0
    return path


def test_a_proved_tree_holds(model: Path, monks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = verify_json(capsys, model, monks)
    assert status == 0
    assert (found["holds"], found["better"], found["covered"]) == (True, None, 1)
    assert found["counted"] > 0 and found["seconds"] > 0
    assert main(["verify", str(model), str(monks)]) == 0
    assert "No tree of this shape makes fewer than 96 errors" in capsys.readouterr().out


def test_a_tree_that_is_not_the_best_is_compared_with_the_best(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worse, path = tmp_path / "worse.json", tmp_path / "worse2.json"
    train_json(capsys, *monks_arguments(monks), "--topology", "depth-1", "--output", worse)
    record = json.loads(worse.read_text(encoding="utf-8"))
    record["facts"]["settings"]["topology"] = "((. .)(. .))"
    path.write_text(json.dumps(record), encoding="utf-8")
    status, found = verify_json(capsys, path, monks)
    assert status == 1
    assert found["holds"] is False
    assert found["better"]["root"]["question"]
    assert "There is a better tree of this shape: it makes 96 errors" in found["words"]["status"]


def test_a_model_of_very_many_bins_knows_its_data_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model file does not list the names of so many bins."""
    table, model = tmp_path / "labs.csv", tmp_path / "model.json"
    rows = "\n".join(
        f"{i % 211}.5,{'fm'[i % 3 % 2]},{'yes' if 90 < i % 211 or i % 7 == 0 else 'no'}"
        for i in range(500)
    )
    table.write_text(f"crp,sex,ill\n{rows}\n", encoding="utf-8")
    asked = ["--target", "ill", "--positive", "yes", "--cuts", "every", "--engine", "search"]
    found = train_json(capsys, table, *asked, "--topology", "depth-1", "--output", model)
    assert found["n_columns"] > 200
    status, checked = verify_json(capsys, model, table)
    assert (status, checked["holds"]) == (0, True)
    report = ["report", str(model), "--data", str(table), "--by", "sex"]
    assert main(report) == 0
    assert "Does it hold in every group?</h2>" in capsys.readouterr().out
    assert main(["validate", str(model), str(table)]) == 0  # its test rows


def test_what_was_covered_in_the_time_is_reported(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], model: Path
) -> None:
    record = json.loads(model.read_text(encoding="utf-8"))
    record["facts"]["settings"]["topology"] = "depth-3"
    deeper = tmp_path / "deeper.json"
    deeper.write_text(json.dumps(record), encoding="utf-8")
    status, found = verify_json(capsys, deeper, monks, "--time-limit", "0.0001")
    assert (status, found["holds"], found["better"]) == (1, None, None)
    assert 0 <= found["covered"] < 1
    assert found["words"]["status"].startswith("Not settled in")


def test_other_data_are_refused(
    model: Path, tmp_path: Path, monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = monks.read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([*lines[:200], *lines[201:]]) + "\n", encoding="utf-8")
    assert main(["verify", str(model), str(other)]) == 2
    assert "is not the data that the model was trained on" in capsys.readouterr().err
