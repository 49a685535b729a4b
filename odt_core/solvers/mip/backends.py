"""CBC and HiGHS behind one interface: what each can do, how it is set up, how its log is read.

python-mip loads the solvers' libraries when it is imported, so it is imported inside the functions
that run in the solving process; the asking process only uses `log` and the facts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from odt_core.solution import Engine
from odt_core.solvers.mip.logs import CbcLog, HighsLog, LogReader
from odt_core.solvers.mip.messages import SolveOrder
from odt_core.solvers.mip.program import Floats

if TYPE_CHECKING:
    import mip


class Backend(ABC):
    """A solver that python-mip drives.

    Attributes
    ----------
    engine : Engine
        Which it is.
    title : str
        Its name in reports.
    mip_name : str
        python-mip's name for it.
    threads_are_fixed : bool
        Whether a process keeps the number of threads of its first solve.
    writes_solutions : bool
        Whether incumbents can be read from a file while it solves (see `read_solutions`).
    """

    engine: ClassVar[Engine]
    title: ClassVar[str]
    mip_name: ClassVar[str]
    threads_are_fixed: ClassVar[bool]
    writes_solutions: ClassVar[bool]

    @abstractmethod
    def log(self) -> LogReader:
        """A reader for one solve's log."""

    @abstractmethod
    def set_up(
        self, model: mip.Model, order: SolveOrder, on_incumbent: Callable[[Floats], None]
    ) -> Any:
        """Set the solver's own options; runs in the solving process.

        The result must be kept alive until the solve has ended.
        """

    def read_solutions(self, path: Path, n_columns: int) -> Iterator[Floats]:
        """Incumbents from the file of a solver that writes them, oldest first."""
        raise NotImplementedError(f"{self.title} does not write its incumbents to a file")


class Cbc(Backend):
    """COIN-OR's branch and cut.

    Preprocessing and CBC's own heuristics are off: the program is tight already and comes with a
    good start, they cost more than they find (measured on monks-1, bc and random problems), and
    without them every incumbent passes through a callback in the program's own columns.
    """

    engine = Engine.CBC
    title = "CBC"
    mip_name = "CBC"
    threads_are_fixed = False
    writes_solutions = False

    NEVER = 1_000_000
    """Node interval of the callback; it is called at solutions regardless."""

    def log(self) -> LogReader:
        """See `Backend.log`."""
        return CbcLog()

    def set_up(
        self, model: mip.Model, order: SolveOrder, on_incumbent: Callable[[Floats], None]
    ) -> Any:
        """See `Backend.set_up`."""
        from mip.cbc import cbclib, ffi

        model.preprocess = 0
        if order.threads > 1:  # with one thread CBC's threaded mode is only overhead
            model.threads = order.threads
        integer = order.program.integer
        n = order.program.n_columns
        best = float("inf")

        # python-mip does not wire CBC's incumbent callback, and CBC never calls it. A cut generator
        # that adds no cuts sees every point that CBC is about to accept.
        @ffi.callback("void (void *, void *, void *, int, int)")
        def watch(osi: Any, cuts: Any, data: Any, level: int, npass: int) -> None:
            nonlocal best
            if cbclib.Osi_getNumCols(osi) != n:
                return
            x = np.frombuffer(ffi.buffer(cbclib.Osi_getColSolution(osi), 8 * n)).copy()
            objective = order.program.objective_at(x)
            whole = np.abs(x[integer] - np.round(x[integer])).max(initial=0.0) < 1e-5
            if whole and objective < best - 1e-6:
                best = objective
                on_incumbent(x)

        cbclib.Cbc_addCutCallback(model.solver._model, watch, b"watch", ffi.NULL, self.NEVER, b"\1")
        return watch


class Highs(Backend):
    """HiGHS, from the highsbox wheel."""

    engine = Engine.HIGHS
    title = "HiGHS"
    mip_name = "HiGHS"
    threads_are_fixed = True
    writes_solutions = True

    def log(self) -> LogReader:
        """See `Backend.log`."""
        return HighsLog()

    def set_up(
        self, model: mip.Model, order: SolveOrder, on_incumbent: Callable[[Floats], None]
    ) -> Any:
        """See `Backend.set_up`."""
        solver = model.solver
        model.threads = order.threads
        solver._set_int_option_value("random_seed", order.seed)
        if order.solutions_path is not None:
            solver._set_bool_option_value("mip_improving_solution_save", 1)
            solver._set_bool_option_value("mip_improving_solution_report_sparse", 1)
            solver._set_string_option_value("mip_improving_solution_file", order.solutions_path)
        return None

    def read_solutions(self, path: Path, n_columns: int) -> Iterator[Floats]:
        """See `Backend.read_solutions`.

        A block is "Objective o", "# Columns -k", then k lines "name value column". The last block
        may be cut short.
        """
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for at, line in enumerate(lines):
            if not line.startswith("# Columns -"):
                continue
            count = int(line.removeprefix("# Columns -"))
            block = [entry.split() for entry in lines[at + 1 : at + 1 + count]]
            if len(block) == count and all(len(entry) == 3 for entry in block):
                x = np.zeros(n_columns)
                for _, value, column in block:
                    x[int(column)] = float(value)
                yield x


BACKENDS: dict[Engine, Backend] = {backend.engine: backend for backend in (Cbc(), Highs())}
"""The backend of each engine that has one."""
