"""CBC and HiGHS behind one interface: features, set-up and logs.

Importing python-mip loads the solvers' libraries. So only `set_up`, which runs in the solving
process, imports it.
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
    """A solver that runs through python-mip.

    Attributes
    ----------
    engine : Engine
        The engine.
    title : str
        Its name in reports and in python-mip.
    log : type of LogReader
        The reader of one solve's log.
    threads_are_fixed : bool
        Whether the number of threads is fixed by the first solve in a process.
    writes_solutions : bool
        Whether it writes incumbents to a file during a solve (see `read_solutions`).
    """

    engine: ClassVar[Engine]
    title: ClassVar[str]
    log: ClassVar[type[LogReader]]
    threads_are_fixed: ClassVar[bool]
    writes_solutions: ClassVar[bool]

    @abstractmethod
    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """Set the solver's options. Runs in the solving process."""

    def read_solutions(self, path: Path, n_columns: int) -> Iterator[Floats]:
        """Read incumbents from the solver's file, oldest first."""
        raise NotImplementedError(f"{self.title} does not write its incumbents to a file")


class Cbc(Backend):
    """COIN-OR's branch and cut.

    Preprocessing is off. With a start, CBC's heuristics are off, too. The program is already tight
    and the start is good, so both cost more than they gain (measured on monks-1, bc and random
    problems). CBC returns trees only at its end: it never calls its incumbent callback, and with a
    callback at solutions it loses the start.
    """

    engine = Engine.CBC
    title = "CBC"
    log = CbcLog
    threads_are_fixed = False
    writes_solutions = False

    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """Set CBC's options for an order."""
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
    log = HighsLog
    threads_are_fixed = True
    writes_solutions = True

    def set_up(self, model: mip.Model, order: SolveOrder) -> None:
        """Set HiGHS's options for an order."""
        solver = model.solver
        model.threads = order.threads
        solver._set_int_option_value("random_seed", order.seed)
        if order.solutions_path is not None:
            solver._set_bool_option_value("mip_improving_solution_save", 1)
            solver._set_bool_option_value("mip_improving_solution_report_sparse", 1)
            solver._set_string_option_value("mip_improving_solution_file", order.solutions_path)

    def read_solutions(self, path: Path, n_columns: int) -> Iterator[Floats]:
        """Read the solutions from the file that HiGHS writes.

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
