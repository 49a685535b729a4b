"""CBC and HiGHS behind one interface: what each can do, how it is set up, how its log is read.

python-mip loads the solvers' libraries when it is imported, so it is imported inside the functions
that run in the solving process; the asking process only uses `log` and the facts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

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
    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """Set the solver's own options; runs in the solving process."""

    def read_solutions(self, path: Path, n_columns: int) -> Iterator[Floats]:
        """Incumbents from the file of a solver that writes them, oldest first."""
        raise NotImplementedError(f"{self.title} does not write its incumbents to a file")


class Cbc(Backend):
    """COIN-OR's branch and cut.

    Preprocessing is off, and so are CBC's own heuristics where there is a start: the program is
    tight already and the start is good, so they cost more than they find (measured on monks-1, bc
    and random problems). CBC's trees can be had only when it ends: its incumbent callback is never
    called, and a callback at solutions makes it lose the start.
    """

    engine = Engine.CBC
    title = "CBC"
    mip_name = "CBC"
    threads_are_fixed = False
    writes_solutions = False

    def log(self) -> LogReader:
        """See `Backend.log`."""
        return CbcLog()

    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """See `Backend.set_up`."""
        from mip.cbc import cbc_set_parameter

        model.preprocess = 0
        if order.start is not None:
            cbc_set_parameter(model.solver, "heur", "off")
        if order.threads > 1:  # with one thread CBC's threaded mode is only overhead
            model.threads = order.threads


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

    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """See `Backend.set_up`."""
        solver = model.solver
        model.threads = order.threads
        solver._set_int_option_value("random_seed", order.seed)
        if order.solutions_path is not None:
            solver._set_bool_option_value("mip_improving_solution_save", 1)
            solver._set_bool_option_value("mip_improving_solution_report_sparse", 1)
            solver._set_string_option_value("mip_improving_solution_file", order.solutions_path)

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
