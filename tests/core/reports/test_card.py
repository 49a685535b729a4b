"""The rule card as a file; tests/browser/test_sheets.py computes answers with it."""

from __future__ import annotations

import json
from dataclasses import replace

from odt_core import MADE_BY
from odt_core.export import Model
from odt_core.reports import Derivation, ModelStage, SheetFormat, Statements, write_sheet
from odt_core.reports.rule_form import form_record
from odt_core.words import spoken_rule
from tests.core.reports.sheets import ATTACK, assert_self_contained, hostile_tree, model_of
from tests.core.trees import mushroom_tree


def test_it_says_what_it_is_where_it_comes_from_and_how_good_it_is(trained: Model):
    stated = Statements(ModelStage.IN_USE, "adults in the ward", "Dr. Li")
    page = assert_self_contained(write_sheet(trained, SheetFormat.CARD, stated))
    derivation = Derivation.of(trained)
    assert derivation.test is not None
    sensitivity = derivation.test.sensitivity
    for words in (
        "ill: yes or no?",
        "in use",
        "Intended use adults in the ward",
        "Author Dr. Li",
        "Found on 90 training rows of ward.csv",
        "Proved optimal.",
        f"{sensitivity.successes}/{sensitivity.n}",
        "A value that no training row had",
        f"Written by {MADE_BY}",
        trained.facts["data"]["sha256"],
    ):
        assert words in page.text
    for index, row in enumerate(derivation.leaves):
        assert f"{row.predicted} {spoken_rule(derivation.tree, index)}" in page.text
    in_words = page.text.partition("In words")[2].partition("How good it is")[0]
    assert "is at most" in in_words and "<=" not in in_words and " AND " not in in_words


def test_training_alone_is_called_training():
    page = assert_self_contained(write_sheet(model_of(mushroom_tree()), SheetFormat.CARD))
    assert "Not tested" in page.text and "Test" not in page.text.split()
    assert "Author" in page.text and "derived" in page.text


def test_names_stay_text():
    model = model_of(hostile_tree())
    page = assert_self_contained(write_sheet(model, SheetFormat.CARD))
    assert not any(tag == "img" for tag, _ in page.tags)
    assert len([None for attributes, _ in page.scripts if "type" not in attributes]) == 1
    assert ATTACK in page.text and "<!--<script>" in page.text


def test_columns_whose_names_fill_a_page_have_a_card():
    tree = mushroom_tree()
    whole = "Which odor does it have? " * 500
    features = (replace(tree.features[0], name=whole), *tree.features[1:])
    page = assert_self_contained(
        write_sheet(model_of(replace(tree, features=features)), SheetFormat.CARD)
    )
    assert f"(A) {whole.strip()}" in page.text


def test_the_forms_data_come_back_as_they_were():
    model = model_of(hostile_tree())
    page = assert_self_contained(write_sheet(model, SheetFormat.CARD))
    block = next(text for attributes, text in page.scripts if attributes.get("id") == "rule")
    assert json.loads(block) == form_record(Derivation.of(model))
    assert "<" not in block and "&" not in block
