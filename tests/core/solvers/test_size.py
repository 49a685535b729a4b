"""The integer program's size before it is built, and who is warned of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from odt_core.errors import InputError
from odt_core.problem import Problem, SmallestLeaf
from odt_core.solution import Engine, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip import size
from odt_core.solvers.mip.formulation import formulate
from odt_core.solvers.mip.size import advice_on_cuts, estimated_nonzeros
from odt_core.topology import Topology
from tests.core.solvers.problems import categorical, data, numerical


def mixed(n_rows: int, n_bins: int, shape: str) -> Problem:
    """Random rows of two numerical features with so many bins, and a categorical one."""
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(0, n, n_rows) for n in (n_bins, n_bins, 4)])
    features = [numerical("x", n_bins), numerical("y", n_bins), categorical("c", 4)]
    y = (random.random(n_rows) < 0.4).tolist()
    return Problem(data(features, codes.tolist(), y), Topology.parse(shape))


@pytest.mark.parametrize("shape", ["depth-1", "depth-2", "depth-3", "imbalanced", "cues-4"])
@pytest.mark.parametrize(("n_rows", "n_bins"), [(500, 10), (500, 400), (40, 300)])
@pytest.mark.parametrize("smallest_leaf", [None, SmallestLeaf(5)])
def test_the_estimate_is_right_within_a_factor_of_two_and_a_half(
    shape: str, n_rows: int, n_bins: int, smallest_leaf: SmallestLeaf | None
) -> None:
    problem = replace(mixed(n_rows, n_bins, shape), smallest_leaf=smallest_leaf)
    actual = formulate(problem).program.n_nonzeros
    assert actual / 2.5 <= estimated_nonzeros(problem) <= 2.5 * actual


def test_a_program_that_cannot_be_built_is_one_sentence_with_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = mixed(50, 10, "depth-2")
    monkeypatch.setattr(size, "MOST_TO_BUILD", 1000)
    with pytest.raises(InputError, match=r"would have about [\d,]+ entries, too many for CBC"):
        solve(problem, engine=Engine.CBC)


def test_deciles_are_advised_where_there_are_many_cut_points() -> None:
    assert advice_on_cuts(mixed(50, 100, "depth-2").data.features, "CBC") == ""
    advice = advice_on_cuts(mixed(50, 101, "depth-2").data.features, "CBC")
    assert "each question has 206 variables in the integer program" in advice
    assert "With deciles, it has 24" in advice


def test_an_unproved_answer_over_many_cut_points_says_why() -> None:
    solution = solve(mixed(300, 250, "depth-3"), engine=Engine.HIGHS, control=Control(1.0))
    assert solution.status is Status.FEASIBLE
    assert "Use deciles, or the exact search" in solution.remark
