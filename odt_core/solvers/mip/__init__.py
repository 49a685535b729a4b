"""The paper's integer program (section 4) in python-mip, solved by CBC or HiGHS.

`formulation` writes the program, one family of rows after the other, into the plain arrays of
`program`. `run` lets a solver (`backends`) solve it in another process (`process`, `child`), reads
the solver's log (`logs`) and checks its claims. `points` converts trees to points of the program,
and points to trees. `greedy` builds the start tree, one node at a time with `best_splits`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from odt_core.errors import SolverError

if TYPE_CHECKING:
    from odt_core.solvers.mip.formulation import Formulation, formulate
    from odt_core.solvers.mip.messages import MipStatus
    from odt_core.solvers.mip.options import MipOptions
    from odt_core.solvers.mip.run import MipOutcome, solve_mip, write_model

__all__ = [
    "Formulation",
    "MipOptions",
    "MipOutcome",
    "MipStatus",
    "SolverError",
    "formulate",
    "solve_mip",
    "write_model",
]

_HOMES = {
    "Formulation": "formulation",
    "MipOptions": "options",
    "MipOutcome": "run",
    "MipStatus": "messages",
    "formulate": "formulation",
    "solve_mip": "run",
    "write_model": "run",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, because other engines only need `options`."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
