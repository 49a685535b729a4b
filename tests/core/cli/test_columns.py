"""Columns as real files have them, from training to prediction and exported code."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from odt_core.cli import main
from tests.core.cli.refusals import refusal

SEARCH = ["--engine", "search", "--topology", "depth-1"]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def trained(capsys: pytest.CaptureFixture[str], file: Path, *options: str) -> tuple[Path, str]:
    """The model of a training run, and what the command said beside its answer."""
    model = file.with_suffix(".json")
    assert main(["train", str(file), *SEARCH, *options, "--output", str(model)]) == 0
    return model, capsys.readouterr().err


def predicted(capsys: pytest.CaptureFixture[str], model: Path, file: Path) -> list[str]:
    assert main(["predict", str(model), str(file)]) == 0
    return [row["predicted"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]


def exported(capsys: pytest.CaptureFixture[str], model: Path, rows: list[dict[str, Any]]) -> Any:
    assert main(["export", str(model), "--format", "python"]) == 0
    namespace: dict[str, Any] = {}
    exec(capsys.readouterr().out, namespace)
    return [namespace["predict"](row) for row in rows]


def test_labels_are_joined_from_training_to_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["p,Yes", "q,No", "P,yes", "q,no"] * 10
    file = write(tmp_path / "f.csv", ["a,class", *rows])
    options = ("--target", "class", "--train-size", "all")
    _, said = trained(capsys, file, *options, "--positive", "Yes")
    assert (
        "labels that differ only in how they are written ('no' and 'No'; 'yes' and 'Yes')" in said
    )
    assert "if they are the same. Give --join class." in said
    model, said = trained(capsys, file, *options, "--join", "class,a")
    assert "Column 'class': 'yes' as 'Yes', 'no' as 'No'." in said
    assert json.loads(model.read_text())["schema"]["target_joined"] == {"no": "No", "yes": "Yes"}
    score = write(tmp_path / "score.csv", ["a", "P", "p", "q"])
    assert predicted(capsys, model, score) == ["Yes", "Yes", "No"]
    cells = [{"a": "P"}, {"a": "p"}, {"a": "q"}]
    assert exported(capsys, model, cells) == ["Yes", "Yes", "No"]


@pytest.mark.parametrize(
    "command",
    [
        ["train"],
        ["curve"],
        ["frontier"],
        ["compare", "--topologies", "depth-1"],
        ["path"],
        ["alternatives"],
        ["stability"],
    ],
)
def test_no_positive_label_is_guessed_among_spellings(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["p,ja", "q,nein", "p,Ja", "q,Nein"] * 10
    file = write(tmp_path / "f.csv", ["a,b,Sepsis n", *(f"u,{row}" for row in rows)])
    name, *more = command
    line = refusal([name, str(file), "--target", "Sepsis n", *more], capsys)
    assert "('Ja' and 'ja'; 'Nein' and 'nein')" in line or "'ja' and 'Ja'" in line
    assert line.endswith("Give --join 'Sepsis n', or --positive LABEL to keep them apart.")


@pytest.mark.parametrize(
    ("cells", "scored"),
    [
        ([f"{i % 50}.5%" for i in range(60)], ["(4.5%)", "49%"]),
        ([*(f"${1 + i % 50},100" for i in range(59)), "n.d."], ["$3,000", "$49,000.50"]),
        ([*(str(i % 50) for i in range(58)), "<1", ">50"], ["<1", ">50"]),
        ([f"{1970 + i % 50}-03-0{i % 9 + 1}" for i in range(60)], ["1.2.1971", "2019-12-31"]),
    ],
)
def test_numbers_in_other_forms_from_training_to_exports(
    cells: list[str], scored: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f'"{cell}",{"high" if i % 50 >= 25 else "low"}' for i, cell in enumerate(cells)]
    file = write(tmp_path / "f.csv", ["x,class", *rows])
    options = ("--target", "class", "--positive", "high", "--train-size", "all")
    model, _ = trained(capsys, file, *options, "--as-numbers", "x")
    score = write(tmp_path / "score.csv", ["x,i", *(f'"{cell}",1' for cell in scored)])
    assert predicted(capsys, model, score) == ["low", "high"]
    assert exported(capsys, model, [{"x": cell} for cell in scored]) == ["low", "high"]


@pytest.mark.parametrize(("options", "years"), [([], 0), (["--age-date", "2030-12-31"], 1)])
def test_dates_are_ages_from_training_to_exports(
    options: list[str], years: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [f"{1970 + i % 50}-03-0{i % 9 + 1}" for i in range(60)]
    rows = [f"{c},{i % 2},{'high' if c >= '1995' else 'low'}" for i, c in enumerate(cells)]
    file = write(tmp_path / "f.csv", ["x,i,class", *rows])
    target = ("--target", "class", "--positive", "high", "--train-size", "all", "--cuts", "every")
    _, said = trained(capsys, file, *target)
    assert "Give --as-numbers x for the year, or --as-ages x." in said
    model, said = trained(capsys, file, *target, "--as-ages", "x", *options)
    reference = "2030-12-31" if years else max(cells)
    assert f"read as the age in completed years on {reference}" in said
    record = json.loads(model.read_text())
    assert record["encoder"]["columns"][0]["reference"] == reference
    # the completed years on the reference date decide: these two differ by one day
    edge = ["1994-12-31", "1995-01-01"] if years else ["1995-03-05", "1995-03-06"]
    scored = [edge[0], "5.3.1971", edge[1], "6 March 2017"]
    score = write(tmp_path / "score.csv", ["x,i", *(f'"{cell}",1' for cell in scored)])
    answers = ["low", "low", "high", "high"]
    assert predicted(capsys, model, score) == answers
    assert exported(capsys, model, [{"x": cell} for cell in scored]) == answers
    assert main(["export", str(model), "--format", "sql"]) == 0
    written = capsys.readouterr().out
    assert f"In x, a date is read as the age in completed years on {reference}." in written
    assert "CASE -- age (x) <= " in written
    for form in ("rules", "dot", "json"):
        assert main(["export", str(model), "--format", form]) == 0
        written = capsys.readouterr().out
        assert "age (x)" in written and not re.search(r"\bx (<|>|&lt;|&gt;)", written)


UNKNOWN = ["?"] * 3 + ["-9"] * 4 + ["unknown"] * 5
"""Outcomes that are none, beside 60 that are 1 or 0."""


@pytest.mark.parametrize(
    ("options", "n_rows", "said"),
    [
        ([], 64, "which are left out: 'unknown' is read as missing."),
        # features only: neither makes a label missing nor keeps a missing one as a class
        (["--missing", "0"], 64, "can be '0'. --missing only applies to features."),
        (["--missing", "-9"], 64, "Give --target-missing to leave such rows out."),
        (["--missing", ""], 64, "The outcome 'y' is missing in 8 rows"),
        (["--missing", "unknown"], 64, "The outcome 'y' is missing in 8 rows"),
        (["--target-missing", "-9"], 68, "4 rows, which are left out: '-9' is read as missing."),
        (["--target-missing", "-9,?,unknown"], 60, "'-9', 'unknown' are read as missing."),
        (["--target-missing", ""], 72, "The outcome 'y' has 5 values"),
    ],
)
def test_missing_features_and_missing_outcomes_are_named_apart(
    options: list[str],
    n_rows: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [f"{i % 7},{int(i % 7 > 2)}" for i in range(60)]
    file = write(tmp_path / "f.csv", ["x,y", *rows, *(f"1,{label}" for label in UNKNOWN)])
    target = ["--target", "y", "--positive", "1", "--train-size", "all"]
    assert main(["train", str(file), *SEARCH, *target, *options, "--json"]) == 0
    written = capsys.readouterr()
    assert json.loads(written.out)["n_train"] == n_rows
    assert said in written.err


def test_the_date_of_ages_is_a_date(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "f.csv", "--as-ages", "b", "--age-date", "30.1.2018"])
    assert stopped.value.code == 2
    assert "--age-date: '30.1.2018' is not a date such as 2018-01-30" in capsys.readouterr().err


def test_letters_in_two_forms_are_one_category_and_one_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    rows = [f"{composed},sick", f"{decomposed},sick", "tea,fine", "tea,fine"] * 3
    file = write(tmp_path / "f.csv", [f"{decomposed},class", *rows])
    model, _ = trained(
        capsys, file, "--target", "class", "--train-size", "all", "--categorical", decomposed
    )
    score = write(tmp_path / "score.csv", [composed, decomposed, "tea"])
    assert main(["predict", str(model), str(score)]) == 0
    said = capsys.readouterr()
    assert "unseen" not in said.err
    assert [line.split(",")[1] for line in said.out.splitlines()[1:]] == ["sick", "fine"]


def test_rows_of_one_patient_stay_together_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"{7000 + i // 3},{i * 7 % 50},{'yes' if i * 7 % 50 > 20 else 'no'}" for i in range(120)
    ]
    file = write(tmp_path / "f.csv", ["patient_id,crp,died", *rows])
    model, said = trained(capsys, file, "--target", "died")
    schema = json.loads(model.read_text())["schema"]
    assert schema["group"] == "patient_id"
    assert "40 values in 120 rows: rows with the same value stay together" in said
    model, said = trained(capsys, file, "--target", "died", "--group", "none")
    assert json.loads(model.read_text())["schema"]["group"] is None
    assert "such rows may stand in training and in test" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--group", "ward"], "--group names the column 'ward', which the file does not have"),
        (["--group", "a", "--categorical", "a"], "'a' is named by --group and as a feature"),
        (["--group", "class"], "The outcome 'class' cannot be the group"),
        (["--join", "ward"], "--join names the column 'ward'"),
        (
            ["--as-ages", "b"],
            "'b' cannot be read as ages: too few of its texts are dates such as 2018-01-30",
        ),
        (
            ["--as-numbers", "a"],
            "'a' cannot be read as numbers: too many of its texts, such as 'p'",
        ),
    ],
)
def test_options_that_do_not_fit(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "f.csv", ["a,b,class", *["p,1,yes", "q,2,no"] * 10])
    assert main(["train", str(file), "--target", "class", *options]) == 2
    assert message in capsys.readouterr().err


def test_limits_are_marked_from_training_to_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"<0.5,{'sick' if i else 'fine'}" for i in range(20)]
    rows += [f"{cell},fine" for cell in ("0.5", "3", "4", "5") * 10]
    file = write(tmp_path / "f.csv", ["crp,class", *rows, *["6,sick"] * 5])
    options = ("--target", "class", "--positive", "sick", "--train-size", "all")
    _, said = trained(capsys, file, *options)
    assert "Give --as-numbers crp, or --mark-limits crp to mark them as well." in said
    _, said = trained(capsys, file, *options, "--as-numbers", "crp")
    assert "Give --mark-limits crp to mark them." in said
    model, said = trained(capsys, file, *options, "--mark-limits", "crp")
    assert "--mark-limits" not in said
    assert main(["export", str(model), "--format", "rules"]) == 0
    rules = capsys.readouterr().out
    assert "crp against its limits is below" in rules
    assert "crp against its limits is made from crp: below for a cell such as <0.1" in rules
    score = write(tmp_path / "score.csv", ["crp", "<0.5", "0.5", "<3", "7"])
    assert predicted(capsys, model, score) == ["sick", "fine", "sick", "fine"]
    cells = [{"crp against its limits": mark} for mark in ("below", "within")]
    assert exported(capsys, model, cells) == ["sick", "fine"]
    for format in ("python", "sql"):
        assert main(["export", str(model), "--format", format]) == 0
        assert "crp against its limits is made from crp" in capsys.readouterr().out
    new = write(tmp_path / "new.csv", ["crp,class", *["<0.2,sick", "2,fine"] * 10])
    assert main(["validate", str(model), str(new), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["validation"]
    assert (counts["tp"], counts["fp"], counts["fn"], counts["tn"]) == (10, 0, 0, 10)
    by = "crp against its limits"
    assert main(["validate", str(model), str(new), "--by", by, "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    found = [(group["value"], group["tp"], group["tn"]) for group in groups]
    assert found == [("below", 10, 0), ("within", 0, 10)]
    absent = write(tmp_path / "absent.csv", ["x", "1"])
    assert "crp against its limits" in refusal(["predict", str(model), str(absent)], capsys)
    no_mark = ["validate", str(model), str(new), "--by", "age against its limits"]
    assert "has no column 'age against its limits'" in refusal(no_mark, capsys)
