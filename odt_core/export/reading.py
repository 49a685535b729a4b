"""How exported code turns a cell into a value, so that it agrees with the encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from odt_core.data.numeric import parse_numbers
from odt_core.problem import MISSING, Feature


@dataclass(frozen=True)
class Reading:
    """How the cells of one column are read.

    Attributes
    ----------
    missing_code : int or None
        The code of a missing value; None if no training row lacked one.
    missing_tokens : tuple of str
        Texts that mean a missing value. An empty cell always does.
    decimal : str
        The decimal mark of numbers in text.
    """

    missing_code: int | None
    missing_tokens: tuple[str, ...] = ()
    decimal: str = "."


def default_reading(feature: Feature) -> Reading:
    """What the feature itself says: its missing bin, or a category called ``(missing)``."""
    if feature.is_numerical:
        return Reading(feature.n_values - 1 if feature.has_missing else None)
    return Reading(feature.values.index(MISSING) if MISSING in feature.values else None)


def encoder_readings(encoder: Mapping[str, Any]) -> dict[str, Reading]:
    """What an encoder's JSON says of each column (see `odt_core.data.Encoder`)."""
    return {
        column["name"]: Reading(
            column["missing_code"], tuple(column["missing_tokens"]), encoder["decimal"]
        )
        for column in encoder["columns"]
    }


def token_numbers(reading: Reading) -> tuple[float, ...]:
    """Missing tokens that are numbers; these mean the same number however it is written."""
    texts = pa.array([token.strip() for token in reading.missing_tokens], pa.large_string())
    numbers = parse_numbers(texts, reading.decimal)
    return tuple(dict.fromkeys(numbers[np.isfinite(numbers)].tolist()))
