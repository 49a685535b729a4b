"""The frontier of a table: its JSON, its test rows, and its words when time runs out."""

from __future__ import annotations

import dataclasses
import json

import pytest

from odt_core.data import SAMPLES, SplitSpec
from odt_core.export import tree_from_json
from odt_core.solution import Assignment, Engine, Status
from odt_core.studies import (
    Adoption,
    FrontierResult,
    LowerBound,
    floor_objective,
    frontier_csv,
    run_adoption,
    run_frontier,
)
from odt_core.studies import frontier as frontier_module
from odt_core.topology import Topology
from odt_core.training import Hooks, TrainSpec

SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("300"),
    topology=Topology.parse("depth-2"),
    max_card=1,
    engine=Engine.SEARCH,
)


@pytest.fixture(scope="module")
def result() -> FrontierResult:
    return run_frontier(SAMPLES["triage"].load(), SPEC)


def test_its_json_can_be_rebuilt_and_counts_again(result: FrontierResult) -> None:
    record = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert record["status"] == "optimal" and record["bound"] is None
    train, test = result.prepared.train, result.prepared.test
    assert test is not None and record["n_train"] == 300
    for point in record["points"]:
        tree = tree_from_json(point["tree"])
        counted = tree.confusion(train)
        assert (counted.fn, counted.fp) == (point["fn"], point["fp"])
        assert point["tpr"] == counted.tp / counted.n_positive
        assert point["tnr"] == counted.tn / counted.n_negative
        assert tree.confusion(test) == type(counted)(**point["test"])
    lines = frontier_csv(result.points).decode().splitlines()
    assert len(lines) == 1 + len(record["points"])


def test_adopting_a_point_gives_its_tree_as_a_proved_training_result(
    result: FrontierResult,
) -> None:
    point = result.points[len(result.points) // 2]
    record = result.to_json()["points"][len(result.points) // 2]
    adoption = Adoption(Assignment.from_json(record["assignment"]), point.proved, result.seconds)
    assert Adoption.from_json(json.loads(json.dumps(adoption.to_json()))) == adoption
    spec = dataclasses.replace(SPEC, objective=floor_objective(point.tpr))
    adopted = run_adoption(SAMPLES["triage"].load(), spec, adoption)
    assert adopted.solution.tree == point.tree
    assert adopted.solution.status is Status.OPTIMAL
    assert adopted.solution.confusion == point.train
    assert adopted.model is not None


def test_a_stop_says_what_is_not_proved() -> None:
    spec = dataclasses.replace(
        SPEC,
        schema=SAMPLES["tic-tac-toe"].schema(),
        topology=Topology.parse("imbalanced"),
        max_card=None,
    )
    result = run_frontier(SAMPLES["tic-tac-toe"].load(), spec, Hooks(should_stop=lambda: True))
    assert result.status is Status.CANCELLED
    assert all(point.fp == 0 and point.fn == 0 for point in result.points if point.proved)
    record = result.to_json()
    assert record["status"] == "cancelled" and len(record["points"]) == len(result.points)


def test_what_time_leaves_open_is_bounded_and_corners_are_proved(
    monkeypatch: pytest.MonkeyPatch, result: FrontierResult
) -> None:
    """The search for the frontier gets no time, and the weighted searches get all of it."""
    monkeypatch.setattr(frontier_module, "FRONT_SHARE", 1e-9)
    partial = run_frontier(SAMPLES["triage"].load(), SPEC)
    exact = {(point.fn, point.fp) for point in result.points}
    proved = {(point.fn, point.fp) for point in partial.points if point.proved}
    assert proved and proved <= exact
    corners = {
        (point.fn, point.fp)
        for point in result.points
        if point.cost is not None and point.cost.low != point.cost.high
    }
    assert corners <= proved
    if partial.status is Status.OPTIMAL:
        assert proved == exact
        return
    assert partial.status is Status.FEASIBLE and partial.bound is not None
    for fn, fp in exact:
        assert partial.bound.least_fp(fn) <= fp


def test_a_bound_without_cuts_proves_only_what_cannot_be_beaten() -> None:
    bound = LowerBound()
    assert bound.proves(0, 0) and not bound.proves(1, 0) and not bound.proves(0, 1)
    bound.add(1, 1, 4)
    assert bound.steps(10) == [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0)]
    assert bound.proves(2, 2) and not bound.proves(2, 3) and not bound.proves(3, 2)


def test_what_the_search_knew_when_it_ended_counts_beside_the_cuts() -> None:
    bound = LowerBound(known=(5, 3, 3, 0))
    assert bound.steps(10) == [(0, 5), (1, 3), (3, 0)]
    assert bound.proves(1, 3) and not bound.proves(2, 3) and not bound.proves(1, 4)
    assert bound.is_reached_by([(0, 5), (1, 3), (3, 0)], 10)
    bound.add(1, 1, 5)
    assert [bound.least_fp(fn) for fn in range(6)] == [5, 4, 3, 2, 1, 0]
