"""The facts about the training in a model."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from odt_core.confusion import Confusion
from odt_core.data import Exclusion
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.reports import Derivation, ModelStage
from odt_core.software import software_versions
from tests.core.reports.sheets import model_of
from tests.core.trees import mushroom_tree


def test_a_trained_model_says_how_it_came_about(trained: Model):
    found = Derivation.of(Model.from_text(trained.to_text()))
    result = trained.facts["result"]
    assert found.train.confusion == Confusion(**result["train"])
    assert found.test is not None and found.test.confusion == Confusion(**result["test"])
    assert found.data.name == "ward.csv" and len(found.data.sha256) == 64
    assert found.spec is not None and found.spec.topology.name == "depth-2"
    flow = found.flow
    assert flow is not None and (flow.read, flow.train, flow.test) == (122, 90, 30)
    assert [each.rows for each in flow.excluded] == [2]
    assert isinstance(flow.excluded[0], Exclusion)
    assert found.proof is not None
    assert found.proof.status == "Proved optimal" and found.proof.gap == 0
    assert found.proof.reached == found.proof.bound == "90 of 90 training rows right (100%)"
    assert dict(found.versions) == software_versions()
    tested = [row.test for row in found.leaves]
    assert sum(rate.n for rate in tested if rate is not None) == 30


def test_a_model_that_says_nothing_is_read_too():
    found = Derivation.of(model_of(mushroom_tree()))
    assert (found.test, found.flow, found.spec, found.proof) == (None, None, None, None)
    assert found.versions == ()
    assert found.train.confusion == Confusion(tp=95, fp=2, tn=100, fn=3)
    assert found.verdict.short.startswith("no test rows")


def with_facts(model: Model, change: dict[str, Any], *path: str) -> Model:
    """The model with some of its facts replaced."""
    facts = copy.deepcopy(model.facts)
    part = facts
    for name in path:
        part = part[name]
    part.update(change)
    return replace(model, facts=facts)


@pytest.mark.parametrize(
    ("change", "path", "named"),
    [
        ({"flow": {"read": -1}}, ("data",), "facts.data.flow"),
        ({"test": {"tp": 1}}, ("result",), "facts.result.test"),
        ({"test": [1]}, ("result",), "facts.result.test"),
        ({"test_leaves": {"negative": [1], "positive": [1]}}, ("result",), "test_leaves"),
        ({"words": {"status": 1}}, ("result",), "facts.result.words.status"),
        ({"result": 3}, (), "facts.result"),
        ({"versions": {"numpy": 2}}, (), "facts.versions.numpy"),
    ],
)
def test_a_message_names_the_damaged_field(
    trained: Model, change: dict[str, Any], path: tuple[str, ...], named: str
):
    with pytest.raises(InputError, match="damaged") as caught:
        Derivation.of(with_facts(trained, change, *path))
    assert named in str(caught.value)


def test_stages_have_names_for_the_command_line():
    assert [ModelStage.parse(name) for name in ("derived", "Validated", "in-use")] == list(
        ModelStage
    )
    with pytest.raises(InputError, match="'done' is not known: choose one of derived"):
        ModelStage.parse("done")
