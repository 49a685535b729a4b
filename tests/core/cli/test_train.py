"""``train``: the JSON contract, the summary, bad input, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from odt_core import cli
from odt_core.__main__ import run
from odt_core.cli import main
from odt_core.cli.interrupt import EXIT_INTERRUPTED
from odt_core.data import SAMPLES
from odt_core.solvers import hybrid
from tests.core.cli.training import monks_arguments, train_json

ROOT = Path(__file__).resolve().parents[3]


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


ROWS = [(17.35, 3, "no")] * 6 + [(17.42, 4, "yes")] * 5 + [(30.0, 5, "no")] * 4 + [(31.0, 9, "no")]


def ages(folder: Path) -> list[str | Path]:
    """Sixteen rows with two numbers each."""
    path = folder / "ages.csv"
    lines = ["hb,age,ill", *(f"{hb},{age},{ill}" for hb, age, ill in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [path, "--target", "ill", "--positive", "yes", "--train-size", "all", "--engine", "cbc"]


@pytest.mark.parametrize(
    ("options", "words", "hb", "age"),
    [
        ([], "over the deciles", ["deciles", 3], ["deciles", 3]),
        (["--cuts", "deciles"], "over the deciles", ["deciles", 3], ["deciles", 3]),
        (["--cuts", "every"], "over every cut point", ["every", 3], ["every", 3]),
        (["--bins", "2"], "over 2 quantiles", ["quantiles", 1], ["quantiles", 1]),
        (
            ["--cuts", "hb=18;", "--cuts", "every"],
            "over the given cut points (every cut point of 'age')",
            ["cuts", 1],
            ["every", 3],
        ),
    ],
)
def test_the_answer_names_the_cut_points_it_holds_for(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    words: str,
    hb: list[Any],
    age: list[Any],
) -> None:
    arguments = [*ages(tmp_path), "--numerical", "hb,age", *options]
    record = train_json(capsys, *arguments)["cut_points"]
    assert record["words"] == words
    assert [[c["method"], c["cuts"]] for c in record["columns"]] == [hb, age]
    assert main(["train", *map(str, arguments)]) == 0
    assert f"Proved {words}." in capsys.readouterr().out


def test_a_cut_point_is_the_same_short_number_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.json"
    found = train_json(capsys, *ages(tmp_path), "--ignore", "age", "--output", model)
    assert 17.4 in found["tree"]["features"][0]["cuts"]
    for form in ("rules", "python", "sql", "dot"):
        assert main(["export", str(model), "--format", form]) == 0
        text = capsys.readouterr().out
        assert "17.4" in text and "17.385" not in text


def test_a_large_cut_point_is_printed_in_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "times.csv", tmp_path / "model.json"
    rows = [f"{20180130120000 + i},{'yes' if i > 28 else 'no'}" for i in range(40)]
    path.write_text("\n".join(["t,ill", *rows]) + "\n", encoding="utf-8")
    asked = [path, "--target", "ill", "--positive", "yes", "--numerical", "t", "--cuts", "every"]
    asked += ["--train-size", "all", "--engine", "cbc", "--topology", "depth-1"]
    found = train_json(capsys, *asked, "--output", model)
    assert found["errors"] == 0
    assert found["tree"]["root"]["question"] == "t <= 20180130120028.5?"
    assert main(["export", str(model), "--format", "rules"]) == 0
    assert "20180130120028.5" in capsys.readouterr().out


def test_a_model_of_very_many_cut_points_states_no_name_of_a_bin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "many.csv", tmp_path / "model.json"
    rows = [f"{'' if i == 7 else i / 8},{'yes' if i % 200 > 90 else 'no'}" for i in range(400)]
    path.write_text("\n".join(["t,ill", *rows]) + "\n", encoding="utf-8")
    asked = [path, "--target", "ill", "--positive", "yes", "--cuts", "every", "--engine", "cbc"]
    found = train_json(capsys, *asked, "--train-size", "all", "--output", model)
    feature = found["tree"]["features"][0]
    assert (len(feature["cuts"]), feature["values"]) == (398, None)
    assert main(["predict", str(model), str(path)]) == 0
    predicted = [line.split(",")[2] for line in capsys.readouterr().out.splitlines()[1:]]
    wrong = sum(guess != row.split(",")[1] for guess, row in zip(predicted, rows, strict=True))
    assert wrong == found["errors"] <= 1


@pytest.mark.parametrize(
    ("options", "least"), [([], 1), (["--min-leaf", "7"], 7), (["--min-leaf", "17"], None)]
)
def test_leaves_are_as_large_as_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], least: int | None
) -> None:
    arguments = [*ages(tmp_path), *options]
    if least is None:
        assert main(["train", *map(str, arguments)]) == 2
        assert "min-leaf is 17, but there are only 16" in capsys.readouterr().err
        return
    found = train_json(capsys, *arguments)
    assert found["status"] == "optimal"
    assert found["errors"] == (0 if least == 1 else 4)
    assert found["smallest_leaf"] == (None if least == 1 else {"rows": 7, "of": "rows"})
    assert min(leaf_sizes(found["tree"]["root"])) >= least


def test_cbc_confirms_at_any_length_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hybrid, "MOST_TO_CONFIRM", 0)
    arguments = [*ages(tmp_path), "--engine", "hybrid"]
    found = train_json(capsys, *arguments)
    assert found["proved_by"] == ["search"] and found["mip"] is None
    assert "The integer program was not run: it has about" in found["words"]["proof"]
    found = train_json(capsys, *arguments, "--confirm-always")
    assert found["proved_by"] == ["search", "cbc"] and found["mip"]["role"] == "confirmed"
    assert "took the bound from the search" in found["words"]["proof"]


def test_a_leaf_may_have_to_hold_rows_of_the_rarer_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--min-leaf", "1", "--min-leaf-of", "rarer-class"]
    found = train_json(capsys, *ages(tmp_path), *wanted)
    assert (found["status"], found["errors"]) == ("optimal", 5)
    assert found["smallest_leaf"] == {"rows": 1, "of": "rarer-class"}


def leaf_sizes(node: dict[str, Any]) -> list[int]:
    if "question" not in node:
        return [node["counts"]["negative"] + node["counts"]["positive"]]
    return leaf_sizes(node["left"]) + leaf_sizes(node["right"])


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
        (["--target", "class", "--cuts", "all"], "--cuts 'all': give every or deciles"),
        (["--target", "class", "--cuts", "nope=every"], "There is no column 'nope'"),
        (["--target", "class", "--cuts", "holding=every"], "'holding', which is not numerical"),
        (["--target", "class", "--cuts", "every", "--bins", "5"], "--cuts and --bins contradict"),
        (["--target", "class", "--min-leaf", "500"], "there are only 345 training rows"),
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
    ("field", "sentence"),
    [
        ('"features": 3', "the rule for node 1 has the features 3: give a list of columns."),
        ('"feature": 5, "threshold": 2', "has the feature 5: give a column's name."),
        ('"feature": "holding", "threshold": "x"', "has the threshold 'x': give a number."),
        ('"feature": "holding", "categories": "no"', "the categories 'no': give a list of"),
        ('"feature": "holding", "missing_left": "false"', "'false': give true or false."),
    ],
)
def test_a_rule_of_a_wrong_type_is_refused(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str, sentence: str
) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(f'[{{"node": 1, {field}}}]')
    assert main(["train", str(monks), "--target", "class", "--rules", str(rules)]) == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (["--max-card", "0"], "--max-card: '0' is not usable"),
        (["--min-tpr", "95"], "'95' is outside 0 to 1"),
        (["--class-weight", "two"], "the weight is 'two': give a number greater than 0"),
        (["--min-leaf", "0"], "--min-leaf: '0' is not usable"),
        (["--min-leaf-of", "x"], "'x' is not one of rows, rarer-class: give"),
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


def test_a_proof_names_the_conditions_that_it_holds_under(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without them there is a better tree of the shape."""
    model = tmp_path / "model.json"
    asked = [*monks_arguments(monks), "--topology", "depth-2", "--engine", "search"]
    conditions = ["--max-card", "1", "--min-leaf", "50", "--forbid", "jacket_color"]
    free = train_json(capsys, *asked)
    found = train_json(capsys, *asked, *conditions, "--output", model)
    assert found["errors"] > free["errors"]
    assert free["words"]["proof"].startswith("No tree of this shape does better on")
    words = "sets of at most 1 category, leaves of at least 50 rows and the expert rules"
    trees = f"of this shape with {words}"
    assert found["words"]["proof"].startswith(f"No tree {trees} does better on")
    assert main(["verify", str(model), str(monks)]) == 0
    assert capsys.readouterr().out.startswith(f"No tree {trees} makes fewer than")
    any_shape = train_json(capsys, *asked, "--topology", "any-2", "--min-leaf", "50")
    trees = "of any shape with at most 2 questions and leaves of at least 50 rows"
    assert any_shape["words"]["proof"].startswith(f"No tree {trees} does better on")


