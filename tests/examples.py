"""The number of examples of a test: few in every run of the tests, many in ``make soak``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    return some([range(start, start + size) for start in starts], always, _name_of)


def some(
    values: Sequence[Any], always: int, name_of: Callable[[Any], str | None] = lambda value: None
) -> list[Any]:
    """Values as parameters of a test: the first ones for every run, the others for a soak."""
    return [
        pytest.param(value, id=name_of(value), marks=[pytest.mark.soak] if at >= always else [])
        for at, value in enumerate(values)
    ]


def _name_of(block: range) -> str:
    return f"{block.start}-{block.stop - 1}"
