"""``predict``, ``export``, ``write-model``, ``sample``."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.export import ExportFormat
from odt_core.reports import SheetFormat
from tests.core.cli.refusals import refusal


@pytest.fixture(scope="module")
def model(monks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A one-question model: is the jacket red?"""
    path = tmp_path_factory.mktemp("model") / "model.json"
    status = main(
        ["train", str(monks), "--target", "class", "--positive", "monk", "--topology", "depth-1",
         "--train-size", "all", "--engine", "cbc", "--output", str(path)]
    )  # fmt: skip
    assert status == 0
    return path


def predictions(
    model: Path, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[list[dict[str, str]], str]:
    """Predicted rows and what was said on standard error."""
    table = tmp_path / "cases.csv"
    table.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["predict", str(model), str(table)]) == 0
    output = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(output.out))), output.err


HEADER = "head_shape,body_shape,is_smiling,holding,jacket_color,has_tie"


def test_predict_needs_no_outcome_and_keeps_the_columns(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, _ = predictions(
        model,
        f"name,{HEADER}\nA,round,round,yes,sword,red,no\nB,round,square,yes,sword,blue,no\n",
        tmp_path,
        capsys,
    )
    assert [row["name"] for row in rows] == ["A", "B"]
    assert rows[0]["predicted"] == "monk"
    assert float(rows[0]["share_positive"]) == 1.0
    assert rows[1]["predicted"] != "monk"
    assert float(rows[1]["share_positive"]) == pytest.approx(108 / 324, abs=1e-5)
    assert rows[0]["unseen"] == ""


def test_predict_says_which_values_were_never_seen(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, said = predictions(
        model, f"{HEADER}\nround,round,yes,sword,purple,no\n", tmp_path, capsys
    )
    assert rows[0]["unseen"] == "jacket_color"
    assert "1 of 1 row met a question about a value that no training row had" in said


def test_predict_tells_values_new_at_a_question_from_values_never_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # ward z has the group B only, and the ward is asked about in group A
    wards = ["u,A,sick"] * 20 + ["v,A,fine"] * 18 + ["w,A,fine"] * 5
    wards += ["u,B,fine"] * 40 + ["z,B,fine"] * 3
    table = tmp_path / "wards.csv"
    table.write_text("\n".join(["ward,grp,class", *wards]), encoding="utf-8")
    model = tmp_path / "wards.json"
    options = ["--target", "class", "--positive", "sick", "--train-size", "all"]
    options += ["--topology", "depth-2", "--engine", "search", "--output", str(model)]
    assert main(["train", str(table), *options]) == 0
    rows, said = predictions(model, "ward,grp\nz,A\nnew,A\nu,A\nz,B\n", tmp_path, capsys)
    marks = [(row["unseen"], row["unseen_at_question"]) for row in rows]
    assert marks == [("", "ward"), ("ward", ""), ("", ""), ("", "")]
    assert "1 of 4 rows met a question about a value that training rows had" in said
    assert main(["export", str(model), "--format", "python"]) == 0
    assert "no to question 2 (ward = z)" in capsys.readouterr().out


def test_predict_names_a_column_that_the_tree_asks_about_and_the_table_lacks(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "short.csv"
    table.write_text("head_shape,body_shape\nround,round\n", encoding="utf-8")
    assert main(["predict", str(model), str(table)]) == 2
    assert "no column 'jacket_color', which the tree asks about" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "no json", "[]", "{}", '{"version": 99}'])
def test_a_file_that_is_no_model_is_refused_in_a_sentence(
    content: str, monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    assert main(["predict", str(path), str(monks)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "model" in error


@pytest.mark.parametrize(
    ("format_name", "start"),
    [("dot", b"digraph"), ("svg", b"<"), ("png", b"\x89PNG"), ("rules", b""), ("python", b""),
     ("sql", b""), ("json", b"{"), ("card", b"<!DOCTYPE html>"), ("html", b"<!DOCTYPE html>"),
     ("report", b"<!DOCTYPE html>"), ("summary", b"<?xml"), ("summary-png", b"\x89PNG")],
)  # fmt: skip
def test_export_writes_each_format(
    format_name: str, start: bytes, model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tree.out"
    assert main(["export", str(model), "--format", format_name, "--output", str(path)]) == 0
    content = path.read_bytes()
    assert content.lstrip().startswith(start)
    assert format_name.endswith("png") or b"jacket_color" in content


@pytest.mark.parametrize(("options", "title"), [([], "Report: "), (["--card"], "Rule card: ")])
def test_report_writes_what_its_author_states(
    options: list[str], title: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = ["--stage", "in-use", "--author", "Li & Co", "--intended-use", "robots <5"]
    assert main(["report", str(model), *options, *stated]) == 0
    page = capsys.readouterr().out
    assert f"<title>{title}class</title>" in page
    assert "Li &amp; Co" in page and "robots &lt;5" in page and "In use." in page


def test_a_stage_that_is_not_known_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(model), "--stage", "done"]) == 2
    assert "choose one of derived, validated, in-use." in capsys.readouterr().err


def test_export_names_the_formats(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(model), "--format", "gif"]) == 2
    error = capsys.readouterr().err
    assert "gif" in error and "svg" in error


def test_every_format_that_the_help_names_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in (*ExportFormat, *SheetFormat, "report"))


@pytest.mark.parametrize(
    "command",
    [
        "export {model} --format json --output {model}",
        "export {model} --format card --output {link}",
        "report {model} --output {model}",
        "report {model} --data {data} --output {data}",
        "predict {model} {data} --output {data}",
        "predict {model} {data} --output {model}",
        "train {data} --output {data}",
        "frontier {data} --output {data}",
        "curve {data} --output {data}",
        "compare {data} --output {data}",
        "path {data} --output {data}",
        "stability {data} --output {data}",
        "stability {data} --rows-output {data}",
        "write-model {data} --output {data}",
    ],
)
def test_no_command_writes_over_what_it_reads(
    command: str, model: Path, monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"model": tmp_path / "tree.json", "data": tmp_path / "data.csv"}
    files["model"].write_bytes(model.read_bytes())
    files["data"].write_bytes(monks.read_bytes())
    (tmp_path / "link.json").symlink_to(files["model"])
    before = {path: path.read_bytes() for path in files.values()}
    words = command.format(**files, link=tmp_path / "link.json").split()
    said = refusal(words, capsys)
    assert "output: the file" in said and "choose another" in said
    assert {path: path.read_bytes() for path in files.values()} == before


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_write_model_writes_the_program(ending: str, monks: Path, tmp_path: Path) -> None:
    path = tmp_path / f"program.{ending}"
    status = main(
        ["write-model", str(monks), "--target", "class", "--train-size", "all",
         "--topology", "depth-2", "--output", str(path)]
    )  # fmt: skip
    assert status == 0
    text = path.read_text(encoding="utf-8")
    assert "one_group_k1" in text
    assert "z_k3_g6_j2" in text


def test_write_model_knows_two_endings(
    monks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.xml"
    assert main(["write-model", str(monks), "--target", "class", "--output", str(path)]) == 2
    assert "must end in .lp or .mps" in capsys.readouterr().err
    assert not path.exists()


def test_sample_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "monks-1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 433
    assert main(["sample", "iris"]) == 2
    assert "choose one of breast-cancer" in capsys.readouterr().err
