"""Cases of a thousand: they add up, and follow prevalence and rates."""

from __future__ import annotations

import pytest

from odt_core.confusion import Confusion
from odt_core.evaluation import Frequencies, frequencies


@pytest.mark.parametrize(
    ("counts", "prevalence", "expected"),
    [
        (Confusion(tp=90, fp=20, tn=80, fn=10), 0.5, Frequencies(450, 50, 100, 400)),
        (Confusion(tp=90, fp=20, tn=80, fn=10), 0.01, Frequencies(9, 1, 198, 792)),
        (Confusion(tp=2, fp=1, tn=2, fn=1), 1 / 3, Frequencies(222, 111, 222, 445)),
        (Confusion(tp=3, fp=0, tn=5, fn=0), 0.0, Frequencies(0, 0, 0, 1000)),
    ],
)
def test_a_thousand_cases_are_divided_by_prevalence_and_rates(
    counts: Confusion, prevalence: float, expected: Frequencies
) -> None:
    found = frequencies(counts, prevalence)
    assert found == expected
    assert found.found + found.missed + found.false_alarms + found.cleared == 1000


def test_without_rows_of_a_class_there_are_no_words_about_a_thousand() -> None:
    assert frequencies(Confusion(tp=0, fp=1, tn=5, fn=0), 0.5) is None
