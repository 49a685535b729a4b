"""Compiling the kernels ahead of need, and knowing whether that is done."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solvers.search.crossings import Counter
from odt_core.solvers.search.floors import frontier
from odt_core.solvers.search.solve import solve_search
from odt_core.solvers.search.tables import FLOAT32_LIMIT, encode
from odt_core.topology import Topology

_warm = False
_HALF = Fraction(1, 2)
_PLAIN = Objective()


def is_warm() -> bool:
    """Whether this process has the kernels ready, so that a search starts at once."""
    return _warm


def warm_up(doubles: bool = False) -> None:
    """Compile the kernels, or load them from the cache on disk.

    Takes a minute or two the first time on a machine and about a second afterwards. Meant for a
    worker at its start, or a background thread; nothing needs to wait for it.

    Parameters
    ----------
    doubles : bool
        Whether those for float64, too, which takes as long again: numba compiles for each kind of
        number anew.
    """
    global _warm
    _search_small_ones(heaviest=1)
    if doubles:
        _search_small_ones(heaviest=FLOAT32_LIMIT)
    _warm = True


def _search_small_ones(heaviest: int) -> None:
    """Small problems that call every kernel. The heaviest row decides the kind of number."""
    for shape in ("depth-3", "depth-4"):
        solve_search(_small(shape, heaviest))
    model = encode(_small("depth-4", heaviest)).model
    Counter(model, np.inf, per_column=0).provide(0, np.zeros(1, np.int64))
    floor = Objective(Goal.MAX_TNR, min_tpr=_HALF)
    for shape in ("depth-1", "depth-2", "depth-3", "cues-3"):
        for max_card in (None, 1):
            solve_search(_small(shape, heaviest, floor, max_card))
            frontier(_small(shape, heaviest, max_card=max_card))


def _small(
    shape: str, heaviest: int, objective: Objective = _PLAIN, max_card: int | None = None
) -> Problem:
    codes = np.array([[a, b, c] for a in range(7) for b in range(3) for c in range(2)], np.int32)
    y = (codes.sum(axis=1) % 3 == 0) ^ (codes[:, 0] > 3)
    features = (
        Feature("a", FeatureKind.CATEGORICAL, tuple("abcdefg")),
        Feature("b", FeatureKind.NUMERICAL, tuple("abc"), (0.5, 1.5)),
        Feature("c", FeatureKind.CATEGORICAL, tuple("ab")),
    )
    weight = np.ones(len(y), np.int64)
    weight[np.flatnonzero(~y)[0]] = heaviest  # a negative row: fronts are as long as the positives
    data = EncodedData(codes, y, weight, features)
    return Problem(data, Topology.parse(shape), objective, max_card)
