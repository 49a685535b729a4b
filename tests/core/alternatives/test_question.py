"""Columns ranked at one question, against brute force."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from odt_core.alternatives.question import QuestionPart, Ranking, rank_columns
from odt_core.problem import NodeRule, Problem, Rules, Split
from odt_core.solution import Status
from odt_core.solvers.control import Control
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import SMALL_TOPOLOGIES, TOPOLOGIES, random_problem


def with_rule(problem: Problem, node: int, rule: NodeRule) -> Problem:
    nodes = tuple((at, other) for at, other in problem.rules.nodes if at != node)
    return replace(problem, rules=Rules(problem.rules.forbidden, (*nodes, (node, rule))))


def check(problem: Problem, node: int, ranking: Ranking) -> None:
    """The referee confirms each column's best tree, and the best tree without the question."""
    names = {feature.name: g for g, feature in enumerate(problem.data.features)}
    values = []
    for column in ranking.columns:
        only = with_rule(problem, node, NodeRule(frozenset([names[column.name]])))
        best = referee.best_value(only)
        total = column.reach.total
        assert (None if total is None else problem.gains.value(total)) == best
        expected = Status.INFEASIBLE if best is None else Status.OPTIMAL
        assert column.reach.status is expected
        values.append(best)
        if not problem.forbid_empty_branches:
            check_help(problem, column.helps(ranking.without), best, one_way(problem, node))
    reached = [value for value in values if value is not None]
    assert reached == sorted(reached, reverse=True)
    assert values[: len(reached)] == reached
    assert ranking.status is Status.OPTIMAL
    if not problem.forbid_empty_branches:
        without = ranking.without.total
        found = None if without is None else problem.gains.value(without)
        assert found == one_way(problem, node)


def one_way(problem: Problem, node: int):
    """The referee's best value where every row goes the same way at the node."""
    everything = frozenset(range(problem.data.features[0].n_values))
    values = [
        referee.best_value(with_rule(problem, node, NodeRule(split=Split(0, left))))
        for left in (frozenset(), everything)
    ]
    return max((value for value in values if value is not None), default=None)


def check_help(problem: Problem, helps: bool | None, best, without) -> None:
    if best is None:
        assert helps is False
    else:
        assert helps is (without is None or best > without)


@pytest.mark.parametrize("seeds", blocks(0, 16, 4))
def test_random_problems(seeds: range) -> None:
    for seed in seeds:
        shapes = SMALL_TOPOLOGIES if seed % 8 else TOPOLOGIES
        problem = random_problem(seed, smallest_leaf=seed % 3 == 0, topologies=shapes)
        node = Random(seed).randrange(problem.topology.n_nodes)
        ranking = rank_columns(problem, node, Control(60.0))
        names = {problem.data.features[g].name for g in allowed(problem)}
        assert {column.name for column in ranking.columns} == names
        check(problem, node, ranking)
        assert Ranking.from_json(ranking.to_json()) == ranking


def allowed(problem: Problem) -> list[int]:
    """The columns that a node without a rule of its own may ask about."""
    return [
        g
        for g, feature in enumerate(problem.data.features)
        if g not in problem.rules.forbidden
        and not (problem.forbid_empty_branches and feature.n_values < 2)
    ]


def test_what_is_known_so_far_is_reported_after_each_column() -> None:
    problem = random_problem(3, plain=True)
    told: list[Ranking] = []
    ranking = rank_columns(problem, 0, Control(60.0), on_ranking=told.append)
    assert [len(each.columns) for each in told] == list(range(1, problem.data.n_features + 1))
    assert [each.left for each in told] == list(range(problem.data.n_features))[::-1]
    assert told[-1] == ranking
    assert told[0].status is Status.FEASIBLE


def test_a_stop_keeps_what_is_known_and_says_what_is_left() -> None:
    problem = random_problem(3, plain=True)
    told: list[Ranking] = []
    ranking = rank_columns(
        problem, 0, Control(60.0, should_stop=lambda: bool(told)), on_ranking=told.append
    )
    assert len(ranking.columns) == 1
    assert ranking.left == problem.data.n_features - 1
    assert ranking.status is Status.FEASIBLE


def test_the_place_of_a_ranking_comes_back_from_its_json() -> None:
    part = QuestionPart(2, 9)
    assert QuestionPart.from_json(part.to_json()) == part
    assert part.n_solves == 11
    with pytest.raises(ValueError, match="from 0"):
        QuestionPart.from_json({"node": -1, "n_columns": 3})
    with pytest.raises(TypeError):
        QuestionPart.from_json({"node": 0.5, "n_columns": 3})
