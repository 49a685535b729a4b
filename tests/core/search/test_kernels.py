"""The compiled primitives against their twins; a search that needs no compiler, nor numba."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from odt_core.solvers.search import twins
from odt_core.solvers.search.columns import Encoding, encode
from odt_core.solvers.search.loader import KERNELS, TWINS, loader, warm_up
from odt_core.solvers.search.splits import Splits
from tests.properties.strategies import random_problem

ROOT = Path(__file__).resolve().parents[3]


def without_kernels(code: str) -> str:
    """What a process prints that keeps to the twins."""
    environment = os.environ | {"ODT_COMPILED": "0"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=120,
    ).stdout  # fmt: skip


def test_a_search_without_a_compiler_imports_no_numba_and_proves() -> None:
    code = (
        "import sys\n"
        "from odt_core.solvers.search import solve_search\n"
        "from tests.properties.strategies import random_problem\n"
        "print([solve_search(random_problem(seed)).proved for seed in range(5)])\n"
        "print('numba' in sys.modules)\n"
    )
    assert without_kernels(code) == f"{[True] * 5}\nFalse\n"


def test_each_kernel_has_a_twin() -> None:
    assert {name for names in KERNELS.values() for name in names} == {
        name for names in TWINS.values() for name in names
    }


@pytest.fixture(scope="module")
def kernels() -> object:
    """The compiled primitives; they are compiled here if nothing has done so yet."""
    warm_up()
    assert not loader.waiting
    from odt_core.solvers.search import kernels

    return kernels


def some_rows(encoding: Encoding, random: np.random.Generator) -> np.ndarray:
    """Five random row sets, the last of which differs little from the one before."""
    n = len(encoding.table.d)
    masks = encoding.everything & random.integers(
        0, 2**63, (5, len(encoding.everything)), dtype=np.uint64
    )
    masks[4] = masks[3]
    if n:
        masks[4, 0] ^= np.uint64(1)
    return masks


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_kernels_and_twins_agree(first: int, kernels: object) -> None:
    for seed in range(first, first + 50):
        encoding = encode(random_problem(seed))
        table, random = encoding.table, np.random.default_rng(seed)
        masks, v = some_rows(encoding, random), len(encoding.table.group)
        splits, found = Splits.of(table), []
        for primitives in (kernels, twins):
            F, D, P = np.empty((v, v)), np.empty(v), np.empty(v)
            totals = primitives.count_pairs(table, masks[0], F, D, P)  # type: ignore[attr-defined]
            weights = np.empty(v)
            primitives.weigh(table, np.abs(table.d), masks[1], weights)  # type: ignore[attr-defined]
            sides = np.empty((2, splits.n))
            shallow = int(np.flatnonzero(table.level == 1)[0])
            primitives.shallow_sides(  # type: ignore[attr-defined]
                table, shallow, F, D, P, totals, splits.first, splits.second, sides[0], sides[1]
            )
            costs = []
            for cls in np.flatnonzero(table.level <= 2).tolist():
                cost, choice = np.empty(5), np.empty((5, 3 + v), np.int32)
                limits, halt = np.full(5, 1e9), np.zeros(1, np.int64)
                primitives.two_levels(  # type: ignore[attr-defined]
                    table, cls, masks, limits, halt, cost, choice
                )
                costs.append(cost)
            found.append((F, D, P, totals, weights, sides, *costs))
        for compiled, twin in zip(*found, strict=True):
            np.testing.assert_array_equal(compiled, twin)
