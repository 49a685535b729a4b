"""Small problems with known answers for the solvers' tests."""

from __future__ import annotations

from itertools import product

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.topology import Topology


def categorical(name: str, n_values: int) -> Feature:
    """A categorical feature with values a, b, c ..."""
    return Feature(name, FeatureKind.CATEGORICAL, tuple(chr(97 + i) for i in range(n_values)))


def numerical(name: str, n_bins: int, *, has_missing: bool = False) -> Feature:
    """A numerical feature with bins cut at 1, 2, 3 ..."""
    values = tuple(f"bin {b}" for b in range(n_bins)) + (("(missing)",) if has_missing else ())
    cuts = tuple(float(cut) for cut in range(1, n_bins))
    return Feature(name, FeatureKind.NUMERICAL, values, cuts, has_missing)


def data(features: list[Feature], codes: list[list[int]], y: list[int]) -> EncodedData:
    """Rows with weight 1."""
    return EncodedData(
        np.array(codes, dtype=np.int32),
        np.array(y, dtype=np.bool_),
        np.ones(len(y), dtype=np.int64),
        tuple(features),
    )


def monks_1() -> EncodedData:
    """All 432 robots; positive if head and body have the same shape or the jacket is red."""
    sizes = (3, 3, 2, 3, 4, 2)
    codes = list(product(*(range(size) for size in sizes)))
    features = [categorical(f"a{g + 1}", size) for g, size in enumerate(sizes)]
    return data(
        features, [list(row) for row in codes], [row[0] == row[1] or row[4] == 0 for row in codes]
    )


def noise(n_rows: int, sizes: list[int], seed: int = 0) -> EncodedData:
    """Random rows and classes: there is no pattern, and a proof is hard."""
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, size, n_rows) for size in sizes])
    features = [categorical(f"f{g}", size) for g, size in enumerate(sizes)]
    return data(features, codes.tolist(), (random.random(n_rows) < 0.5).tolist())


def hard_problem() -> Problem:
    """A problem that neither solver proves within a minute."""
    return Problem(noise(200, [5] * 8), Topology.parse("depth-3"))


def easy_problem() -> Problem:
    """A problem that is solved at once."""
    return Problem(noise(12, [2, 3]), Topology.parse("depth-1"))
