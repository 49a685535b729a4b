"""Compiling or loading the kernels ahead of need, and knowing whether that is done."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solvers.search.crossings import Counter
from odt_core.solvers.search.floors import frontier
from odt_core.solvers.search.linking import compile_sides, compile_three
from odt_core.solvers.search.parts import Level, Number, Part, parts_for, parts_of
from odt_core.solvers.search.solve import solve_search
from odt_core.solvers.search.tables import FLOAT32_LIMIT, by_fronts, encode
from odt_core.solvers.search.work import make_work
from odt_core.topology import Topology

_warm: set[Part] = set()
_PLAIN = Objective()
_FLOOR = Objective(Goal.MAX_TNR, min_tpr=Fraction(1, 2))


def is_warm(parts: Iterable[Part]) -> bool:
    """Whether a search that calls these parts starts at once in this process."""
    return _warm.issuperset(parts)


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
    for number in Number if doubles else (Number.FLOAT32,):
        for part in parts_of(number):
            prepare(part)
            _warm.add(part)


def rehearse(problem: Problem) -> None:
    """Load what a search for a problem's best tree calls, by a small problem that is like it."""
    parts = parts_for(problem)
    objective = _FLOOR if by_fronts(problem) else _PLAIN
    for number in {part.number for part in parts}:
        solve_search(_small(problem.topology.text, number, objective, problem.max_card))
    _warm.update(parts)


def prepare(part: Part) -> None:
    """Compile or load one part, by small problems that call every kernel of it.

    The parts in `Part.after` come before.
    """
    number = part.number
    if part.level in (Level.THREE, Level.THREE_SIDES):
        model = encode(_small("depth-3", number)).model
        compile_some = compile_three if part.level is Level.THREE else compile_sides
        compile_some(model, make_work(model))
    elif part.level is Level.FOUR:
        for shape in ("depth-4", "cues-4"):  # two deep children; one, and a leaf
            solve_search(_small(shape, number))
        model = encode(_small("depth-4", number)).model
        Counter(model, np.inf, per_column=0).provide(0, np.zeros(1, np.int64))
        frontier(_small("cues-4", number))
    elif part.level is Level.TWO:
        for shape in ("depth-1", "depth-2"):
            solve_search(_small(shape, number))
    else:
        deep = part.level is Level.THREE_FLOORS
        for shape in ("depth-3", "cues-3") if deep else ("depth-1", "depth-2"):
            for max_card in (None, 1, 2):
                solve_search(_small(shape, number, _FLOOR, max_card))
                frontier(_small(shape, number, max_card=max_card))


def _small(
    shape: str, number: Number, objective: Objective = _PLAIN, max_card: int | None = None
) -> Problem:
    """A problem of 42 rows. The heaviest of them decides the kind of number."""
    codes = np.array([[a, b, c] for a in range(7) for b in range(3) for c in range(2)], np.int32)
    y = (codes.sum(axis=1) % 3 == 0) ^ (codes[:, 0] > 3)
    features = (
        Feature("a", FeatureKind.CATEGORICAL, tuple("abcdefg")),
        Feature("b", FeatureKind.NUMERICAL, tuple("abc"), (0.5, 1.5)),
        Feature("c", FeatureKind.CATEGORICAL, tuple("ab")),
    )
    weight = np.ones(len(y), np.int64)
    if number is Number.FLOAT64:
        # a negative row: fronts are as long as the positives
        weight[np.flatnonzero(~y)[0]] = FLOAT32_LIMIT
    data = EncodedData(codes, y, weight, features)
    return Problem(data, Topology.parse(shape), objective, max_card)
