"""The published schema describes what is written, and refuses what the reader refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from odt_core.data import SAMPLES, SplitSpec
from odt_core.errors import InputError
from odt_core.export import Model, model_schema
from odt_core.topology import Topology
from odt_core.training import TrainSpec, train_tree
from tests.core.trees import export_tree, random_tree, unhurried

VALIDATOR = Draft202012Validator(model_schema())


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """The model file of a training run with numbers, categories and missing values."""
    sample = SAMPLES["triage"]
    spec = TrainSpec(sample.schema(), SplitSpec("all"), Topology.parse("depth-2"))
    model = train_tree(sample.load(), spec).model
    assert model is not None
    return json.loads(model.to_text())


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(model_schema())


def test_a_model_file_fits_and_is_read_again(record: dict[str, Any]) -> None:
    VALIDATOR.validate(record)
    assert Model.from_json(record).to_json() == record


@unhurried
@given(st.randoms(use_true_random=False))
def test_every_tree_file_fits(random: Any) -> None:
    tree, _ = random_tree(random)
    VALIDATOR.validate(json.loads(export_tree(tree, "json")))


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all fields that a model needs: what it says of its training is free."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in entries:
        if isinstance(value, dict):
            yield (*path, key)
        if key != "facts" and isinstance(below, (dict, list)):
            yield from paths(below, (*path, key))


def without(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    part = changed
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return changed


def test_what_the_reader_cannot_do_without_is_required(record: dict[str, Any]) -> None:
    refused = 0
    for path in paths(record):
        damaged = without(record, path)
        try:
            Model.from_json(damaged)
        except InputError:
            refused += 1
            assert not VALIDATOR.is_valid(damaged), path
    assert refused > 50


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("format",), "other"),
        (("tree", "root", "unseen"), "up"),
        (("tree", "root", "counts", "positive"), -1),
        (("tree", "features", 0, "kind"), "ordinal"),
        (("encoder", "decimal"), ";"),
        (("encoder", "columns", 0, "missing_code"), "1"),
    ],
)
def test_a_wrong_value_is_refused_by_both(
    record: dict[str, Any], path: tuple[Any, ...], value: object
) -> None:
    changed = copy.deepcopy(record)
    part = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    assert not VALIDATOR.is_valid(changed)
    with pytest.raises(InputError):
        Model.from_json(changed)
