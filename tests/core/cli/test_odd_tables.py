"""Tables that the studies cannot use, or can hardly use, each with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from odt_core.cli import main
from tests.core.cli.refusals import refusal

STUDIES = {
    "compare": ["--topologies", "depth-1", "--folds", "3"],
    "path": ["--most-questions", "1", "--folds", "3"],
    "alternatives": ["--topology", "depth-1", "--most", "3"],
    "stability": ["--topology", "depth-1", "--resamples", "2"],
}
FOLDED = ("compare", "path")
QUOTED = '"yes\nsir"'


def table(folder: Path, header: str, rows: list[str]) -> list[str]:
    file = folder / "odd.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return [str(file), "--target", "y"]


def test_a_row_of_units_is_refused_with_the_option_that_leaves_it_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["years,mg/l,", *(f"{30 + i},{i / 8},{'ab'[i % 2]}" for i in range(30))]
    words = ["train", *table(tmp_path, "age,crp,y", rows), "--topology", "depth-1"]
    sentence = refusal(words, capsys)
    assert "row 1 (line 2 of the file), seems to hold units" in sentence
    assert "Give --units-row" in sentence
    assert main([*words, "--units-row", "--positive", "a", "--engine", "search"]) == 0
    assert "Line 2 was left out as a row of units" in capsys.readouterr().err


def test_names_and_classes_with_line_breaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{'pq'[i % 2]},s,{('no', QUOTED)[i % 2]}" for i in range(20)]
    words = ["train", *table(tmp_path, f"x,{QUOTED},y", rows), "--positive", "yes\nsir"]
    words += ["--ignore", "yes\nsir", "--topology", "depth-1", "--engine", "search"]
    assert main([*words, "--train-size", "all"]) == 0
    shown = capsys.readouterr().out
    assert "predicted yes sir  10" in shown and "10 of 10 training rows are yes sir)" in shown
    assert "\nsir" not in shown


@pytest.mark.parametrize("command", STUDIES)
@pytest.mark.parametrize(
    ("header", "rows", "words", "says"),
    [
        ("y", ["a", "b"] * 15, [], "has only one column"),
        ("x,y", [], [], "has no rows below the column names"),
        ("x,y", ["p,a"] * 30, [], "has a single value, 'a'"),
        ("x,y", [",a", ",b"] * 15, [], "no feature to split on"),
        ("x,y", ["p,a", "p,b"] * 15, [], "no feature to split on"),
        ("s,x,y", ["A,p,a", "A,q,b"] * 15, ["--group", "s"], "same value in every row, so its"),
    ],
)
def test_a_table_without_anything_to_learn_is_refused(
    command: str,
    header: str,
    rows: list[str],
    words: list[str],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = table(tmp_path, header, rows)
    assert says in refusal([command, *file, *words, *STUDIES[command]], capsys)


@pytest.mark.parametrize("command", FOLDED)
@pytest.mark.parametrize(
    ("header", "rows", "words", "says"),
    [
        (
            "x,y",
            ["p,a"] * 3 + ["q,b"] * 57,
            ["--positive", "a"],
            "The 48 rows to compare on have 2 rows of the rarer class, fewer than the 3 folds",
        ),
        ("x,y", ["p,a", "q,b"] * 2, [], "The 3 rows to compare on have 1 row of the rarer class"),
        (
            "s,x,y",
            ["A,p,a", "A,q,b", "B,p,b", "B,q,a"] * 10,
            ["--group", "s"],
            "have 1 group, fewer than the 3",
        ),
    ],
)
def test_more_folds_than_there_is_room_for_are_refused_before_a_search(
    command: str,
    header: str,
    rows: list[str],
    words: list[str],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[object] = []
    monkeypatch.setattr("odt_core.studies.path.run_path", lambda *given, **more: searched.append(1))
    file = table(tmp_path, header, rows)
    assert says in refusal([command, *file, *words, *STUDIES[command]], capsys)
    assert not searched


@pytest.mark.parametrize("command", STUDIES)
def test_a_column_without_values_is_left_out_and_reported(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table(tmp_path, "x,z,y", [f",{i % 5},{'ab'[i % 5 > 1]}" for i in range(60)])
    assert main([command, *file, *STUDIES[command]]) == 0
    said = capsys.readouterr().err
    assert "Column 'x' has no value in any row, so it is ignored." in said


def test_three_rows_of_a_class_can_be_resampled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["p,a"] * 3 + ["p,b", "q,b"] * 28
    words = ["--positive", "a", "--train-size", "all", "--resamples", "20", "--topology", "depth-1"]
    assert main(["stability", *table(tmp_path, "x,y", rows), *words]) == 0
    said = capsys.readouterr().out
    assert "In 20 resamples" in said
