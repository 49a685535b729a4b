"""The texts that mean a missing value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.forms import NumberForm
from odt_core.data.numeric import parse_numbers
from odt_core.data.table import Factor

DEFAULT_MISSING_TOKENS: tuple[str, ...] = (
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "NaN",
    "nan",
    "NULL",
    "null",
)
"""Texts that are read as missing by default. An empty cell is always missing.

``None`` is not one of them, because in clinical tables it is a finding ("no comorbidity").
"""


def missing_values(
    factor: Factor,
    tokens: Sequence[str],
    decimal: str = ".",
    form: NumberForm = NumberForm.PLAIN,
) -> npt.NDArray[np.bool_]:
    """Mark the distinct values of a column that are missing.

    An empty cell is always missing. A token is compared as text. If it is a number, it also means
    the same number in another notation: ``-9`` also covers ``-9.0``.

    Parameters
    ----------
    tokens : sequence of str
        Texts that mean a missing value.

    Returns
    -------
    bool[V]
    """
    texts, codes = _texts_and_numbers(tuple(tokens), decimal)
    missing = np.asarray(pc.is_in(factor.values, texts))
    if len(codes):
        missing = missing | np.isin(factor.numbers(decimal, form), codes)
    return missing


@lru_cache(maxsize=64)
def _texts_and_numbers(
    tokens: tuple[str, ...], decimal: str
) -> tuple[pa.Array, npt.NDArray[np.float64]]:
    """Prepare tokens for comparison. Most columns share them, and there may be many columns."""
    texts = pa.array(["", *(token.strip() for token in tokens)], pa.large_string())
    numbers = parse_numbers(texts, decimal)
    return texts, numbers[np.isfinite(numbers)]
