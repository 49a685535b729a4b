"""The Train page's words about a floor in test never claim more than the interval allows."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def _draw(successes: int, n: int, floor: str) -> None:
    from fractions import Fraction

    from odt_core.confusion import Confusion
    from odt_core.evaluation import metrics
    from odt_core.problem import Goal, Objective
    from pages.common.results import draw_floors

    train = metrics(Confusion(tp=98, fn=2, fp=10, tn=90))
    test = metrics(Confusion(tp=successes, fn=n - successes, fp=1, tn=9))
    draw_floors(Objective(Goal.MAX_TNR, min_tpr=Fraction(floor)), train, test)


@pytest.mark.parametrize(
    ("successes", "n", "said"),
    [
        (1_990, 2_000, "the floor holds in test too"),
        (39, 40, "the interval goes below the floor: it is not settled"),
        (37, 40, "below the floor, as is usual"),
        (20, 40, "the whole interval is below the floor"),
        (0, 0, ""),
    ],
)
def test_a_floor_in_test_is_read_by_its_interval(successes: int, n: int, said: str) -> None:
    page = AppTest.from_function(_draw, args=(successes, n, "0.95")).run()
    assert not page.exception
    (table,) = page.get("html")
    words = ("floor holds", "not settled", "as is usual", "whole interval")
    assert [word for word in words if word in str(table.value)] == [w for w in words if w in said]
