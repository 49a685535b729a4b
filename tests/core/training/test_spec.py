"""A specification survives its JSON, and its rules mean what the user wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core.data import SplitSpec, Table
from odt_core.errors import InputError
from odt_core.problem import Goal, Objective, Split
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import Topology
from odt_core.training import (
    FeatureSelection,
    NodeRuleSpec,
    RulesSpec,
    TrainSpec,
    build_problem,
    prepare_training,
)

CHANGES = [
    {},
    {"split": SplitSpec(Fraction(9, 10), seed=7)},
    {"split": SplitSpec("paper", 20)},
    {"topology": Topology.parse("(. (. .))")},
    {"objective": Objective(Goal.ACCURACY, Fraction(3, 7))},
    {"objective": Objective(Goal.MAX_TPR, min_tnr=Fraction(955, 1000))},
    {"objective": Objective(Goal.MAX_TNR, min_tpr=Fraction(1), min_tnr=Fraction(1, 3))},
    {"max_card": 2},
    {
        "forbid_empty_branches": True,
        "feature_selection": FeatureSelection.CART,
        "least_features": 4,
    },
    {"engine": Engine.HIGHS, "time_limit": 2.5, "threads": 2, "seed": 11},
    {"mip": MipOptions(strengthen=False, relax=False, card_direction=True)},
    {
        "rules": RulesSpec(
            ("pain",),
            (
                NodeRuleSpec(1, feature="age", threshold=45.0, missing_left=True),
                NodeRuleSpec(2, features=("age", "pain")),
                NodeRuleSpec(3, feature="pain", categories=("none",)),
            ),
        )
    },
    {"rules": RulesSpec((), (NodeRuleSpec(1, never=("age",)), NodeRuleSpec(2, features=("age",))))},
]


@pytest.mark.parametrize("changes", CHANGES, ids=lambda changes: "+".join(changes) or "plain")
def test_a_specification_comes_back_from_its_json_as_it_was(
    spec: TrainSpec, changes: dict[str, object]
) -> None:
    changed = replace(spec, **changes)  # type: ignore[arg-type]
    record = changed.to_json()
    assert json.loads(json.dumps(record)) == record
    assert TrainSpec.from_json(record) == changed


def test_another_version_is_refused(spec: TrainSpec) -> None:
    with pytest.raises(InputError, match="version 99"):
        TrainSpec.from_json({**spec.to_json(), "version": 99})


def test_a_missing_field_is_named(spec: TrainSpec) -> None:
    record = spec.to_json()
    del record["max_card"]
    with pytest.raises(InputError, match="'max_card'"):
        TrainSpec.from_json(record)


@pytest.mark.parametrize("changes", [{"time_limit": 0.0}, {"threads": 0}, {"threads": 1000}])
def test_limits_are_checked(spec: TrainSpec, changes: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(changes)).replace("_", "-")):
        replace(spec, **changes)  # type: ignore[arg-type]


def test_a_fixed_question_is_the_one_the_user_wrote(table: Table, spec: TrainSpec) -> None:
    rules = RulesSpec(
        nodes=(
            NodeRuleSpec(1, feature="age", threshold=55.0),
            NodeRuleSpec(2, feature="pain", categories=("none", "some")),
        )
    )
    problem = build_problem(prepare_training(table, spec), replace(spec, rules=rules))
    age, pain = problem.data.features
    assert (age.name, pain.name) == ("age", "pain")
    first, second = problem.rules.at(0).split, problem.rules.at(1).split
    assert first == Split(0, frozenset({0, 1, 2}))
    assert second is not None and second.feature == 1
    assert {pain.values[code] for code in second.left} == {"none", "some"}


def test_a_column_that_a_question_is_never_about(table: Table, spec: TrainSpec) -> None:
    features = prepare_training(table, spec).train.features
    assert NodeRuleSpec(1, never=("age",)).resolve(features).features == {1}
    both = NodeRuleSpec(1, features=("age", "pain"), never=("pain",))
    assert both.resolve(features).features == {0}
    assert RulesSpec((), (both,)).without({"pain"}).nodes[0].never == ()


def test_rules_that_were_stored_without_it_exclude_no_column(spec: TrainSpec) -> None:
    rules = RulesSpec((), (NodeRuleSpec(1, features=("age",)),))
    record = replace(spec, rules=rules).to_json()
    del record["rules"]["nodes"][0]["never"]
    assert TrainSpec.from_json(record).rules == rules


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (NodeRuleSpec(1, feature="weight", threshold=3.0), "names the column 'weight'"),
        (NodeRuleSpec(1, features=("age", "weight")), "names the column 'weight'"),
        (NodeRuleSpec(1, never=("weight",)), "names the column 'weight'"),
        (NodeRuleSpec(1, never=("age", "pain")), "no feature left"),
        (NodeRuleSpec(1, feature="age", threshold=54.0), "which is not one of the column's cut"),
        (NodeRuleSpec(1, feature="pain", threshold=3.0), "but the column is categorical"),
        (NodeRuleSpec(1, feature="pain", categories=("mild",)), "the category 'mild'"),
        (NodeRuleSpec(1, feature="pain"), "needs the categories that go left"),
        (NodeRuleSpec(4, features=("age",)), "names decision node 4"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(
    table: Table, spec: TrainSpec, rule: NodeRuleSpec, message: str
) -> None:
    prepared = prepare_training(table, spec)
    with pytest.raises(InputError, match=message):
        build_problem(prepared, replace(spec, rules=RulesSpec(nodes=(rule,))))


def test_forbidding_every_column_is_refused(table: Table, spec: TrainSpec) -> None:
    prepared = prepare_training(table, spec)
    with pytest.raises(InputError, match="no feature left"):
        build_problem(prepared, replace(spec, rules=RulesSpec(("age", "pain"))))


def test_selected_features_are_those_a_default_cart_uses(table: Table, spec: TrainSpec) -> None:
    from odt_core.cart import fit_cart

    prepared = prepare_training(table, spec)
    chosen = replace(spec, feature_selection=FeatureSelection.CART, rules=RulesSpec())
    problem = build_problem(prepared, chosen)
    used = fit_cart(prepared.train, seed=spec.split.seed).used_features
    assert set(problem.allowed_features(0)) == set(used)
