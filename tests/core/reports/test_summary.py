"""The one-page summary as SVG and PNG."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from PIL import Image

from odt_core import MADE_BY
from odt_core.export import Model
from odt_core.problem import Feature, FeatureKind
from odt_core.reports import Derivation, Evidence, ModelStage, SheetFormat, Statements, write_sheet
from odt_core.studies import run_frontier
from odt_core.tree import Leaf, Tree
from tests.core.reports.sheets import hostile_tree, model_of, ward_table
from tests.core.trees import decision

SVG = "{http://www.w3.org/2000/svg}"


def texts(content: bytes) -> list[str]:
    root = ElementTree.fromstring(content)
    return ["".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")]


def test_it_shows_the_tree_the_counts_the_rates_and_where_it_stands(trained: Model):
    stated = Statements(ModelStage.VALIDATED, author="Dr. Li")
    content = write_sheet(trained, SheetFormat.SUMMARY, stated)
    shown = texts(content)
    test = trained.facts["result"]["test"]
    for words in ("ill: yes or no?", "Stage: validated; Dr. Li", "Test: 30 rows", "is yes", "hits",
                  "false alarms", "Balanced accuracy", "specificity", "this tree, training",
                  "this tree, test", "age", str(test["tp"]), str(test["tn"]),
                  f"Written by {MADE_BY}"):  # fmt: skip
        assert words in shown, words
    root = ElementTree.fromstring(content)
    assert root.get("aria-label", "").startswith("Decision tree for ill")
    assert len(list(root.iter(f"{SVG}svg"))) == 2
    assert b'href="http' not in content and b"<script" not in content


def test_the_tree_stands_among_the_frontier_where_there_is_one(trained: Model):
    spec = Derivation.of(trained).spec
    assert spec is not None
    frontier = run_frontier(ward_table(), spec)
    evidence = Evidence(frontier=frontier)
    shown = texts(write_sheet(trained, SheetFormat.SUMMARY, evidence=evidence))
    assert "training, frontier" in shown and "this tree, training" in shown
    assert "training, frontier" not in texts(write_sheet(trained, SheetFormat.SUMMARY))


def test_training_alone_is_called_training():
    shown = texts(write_sheet(model_of(hostile_tree()), SheetFormat.SUMMARY))
    assert "Training: 96 rows" in shown and "this tree, test" not in shown


def test_the_png_is_a_lying_page_that_says_who_wrote_it(trained: Model):
    picture = Image.open(io.BytesIO(write_sheet(trained, SheetFormat.SUMMARY_PNG)))
    assert picture.width / picture.height > 1.4 and picture.width > 2000
    assert picture.info["Software"] == MADE_BY


@pytest.mark.parametrize("kind", [SheetFormat.SUMMARY, SheetFormat.SUMMARY_PNG])
@pytest.mark.parametrize("name", [r"a\b", r"\g<0>", r"\1", "end\\"])
def test_a_backslash_in_a_name_is_a_letter_like_any_other(name: str, kind: SheetFormat):
    size = Feature(name, FeatureKind.NUMERICAL, ("low", "high"), (0.5,))
    root = decision(0, {0}, Leaf(True, 2, 30), Leaf(False, 40, 3), {0, 1})
    content = write_sheet(model_of(Tree(root, (size,), name, f"{name} yes", name)), kind)
    if kind is SheetFormat.SUMMARY:
        label = ElementTree.fromstring(content).get("aria-label", "")
        assert label.startswith(f"Decision tree for {name}") and "<svg" not in label
    else:
        assert content.startswith(b"\x89PNG")
