"""The paper's integer program (section 4) in python-mip, solved by CBC or HiGHS.

A tour: `formulation` writes the program row family by row family into the plain arrays of
`program`; `run` has it solved in another process (`process`, `child`) by a solver (`backends`),
listens to its log (`logs`) and checks its claims; `extraction` reads the tree; `greedy` gives the
tree to start from.
"""

from odt_core.solvers.mip.formulation import Formulation, formulate
from odt_core.solvers.mip.messages import MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.process import SolverError
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
