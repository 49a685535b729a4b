"""Plain enumeration against brute force: it holds at the optimum, and finds better below it."""

from __future__ import annotations

import pytest

from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.verification import verify
from tests.examples import blocks
from tests.properties.referee import allowed_points, best_value
from tests.properties.strategies import random_problem


def best_total(problem: Problem) -> int:
    gains = problem.gains
    return max(gains.gain_tp * tp + gains.gain_tn * tn for tp, tn in allowed_points(problem))


def check(problem: Problem) -> None:
    """Check its verdicts on the optimum and on one less. Without any tree it finds none."""
    if best_value(problem) is None:
        verdict = verify(problem, -1, Control(60))
        assert (verdict.holds, verdict.better, verdict.covered) == (True, None, 1)
        return
    best = best_total(problem)
    verdict = verify(problem, best, Control(60))
    assert (verdict.holds, verdict.better, verdict.covered) == (True, None, 1)
    verdict = verify(problem, best - 1, Control(60))
    assert verdict.holds is False and verdict.better is not None
    found = verdict.better.confusion(problem.data)
    assert problem.gains.total(found) == best
    assert problem.gains.allows(found)


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seeds", blocks(80_000, 10, 6, always=3))
def test_random_problems(seeds: range, smallest_leaf: bool) -> None:
    for seed in seeds:
        check(random_problem(seed, smallest_leaf=smallest_leaf))
