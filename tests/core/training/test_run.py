"""A run prepares, solves, tests and compares, and its JSON has all of this."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

from odt_core.confusion import Confusion
from odt_core.data import SplitSpec, Table
from odt_core.export import tree_from_json
from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Status, TracePoint
from odt_core.topology import Topology
from odt_core.training import (
    FeatureSelection,
    Hooks,
    NodeRuleSpec,
    RulesSpec,
    Stage,
    TrainSpec,
    run_training,
)
from odt_core.training.run import build_problem, prepare_training
from odt_core.words import value_words


def test_the_tree_of_known_data_is_found_and_proved(table: Table, spec: TrainSpec) -> None:
    result = run_training(table, spec)
    assert result.solution.status is Status.OPTIMAL
    assert result.solution.confusion == Confusion(tp=9, fp=0, tn=9, fn=0)
    assert result.solution.tree is not None and result.solution.tree.n_leaves == 4


def test_stages_are_reported_in_order(table: Table, spec: TrainSpec) -> None:
    told: list[Stage] = []
    run_training(table, spec, Hooks(on_stage=told.append))
    assert told == [Stage.PREPARING, Stage.SOLVING, Stage.FINISHING]


def test_progress_comes_with_the_problem_it_is_about(table: Table, spec: TrainSpec) -> None:
    seen: list[tuple[Problem, TracePoint]] = []
    result = run_training(table, spec, Hooks(on_progress=lambda *point: seen.append(point)))
    assert all(problem is result.problem for problem, _ in seen)
    bounds = [point.bound for _, point in seen if point.bound is not None]
    assert bounds == sorted(bounds, reverse=True)


def test_the_json_holds_the_contract_and_nothing_that_json_cannot(
    table: Table, spec: TrainSpec
) -> None:
    spec = replace(spec, split=SplitSpec(Fraction(2, 3), seed=1))
    result = run_training(table, spec)
    record = json.loads(json.dumps(result.to_json(), allow_nan=False))
    for name in (
        "status engine objective errors seconds proved_by mip n_train n_test n_features n_columns "
        "topology max_card train test tree"
    ).split():
        assert name in record, name
    assert set(record["objective"]) >= {"name", "value", "bound"}
    assert set(record["seconds"]) >= {"total", "search", "mip"}
    assert (record["n_train"], record["n_test"]) == (12, 6)
    assert record["words"]["status"] == "Proved optimal"
    tree, cart = tree_from_json(record["tree"]), tree_from_json(record["cart"]["tree"])
    assert tree == result.solution.tree and cart == result.cart
    test = result.prepared.test
    assert test is not None
    assert Confusion(**record["train"]) == tree.confusion(result.prepared.train)
    assert Confusion(**record["test"]) == tree.confusion(test)
    assert Confusion(**record["cart"]["test"]) == cart.confusion(test)
    assert TrainSpec.from_json(record["settings"]) == spec


def test_without_test_rows_there_are_no_test_numbers(table: Table, spec: TrainSpec) -> None:
    record = run_training(table, spec).to_json()
    assert record["test"] is None and record["cart"]["test"] is None and record["n_test"] == 0


def test_what_cannot_be_met_is_proved_impossible(table: Table, spec: TrainSpec) -> None:
    objective = Objective(Goal.MAX_TPR, min_tpr=Fraction(1), min_tnr=Fraction(1))
    spec = replace(spec, topology=Topology.parse("depth-1"), objective=objective)
    result = run_training(table, spec)
    assert result.solution.status is Status.INFEASIBLE
    assert result.model is None
    record = result.to_json()
    assert record["tree"] is None and record["train"] is None
    assert record["words"]["status"].startswith("Proved impossible")


def test_a_stop_before_the_solve_still_gives_an_answer(table: Table, spec: TrainSpec) -> None:
    result = run_training(table, spec, Hooks(should_stop=lambda: True))
    assert result.solution.status in (Status.CANCELLED, Status.OPTIMAL)
    json.dumps(result.to_json(), allow_nan=False)


def test_a_fixed_question_stands_in_the_tree(table: Table, spec: TrainSpec) -> None:
    rule = NodeRuleSpec(1, feature="pain", categories=("some", "much"))
    result = run_training(table, replace(spec, rules=RulesSpec(nodes=(rule,))))
    tree = result.solution.tree
    assert tree is not None
    root = tree.decisions[0]
    feature = tree.features[root.split.feature]
    assert feature.name == "pain"
    assert {feature.values[code] for code in root.split.left} == {"some", "much"}


def test_a_proof_names_the_columns_that_were_selected(table: Table, spec: TrainSpec) -> None:
    spec = replace(spec, topology=Topology.parse("depth-1"))
    selected = run_training(table, replace(spec, feature_selection=FeatureSelection.CART))
    assert "No tree of this shape with questions only about age and pain does better" in (
        selected.proof_sentence
    )
    ruled = run_training(table, replace(spec, max_card=1, rules=RulesSpec(("pain",))))
    assert "with sets of at most 1 category and the expert rules does" in ruled.proof_sentence


def test_totals_are_reported_in_the_goal_s_own_terms(table: Table, spec: TrainSpec) -> None:
    def problem(objective: Objective) -> Problem:
        changed = replace(spec, objective=objective)
        return build_problem(prepare_training(table, changed), changed)

    assert value_words(problem(Objective()), 12) == "12 of 18 training rows right (66.7%)"
    balanced = problem(Objective(Goal.BALANCED))
    assert value_words(balanced, balanced.gains.scale // 2) == "balanced accuracy 50.0%"
    weighted = problem(Objective(class_weight=Fraction(1, 2)))
    assert value_words(weighted, 25) == "12.5 weighted rows right"
    sensitive = problem(Objective(Goal.MAX_TPR, min_tnr=Fraction(1, 2)))
    assert value_words(sensitive, 6) == "6 of 9 training rows of yes right (66.7%)"
