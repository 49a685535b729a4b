"""Paths of the exact search that small problems do not take by themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import crossings, depth4, driver, solve, solve_search
from odt_core.solvers.search.scan import make_bits, padded, scan
from odt_core.solvers.search.tables import Encoding, encode
from odt_core.topology import Topology
from tests.properties import referee
from tests.properties.strategies import random_problem
from tests.properties.test_search import check

ROOT = Path(__file__).resolve().parent.parent.parent


def count_crossings_ahead() -> None:
    """Every search of four levels from now on counts tables of two columns first."""
    driver.Counter = partial(crossings.Counter, per_column=0)  # type: ignore[misc,assignment]
    depth4.PATIENCE = 0.0


def check_deep(first: int, last: int) -> int:
    """Solve deep problems without floors and compare with the referee. Returns how many."""
    done = 0
    for seed in range(first, last):
        problem = random_problem(seed, deep=True)
        if not problem.gains.has_floor:
            check(problem, solve_search(problem, threads=1 + seed % 2))
            done += 1
    return done


@pytest.mark.parametrize("narrow", [crossings.NARROW, 0])
def test_tables_of_two_columns(monkeypatch: pytest.MonkeyPatch, narrow: int) -> None:
    monkeypatch.setattr(crossings, "NARROW", narrow)
    monkeypatch.setattr(driver, "Counter", partial(crossings.Counter, per_column=0))
    monkeypatch.setattr(depth4, "PATIENCE", 0.0)
    assert check_deep(11_000, 11_150) > 50


def mixed(rows: int, seed: int, heaviest: int = 3) -> Problem:
    """Ordered features with missing bins, sets, two-valued features, and cut numbers among them."""
    generator = np.random.default_rng(seed)
    number = generator.integers(0, 6, rows)
    codes = np.column_stack(
        [
            generator.integers(0, 5, rows),
            generator.integers(0, 7, rows),
            generator.integers(0, 2, rows),
            *[number <= cut for cut in range(5)],
        ]
    ).astype(np.int32)
    features = (
        Feature("a", FeatureKind.NUMERICAL, tuple("abcd?"), (0.5, 1.5, 2.5), True),
        Feature("b", FeatureKind.CATEGORICAL, tuple("abcdefg")),
        Feature("c", FeatureKind.CATEGORICAL, tuple("ab")),
        *[Feature(f"n{cut}", FeatureKind.CATEGORICAL, ("0", "1")) for cut in range(5)],
    )
    y = generator.random(rows) < 0.3 + 0.4 * (codes[:, 1] > 3)
    data = EncodedData(codes, y, generator.integers(1, heaviest + 1, rows), features)
    return Problem(data, Topology.parse("depth-2"), max_card=2)


def held(encoding: Encoding, problem: Problem) -> np.ndarray:
    """Which of the model's rows are in which column, from the columns' meaning alone."""
    data = problem.data
    columns = []
    for group in encoding.groups:
        for position, codes in enumerate(group.sets):
            columns.append(np.isin(data.codes[:, group.feature_of(position)], list(codes)))
    return np.column_stack(columns)


@pytest.mark.parametrize(
    ("rows", "heaviest"),
    [(2, 3), (40, 3), (4_000, 3), (4_000, 40), (4_000, 3_000)],  # few, many, and too many weights
)
def test_scan_counts_as_the_columns_say(rows: int, heaviest: int) -> None:
    problem = mixed(rows, seed=rows, heaviest=heaviest)
    model = encode(problem).model
    assert any(group.features for group in encode(problem).groups)
    v = int(model.size[0])
    w = padded(v)
    table, sums, positive = np.zeros((v, w), "f4"), np.zeros(w, "f4"), np.zeros(w, "f4")
    all_rows = np.arange(len(model.d), dtype=np.int32)
    total, total_positive = scan(
        model, all_rows, len(all_rows), 0, table, sums, positive, make_bits(model)
    )
    inside = held(encode(problem), problem).astype(float)
    d = np.where(problem.data.y, -1, 1) * problem.data.weight
    unit = encode(problem).unit
    np.testing.assert_array_equal(table[:, :v] * unit, (inside * d[:, None]).T @ inside)
    np.testing.assert_array_equal(sums[:v] * unit, d @ inside)
    assert total * unit == d.sum()
    # contradictory rows are taken out of both sides alike
    assert total_positive * unit <= problem.data.weight[problem.data.y].sum()


def test_rows_are_merged_whatever_their_order_and_their_memory() -> None:
    problem = mixed(3_000, seed=5)
    data = problem.data
    shuffled = np.random.default_rng(6).permutation(len(data.y))
    codes = np.asfortranarray(data.codes[shuffled])
    codes.setflags(write=False)
    other = replace(
        problem,
        data=EncodedData(codes, data.y[shuffled], data.weight[shuffled], data.features),
    )
    models = [encode(each).model for each in (problem, other)]
    orders = [np.lexsort(model.local) for model in models]
    for name in ("d", "local"):
        first, second = (
            getattr(model, name)[..., order] for model, order in zip(models, orders, strict=True)
        )
        np.testing.assert_array_equal(first, second)
    assert len(np.unique(models[0].local, axis=1).T) == len(models[0].d)
    assert solve_search(problem).total == solve_search(other).total


def test_two_threads_that_count_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth4, "PATIENCE", 0.0)
    model = encode(replace(mixed(2_000, seed=7), topology=Topology.parse("depth-4"))).model
    alone, shared = (crossings.Counter(model, np.inf, per_column=0) for _ in range(2))
    stop = np.zeros(1, np.int64)
    groups = range(len(model.kind))
    for k in groups:
        assert alone.provide(k, stop)
    threads = [
        Thread(target=lambda thread=thread: [shared.provide(k, stop, thread) for k in groups])
        for thread in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in shared.tables._fields:
        np.testing.assert_array_equal(getattr(alone.tables, name), getattr(shared.tables, name))
    stop[0] = 1
    assert not crossings.Counter(model, np.inf, per_column=0).provide(0, stop)


@pytest.mark.parametrize("steps", [1, 20])
def test_two_levels_that_were_to_be_quick(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(solve, "QUICK_STEPS", steps)
    each, threads = driver.Run.each, 0

    def counted(run: driver.Run, *given: object) -> None:
        nonlocal threads
        threads += 1
        each(run, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(driver.Run, "each", counted)
    for seed in range(12):
        problem = replace(mixed(25, seed), max_card=None)
        check(problem, solve_search(problem))
    assert 0 < threads < 12  # some were not, others were


def test_counting_ahead_where_the_slices_of_a_wide_group_do_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(depth4, "PATIENCE", 0.0)
    monkeypatch.setattr(driver, "Counter", partial(crossings.Counter, per_column=0))
    generator = np.random.default_rng(8)
    codes = np.column_stack(
        [generator.integers(0, 60, 3_000), generator.integers(0, 3, 3_000)]
    ).astype(np.int32)
    features = (
        Feature("n", FeatureKind.NUMERICAL, tuple(map(str, range(60))), tuple(range(59))),
        Feature("c", FeatureKind.CATEGORICAL, tuple("abc")),
    )
    y = generator.random(3_000) < 0.2 + 0.6 * (codes[:, 0] % 20 < 10)
    data = EncodedData(codes, y, np.ones(3_000, np.int64), features)
    problem = Problem(data, Topology.parse("depth-4"), max_card=1)
    used: list[bool] = []
    count_ahead = driver.Run.count_ahead

    def noted(run: driver.Run) -> None:
        count_ahead(run)
        used.append(run.crossings is not None and run.crossings.used)

    monkeypatch.setattr(driver.Run, "count_ahead", noted)
    wide, narrow, threads = (
        solve_search(problem),
        solve_search(problem, memory_limit=3 * 2**20),
        solve_search(problem, memory_limit=2**22, threads=4),
    )
    assert used == [True, False, False]
    assert wide.proved and narrow.proved and threads.proved
    assert wide.total == narrow.total == threads.total


def test_nested_two_valued_features_are_one_chain() -> None:
    encoding = encode(mixed(300, seed=3))
    joined = [group for group in encoding.groups if group.features]
    assert [sorted(group.features) for group in joined] == [[3, 4, 5, 6, 7]]


def test_starting_from_a_tree() -> None:
    started = 0
    for seed in range(12_000, 12_120):
        problem = random_problem(seed, deep=seed % 3 == 0)
        best = solve_search(problem)
        if best.assignment is None:
            continue  # the floors cannot be kept
        allowed = referee.allowed_points(problem)
        check(problem, solve_search(problem, incumbent=best.assignment), allowed)
        labels = tuple(
            label if problem.fixed_label(leaf) is not None else not label
            for leaf, label in enumerate(best.assignment.labels)
        )
        poor = Assignment(best.assignment.splits, labels)
        check(problem, solve_search(problem, incumbent=poor), allowed)
        cut = solve_search(problem, incumbent=best.assignment, should_stop=lambda: True)
        assert cut.total == best.total
        value = max(referee.value(problem, *point) for point in allowed)
        assert problem.gains.value(cut.bound) >= value
        started += 1
    assert started > 60


@pytest.mark.soak  # shares the kernels that test_search compiles with checks
def test_tables_of_two_columns_with_bounds_checked(tmp_path: Path) -> None:
    code = (
        "from tests.properties import test_search_tables as t\n"
        "t.count_crossings_ahead()\n"
        "assert t.check_deep(13_000, 13_060) > 30\n"
    )
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path)).parent / "numba-boundscheck"
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