@pytest.mark.parametrize(("name", "what"), [("folder", "folder"), ("pipe", "pipe or device")])
def test_what_is_no_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert main(["train", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.endswith(f"{name}' is a {what}: give a file.\n")


def test_a_model_that_cannot_be_written_does_not_lose_the_tree(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*monks_arguments(monks), "--topology", "depth-1", "--engine", "search"]
    assert main(["train", *map(str, asked), "--output", str(tmp_path)]) == 2
    output = capsys.readouterr()
    assert "cannot be written (Is a directory)" in output.err
    assert "Proved optimal" in output.out


def test_a_reader_that_closes_the_pipe_does_not_lose_the_model(
    monks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example, ``odt train ... | head -1``."""

    def closed(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("odt_core.cli.train.summarize", closed)
    monkeypatch.setattr("sys.stderr", (tmp_path / "errors").open("w"))  # it is closed, too
    asked = [*monks_arguments(monks), "--topology", "depth-1", "--engine", "search"]
    assert main(["train", *map(str, asked), "--output", str(tmp_path / "model.json")]) == 2
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_full_disk_below_standard_output_is_one_sentence(monks: Path, buffered: str) -> None:
    words = [sys.executable, "-m", "odt_core", *map(str, ["train", *monks_arguments(monks)])]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*words, "--engine", "search", "--topology", "depth-1"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONUNBUFFERED": buffered},
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("odt_core: The output cannot be written (No sp")
    assert "Traceback" not in done.stderr and "ignored" not in done.stderr


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


def test_a_long_file_gets_the_same_answer(
    triage: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its CART comes from another process, and the kernels are loaded while it is read."""
    asked = (triage, "--topology", "depth-2", "--engine", "search")
    usual = train_json(capsys, *asked)
    monkeypatch.setattr("odt_core.cli.long_file.LONG", 0)
    with monkeypatch.context() as patch:
        patch.setattr("odt_core.training.run.fit_cart", None)  # this process fits none
        long = train_json(capsys, *asked)
    for timed in ("seconds", "trace", "words"):
        del usual[timed], long[timed]
    assert long == usual


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
        if "best" in line and "none yet" not in line:
            break
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)  # half of the time limit: it did stop
    assert process.returncode == 130, output
    found = json.loads(output)
    assert found["status"] == "cancelled"
    assert found["errors"] is not None and found["errors"] < 958 // 2
    assert found["objective"]["bound"] >= found["objective"]["value"]


def test_ctrl_c_before_there_is_anything_to_show_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For example, while modules are imported or the table is read."""

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert run() == EXIT_INTERRUPTED
    assert capsys.readouterr().err == "odt_core: Interrupted, with nothing to show.\n"


def test_a_folder_for_kernels_that_cannot_be_written_costs_no_answer(
    monks: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "file" / "kernels"
    folder.parent.touch()
    words = [sys.executable, "-m", "odt_core", *map(str, ["train", *monks_arguments(monks)])]
    done = subprocess.run(
        [*words, "--engine", "search", "--topology", "depth-1"],
        cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Proved optimal" in done.stdout and "Traceback" not in done.stderr


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
