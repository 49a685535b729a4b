"""Which categories reach a point of a front, against trying them all."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solvers.search import solve_search
from odt_core.solvers.search.stumps import reach
from odt_core.topology import Topology


def test_reach_finds_a_set_whenever_there_is_one() -> None:
    random = Random(0)
    found = missed = 0
    for _ in range(3_000):
        n, largest = random.randint(2, 7), random.choice((1, 3, 10, 1_000))
        gain = np.array([random.randint(0, largest) for _ in range(n)])
        cost = np.array([random.randint(0, largest) for _ in range(n)])
        most = n - 1 if random.random() < 0.5 else random.randint(1, max(1, n // 2))
        need, limit = random.randint(-1, int(gain.sum()) + 1), random.randint(0, int(cost.sum()))
        sets = [list(s) for size in range(1, most + 1) for s in combinations(range(n), size)]
        exists = any(gain[s].sum() >= need and cost[s].sum() <= limit for s in sets)
        members = reach(gain, cost, need, limit, most)
        assert (members is not None) == exists
        if members is None:
            missed += 1
            continue
        chosen = list(members)
        assert 1 <= len(set(chosen)) == len(chosen) <= most
        assert gain[chosen].sum() >= need and cost[chosen].sum() <= limit
        found += 1
    assert found > 500 and missed > 500


def test_a_thousand_categories_under_a_floor_are_told_apart_in_time() -> None:
    """Trying the sums one by one had taken minutes once the search was over."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 1_000, (2_000, 1)).astype(np.int32)
    features = (Feature("c", FeatureKind.CATEGORICAL, tuple(f"v{i}" for i in range(1_000))),)
    data = EncodedData(codes, random.random(2_000) < 0.4, np.ones(2_000, np.int64), features)
    objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(9, 10))
    began = time.process_time()
    outcome = solve_search(Problem(data, Topology.parse("depth-1"), objective))
    assert outcome.proved and outcome.assignment is not None
    assert time.process_time() - began < 10
