"""The number of examples of a test: few in every run of the tests, many in ``make soak``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

TIMES_IN_A_SOAK = 5


def examples(number: int, **others: Any) -> settings:
    """Settings of a test with hypothesis: the number of examples, which is larger in a soak.

    Machines are shared, so a slow example is no failure.
    """
    is_soak = settings.get_current_profile_name() == "random"
    many = number * TIMES_IN_A_SOAK if is_soak else number
    return settings(deadline=None, max_examples=many, **others)


def blocks(first: int, size: int, number: int, *, always: int = 1) -> list[Any]:
    """Blocks of seeds as parameters of a test: some for every run, the others for a soak."""
    starts = range(first, first + size * number, size)
    return [
        pytest.param(
            range(start, start + size),
            id=f"{start}-{start + size - 1}",
            marks=[pytest.mark.soak] if at >= always else [],
        )
        for at, start in enumerate(starts)
    ]
