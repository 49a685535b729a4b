"""The integer program: sizes, row families, and the numbers the paper states."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from odt_core.problem import (
    EncodedData,
    Goal,
    NodeRule,
    Objective,
    Problem,
    Rules,
    Split,
)
from odt_core.solvers.mip.formulation import Formulation, formulate
from odt_core.solvers.mip.loading import load
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import Topology
from tests.core.solvers.problems import categorical, data, monks_1, noise, numerical
from tests.properties.strategies import random_problem

WITHOUT_LONE_LEAVES = ("depth-1", "depth-2", "depth-2.5", "depth-3", "imbalanced", "depth-4")
NOTHING = MipOptions(strengthen=False, anchor=False, relax=False, delete=False)
FLOORED = Objective(Goal.MAX_TNR, min_tpr=Fraction(1, 2))

TINY = data(
    [categorical("x", 3), numerical("n", 3)],
    [[0, 0], [0, 1], [1, 1], [2, 2]],
    [1, 0, 1, 0],
)
"""Merged and ordered by class, the rows are i1 = (a, bin 1) and i2 = (c, bin 2), both negative,
and i3 = (a, bin 0) and i4 = (b, bin 1), both positive."""


def tiny(topology: str = "depth-2", **conditions: object) -> Problem:
    return Problem(TINY, Topology.parse(topology), **conditions)  # type: ignore[arg-type]


def row(formulation: Formulation, name: str) -> str:
    """A row in words."""
    program = formulation.program
    r = program.row_names.index(name)
    entries = slice(program.starts[r], program.starts[r + 1])
    terms = [
        f"{coefficient:+g} {program.names[column]}"
        for column, coefficient in zip(
            program.columns[entries], program.coefficients[entries], strict=True
        )
    ]
    return f"{' '.join(terms)} {program.senses[r]} {program.rhs[r]:g}"


def families(formulation: Formulation) -> set[str]:
    """The row families present."""
    marks = ("_k", "_i", "_b")
    return {
        min((name.split(mark)[0] for mark in marks), key=len)
        for name in formulation.program.row_names
    }


def integers(formulation: Formulation) -> set[str]:
    program = formulation.program
    return {name for name, integer in zip(program.names, program.integer, strict=True) if integer}


# ---- the numbers that must come out ----


@pytest.mark.parametrize("topology", WITHOUT_LONE_LEAVES)
@pytest.mark.parametrize("source", ["monks-1", "noise", "numerical", "no empty branch", "random"])
def test_integers_are_one_hot_columns_times_nodes_that_touch_no_leaf(
    topology: str, source: str
) -> None:
    encoded: dict[str, EncodedData] = {
        "monks-1": monks_1(),
        "noise": noise(60, [2, 7, 3]),
        "numerical": TINY,
        "no empty branch": TINY,
        "random": random_problem(3, plain=True).data,
    }
    problem = Problem(
        encoded[source],
        Topology.parse(topology),
        forbid_empty_branches=source == "no empty branch",
    )
    inner = [k for k in range(problem.topology.n_nodes) if not problem.topology.touches_leaf(k)]
    formulation = formulate(problem)
    assert formulation.program.n_integers == problem.data.n_columns * len(inner)
    assert all(name.startswith("z_") for name in integers(formulation))


def test_with_a_cap_one_more_for_each_capped_feature_and_node() -> None:
    problem = Problem(noise(40, [7, 5, 3, 2]), Topology.parse("depth-2"), max_card=2)
    assert formulate(problem).program.n_integers == (7 + 5 + 3 + 2) + 3 * 1  # only 7 > 2 * 2 + 1


def test_with_a_floor_every_z_is_binary_but_v_c_and_numerical_w_are_not() -> None:
    found = integers(formulate(tiny(objective=FLOORED)))
    assert found == {f"z_k{k}_g{g}_j{j}" for k in (1, 2, 3) for g in (1, 2) for j in (1, 2, 3)}


def test_labels_of_lone_leaves_are_binary_only_with_a_floor() -> None:
    assert "u_b1" not in integers(formulate(tiny("(. (. .))")))
    assert "u_b1" in integers(formulate(tiny("(. (. .))", objective=FLOORED)))


def test_without_relaxing_everything_is_binary() -> None:
    formulation = formulate(tiny("(. (. .))", max_card=1), replace(NOTHING))
    assert integers(formulation) == set(formulation.program.names) - {"constant"}


def test_deletion_halves_the_c_variables() -> None:
    def n_c(options: MipOptions) -> int:
        return sum(name.startswith("c_") for name in formulate(tiny(), options).program.names)

    assert n_c(MipOptions(delete=False)) == 4 * 4
    assert n_c(MipOptions()) == 4 * 2


def test_equal_rows_are_merged() -> None:
    twice = TINY.take(np.array([0, 0, 0, 1, 2, 3]))
    formulation = formulate(Problem(twice, Topology.parse("depth-2")))
    assert len(formulation.draft.data.y) == 4
    program = formulation.program
    assert program.cost[program.names.index("c_i3_b2")] == -3
    assert program.cost[program.names.index("constant")] == 6


def test_600_rows_of_122_columns_at_depth_3_are_built_within_a_second() -> None:
    sizes = [5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 40]
    assert sum(sizes) == 122
    problem = Problem(noise(600, sizes), Topology.parse("depth-3"))
    began = time.process_time()
    model, _ = load(formulate(problem).program, "CBC")
    assert time.process_time() - began < 1.0
    assert model.num_cols == formulate(problem).program.n_columns


# ---- row families ----


def test_basic_rows() -> None:
    formulation = formulate(tiny(), MipOptions(strengthen=False, delete=False))
    assert row(formulation, "one_group_k2") == "+1 v_k2_g1 +1 v_k2_g2 = 1"
    assert row(formulation, "hierarchy_k3_g2_j1") == "+1 z_k3_g2_j1 -1 v_k3_g2 < 0"
    assert row(formulation, "left_k1_b2_i3") == "+1 c_i3_b2 -1 z_k1_g1_j1 -1 z_k1_g2_j1 < 0"
    assert row(formulation, "right_k3_b4_i4") == "+1 c_i4_b4 +1 z_k3_g1_j2 +1 z_k3_g2_j2 < 1"
    assert row(formulation, "pick_one_i2") == "+1 c_i2_b1 +1 c_i2_b2 +1 c_i2_b3 +1 c_i2_b4 = 1"


def test_strengthened_rows_replace_left_and_right() -> None:
    plain = formulate(tiny(), MipOptions(strengthen=False, delete=False))
    strong = formulate(tiny(), MipOptions(delete=False))
    assert families(plain) - families(strong) == {"left", "right"}
    assert families(strong) - families(plain) == {"strong_left", "strong_right"}
    assert (
        row(strong, "strong_left_k1_i3") == "+1 c_i3_b1 +1 c_i3_b2 -1 z_k1_g1_j1 -1 z_k1_g2_j1 < 0"
    )
    assert (
        row(strong, "strong_right_k1_i3") == "+1 c_i3_b3 +1 c_i3_b4 +1 z_k1_g1_j1 +1 z_k1_g2_j1 < 1"
    )


def test_deletion_keeps_correct_leaves_only_and_drops_pick_one() -> None:
    formulation = formulate(tiny())
    assert "pick_one" not in families(formulation)
    assert row(formulation, "strong_left_k1_i3") == "+1 c_i3_b2 -1 z_k1_g1_j1 -1 z_k1_g2_j1 < 0"
    assert "strong_left_k2_i3" not in formulation.program.row_names  # left of k2 is negative


def test_the_most_frequent_value_is_the_anchor_where_a_node_can_be_reversed() -> None:
    formulation = formulate(tiny())
    assert row(formulation, "anchor_k1_g1") == "+1 z_k1_g1_j1 -1 v_k1_g1 = 0"
    assert row(formulation, "anchor_k1_g2") == "+1 z_k1_g2_j2 -1 v_k1_g2 = 0"
    assert "anchor_k2_g1" not in formulation.program.row_names
    assert "anchor" not in families(formulate(tiny(), MipOptions(anchor=False)))


def test_no_anchor_where_the_subtrees_or_their_rules_differ() -> None:
    assert "anchor_k1_g1" not in formulate(tiny("depth-2.5")).program.row_names
    one_sided = Rules(nodes=((1, NodeRule(features=frozenset({0}))),))
    assert "anchor" not in families(formulate(tiny(rules=one_sided)))


def test_direction_instead_of_anchors_for_numerical_features() -> None:
    formulation = formulate(tiny(), MipOptions(numerical_direction=True))
    program = formulation.program
    assert "anchor_k1_g1" in program.row_names
    assert "anchor_k1_g2" not in program.row_names
    assert program.lower[program.names.index("w_k1_g2")] == 1
    assert program.lower[program.names.index("w_k2_g2")] == 0


def test_direction_instead_of_anchors_for_capped_features() -> None:
    problem = Problem(noise(30, [6, 2]), Topology.parse("depth-2"), max_card=1)
    program = formulate(problem, MipOptions(card_direction=True)).program
    assert "anchor_k1_g1" not in program.row_names
    assert "anchor_k1_g2" in program.row_names
    assert program.lower[program.names.index("w_k1_g1")] == 1


def test_numerical_rows_as_in_the_paper_where_z_is_binary() -> None:
    formulation = formulate(tiny())
    assert row(formulation, "falling_k1_g2_j1") == "+1 z_k1_g2_j1 -1 z_k1_g2_j2 +1 w_k1_g2 > 0"
    assert row(formulation, "rising_k1_g2_j1") == "-1 z_k1_g2_j1 +1 z_k1_g2_j2 -1 w_k1_g2 > -1"


def test_a_missing_bin_stands_outside_the_order() -> None:
    features = [numerical("n", 2, has_missing=True)]
    problem = Problem(data(features, [[0], [1], [2]], [0, 1, 0]), Topology.parse("depth-2"))
    names = formulate(problem).program.row_names
    assert "falling_k1_g1_j1" in names
    assert "falling_k1_g1_j2" not in names


def test_max_card_rows_scale_with_v() -> None:
    problem = Problem(noise(30, [6, 2]), Topology.parse("depth-1"), max_card=2)
    formulation = formulate(problem)
    z = " ".join(f"+1 z_k1_g1_j{j}" for j in range(1, 7))
    assert row(formulation, "at_most_m_k1_g1") == f"{z} -2 v_k1_g1 +4 w_k1_g1 < 4"
    assert row(formulation, "all_but_m_k1_g1") == f"{z} -4 v_k1_g1 +4 w_k1_g1 > 0"


def test_no_max_card_rows_where_they_forbid_nothing() -> None:
    problem = Problem(noise(30, [5, 4]), Topology.parse("depth-2"), max_card=2)
    assert families(formulate(problem)).isdisjoint({"at_most_m", "all_but_m"})


def test_floors_count_correct_rows_with_their_weights() -> None:
    heavy = replace(TINY, weight=np.array([3, 1, 1, 1]))
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(3, 5))
    formulation = formulate(Problem(heavy, Topology.parse("depth-1"), objective))
    assert row(formulation, "min_sensitivity") == "+3 c_i3_b2 +1 c_i4_b2 > 3"  # 0.6 * 4 = 2.4


def test_no_empty_branch() -> None:
    formulation = formulate(tiny(forbid_empty_branches=True))
    z = "+1 z_k1_g1_j1 +1 z_k1_g1_j2 +1 z_k1_g1_j3"
    assert row(formulation, "pick_more_k1_g1") == f"{z} -1 v_k1_g1 > 0"
    assert row(formulation, "pick_less_k1_g1") == f"{z} -2 v_k1_g1 < 0"


def test_a_lone_leaf_is_two_leaves_of_which_its_label_opens_one() -> None:
    formulation = formulate(tiny("(. (. .))"))
    assert row(formulation, "label_i1_b1n") == "+1 c_i1_b1n +1 u_b1 < 1"
    assert row(formulation, "label_i3_b1p") == "+1 c_i3_b1p -1 u_b1 < 0"


def test_rules_fix_v_and_z() -> None:
    rules = Rules(
        forbidden=frozenset({1}), nodes=((2, NodeRule(split=Split(1, frozenset({0, 1})))),)
    )
    program = formulate(tiny(rules=rules)).program

    def bounds(name: str) -> tuple[float, float]:
        column = program.names.index(name)
        return program.lower[column], program.upper[column]

    assert bounds("v_k1_g1") == (0, 1)
    assert bounds("v_k1_g2") == (0, 0)
    assert bounds("v_k3_g1") == (0, 0)
    assert [bounds(f"z_k3_g2_j{j}") for j in (1, 2, 3)] == [(1, 1), (1, 1), (0, 0)]
    assert [bounds(f"z_k3_g1_j{j}") for j in (1, 2, 3)] == [(0, 0)] * 3
    assert {"u_b3", "u_b4"} <= set(program.names)  # labels below a fixed question are free


def test_a_proved_bound_is_a_row() -> None:
    formulation = formulate(tiny("depth-1"), bound=3)
    assert row(formulation, "proved_bound") == "+1 c_i3_b2 +1 c_i4_b2 +1 c_i1_b1 +1 c_i2_b1 < 3"


# ---- objective ----


def test_class_weight_multiplies_correct_negatives_in_whole_numbers() -> None:
    objective = Objective(class_weight=Fraction(2, 3))
    program = formulate(tiny("depth-1", objective=objective)).program
    costs = {name: cost for name, cost in zip(program.names, program.cost, strict=True) if cost}
    assert costs == {"c_i1_b1": -2, "c_i2_b1": -2, "c_i3_b2": -3, "c_i4_b2": -3, "constant": 10}


def test_gains_are_divided_by_what_divides_them_all() -> None:
    heavy = replace(TINY, weight=np.array([4, 8, 4, 12]))
    formulation = formulate(Problem(heavy, Topology.parse("depth-1")))
    assert formulation.draft.unit == 4
    assert formulation.program.cost[formulation.draft.constant] == 7
    assert formulation.total_of(2.0) == 28 - 8


@pytest.mark.parametrize(
    ("bound", "total"),
    [(2.0, 98), (2.0000004, 98), (1.9999996, 98), (2.01, 97), (1.5, 98), (-3.0, 100), (0.0, 100)],
)
def test_bounds_are_rounded_in_the_safe_direction(bound: float, total: int) -> None:
    formulation = formulate(Problem(noise(100, [9, 9]), Topology.parse("depth-1")))
    assert formulation.bound_of(bound) == total


def test_equal_rows_of_both_classes_bound_the_total() -> None:
    contradictory = data([categorical("x", 2)], [[0], [0], [0], [1]], [1, 1, 0, 0])
    formulation = formulate(Problem(contradictory, Topology.parse("depth-2")))
    assert formulation.trivial_bound == 3
