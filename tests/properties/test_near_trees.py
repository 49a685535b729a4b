"""Lists of near-optimal trees against brute force, which lists all trees of small problems."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from itertools import count

import numpy as np
import pytest

from odt_core.alternatives import bounds, questions
from odt_core.alternatives.choices import CostLimit
from odt_core.alternatives.columns import QUICK_TREES, column_worths
from odt_core.alternatives.ends import End
from odt_core.alternatives.listing import (
    NearTrees,
    find_near_trees,
    loss_unit,
    problems_of,
)
from odt_core.alternatives.near import NearSearch, TooManyError
from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.topology import AnyShape, Topology
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import SMALL_TOPOLOGIES, random_problem
from tests.properties.tree_lists import ListedTree, choice_of, list_trees

ROWS_OF_THREE_LEVELS = 14
"""Brute force over three levels takes few rows."""
ROWS_OF_FOUR_LEVELS = 8
THREE_LEVEL_TOPOLOGIES = tuple(
    Topology.parse(text)
    for text in (
        "(. (. (. .)))",
        "((. (. .)) .)",
        "((. (. .))(. .))",
        "(((. .)(. .))(. .))",
        "((. (. .))((. .) .))",
    )
)


def everything(problem: Problem) -> NearTrees:
    return find_near_trees([problem], number=10**6)


def check(found: NearTrees, wanted: list[ListedTree]) -> None:
    """The list has the wanted choices with their best trees, in the wanted order."""
    listed = {}
    for tree in found.trees:
        shown = tree.solution.tree
        assert shown is not None
        listed[choice_of(shown)] = (tree.loss, len(shown.decisions), tree.named)
    assert len(listed) == len(found.trees)
    assert listed == {tree.choice: (tree.loss, tree.questions, tree.named) for tree in wanted}
    assert [tree.loss for tree in found.trees] == [tree.loss for tree in wanted]


def check_beyond(found: NearTrees, wanted: list[ListedTree]) -> None:
    """Each choice is listed once, and a settled tree has the least loss of its choice."""
    least = {tree.choice: tree.loss for tree in wanted}
    listed = [choice_of(tree.solution.tree) for tree in found.trees]
    assert len(set(listed)) == len(listed)
    for choice, tree in zip(listed, found.trees, strict=True):
        assert tree.loss == least[choice] if tree.is_settled else tree.loss >= least[choice]


def small_three_levels(seed: int) -> Problem | None:
    """A problem that brute force can list; None if the seed gives none."""
    problem = random_problem(seed, topologies=THREE_LEVEL_TOPOLOGIES, smallest_leaf=seed % 3 == 0)
    if sum(feature.n_values for feature in problem.data.features) > 9:
        return None
    try:
        return dataclasses.replace(problem, data=problem.data.take(np.arange(ROWS_OF_THREE_LEVELS)))
    except InputError:  # a smallest leaf that so few rows cannot fill
        return None


@pytest.mark.parametrize("seeds", blocks(0, 20, 6))
def test_all_trees_of_small_problems(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        found = everything(problem)
        check(found, wanted)
        assert found.complete_below is None and found.end is End.ALL
        least = wanted[0].loss if wanted else None
        assert found.least == least
        assert found.n_best == sum(tree.loss == least for tree in wanted)


@pytest.mark.parametrize("seeds", blocks(300, 10, 4))
def test_all_trees_with_a_smallest_leaf(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, smallest_leaf=True)
        check(everything(problem), list_trees(problem))


@pytest.mark.parametrize("seeds", blocks(0, 9, 5))
def test_all_trees_of_three_levels(seeds: range) -> None:
    tried = 0
    for seed in seeds:
        problem = small_three_levels(seed)
        if problem is not None:
            check(everything(problem), list_trees(problem))
            tried += 1
    assert tried > len(seeds) / 5


def has_sets(problem: Problem) -> bool:
    """Whether a categorical feature has three categories and more."""
    return any(not each.is_numerical and each.n_values > 2 for each in problem.data.features)


@pytest.mark.parametrize("seeds", blocks(0, 3, 8))
def test_all_trees_of_four_levels(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, deep=True)
        few = problem.data.take(np.arange(ROWS_OF_FOUR_LEVELS))
        problem = dataclasses.replace(problem, data=few)
        check(everything(problem), list_trees(problem))


@pytest.mark.parametrize("few", [0, 8])
@pytest.mark.parametrize("seeds", blocks(400, 8, 6))
def test_sets_that_are_not_listed_make_the_same_trees(
    monkeypatch: pytest.MonkeyPatch, seeds: range, few: int
) -> None:
    monkeypatch.setattr(questions, "MOST_LISTED_SETS", 0)
    monkeypatch.setattr(bounds, "FEW_CATEGORIES", few)
    tried = 0
    for seed in seeds:
        problem = random_problem(
            seed, topologies=SMALL_TOPOLOGIES, smallest_leaf=seed % 4 == 0, plain=seed % 2 == 1
        )
        if has_sets(problem):
            check(everything(problem), list_trees(problem))
            tried += 1
    three_levels = small_three_levels(seeds.start)
    if three_levels is not None:
        check(everything(three_levels), list_trees(three_levels))
    assert tried > len(seeds) / 3


@pytest.mark.parametrize("seeds", blocks(600, 10, 4))
def test_the_list_ends_with_a_number_and_says_where_it_is_complete(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        for number in (1, 3, 10):
            found = find_near_trees([problem], number=number)
            assert [tree.loss for tree in found.trees] == [t.loss for t in wanted[:number]]
            is_all = found.complete_below is None
            missing = wanted[len(found.trees) :]
            assert is_all == (not missing) or found.complete_below is not None
            if found.complete_below is not None:
                assert all(tree.loss >= found.complete_below for tree in missing)


@pytest.mark.parametrize("seeds", blocks(640, 10, 4))
def test_the_list_ends_with_a_loss(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        for within in (Fraction(0), Fraction(2), Fraction(7, 2)):
            found = find_near_trees([problem], number=10**6, within=within)
            most = 0 if not wanted else wanted[0].loss + within / loss_unit(problem)
            check(found, [tree for tree in wanted if tree.loss <= most])


@pytest.mark.parametrize("seeds", blocks(0, 20, 3))
def test_stopped_in_the_middle_it_claims_only_what_is_true(seeds: range) -> None:
    early = 0
    for seed in seeds:
        problem = random_problem(700 + seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        looks = count(1)
        find_near_trees(
            [problem], Control(should_stop=lambda looks=looks: next(looks) < 0), number=10**6
        )
        found = find_near_trees(
            [problem],
            Control(should_stop=_stop_after(next(looks) * (seed % 10) // 20)),
            number=10**6,
        )
        early += found.end is End.STOPPED
        if found.end is End.STOPPED:
            assert found.complete_below is not None
            below = [tree for tree in wanted if tree.loss < found.complete_below]
            settled = [tree for tree in found.trees if tree.loss < found.complete_below]
            check(dataclasses.replace(found, trees=tuple(settled)), below)
            check_beyond(found, wanted)
    assert early > len(seeds) / 4


@pytest.mark.parametrize("seeds", blocks(900, 10, 4))
def test_the_best_tree_is_listed_where_no_budget_was_finished(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    def root(*arguments: object) -> None:
        raise TooManyError

    monkeypatch.setattr(NearSearch, "root", root)
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        found = find_near_trees([problem], number=5)
        assert [tree.loss for tree in found.trees] == [tree.loss for tree in wanted[:1]]
        assert found.complete_below == (wanted[0].loss if wanted else None)
        assert found.n_best == len(found.trees) and not found.is_count_complete


@pytest.mark.parametrize("seeds", blocks(940, 10, 4))
def test_a_list_is_called_all_only_where_that_is_known(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        wanted = list_trees(problem)
        if len(wanted) > 1:
            every = find_near_trees([problem], number=len(wanted))
            assert (every.end is End.ALL) == (every.complete_below is None)
            fewer = find_near_trees([problem], number=len(wanted) - 1)
            assert fewer.end is End.NUMBER and fewer.complete_below is not None


def _stop_after(looks: int) -> Callable[[], bool]:
    """Ask for a stop after so many questions whether to stop."""
    asked = count()
    return lambda: next(asked) >= looks


@pytest.mark.parametrize("seeds", blocks(800, 1, 4))
def test_any_shape_has_the_trees_of_every_topology(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, plain=True)
        problem = dataclasses.replace(problem, data=problem.data.take(np.arange(12)))
        best: dict[tuple, ListedTree] = {}
        for text in ("(((. .) .) .)", "((. .)(. .))"):
            shape = dataclasses.replace(problem, topology=Topology.parse(text))
            for tree in list_trees(shape):
                if tree.choice not in best or tree.rank < best[tree.choice].rank:
                    best[tree.choice] = tree
        found = find_near_trees(problems_of(problem, AnyShape(3)), number=10**6)
        check(found, sorted(best.values(), key=lambda tree: tree.rank))


@pytest.mark.parametrize("seeds", blocks(900, 10, 4))
def test_the_least_loss_without_a_column(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        for number in (2, 10**6):
            found = find_near_trees([problem], number=number)
            for worth in column_worths([problem], found, Control(60.0)):
                asked = [t.solution.tree.used_features for t in found.trees if t.solution.tree]
                assert worth.n_trees == sum(worth.feature in used for used in asked)
                assert worth.is_proved
                assert worth.least_without == least_without(problem, worth.feature)


def test_columns_for_which_no_time_is_left_stay_without_a_tree() -> None:
    late = 0
    for seed in range(900, 910):
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        found = find_near_trees([problem], number=2)
        for worth in column_worths([problem], found, Control(-2 * QUICK_TREES)):
            least = least_without(problem, worth.feature)
            if worth.is_proved:
                assert worth.least_without == least
                continue
            late += 1
            assert worth.least_without is None and worth.bound_without is not None
            assert least is None or worth.bound_without <= least
    assert late > 5


def features_of(choice: tuple) -> frozenset[int]:
    """The features that a choice of columns asks about."""
    if not choice:
        return frozenset()
    return frozenset([choice[0]]) | features_of(choice[1]) | features_of(choice[2])


@pytest.mark.parametrize("seeds", blocks(1000, 8, 4))
def test_a_limit_on_the_cost_of_all_columns_together(seeds: range) -> None:
    costs = tuple(Fraction(cost) for cost in ("1", "1/2", "2", "3"))
    dropped = 0
    for seed in seeds:
        problem = random_problem(seed, topologies=SMALL_TOPOLOGIES)
        limit = CostLimit(costs, Fraction(3, 2))
        every = list_trees(problem)
        wanted = [tree for tree in every if limit.allows(features_of(tree.choice))]
        dropped += len(every) - len(wanted)
        check(find_near_trees([problem], number=10**6, cost_limit=limit), wanted)
        near = find_near_trees([problem], number=10**6, within=Fraction(1), cost_limit=limit)
        most = 0 if not wanted else wanted[0].loss + Fraction(1) / loss_unit(problem)
        check(near, [tree for tree in wanted if tree.loss <= most])
        for worth in column_worths([problem], near, Control(60.0), cost_limit=limit):
            if not problem.forbid_empty_branches and not problem.rules.nodes:
                left = [t.loss for t in wanted if worth.feature not in features_of(t.choice)]
                assert worth.least_without == min(left, default=None) and worth.is_proved
    assert dropped


def least_without(problem: Problem, feature: int) -> int | None:
    """The least loss where no node may ask about a column, by the referee."""
    rules = problem.rules
    if any(rule.split is not None and rule.split.feature == feature for _, rule in rules.nodes):
        return None
    rules = dataclasses.replace(rules, forbidden=rules.forbidden | {feature})
    try:
        problem = dataclasses.replace(problem, rules=rules)
    except InputError:
        return None
    best = referee.best_value(problem)
    gains, data = problem.gains, problem.data
    most = data.n_positive * gains.gain_tp + data.n_negative * gains.gain_tn
    return None if best is None else int(most - best * gains.scale)
