"""A tiny problem with which kernels are compiled and loaded."""

from __future__ import annotations

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.search.columns import Columns, encode
from odt_core.solvers.search.masks import Masks
from odt_core.topology import Topology


def sample() -> tuple[Columns, Masks]:
    """The table of a problem of two levels, and the set of all its rows."""
    features = (
        Feature("number", FeatureKind.NUMERICAL, ("low", "middle", "high"), (0.0, 1.0)),
        Feature("category", FeatureKind.CATEGORICAL, tuple("abcd")),
    )
    codes = np.array([[i % 3, i % 4] for i in range(12)], np.int32)
    y = np.arange(12) % 5 < 2
    data = EncodedData(codes, y, np.ones(12, np.int64), features)
    encoding = encode(Problem(data, Topology.parse("depth-2")))
    return encoding.table, encoding.everything
