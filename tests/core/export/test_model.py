"""Trees and models as JSON: nothing is lost, and messages name damaged fields."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.cart import fit_cart
from odt_core.data import SAMPLES, CellReading, Encoder
from odt_core.errors import InputError
from odt_core.export import Model, tree_from_json, tree_to_json
from odt_core.tree import Leaf, Tree
from tests.core.trees import default_column, mushroom_tree, random_tree, unhurried

randoms = st.randoms(use_true_random=False)


def model() -> Model:
    tree = mushroom_tree()
    columns = tuple(
        replace(default_column(feature), reading=CellReading(("?",))) for feature in tree.features
    )
    schema = SAMPLES["monks-1"].schema()
    return Model(tree, schema.to_json(), Encoder(columns, ".").to_json(), {"seed": 7})


@unhurried
@given(randoms)
def test_a_tree_comes_back_as_it_was(random):
    tree, data = random_tree(random)
    for some_tree in (tree, fit_cart(data, max_depth=3)):
        text = json.dumps(tree_to_json(some_tree), allow_nan=False)
        assert tree_from_json(json.loads(text)) == some_tree


def test_a_lone_leaf_comes_back():
    tree = Tree(Leaf(False, 3, 1), mushroom_tree().features, "t", "p", "n")
    assert tree_from_json(tree_to_json(tree)) == tree


def test_the_file_reads_by_name():
    root = tree_to_json(mushroom_tree())["root"]
    assert root["question"] == "odor is almond, anise or none?"
    assert root["left_values"] == ["almond", "anise", "none"]
    assert root["left_codes"] == [0, 1, 4]
    assert root["unseen"] == "left"
    assert root["counts"] == {"negative": 102, "positive": 98}
    leaf = root["right"]
    assert leaf == {
        "label": "poisonous",
        "positive": False,
        "counts": {"negative": 80, "positive": 0},
    }


def test_a_model_comes_back_as_it_was():
    first = model()
    for again in (Model.from_text(first.to_text()), Model.from_text(first.to_text().encode())):
        assert again.tree == first.tree
        assert (again.schema, again.encoder, again.facts) == (
            first.schema,
            first.encoder,
            first.facts,
        )
        assert again.to_text() == first.to_text()


def at(record, path):
    """The container and key that a dotted path leads to."""
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in way:
        record = record[step]
    return record, last


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tree.target", 3, "'tree.target' is not a text"),
        ("tree.features", {}, "'tree.features' is not a list of objects"),
        ("tree.features.0.name", None, "'tree.features[0].name' is not a text"),
        ("tree.features.0.kind", "ordinal", "'tree.features[0].kind' is 'ordinal'"),
        ("tree.features.0.values", ["a", "a"], "'tree.features[0].values' names a value twice"),
        ("tree.features.0.values", ["a", 1], "'tree.features[0].values' is not a list of texts"),
        ("tree.features.0.cuts", [1], "'tree.features[0].cuts' go with numerical"),
        ("tree.features.0.missing_bin", True, "missing_bin' goes with numerical"),
        ("tree.features.1.missing_bin", 1, "missing_bin' is neither true nor false"),
        ("tree.features.1.cuts", [1.5], "'tree.features[1].cuts' are 1"),
        ("tree.features.1.cuts", [2.5, 1.5], "cuts' do not rise"),
        ("tree.features.1.cuts", [2.5, "x"], "cuts' is not a list of numbers"),
        ("tree.features.1.cuts", [1.5, 1e999], "cuts' are not all finite"),
        ("tree.root", [], "'tree.root' is not an object"),
        ("tree.root.feature_index", 2, "'tree.root.feature_index' is 2"),
        ("tree.root.feature_index", -1, "feature_index' is not a whole number"),
        ("tree.root.feature_index", 1, "'tree.root.feature' is not the name of feature 1"),
        ("tree.root.left_codes", [0, 99], "left_codes' go beyond the 7 values"),
        ("tree.root.left_codes", [0, 1], "left_values' are not the names"),
        ("tree.root.left.left_codes", [0, 1, 1.5], "'tree.root.left.left_codes' is not a list"),
        ("tree.root.unseen", "up", "'tree.root.unseen' is 'up'"),
        ("tree.root.left.left.counts.negative", -1, "counts.negative' is not a whole number"),
        ("tree.root.left.left.counts.positive", True, "counts.positive' is not a whole number"),
        ("tree.root.left.right.positive", "no", "positive' is neither true nor false"),
        ("schema", "x", "'schema' is not an object"),
        ("encoder.columns", [{"name": "odor"}], "'encoder' names other columns"),
    ],
)
def test_a_wrong_field_is_named(path, value, message):
    record = copy.deepcopy(model().to_json())
    container, key = at(record, path)
    container[key] = value
    with pytest.raises(InputError, match="is damaged") as caught:
        Model.from_json(record)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "tree",
        "tree.root",
        "tree.positive_label",
        "tree.features.1.cuts",
        "tree.root.counts",
        "tree.root.left",
        "tree.root.right.counts.positive",
        "schema",
        "encoder",
        "facts",
    ],
)
def test_a_missing_field_is_named(path):
    record = copy.deepcopy(model().to_json())
    container, key = at(record, path)
    del container[key]
    with pytest.raises(InputError) as caught:
        Model.from_json(record)
    name = path.replace(".1.", "[1].")
    if path == "tree.root.left":  # without children it reads as a leaf
        name = "tree.root.positive"
    assert f"'{name}' is missing" in str(caught.value)


def test_bins_that_are_no_threshold_are_refused():
    record = tree_to_json(mushroom_tree())
    record["root"]["left"].update(left_codes=[0, 2], left_values=["1", "3"])
    with pytest.raises(InputError, match="left_codes' are not one side of a cut of 'cap size'"):
        tree_from_json(record)


@pytest.mark.parametrize("record", [[], {}, {"format": "other"}, None, 3])
def test_a_foreign_file_is_called_foreign(record):
    with pytest.raises(InputError, match="not a model file"):
        Model.from_text(json.dumps(record))


@pytest.mark.parametrize("text", ["", "{", "tree,age\n1,2", b"\xff\xfe\x00", "[" * 100_000])
def test_a_file_that_is_not_json_is_called_that(text):
    with pytest.raises(InputError, match="not JSON"):
        Model.from_text(text)


def test_a_version_of_the_future_is_refused():
    with pytest.raises(InputError, match="version 2, but this program reads version 1"):
        Model.from_json({**model().to_json(), "version": 2})


def test_a_bottomless_tree_is_refused():
    record = tree_to_json(mushroom_tree())
    node = record["root"]
    for _ in range(200):
        node["left"] = copy.copy(node)
        node = node["left"]
    with pytest.raises(InputError, match="more than 64 levels"):
        tree_from_json(record)
