"""Which frontiers count as quick."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind
from odt_core.studies import is_quick
from odt_core.topology import Topology


def rows_of(n_rows: int, n_features: int, n_values: int) -> EncodedData:
    """Random rows of categorical features."""
    values = tuple(f"v{i}" for i in range(n_values))
    features = tuple(Feature(f"f{i}", FeatureKind.CATEGORICAL, values) for i in range(n_features))
    codes = np.random.default_rng(0).integers(0, n_values, size=(n_rows, n_features))
    y = np.arange(n_rows) % 2 == 0
    return EncodedData(
        codes=codes.astype(np.int32), y=y, weight=np.ones(n_rows, np.int64), features=features
    )


@pytest.mark.parametrize(
    ("rows", "features", "values", "shape", "cap", "quick"),
    [
        (1200, 9, 10, "depth-2", None, True),
        (1200, 9, 10, "depth-3", None, False),
        (200, 20, 2, "depth-3", None, True),
        (200, 20, 2, "depth-4", None, False),
        (10_000, 20, 10, "depth-2", None, False),
        (10_000, 10, 10, "depth-1", None, True),
        (1000, 3, 32, "depth-1", None, False),
        (1000, 3, 32, "depth-1", 1, True),
    ],
)
def test_small_ones_are_quick(
    rows: int, features: int, values: int, shape: str, cap: int | None, quick: bool
) -> None:
    data = rows_of(rows, features, values)
    assert is_quick(data, Topology.parse(shape), cap) is quick
