"""The report as a file."""

from __future__ import annotations

from odt_core.export import Model
from odt_core.reports import SheetFormat, Stage, Statements, write_sheet
from tests.core.reports.sheets import ATTACK, assert_self_contained, hostile_tree, model_of


def test_it_has_what_a_reader_needs_to_judge_a_tree(trained: Model):
    stated = Statements(Stage.DERIVED, "adults in the ward", "Dr. Li")
    page = assert_self_contained(write_sheet(trained, SheetFormat.REPORT, stated))
    assert "script-src 'none'" in page.policy
    test = trained.facts["result"]["test"]
    for words in (
        "On 30 test rows, accuracy",
        "Source: ward.csv. The outcome is ill. Its positive class is yes, the other is no.",
        "Read 122",
        "Used for training 90 Used for testing 30",
        "much, none, some",
        "tree of shape depth-2 with the highest accuracy",
        "train on 75%, test on the rest, seed 0",
        "Test: 30 rows, what the tree says against what is",
        f"tree says yes {test['tp']} true positives {test['fp']} false positives",
        "Balanced accuracy",
        "Seeds split 0, solver 0",
        "Status Proved optimal",
        "Bound 90 of 90 training rows right (100%)",
        "Gap none",
        "Missing values an empty cell",
        trained.facts["data"]["sha256"],
        "Intended use adults in the ward Author Dr. Li",
    ):
        assert words in page.text, words
    assert [text for tag, text in page.tags if tag == "svg"]


def test_a_model_that_says_nothing_gives_a_report_that_says_so():
    page = assert_self_contained(write_sheet(model_of(hostile_tree()), SheetFormat.REPORT))
    assert "does not say how many rows were read" in page.text
    assert "There were no test rows" in page.text and "Test:" not in page.text
    assert ATTACK in page.text
    assert not any(tag == "img" for tag, _ in page.tags)
