"""The report as a file."""

from __future__ import annotations

import platform
from fractions import Fraction

import pytest

from odt_core import MADE_BY
from odt_core.confusion import Confusion
from odt_core.data import Folding, read_table
from odt_core.errors import InputError
from odt_core.evaluation import net_benefit
from odt_core.export import Model
from odt_core.jobs.evidence import held_out_groups
from odt_core.reports import Derivation, Evidence, ModelStage, SheetFormat, Statements, write_sheet
from odt_core.studies import (
    ComparisonSpec,
    CurveSpec,
    StabilitySpec,
    ValidationSpec,
    compare_runs,
    curve_table,
    gather_stability,
    run_frontier,
    run_validation,
)
from odt_core.topology import Topology
from tests.core.reports.sheets import (
    ATTACK,
    assert_self_contained,
    hostile_tree,
    model_of,
    ward_table,
)
from tests.core.studies.parts import run_comparison, run_curve, run_stability

DEPTHS = (Topology.parse("depth-1"), Topology.parse("depth-2"))


def test_it_has_what_a_reader_needs_to_judge_a_tree(trained: Model):
    stated = Statements(ModelStage.DERIVED, "adults in the ward", "Dr. Li")
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
        "Test: 30 rows, the tree's answers and the true classes",
        f"tree says yes {test['tp']} true positives {test['fp']} false positives",
        "Balanced accuracy",
        "Seeds split 0, solver 0",
        "Status Proved optimal",
        "Bound 90 of 90 training rows right (100%)",
        "Gap none",
        "Missing values an empty cell",
        f"Trained by {MADE_BY}; python {platform.python_version()};",
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
    counts, evidence = found.metrics.confusion, Evidence(validations=(found,))
    page = assert_self_contained(write_sheet(trained, SheetFormat.REPORT, Statements(), evidence))
    for words in (
        "Rows of elsewhere.csv, SHA-256",
        "On 80 validation rows, accuracy",
        f"tree says yes {counts.tp} true positives {counts.fp} false positives",
        "O:E",
        "Training Test Validation",
    ):
        assert words in page.text, words
    card = assert_self_contained(write_sheet(trained, SheetFormat.CARD, evidence=evidence))
    assert "Validation Test" in card.text
    with pytest.raises(InputError, match="another model"):
        write_sheet(model_of(hostile_tree()), SheetFormat.CARD, evidence=evidence)


def test_studies_groups_and_net_benefit_stand_in_it_where_they_were_made(trained: Model):
    table = ward_table()
    spec = Derivation.of(trained).spec
    assert spec is not None
    curve = CurveSpec(topologies=DEPTHS[1:], levels=(Fraction(9, 10), Fraction(1)), repeats=3)
    compared = ComparisonSpec.grid(DEPTHS, folding=Folding(2))
    evidence = Evidence(
        frontier=run_frontier(table, spec),
        curves=curve_table(run_curve(table, spec, curve)),
        comparison=compare_runs(run_comparison(table, spec, compared), spec.objective),
        stability=gather_stability(run_stability(table, spec, StabilitySpec(4))),
        groups=held_out_groups(trained, table),
    )
    page = assert_self_contained(write_sheet(trained, SheetFormat.REPORT, evidence=evidence))
    pictures = [str(each["alt"]) for tag, each in page.tags if tag == "img"]
    for beginning in (
        "Decision curve against treating all and none",
        "Rates by age",
        "ROC plane: the frontier has",
        "Training against test sensitivity",
        "Accuracy on test rows",
        "Columns asked about in 4 resamples",
        "How often answers change over resamples",
    ):
        assert any(alt.startswith(beginning) for alt in pictures), beginning
    assert evidence.frontier is not None and evidence.stability is not None
    test = trained.facts["result"]["test"]
    own = net_benefit(Confusion(**test), 0.1)
    for words in (
        f"The search found {len(evidence.frontier.points)} trade-off",
        "no tree of the shape does better on both rates",
        f"Acting on positive answers {net_benefit(Confusion(**test), 0.05):.3f} {own:.3f}",
        "Net benefit on the test rows, by threshold probability 5% 10% 20%",
        "Rates of the test rows by age, with 95% intervals",
        "Best: depth-2. Accuracy on the test rows of the folds",
        "Use at least 100 resamples for steadier numbers",
        "depth-2 100% 3",
    ):
        assert words in page.text, words
    assert "img-src data:" in page.policy


def test_without_test_rows_the_report_has_no_net_benefit(trained: Model):
    page = assert_self_contained(write_sheet(model_of(hostile_tree()), SheetFormat.REPORT))
    assert "Net benefit" not in page.text and "Rates of the test rows" not in page.text


def test_a_model_that_says_nothing_gives_a_report_that_says_so():
    page = assert_self_contained(write_sheet(model_of(hostile_tree()), SheetFormat.REPORT))
    assert "does not say how many rows were read" in page.text
    assert "There were no test rows" in page.text and "Test:" not in page.text
    assert ATTACK in page.text
    assert not any(tag == "img" for tag, _ in page.tags)
