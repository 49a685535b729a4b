"""The report as a file."""

from __future__ import annotations

import pytest

from odt_core.data import read_table
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.reports import SheetFormat, Stage, Statements, write_sheet
from odt_core.studies import ValidationSpec, run_validation
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


def test_a_validation_stands_beside_training_and_test(trained: Model):
    lines = [f"{age},{pain},{'yes' if age > 45 else 'no'}" for age in range(30, 70)
             for pain in ("none", "much")]  # fmt: skip
    table = read_table("\n".join(["age,pain,ill", *lines]).encode(), name="elsewhere.csv")
    found = run_validation(table, ValidationSpec(trained))
    counts = found.metrics.confusion
    page = assert_self_contained(
        write_sheet(trained, SheetFormat.REPORT, Statements(), validation=found)
    )
    for words in (
        "Rows of elsewhere.csv, SHA-256",
        "On 80 validation rows, accuracy",
        f"tree says yes {counts.tp} true positives {counts.fp} false positives",
        "O:E",
        "Training Test Validation",
    ):
        assert words in page.text, words
    card = assert_self_contained(write_sheet(trained, SheetFormat.CARD, validation=found))
    assert "Validation Test" in card.text
    with pytest.raises(InputError, match="another model"):
        write_sheet(model_of(hostile_tree()), SheetFormat.CARD, validation=found)


def test_a_model_that_says_nothing_gives_a_report_that_says_so():
    page = assert_self_contained(write_sheet(model_of(hostile_tree()), SheetFormat.REPORT))
    assert "does not say how many rows were read" in page.text
    assert "There were no test rows" in page.text and "Test:" not in page.text
    assert ATTACK in page.text
    assert not any(tag == "img" for tag, _ in page.tags)
