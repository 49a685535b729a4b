"""The natural order of categories: numbers by size, then text, with numbers in it by size."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from odt_core.data.numeric import parse_numbers


def natural_order(texts: Sequence[str], decimal: str = ".") -> list[int]:
    """Sort distinct texts in natural order, and return their positions.

    Examples
    --------
    >>> texts = ["day 10", "-1", "day 9", "10", "9"]
    >>> [texts[position] for position in natural_order(texts)]
    ['-1', '9', '10', 'day 9', 'day 10']
    """
    numbers = parse_numbers(pa.array(texts, pa.large_string()), decimal)

    def key(position: int) -> tuple[bool, float, list[str | int], str]:
        text, number = texts[position], float(numbers[position])
        if not np.isnan(number):
            return False, number, [], text
        # Splitting at digits puts text at even positions and digits at odd ones, so keys compare.
        parts = re.split(r"([0-9]{1,18})", text.casefold())
        return True, 0.0, [int(p) if i % 2 else p for i, p in enumerate(parts)], text

    return sorted(range(len(texts)), key=key)
