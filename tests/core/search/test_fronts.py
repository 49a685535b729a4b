"""Fronts: the compiled primitives do what their twins do, and fronts are what brute force finds."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from odt_core.solvers.control import Control
from odt_core.solvers.search import fronts, twins
from odt_core.solvers.search.columns import PAIR, encode_fronts
from odt_core.solvers.search.floors import FloorRun, FrontierRun, frontier
from odt_core.solvers.search.row_sets import pack
from odt_core.tree import count_assignment
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import random_problem

LEAVES = np.array([[0, 0, 0], [1, 1, 3], [1, 0, 2], [0, 1, 2]], np.float64)
ALPHA, BETA = np.array([1.0, 1.0, 2.0, 5.0]), np.array([1.0, 3.0, 1.0, 1.0])


class Case:
    """A random leaf-adjacent family, and row sets that fit it."""

    def __init__(self, seed: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.alike, is_leaf = bool(random.integers(2)), random.random() < 0.2
        sizes = {0: 6, 1: 4, 2: 5, 3: 7}
        runs, at = [], 0
        for take in random.choice(4, size=random.integers(1, 4)).tolist():
            runs.append((take, at, at + sizes[take]))
            at += sizes[take]
        self.columns = at
        self.runs = np.array(runs, np.int64)[: 0 if is_leaf else None]
        self.all_runs = runs
        self.leaf = LEAVES[random.integers(len(LEAVES))]

    def rows(self, positive: int, negative: int) -> tuple[np.ndarray, np.ndarray]:
        """Positive and negative weight in each column."""
        found = np.zeros((2, self.columns))
        for i, weight in enumerate((positive, negative)):
            for take, s, e in self.all_runs:
                if take == 1:
                    found[i, s:e] = self.random.integers(0, weight + 1, e - s)
                else:
                    used = e - s if self.random.random() < 0.5 else 2
                    values = self.random.integers(0, used, weight)
                    found[i, s:e] = np.bincount(values, minlength=e - s)
        return found[0], found[1]


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_leaf_adjacent_fronts_are_those_of_the_twins(first: int, kernels: SimpleNamespace) -> None:
    for seed in range(first, first + 100):
        case = Case(seed)
        tp, tn = (float(weight) for weight in case.random.integers(0, 15, 2))
        p, q = case.rows(int(tp), int(tn))
        box = case.random.integers(0, 16, 2).astype(np.float64)
        given = (p, q, tp, tn, case.runs, case.alike, case.leaf, box)
        found, n = kernels.stump_front(*given, np.empty((2, 1)))
        expected, _ = twins.stump_front(*given, np.empty((2, 1)))
        np.testing.assert_array_equal(found[:, :n], expected)


def test_weighted_bounds_of_leaf_adjacent_classes_are_tight() -> None:
    """Least weighted costs over the points of the front; lower bounds with a smallest leaf."""
    compared = 0
    for seed in range(60):
        problem = random_problem(seed, smallest_leaf=seed % 3 == 0)
        search = fronts.FrontSearch(encode_fronts(problem), np.zeros(1, np.int64))
        alpha, beta = search.alpha[:, None], search.beta[:, None]
        rows = np.random.default_rng(seed).random((4, len(search.positive))) < 0.5
        sums = search.sums(pack(rows))
        for family in np.flatnonzero(search.table.level < PAIR).tolist():
            bounds = search.shallow_bounds(family, sums)
            for b in range(4):
                alone = tuple(each[b : b + 1] for each in sums)
                fn, fp = search.stump_front(family, alone, np.full(2, 1e9)).points[:2]
                least = (alpha * fn + beta * fp).min(axis=1, initial=np.inf)
                assert (bounds[b] <= least).all(), seed
                assert search.encoding.smallest or (bounds[b] == least).all(), seed
                compared += len(fn)
    assert compared > 1000


def test_open_steps_are_those_of_the_twins(kernels: SimpleNamespace) -> None:
    wanted = np.array([[0, 4, 15], [15, 6, 0], [-1] * 3, [0] * 3, [0] * 3], np.float64)
    bounds = np.random.default_rng(0).integers(0, 30, (400, len(ALPHA))).astype(np.float64)
    steps, expected = np.empty(len(bounds), np.int64), np.empty(len(bounds), np.int64)
    kernels.first_open(bounds, ALPHA, BETA, wanted, steps)
    twins.first_open(bounds, ALPHA, BETA, wanted, expected)
    np.testing.assert_array_equal(steps, expected)
    assert set(steps.tolist()) == {-1, 0, 1}


def test_sums_of_columns_are_those_of_the_twins(kernels: SimpleNamespace) -> None:
    for seed in range(40):
        search = FrontierRun(random_problem(seed), Control()).search
        n, v = len(search.positive), len(search.table.group)
        chosen = np.random.default_rng(seed).random((4, n)) < 0.6
        masks = pack(chosen)
        found, expected = (
            [np.empty((4, v)), np.empty((4, v)), np.empty(4), np.empty(4)] for _ in "ab"
        )
        given = (search.table, masks, search.positive, search.negative)
        kernels.column_sums(*given, *found)
        twins.column_sums(*given, *expected)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seeds", blocks(300, 10, 4))
def test_a_few_splits_at_a_time_find_the_same(
    monkeypatch: pytest.MonkeyPatch, smallest_leaf: bool, seeds: range
) -> None:
    monkeypatch.setattr(fronts, "BATCH", 3)
    for seed in seeds:
        problem = random_problem(seed, smallest_leaf=smallest_leaf)
        outcome = frontier(problem)
        positives, negatives = problem.data.n_positive, problem.data.n_negative
        exact = [(positives - tp, negatives - tn) for tp, tn in referee.frontier(problem)]
        assert outcome.proved
        assert [(point.fn, point.fp) for point in outcome.points] == sorted(exact)
        for point in outcome.points:
            splits, labels = point.assignment.splits, point.assignment.labels
            confusion = count_assignment(problem, splits, labels)
            assert (confusion.fn, confusion.fp) == (point.fn, point.fp)
            assert referee.is_legal(problem, splits, labels)
            assert referee.keeps_smallest_leaf(problem, splits)


def test_heavy_rows_are_like_any_others() -> None:
    """Fronts are lists of points, whose length does not depend on the weights."""
    for seed in (5_001, 5_002, 5_004):
        problem = random_problem(seed)
        data = problem.data
        factor = 2**22 // data.n_rows
        heavy = replace(data, weight=data.weight * factor)
        plain, outcome = frontier(problem), frontier(replace(problem, data=heavy))
        assert outcome.proved
        points = [(point.fn * factor, point.fp * factor) for point in plain.points]
        assert [(point.fn, point.fp) for point in outcome.points] == points


def test_an_empty_time_limit_proves_nothing_false() -> None:
    for seed in range(30):
        problem = random_problem(seed)
        outcome = FloorRun(problem, Control(time_limit=0.0)).solve()
        best = referee.best_value(problem)
        assert best is None or problem.gains.value(outcome.bound) >= best
        assert not (outcome.infeasible and best is not None)
