"""Answers are recounted, and claims that do not hold are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from odt_core.errors import DisagreementError
from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    Goal,
    LeafCount,
    Objective,
    Problem,
    SmallestLeaf,
    Split,
)
from odt_core.solution import Assignment, Engine, Seconds, Solution, Status, make_solution
from odt_core.topology import Topology

GOOD = Assignment((Split(0, frozenset({1})),), (False, True))
"""Three of the four rows right."""


@pytest.fixture()
def problem() -> Problem:
    feature = Feature("c", FeatureKind.CATEGORICAL, ("a", "b"))
    codes = np.array([[0], [0], [1], [1]], dtype=np.int32)
    y = np.array([True, True, True, False])
    data = EncodedData(codes, y, np.ones(4, dtype=np.int64), (feature,))
    return Problem(data, Topology.parse("depth-1"))


def answer(problem: Problem, assignment: Assignment | None = GOOD, **claims) -> Solution:
    settings = {"claimed_total": 3, "bound": None, "provers": ("search",), **claims}
    return make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=assignment,
        seconds=Seconds(1.0),
        **settings,
    )


def test_a_reached_bound_is_a_proof(problem):
    solution = answer(problem, bound=3)
    assert solution.status is Status.OPTIMAL
    assert solution.proved_by == ("search",)
    assert (solution.total, solution.bound, solution.gap) == (3, 3, 0)
    assert (solution.value, solution.value_bound) == (3, 3)
    assert solution.confusion.errors == 1


def test_without_a_bound_all_rows_right_is_the_bound(problem):
    solution = answer(problem)
    assert solution.status is Status.FEASIBLE
    assert (solution.bound, solution.gap, solution.proved_by) == (4, 1, ())


def test_a_stopped_solve_is_cancelled_unless_it_had_proved(problem):
    assert answer(problem, cancelled=True).status is Status.CANCELLED
    assert answer(problem, cancelled=True, bound=3).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"infeasible": True}, Status.INFEASIBLE),
        ({"cancelled": True}, Status.CANCELLED),
        ({}, Status.FEASIBLE),
    ],
)
def test_an_answer_without_a_tree(problem, claims, status):
    solution = answer(problem, None, claimed_total=None, bound=4, **claims)
    assert solution.status is status
    assert solution.tree is None and solution.gap is None
    assert solution.proved_by == (("search",) if status is Status.INFEASIBLE else ())


@pytest.mark.parametrize(
    ("assignment", "claims", "message"),
    [
        (GOOD, {"claimed_total": 4}, "claims an objective of 4"),
        (GOOD, {"bound": 2}, "claims a bound of 2"),
        (GOOD, {"infeasible": True}, "claims that no tree exists"),
        (replace(GOOD, labels=(True, False)), {}, "breaks the problem's conditions"),
        (Assignment((Split(0, frozenset({7})),), (False, True)), {}, "breaks the problem's"),
    ],
)
def test_false_claims_are_refused(problem, assignment, claims, message):
    with pytest.raises(DisagreementError, match=message):
        answer(problem, assignment, **claims)


def test_a_tree_below_a_floor_is_refused(problem):
    strict = replace(problem, objective=Objective(Goal.MAX_TPR, min_tnr=Fraction(1)))
    below = Assignment((Split(0, frozenset()),), (False, True))
    with pytest.raises(DisagreementError, match="below a floor"):
        answer(strict, below, claimed_total=None)


@pytest.mark.parametrize(
    ("smallest", "holds"),
    [
        (SmallestLeaf(2), True),
        (SmallestLeaf(3), False),
        (SmallestLeaf(1, LeafCount.RARER_CLASS), False),
    ],
)
def test_a_tree_with_a_leaf_that_is_too_small_is_refused(problem, smallest, holds):
    strict = replace(problem, smallest_leaf=smallest)
    if holds:
        assert answer(strict).confusion.errors == 1
        return
    with pytest.raises(DisagreementError, match="a leaf that is too small"):
        answer(strict)


def test_a_leaf_without_a_row_is_not_too_small(problem):
    everything_right = Assignment((Split(0, frozenset()),), (False, True))
    strict = replace(problem, smallest_leaf=SmallestLeaf(4))
    assert answer(strict, everything_right).tree.n_leaves == 1
