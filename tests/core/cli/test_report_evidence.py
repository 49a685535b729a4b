"""The report of a tree with the studies and validations that other commands printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES
from tests.core.cli.refusals import refusal

SCHEMA = SAMPLES["triage"].schema()
STUDIES = {
    "frontier": ([], "Trade-offs of this shape"),
    "curve": (["--topologies", "depth-1", "--repeats", "2"], "Training promises against test"),
    "compare": (["--topologies", "depth-1,depth-2", "--folds", "2"], "Compared with other trees"),
    "stability": (["--resamples", "4"], "Stability"),
}
"""A study's own options, and the title of its section in the report."""


@dataclass(frozen=True)
class Made:
    """A tree of depth 1 and the output of commands about its problem, in files of one folder."""

    folder: Path

    def file(self, name: str) -> str:
        return str(self.folder / f"{name}.json")


def settings(table: Path) -> list[str]:
    return [str(table), "--target", SCHEMA.target, "--positive", SCHEMA.positive,
            "--train-size", "150"]  # fmt: skip


@pytest.fixture(scope="module")
def made(triage: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    found = Made(tmp_path_factory.mktemp("made"))
    shape = ["--topology", "depth-1"]
    search = [*shape, "--engine", "search"]
    assert main(["train", *settings(triage), *search, "--output", found.file("tree")]) == 0
    return found


def print_to(path: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    Path(path).write_text(capsys.readouterr().out, encoding="utf-8")


def print_study(
    made: Made, kind: str, table: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> str:
    path = made.file("-".join([kind, table.stem, *more]))
    if not Path(path).exists():
        own, _ = STUDIES[kind]
        shape = ["--topology", "depth-1"] if kind in ("frontier", "stability") else []
        print_to(path, [kind, *settings(table), *shape, *own, *more], capsys)
    return path


def titles(words: list[str], capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The titles of a report's sections."""
    capsys.readouterr()
    assert main(words) == 0
    parts = capsys.readouterr().out.split("<h2>")[1:]
    return {part.split("</h2>")[0] for part in parts}


@pytest.mark.parametrize("kind", STUDIES)
def test_the_report_shows_a_printed_study(
    kind: str, made: Made, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, title = ["report", made.file("tree")], STUDIES[kind][1]
    given = print_study(made, kind, triage, capsys)
    assert titles([*report, "--evidence", given], capsys) - titles(report, capsys) == {title}


def test_several_files_may_be_given_validations_too(
    made: Made, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_to(made.file("valid"), ["validate", made.file("tree"), str(triage)], capsys)
    studies = [print_study(made, kind, triage, capsys) for kind in ("compare", "stability")]
    words = ["report", made.file("tree"), "--evidence", *studies, "--evidence", made.file("valid")]
    assert titles(words, capsys) >= {"Compared with other trees", "Stability", "Validation"}
    again = [*words, "--validation", made.file("valid")]
    assert titles(again, capsys) == titles(words, capsys)  # the same rows are shown once
    assert "is the second file that 'compare' printed" in refusal([*words, studies[0]], capsys)


def test_a_summary_without_a_frontier_says_how_to_get_one(
    made: Made, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = print_study(made, "frontier", triage, capsys)
    words = ["export", made.file("tree"), "--format", "summary", "--output", str(tmp_path / "s")]
    capsys.readouterr()
    assert main(words) == 0
    assert "The summary shows no frontier: give --data" in capsys.readouterr().err
    assert main([*words, "--evidence", given]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", STUDIES)
def test_a_study_of_another_problem_is_refused(
    kind: str, made: Made, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forbidden = ["--forbid", SCHEMA.features[0].name]
    given = print_study(made, kind, triage, capsys, *forbidden)
    said = refusal(["report", made.file("tree"), "--evidence", given], capsys)
    assert "does not belong to this tree: it was made with other settings (the rules)" in said
    assert f"Run 'odt {kind}' again with the tree's settings." in said


def test_a_comparison_without_the_trees_shape_is_refused(
    made: Made, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = print_study(made, "compare", triage, capsys, "--topologies=depth-2")
    said = refusal(["report", made.file("tree"), "--evidence", given], capsys)
    assert "the tree's shape, cap, cut points and rows are not among those compared" in said


def test_a_study_of_another_file_is_refused(
    made: Made, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "elsewhere.csv"
    other.write_bytes(triage.read_bytes() + b"\n")
    given = print_study(made, "frontier", other, capsys)
    said = refusal(["report", made.file("tree"), "--evidence", given], capsys)
    assert "is a study of another file ('elsewhere.csv')" in said and "'triage.csv'" in said


def test_what_is_no_study_and_what_has_no_place_is_refused(
    made: Made, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = made.file("tree")
    assert "cannot be read: give what" in refusal(["report", tree, "--evidence", tree], capsys)
    for damaged in ('{"study": "compare"}', '{"study": "frontier", "points": [1]}', "[]"):
        Path(made.file("damaged")).write_text(damaged, encoding="utf-8")
        said = refusal(["report", tree, "--evidence", made.file("damaged")], capsys)
        assert "cannot be read: give what" in said
    given = print_study(made, "stability", triage, capsys)
    for words in (["report", tree, "--card"], ["export", tree, "--format", "summary"]):
        refused = refusal([*words, "--evidence", given], capsys)
        assert "has no place for the output of 'stability'" in refused
    over = refusal(["report", tree, "--evidence", given, "--output", given], capsys)
    assert "is also an input" in over
