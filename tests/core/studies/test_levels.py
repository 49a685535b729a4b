"""A floor's point, and when it may be called proved best."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core.cli.curve import unproved_words
from odt_core.confusion import Confusion
from odt_core.studies import CurveRun, FrontierView, LowerBound, Sweep, curve_table
from tests.core.study_results import frontier

HALF_KNOWN = LowerBound(known=(9, 9, 4, 4, 4, 0, 0, 0, 0, 0, 0))
"""Points for ten positive rows. No tree with 1 to 4 false negatives is known yet."""


def counts(fn: int, fp: int) -> Confusion:
    return Confusion(tp=10 - fn, fp=fp, tn=10 - fp, fn=fn)


def view_of(counts: Confusion, bound: LowerBound | None) -> FrontierView:
    """A frontier of which one point is known."""
    return replace(frontier([(counts, None)]), bound=bound)


def test_an_undominated_point_need_not_be_best_at_a_floor() -> None:
    assert HALF_KNOWN.proves(0, 9)
    view = view_of(counts(0, 9), HALF_KNOWN)
    assert view.is_best_at(0, Fraction(9, 10))
    assert not view.is_best_at(0, Fraction(8, 10)), "(2, 4) is not ruled out"
    assert view.fewest_errors(Fraction(8, 10)) == 4
    assert view_of(counts(0, 9), None).is_best_at(0, Fraction(8, 10))


def test_the_same_with_floors_on_specificity() -> None:
    assert HALF_KNOWN.proves(5, 0)
    view = view_of(counts(5, 0), HALF_KNOWN)
    assert view.is_best_at(0, Fraction(7, 10), Sweep.TNR)
    assert not view.is_best_at(0, Fraction(6, 10), Sweep.TNR)
    assert view.fewest_errors(Fraction(6, 10), Sweep.TNR) == 2


def test_a_floor_of_one_decimal_is_counted_exactly() -> None:
    """99.5% of 200 rows are 199, 0.1% of 1000 are 1: floating point may say one more."""
    strict = LowerBound(known=(5, 3))
    two_hundred = Confusion(tp=199, fp=3, tn=7, fn=1)
    assert view_of(two_hundred, strict).fewest_errors(Fraction("99.5") / 100) == 3
    thousand = Confusion(tp=1, fp=0, tn=1, fn=999)
    view = view_of(thousand, LowerBound(known=(1,) * 999 + (0, 0)))
    assert view.at_level(Fraction("0.1") / 100) == 0 and view.is_best_at(0, Fraction("0.1") / 100)


@pytest.mark.parametrize("bound", [HALF_KNOWN, LowerBound(known=(3,)), LowerBound()])
def test_a_bound_survives_its_json(bound: LowerBound) -> None:
    again = LowerBound.from_json(bound.to_json(10), 10)
    assert [again.least_fp(fn) for fn in range(11)] == [bound.least_fp(fn) for fn in range(11)]


def test_trees_that_are_not_proved_best_are_reported() -> None:
    level, pair = Fraction(8, 10), (counts(0, 9), counts(0, 9))
    runs = [CurveRun("depth-2", level, seed, *pair, proved=seed == 0) for seed in range(3)]
    assert "2 trees are not proved best" in unproved_words(curve_table(runs))
    assert unproved_words(curve_table(runs[:1])) == ""
