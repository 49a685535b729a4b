"""Conversion of a `Program` to a python-mip model. Only the solving process imports this."""

from __future__ import annotations

import mip
import numpy as np

from odt_core.solvers.mip.messages import Answer, MipStatus
from odt_core.solvers.mip.program import Floats, Program

STATUSES = {
    mip.OptimizationStatus.OPTIMAL: MipStatus.OPTIMAL,
    mip.OptimizationStatus.FEASIBLE: MipStatus.FEASIBLE,
    mip.OptimizationStatus.INFEASIBLE: MipStatus.INFEASIBLE,
    mip.OptimizationStatus.INT_INFEASIBLE: MipStatus.INFEASIBLE,
    mip.OptimizationStatus.NO_SOLUTION_FOUND: MipStatus.NO_SOLUTION,
}


def load(program: Program, solver: str) -> tuple[mip.Model, list[mip.Var]]:
    """Build the model, with a name for every variable and row."""
    model = mip.Model(sense=mip.MINIMIZE, solver_name=solver)
    variables = [
        model.add_var(
            name, lb=lower, ub=upper, obj=cost, var_type=mip.BINARY if integer else mip.CONTINUOUS
        )
        for name, lower, upper, cost, integer in zip(
            program.names,
            program.lower.tolist(),
            program.upper.tolist(),
            program.cost.tolist(),
            program.integer.tolist(),
            strict=True,
        )
    ]
    starts, rhs = program.starts.tolist(), program.rhs.tolist()
    columns, coefficients = program.columns.tolist(), program.coefficients.tolist()
    for r, name in enumerate(program.row_names):
        entries = slice(starts[r], starts[r + 1])
        row = [variables[j] for j in columns[entries]]
        expression = mip.LinExpr(row, coefficients[entries], -rhs[r], str(program.senses[r]))
        model.add_constr(expression, name)
    return model, variables


def set_start(model: mip.Model, variables: list[mip.Var], start: Floats) -> None:
    """Set a start with every variable, even zeros, because solvers guess absent variables."""
    model.start = list(zip(variables, start.tolist(), strict=True))


def answer_of(model: mip.Model, variables: list[mip.Var], status: mip.OptimizationStatus) -> Answer:
    """Return the solver's claims, with values only if it claims a solution."""
    if status not in STATUSES:
        raise RuntimeError(f"the solver ended with status {status.name}")
    found = STATUSES[status]
    if found not in (MipStatus.OPTIMAL, MipStatus.FEASIBLE):
        return Answer(found, objective=None, bound=None, x=None)
    x = np.array([variable.x for variable in variables], dtype=np.float64)
    bound = model.objective_bound if found is MipStatus.OPTIMAL else None
    return Answer(found, objective=float(model.objective_value), bound=bound, x=x)
