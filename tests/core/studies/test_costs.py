"""Costs: which point is best, and for which ratios it stays best."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from odt_core.errors import InputError
from odt_core.evaluation import cheapest, cost_ranges


def random_frontier(seed: int) -> list[tuple[int, int]]:
    random = Random(seed)
    n = random.randint(1, 9)
    fns = sorted(random.sample(range(30), n))
    fps = sorted(random.sample(range(60), n), reverse=True)
    return list(zip(fns, fps, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_a_point_is_cheapest_exactly_within_its_range(seed: int) -> None:
    points = random_frontier(seed)
    ranges = cost_ranges(points)
    ratios = {Fraction(a, b) for a in range(1, 40) for b in (1, 2, 3, 7)}
    ends = {end for r in ranges if r is not None for end in (r.low, r.high) if end}
    for ratio in ratios | ends:
        least = min(ratio * fn + fp for fn, fp in points)
        for (fn, fp), cost in zip(points, ranges, strict=True):
            is_best = ratio * fn + fp == least
            assert is_best == (cost is not None and ratio in cost), (points, ratio)
        best = cheapest(points, ratio, Fraction(1))
        assert ratio * points[best][0] + points[best][1] == least


def test_ranges_cover_every_ratio_without_a_gap() -> None:
    points = random_frontier(3)
    known = [r for r in cost_ranges(points) if r is not None]
    assert known[0].high is None and known[-1].low == 0
    assert all(a.low == b.high for a, b in zip(known, known[1:], strict=False))


def test_a_frontier_without_points_has_no_ranges() -> None:
    assert cost_ranges([]) == ()


def test_costs_must_be_positive() -> None:
    with pytest.raises(InputError, match="greater than 0"):
        cheapest([(0, 1)], Fraction(0), Fraction(1))
