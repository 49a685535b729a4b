"""Problems that are too large are refused in a sentence, and nothing continues after a stop."""

from __future__ import annotations

import dataclasses
import time
from fractions import Fraction

import numpy as np
import pytest

from odt_core.errors import InputError
from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solution import Engine, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip import greedy
from odt_core.solvers.mip.process import end_idle_child
from odt_core.solvers.search import frontier, solve_search
from odt_core.solvers.search.floors import FloorRun
from odt_core.topology import Topology
from tests.core.solvers.problems import noise
from tests.cpu import cpu_seconds

DEPTH_2 = Topology.parse("depth-2")
FLOOR = Objective(Goal.MAX_TPR, min_tnr=Fraction(9, 10))


def heavy(weight: int, objective: Objective) -> Problem:
    """Forty rows of one weight."""
    data = noise(40, [3, 3])
    data = dataclasses.replace(data, weight=np.full(len(data.y), weight, np.int64))
    return Problem(data, DEPTH_2, objective)


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("text", ["1e20", "1e-20", "123456789012345678/7"])
def test_a_class_weight_too_large_to_count_is_named(engine: Engine, text: str) -> None:
    with pytest.raises(InputError, match="^class-weight is .* fewer digits"):
        solve(heavy(1, Objective(class_weight=Fraction(text))), engine=engine)


@pytest.mark.parametrize("objective", [Objective(), Objective(Goal.BALANCED), FLOOR])
@pytest.mark.parametrize("engine", Engine)
def test_row_weights_too_large_to_count_are_named(engine: Engine, objective: Objective) -> None:
    with pytest.raises(InputError, match="^The row weights sum to 360,287,970,189,639,680, too"):
        solve(heavy(2**53, objective), engine=engine)


def test_a_frontier_of_rows_too_heavy_is_refused() -> None:
    with pytest.raises(InputError, match="^The row weights sum to 40,000,000, too much for a "):
        frontier(heavy(10**6, Objective()))


def test_rows_near_the_limits_are_counted_exactly() -> None:
    for weight in (2**24 // 40, 2**24 // 40 + 1, 2**46):
        light, found = (
            solve_search(heavy(each, Objective(class_weight=Fraction(2)))) for each in (1, weight)
        )
        assert found.proved and light.total is not None and found.total == weight * light.total


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_of_the_weighted_searches_is_that_of_each_pair_of_errors(seed: int) -> None:
    random = np.random.default_rng(seed)
    floor = Fraction(int(random.integers(0, 10)), 10)
    for objective in (
        Objective(Goal.MAX_TPR, min_tnr=floor),
        Objective(Goal.MAX_TNR, min_tpr=floor),
        Objective(Goal.ACCURACY, min_tpr=floor, min_tnr=Fraction(1, 2)),
    ):
        search = FloorRun(Problem(noise(40, [3, 3], seed), DEPTH_2, objective), Control())
        search.cuts = [
            (int(random.integers(0, 4)), int(random.integers(1, 4)), int(random.integers(0, 50)))
            for _ in range(3)
        ]
        totals = [
            search.total((fn, fp))
            for fn in range(search.fn_most + 1)
            for fp in range(search.fp_most + 1)
            if all(alpha * fn + beta * fp >= least for alpha, beta, least in search.cuts)
        ]
        assert search.bound() == max(totals, default=None)


def test_a_limit_is_kept_where_one_positive_row_weighs_millions() -> None:
    """The search once looked for a bound among 16 million numbers in each report."""
    data = noise(40, [4, 4, 4, 4])
    weight = np.where(np.arange(40) == np.argmax(data.y), 2**24 - 1, 1)
    data = dataclasses.replace(data, weight=weight)
    search = FloorRun(Problem(data, DEPTH_2, FLOOR), Control())
    search.cuts = [(1, weight, 5) for weight in range(1, 9)]
    began = time.process_time()
    for _ in range(100):
        search.report(*search.known())
    assert time.process_time() - began < 1


def test_first_trees_of_many_categories_take_no_more_memory_than_allowed() -> None:
    """Tables for each of a thousand categories at once would be 32 GB."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 1_000, (20_000, 2)).astype(np.int32)
    names = tuple(f"v{i}" for i in range(1_000))
    features = tuple(Feature(f"c{g}", FeatureKind.CATEGORICAL, names) for g in range(2))
    data = EncodedData(codes, random.random(20_000) < 0.4, np.ones(20_000, np.int64), features)
    problem = Problem(data, Topology.parse("depth-1"), FLOOR)
    outcome = solve_search(problem, Control(20))
    assert outcome.assignment is not None


@pytest.mark.parametrize("engine", [Engine.CBC, Engine.HIGHS])
def test_the_quick_tree_that_a_solver_starts_from_is_made_within_the_limit(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(greedy, "MOST_TREES", 10**9)
    monkeypatch.setattr(greedy, "MOST_VISITS", 10**18)
    problem = Problem(noise(500, [3, 3, 3]), Topology.parse("depth-3"))
    end_idle_child()  # its own time would be counted when it ends
    worked = cpu_seconds()
    solution = solve(problem, engine=engine, control=Control(0.5))
    assert cpu_seconds() - worked < 1.5
    assert solution.tree is not None and solution.status is Status.FEASIBLE


@pytest.mark.parametrize("engine", [Engine.HYBRID, Engine.SEARCH])
@pytest.mark.parametrize("objective", [Objective(), FLOOR])
def test_too_many_categories_are_refused_before_memory_is_taken(
    engine: Engine, objective: Objective
) -> None:
    n = 17_000
    names = tuple(str(code) for code in range(n))
    codes = np.arange(n, dtype=np.int32)[:, None]
    y = np.arange(n) % 3 == 0
    features = (Feature("id", FeatureKind.CATEGORICAL, names),)
    data = EncodedData(codes, y, np.ones(n, np.int64), features)
    with pytest.raises(InputError, match="17,000 categories and cuts in all.* identifiers"):
        solve(Problem(data, DEPTH_2, objective, max_card=2), engine=engine)
