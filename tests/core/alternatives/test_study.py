"""The run that lists near-optimal trees, and how screens and files read it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from odt_core.alternatives import (
    AlternativesPart,
    AlternativesView,
    alternatives_csv,
    cost_per_case,
    listing,
    parse_cost,
    questions_per_case,
    run_alternatives,
)
from odt_core.data import SAMPLES, ReadOptions, SplitSpec, Table, read_table
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobSpec
from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Status
from odt_core.solvers.control import Control
from odt_core.solvers.search import SearchOutcome, solve_search
from odt_core.studies import Adoption, Source, run_adoption
from odt_core.topology import AnyShape, Topology
from odt_core.training import Hooks, Stage, TrainSpec, build_problem, prepare_training


@pytest.fixture(scope="module")
def table() -> Table:
    return read_table(SAMPLES["triage"].csv(), ReadOptions(), name="triage.csv")


def spec_of(**changes: Any) -> TrainSpec:
    settings: dict[str, Any] = {
        "schema": SAMPLES["triage"].schema(),
        "split": SplitSpec.parse("300"),
        "topology": Topology.parse("depth-2"),
        "max_card": 2,
    }
    return TrainSpec(**settings | changes)


@pytest.fixture(scope="module")
def found(table: Table) -> AlternativesView:
    part = AlternativesPart(30, costs=(("age", Fraction(3)),))
    record = run_alternatives(table, spec_of(), part).to_json()
    return AlternativesView(json.loads(json.dumps(record)))


def test_the_record_says_what_is_needed_to_read_it_again(
    table: Table, found: AlternativesView
) -> None:
    rows = prepare_training(table, spec_of())
    assert len(found.trees) == 30 and found.end == "number"
    for tree in found.trees:
        shown = tree.over(rows.train.features)
        assert shown.confusion(rows.train) == tree.train
        assert rows.test is not None and shown.confusion(rows.test) == tree.test
        assert {shown.features[g].name for g in shown.used_features} == set(tree.columns)
    assert [tree.loss for tree in found.trees] == sorted(tree.loss for tree in found.trees)


def test_questions_and_costs_per_case_are_means_over_training_rows(
    table: Table, found: AlternativesView
) -> None:
    rows = prepare_training(table, spec_of()).train
    costs = {"age": Fraction(3), "shock_index": Fraction(1, 2)}
    for each in found.trees[:5]:
        tree = each.over(rows.features)
        asked, paid = [], []
        for leaf in tree.apply(rows.codes):
            path = tree.paths[leaf]
            names = {tree.features[step.split.feature].name for step, _ in path}
            asked.append(len(path))
            paid.append(float(sum(costs.get(name, 1) for name in names)))
        assert questions_per_case(tree) == pytest.approx(np.mean(asked))
        assert questions_per_case(tree) == pytest.approx(tree.mean_questions(rows))
        assert cost_per_case(tree, costs) == pytest.approx(np.mean(paid))


def test_filters(found: AlternativesView) -> None:
    name = found.trees[0].columns[0]
    assert all(name not in tree.columns for tree in found.chosen(without=[name]))
    assert all(set(t.columns) <= {name, "age"} for t in found.chosen(only=[name, "age"]))
    cheap = found.chosen(most_cost=Fraction(3, 2), costs={name: Fraction(0)})
    assert all(tree.cost_per_case({name: Fraction(0)}) <= 1.5 for tree in cheap)
    assert found.chosen() == found.trees


def test_a_chosen_tree_becomes_a_training_result(table: Table, found: AlternativesView) -> None:
    assert found.least is not None
    worse = next(tree for tree in found.trees if tree.loss > found.least)
    for tree, status in ((found.trees[0], Status.OPTIMAL), (worse, Status.FEASIBLE)):
        bound = found.bound_total
        assert bound == found.most - found.trees[0].loss_total
        adoption = Adoption(tree.assignment, False, 1.0, Source.ALTERNATIVES, bound)
        assert Adoption.from_json(json.loads(json.dumps(adoption.to_json()))) == adoption
        result = run_adoption(table, spec_of(), adoption)
        assert result.solution.status is status
        assert result.solution.confusion == tree.train
        assert "alternatives" in result.solution.remark


def test_a_list_without_a_tree_says_so(table: Table) -> None:
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(1), min_tnr=Fraction(1))
    spec = spec_of(topology=Topology.parse("depth-1"), objective=objective)
    result = run_alternatives(table, spec, AlternativesPart(5))
    assert result.status is Status.INFEASIBLE
    view = AlternativesView(result.to_json())
    assert not view.trees and "no tree of this shape meets the conditions" in view.proof_words()


def test_a_list_of_any_shape(table: Table) -> None:
    result = run_alternatives(table, spec_of(topology=AnyShape(2)), AlternativesPart(5))
    view = AlternativesView(result.to_json())
    assert len(view.trees) == 5
    assert all(len(tree.own_tree.decisions) <= 2 for tree in view.trees)


def test_a_stopped_list_claims_no_more_than_the_optimum(table: Table) -> None:
    result = run_alternatives(
        table, spec_of(), AlternativesPart(5), Hooks(should_stop=lambda: True)
    )
    assert result.status is Status.CANCELLED
    assert "stopped" in AlternativesView(result.to_json()).proof_words()


def test_a_stopped_list_tells_that_it_builds_the_trees_it_has_found(table: Table) -> None:
    events: list[str] = []

    hooks = Hooks(
        on_stage=lambda stage: events.append(stage.value),
        on_best=lambda _: events.append("told"),
        should_stop=lambda: "told" in events,
    )
    result = run_alternatives(table, spec_of(), AlternativesPart(5000), hooks)
    assert result.status is Status.CANCELLED and result.found.trees
    began, told = events.index(Stage.FINISHING.value), events.index("told")
    assert told < began < len(events) - 1, "told as soon as it stops, and again at the end"


def test_a_stop_is_seen_while_the_trees_are_built(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the search for the optimum would ask as often as it takes time
    monkeypatch.setattr(listing, "solve_search", lambda problem, control: solve_search(problem))
    problem = build_problem(prepare_training(table, spec_of()), spec_of())
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    def asked_for(number: int) -> tuple[int, int]:
        nonlocal asked
        asked = 0
        return listing.find_near_trees(
            [problem], Control(should_stop=count), number=number
        ).n_within, asked

    n_found, for_twenty = asked_for(20)
    assert n_found > 20
    assert asked_for(n_found)[1] - for_twenty == n_found - 20, "once for each tree of the same list"


def test_a_list_within_limits_is_bounded_by_the_best_tree_without_them(
    table: Table, found: AlternativesView
) -> None:
    best = found.trees[0]
    part = AlternativesPart(3, without=(best.columns[0],))
    limited = AlternativesView(run_alternatives(table, spec_of(), part).to_json())
    assert limited.least_free == found.least and limited.bound_total == found.bound_total
    assert all(best.columns[0] not in tree.columns for tree in limited.trees)
    assert limited.free_words() and not found.free_words()


def test_the_list_during_a_search_is_the_beginning_of_the_whole_list(table: Table) -> None:
    told: list[AlternativesView] = []
    hooks = Hooks(on_best=lambda best: told.append(AlternativesView(best.result().to_json())))
    result = run_alternatives(table, spec_of(), AlternativesPart(10), hooks)
    losses = [tree.loss for tree in AlternativesView(result.to_json()).trees]
    assert told
    for view in told:
        settled = [tree.loss for tree in view.trees if tree.is_settled]
        assert settled == losses[: len(settled)]
        assert f"{len(view.trees)} tree" in view.progress_words()


def test_trees_that_are_not_settled_are_marked(found: AlternativesView) -> None:
    trees = [dict(tree.record) for tree in found.trees]
    trees[-1]["settled"] = trees[-2]["settled"] = False
    view = AlternativesView({**found.record, "trees": trees, "end": "time"})
    assert [tree.is_settled for tree in view.trees[-3:]] == [True, False, False]
    assert "The last 2 trees were found beyond that" in view.proof_words()
    lines = alternatives_csv(view.trees, {}).decode("utf-8-sig").splitlines()
    settled = [line["settled"] for line in csv.DictReader(lines)]
    assert settled[-3:] == ["yes", "no", "no"]


def test_the_best_tree_found_is_listed_where_the_search_did_not_prove_it(
    table: Table, found: AlternativesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unproved(problem: Problem, control: Control) -> SearchOutcome:
        outcome = solve_search(problem, control)
        return replace(outcome, proved=False, bound=problem.perfect_total)

    monkeypatch.setattr(listing, "solve_search", unproved)
    result = run_alternatives(table, spec_of(), AlternativesPart(5))
    view = AlternativesView(result.to_json())
    assert [tree.loss for tree in view.trees] == [found.least] and not view.trees[0].is_settled
    assert view.least is None and view.bound_total == view.most
    assert "No tree was proved to be the best. None has fewer than 0" in view.proof_words()


def test_what_is_asked_for_survives_the_store() -> None:
    part = AlternativesPart(
        7, Fraction(5, 2), (("a b", Fraction(1, 3)),), ("c",), ("a b", "d"), Fraction(1, 7)
    )
    job = JobSpec("0" * 64, "t.csv", ReadOptions(), spec_of(), JobKind.ALTERNATIVES, part)
    assert JobSpec.from_json(json.loads(json.dumps(job.to_json()))) == job
    assert job.time_limit == 2 * job.train.time_limit


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AlternativesPart(0), "give a number from 1 to 5,000"),
        (lambda: AlternativesPart(5, Fraction(-1)), "give 0 or a larger number"),
        (lambda: AlternativesPart(5, None, (("a", Fraction(-1)),)), "'a' is negative"),
        (lambda: parse_cost("dear", "a"), "'a' is 'dear': give a number of at least 0"),
    ],
)
def test_numbers_that_cannot_be_used_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
