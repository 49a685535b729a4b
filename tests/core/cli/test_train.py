"""``train``: the JSON contract, the summary, bad input, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from odt_core import cli
from odt_core.__main__ import run
from odt_core.cli import main
from odt_core.cli.interrupt import EXIT_INTERRUPTED
from odt_core.data import SAMPLES

ROOT = Path(__file__).resolve().parents[3]


def train_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    """Run ``train --json``; the one object on standard output."""
    status = main(["train", *map(str, arguments), "--json"])
    output = capsys.readouterr().out
    assert status == 0
    assert output.count("\n") == 1
    return json.loads(output)


def monks_arguments(monks: Path) -> list[str | Path]:
    """All rows of monks-1, no test set, by CBC."""
    return [
        monks,
        "--target",
        "class",
        "--positive",
        "monk",
        "--train-size",
        "all",
        "--engine",
        "cbc",
    ]


def test_monks_depth_2_is_proved_at_96_errors(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = train_json(capsys, *monks_arguments(monks), "--topology", "depth-2")
    assert found["status"] == "optimal"
    assert found["errors"] == 96
    assert found["objective"]["name"] == "accuracy"
    assert found["objective"]["value"] == found["objective"]["bound"] == 432 - 96
    assert found["proved_by"] == ["cbc"]
    assert found["mip"]["status"] == "optimal"
    assert found["mip"]["objective"] == pytest.approx(432 - 96)
    assert found["mip"]["integers"] == 17  # one-hot columns times the one node that touches no leaf
    assert (found["n_train"], found["n_test"]) == (432, 0)
    assert (found["n_features"], found["n_columns"]) == (6, 17)
    assert (found["topology"], found["max_card"]) == ("depth-2", None)
    counts = found["train"]
    assert counts["fp"] + counts["fn"] == 96
    assert found["test"] is None
    assert set(found["seconds"]) >= {"total", "search", "mip"}
    assert found["tree"]["root"]


def test_output_is_a_model_that_predicts_as_counted(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.json"
    found = train_json(capsys, *monks_arguments(monks), "--topology", "depth-1", "--output", model)
    assert main(["predict", str(model), str(monks)]) == 0
    header, *rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    truth, predicted = header.index("class"), header.index("predicted")
    wrong = sum(row[truth] != row[predicted] for row in rows)
    assert wrong == found["errors"]


def test_test_rows_are_the_rest(monks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = train_json(
        capsys, monks, "--target", "class", "--positive", "monk", "--engine", "cbc",
        "--train-size", "332", "--seed", "3", "--topology", "depth-1",
    )  # fmt: skip
    assert (found["n_train"], found["n_test"]) == (332, 100)
    assert sum(found["test"].values()) == 100


def test_same_seed_same_answer(monks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [monks, "--target", "class", "--train-size", "0.5", "--topology", "depth-1",
                 "--engine", "cbc", "--seed", "7"]  # fmt: skip
    first, second = (train_json(capsys, *arguments) for _ in range(2))
    assert first["tree"] == second["tree"]
    assert first["test"] == second["test"]


def test_summary_says_status_rules_and_rates(
    monks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *map(str, monks_arguments(monks)), "--topology", "depth-1"]) == 0
    text = capsys.readouterr().out
    assert "Proved optimal" in text
    assert "sensitivity" in text
    assert "jacket_color" in text


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (["--target", "clas"], "--target names the column 'clas'"),
        (["--target", "class", "--positive", "x"], "'class' is never 'x'"),
        (["--target", "class", "--numerical", "nope"], "--numerical names the column 'nope'"),
        (["--target", "class", "--ignore", "class"], "'class', which is the target"),
        (
            ["--target", "class", "--ignore", "holding", "--categorical", "holding"],
            "'holding' is named by --categorical and by --ignore",
        ),
        (["--target", "class", "--topology", "((. .)"], "The topology '((. .)' cannot be read"),
        (["--target", "class", "--train-size", "9999"], "train-size is 9999"),
        (["--target", "class", "--objective", "max-tpr"], "give min-tnr"),
        (["--target", "class", "--forbid", "nope"], "names the column 'nope'"),
        (["--target", "class", "--rules", "nowhere.json"], "--rules: the file 'nowhere.json'"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(
    monks: Path, capsys: pytest.CaptureFixture[str], extra: list[str], sentence: str
) -> None:
    assert main(["train", str(monks), *extra]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert sentence in output.err.splitlines()[-1]
    assert "Traceback" not in output.err


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (["--max-card", "0"], "--max-card: '0' is not usable"),
        (["--min-tpr", "95"], "'95' is outside 0 to 1"),
        (["--class-weight", "two"], "the weight is 'two': give a number greater than 0"),
        (["--engine", "cplex"], "--engine: 'cplex' is not one of hybrid, cbc, highs, search: give"),
        (["--objective", "f1"], "--objective: 'f1' is not one of accuracy, balanced"),
        (["--time-limit", "-1"], "'-1' is not a number of seconds"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_bad_options_are_one_sentence_and_status_2(
    monks: Path, capsys: pytest.CaptureFixture[str], extra: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", str(monks), *extra])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "nowhere.csv"]) == 2
    assert "There is no file 'nowhere.csv'" in capsys.readouterr().err


def test_list_options_take_commas_repetition_and_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.csv"
    rows = "\n".join(f"{i % 3},{i % 2},{i},{'yes' if i % 2 else 'no'}" for i in range(40))
    path.write_text(f'"a, b",c,d,class\n{rows}\n', encoding="utf-8")
    found = train_json(
        capsys, path, "--target", "class", "--categorical", '"a, b"', "--categorical", "c",
        "--ignore", "d", "--topology", "depth-1", "--engine", "cbc",
    )  # fmt: skip
    assert [feature["name"] for feature in found["tree"]["features"]] == ["a, b", "c"]
    assert found["errors"] == 0


def test_interrupted_run_prints_its_best_tree_with_status_130(tmp_path: Path) -> None:
    path = tmp_path / "ttt.csv"
    SAMPLES["tic-tac-toe"].load().frame.to_csv(path, index=False)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "odt_core", "train", str(path), "--target", "class",
            "--train-size", "all", "--topology", "depth-3", "--engine", "cbc",
            "--time-limit", "120", "--json",
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "best" in line:
            break
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert time.monotonic() - pressed < 5
    assert process.returncode == 130
    found = json.loads(output)
    assert found["status"] == "cancelled"
    assert found["errors"] is not None and found["errors"] < 958 // 2
    assert found["objective"]["bound"] >= found["objective"]["value"]


def test_ctrl_c_before_there_is_anything_to_show_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While modules are imported, say, or the table is read."""

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert run() == EXIT_INTERRUPTED
    assert capsys.readouterr().err == "odt_core: Interrupted, with nothing to show.\n"


