"""LP and MPS files of the program."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import mip
import pytest

from odt_core import MADE_BY
from odt_core.errors import InputError
from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Engine
from odt_core.solvers import solve
from odt_core.solvers.mip.formulation import formulate
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.run import write_program
from odt_core.topology import Topology
from tests.core.solvers.problems import categorical, data, easy_problem, noise, numerical

MIXED = data(
    [categorical("x", 5), numerical("n", 3, has_missing=True)],
    [[i % 5, (i * i + i // 7) % 4] for i in range(40)],
    [(i * i) % 7 < 3 for i in range(40)],
)
PROBLEMS = {
    "plain": Problem(noise(30, [3, 3]), Topology.parse("depth-2")),
    "everything": Problem(
        MIXED,
        Topology.parse("((. .) .)"),
        Objective(Goal.BALANCED, min_tpr=Fraction(1, 3)),
        max_card=1,
        forbid_empty_branches=True,
    ),
}

OPTIONS = MipOptions(anchor=False)


@pytest.mark.parametrize("reader", ["CBC", "HiGHS"])
@pytest.mark.parametrize("ending", [".lp", ".mps"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_solver_reads_the_file_as_exactly_this_program(
    name: str, ending: str, reader: str, tmp_path: Path
) -> None:
    problem, path = PROBLEMS[name], tmp_path / f"model{ending}"
    write_program(problem, path, OPTIONS)
    with path.open(encoding="utf-8") as lines:
        assert next(lines).strip("\\* \n") == MADE_BY
    program = formulate(problem, OPTIONS).program

    model = mip.Model(solver_name=reader)
    model.verbose = 0
    model.read(str(path))
    assert model.num_cols == program.n_columns
    assert model.num_rows == program.n_rows
    if reader == "CBC":  # python-mip does not count the integers that HiGHS has read
        assert model.num_int == program.n_integers
    assert {variable.name for variable in model.vars} == set(program.names)
    assert {row.name for row in model.constrs} == set(program.row_names)

    model.max_mip_gap = 0.0
    assert model.optimize() is mip.OptimizationStatus.OPTIMAL
    total = formulate(problem, OPTIONS).total_of(model.objective_value)
    assert total == pytest.approx(best_total(name))


@cache
def best_total(name: str) -> int | None:
    """The worth of a problem's best tree, from our solver."""
    return solve(PROBLEMS[name], engine=Engine.CBC, mip_options=OPTIONS).total


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'model\.txt' must end in \.lp or \.mps"):
        write_program(easy_problem(), tmp_path / "model.txt")


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.*cannot be written \(No such file"):
        write_program(easy_problem(), tmp_path / "nowhere" / "model.lp")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.lp").mkdir()
    with pytest.raises(InputError, match=r"model\.lp' cannot be written"):
        write_program(easy_problem(), tmp_path / "model.lp")
