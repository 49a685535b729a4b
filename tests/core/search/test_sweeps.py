"""Sweeps over presorted rows: they answer as tables do, and searches by sweeps find the optimum."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.search import columns, solve_search
from odt_core.solvers.search.columns import PAIR, encode, most_members
from odt_core.solvers.search.row_sets import pack
from odt_core.solvers.search.search import Search
from odt_core.solvers.search.subtrees import Subtree
from odt_core.topology import Topology
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import random_problem

EVERYTHING = 1e9


@pytest.fixture(params=["plain", "kernels"])
def primitives(request: pytest.FixtureRequest) -> SimpleNamespace:
    """The twins, without sweeps, and what is compiled."""
    found: SimpleNamespace = request.getfixturevalue(request.param)
    return found


def row_sets(n: int, random: np.random.Generator) -> np.ndarray:
    """All rows, no row, random sets, the same set twice, and a set that differs by one row."""
    member = random.random((7, n)) < random.random((7, 1))
    member[5] = False
    member[0] = True
    member[3] = member[4] = member[2]
    member[4, random.integers(n)] ^= True
    return pack(member)


def by_tables(search: Search, family: int, masks: np.ndarray) -> np.ndarray:
    """What a family costs, by tables of pairs."""
    return search.solve(family, masks, np.full(len(masks), EVERYTHING), [-1] * len(masks)).cost


def cost_of(search: Search, family: int, mask: np.ndarray, subtree: Subtree) -> float:
    """What the split that was named costs."""
    table, members = search.table, search.splits.union(subtree.members)
    parts = np.stack([mask & members, mask & ~members])
    low, high = (by_tables(search, int(child[family]), parts) for child in (table.low, table.high))
    return float(high[0] + low[1] if subtree.to_high else low[0] + high[1])


@pytest.mark.parametrize("seeds", blocks(0, 60, 4))
def test_sweeps_answer_as_tables_do(
    primitives: SimpleNamespace, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiled sweeps, and the loop that does without them until they are ready."""
    asked = 0
    for seed in seeds:
        random, problem = np.random.default_rng(seed), random_problem(seed)
        with_tables = Search(encode(problem))
        with monkeypatch.context() as patched:
            patched.setattr(columns, "MOST_COLUMNS", 0)
            search = Search(encode(problem))
        search.primitives = lambda: primitives  # type: ignore[assignment,return-value]
        table, n = search.table, len(search.table.d)
        if n == 0:
            continue
        masks = row_sets(n, random)
        for family in np.flatnonzero(table.level <= PAIR).tolist():
            least = by_tables(with_tables, family, masks)
            for limits in (np.full(len(masks), EVERYTHING), random.integers(0, 9, 7).astype(float)):
                answer = search.solve(family, masks, limits, [-1] * len(masks))
                known = least < limits
                assert (answer.cost[known] == least[known]).all(), seed
                assert (limits[~known] <= answer.cost[~known]).all(), seed
                if table.level[family] == PAIR:
                    assert (answer.cost[~known] <= np.maximum(least, limits)[~known]).all(), seed
                asked += len(masks)
                for b in np.flatnonzero(known & (table.level[family] == PAIR)).tolist():
                    subtree = answer.subtree(b)
                    assert subtree is not None
                    assert cost_of(with_tables, family, masks[b], subtree) == least[b], seed
    assert asked > 500


def test_sweeps_that_are_halted_claim_nothing(kernels: SimpleNamespace) -> None:
    table = encode(random_problem(3)).table
    table = table._replace(order=columns.sorted_rows(table.local))
    masks = row_sets(len(table.d), np.random.default_rng(0))
    cost, split = np.empty(7), np.empty((7, 3 + most_members(table)), np.int32)
    family = int(np.flatnonzero(table.level == PAIR)[0])
    limits, halt = np.full(7, EVERYTHING), np.ones(1, np.int64)
    kernels.two_levels_by_sweeps(table, family, masks, limits, halt, cost, split)
    assert (cost == 0).all()
    assert (split[:, 0] == -2).all()


@pytest.mark.parametrize("half", blocks(0, 10, 4))
@pytest.mark.parametrize(
    ("first", "options"),
    [(0, {}), (40, {}), (80, {}), (120, {"smallest_leaf": True}), (160, {"deep": True})],
)
def test_searches_by_sweeps_find_the_optimum(
    half: range, first: int, options: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "MOST_COLUMNS", 0)
    for seed in (first + at for at in half):
        problem = random_problem(seed, **options)
        outcome = solve_search(problem)
        best = referee.best_value(problem)
        assert outcome.proved or outcome.infeasible, seed
        found = None if outcome.total is None else problem.gains.value(outcome.total)
        assert found == best, seed


def every_cut(x: np.ndarray, y: np.ndarray, topology: str) -> Problem:
    """A bin for each distinct number."""
    features, codes = [], []
    for j, column in enumerate(x.T):
        known, code = np.unique(column, return_inverse=True)
        cuts = tuple(((known[1:] + known[:-1]) / 2).tolist())
        names = tuple(map(str, known))
        features.append(Feature(f"x{j}", FeatureKind.NUMERICAL, names, cuts))
        codes.append(code)
    table = np.column_stack(codes).astype(np.int32)
    data = EncodedData(table, y, np.ones(len(y), np.int64), tuple(features))
    return Problem(data, Topology.parse(topology))


@pytest.mark.parametrize("seed", range(12))
def test_contree_agrees_over_every_cut(seed: int) -> None:
    pycontree = pytest.importorskip("pycontree")
    random = np.random.default_rng(seed)
    n, depth = int(random.integers(30, 120)), 2 + seed % 2
    x = random.normal(size=(n, int(random.integers(2, 6)))).round(int(random.integers(1, 4)))
    y = x[:, 0] * x[:, 1] + random.normal(size=n) * random.choice([0.1, 1.0]) > 0
    tree = pycontree.ConTree(max_depth=depth)
    tree.fit(x, y.astype(int))
    outcome = solve_search(every_cut(x, y, f"depth-{depth}"))
    assert outcome.proved
    assert outcome.total is not None
    assert n - outcome.total == (tree.predict(x) != y).sum()