def test_a_folder_for_kernels_that_cannot_be_written_is_named(monks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "file" / "kernels"
    folder.parent.touch()
    words = [sys.executable, "-m", "odt_core", *map(str, ["train", *monks_arguments(monks)])]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    done, by_cbc = (
        subprocess.run(
            [*words, "--engine", engine, "--topology", "depth-1"],
            cwd=ROOT, capture_output=True, text=True, env=environment,
        )
        for engine in ("hybrid", "cbc")
    )  # fmt: skip
    assert done.returncode == 2 and done.stdout == ""
    assert f"the folder {str(folder)!r} cannot be written (Not a directory)" in done.stderr
    assert done.stderr.count("\n") == 1
    assert by_cbc.returncode == 0 and "Proved optimal" in by_cbc.stdout


def test_help_is_quick_to_import() -> None:
    """The parser alone pulls in no solver, table reader or plotting library."""
    code = (
        "import sys; from odt_core.cli.parser import make_parser; make_parser(); "
        "print([m for m in ('pandas', 'mip', 'sklearn', 'numba', 'plotly', 'duckdb') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_missing_tokens_may_begin_with_a_minus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "codes.csv"
    rows = "\n".join(f"{-9 if i % 5 == 0 else i},{'yes' if i > 20 else 'no'}" for i in range(60))
    path.write_text(f"x,class\n{rows}\n", encoding="utf-8")
    found = train_json(
        capsys, path, "--target", "class", "--numerical", "x", "--missing", "-9,-8",
        "--topology", "depth-1", "--engine", "cbc",
    )  # fmt: skip
    assert "(missing)" in found["tree"]["features"][0]["values"]
