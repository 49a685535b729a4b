"""Solve a problem by its integer program, and check the outcome."""

from __future__ import annotations

import dataclasses
import math
import queue
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from odt_core.errors import DisagreementError, InputError, SolverError
from odt_core.problem import Problem
from odt_core.solution import Assignment, Engine, Found, MipReport, Seconds, TracePoint
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.mip.backends import BACKENDS, Backend
from odt_core.solvers.mip.formulation import Formulation, formulate
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.mip.logs import LogReading
from odt_core.solvers.mip.messages import (
    END_OF_LOG,
    GAP,
    Answer,
    Failure,
    Message,
    MipStatus,
    SolveOrder,
    WriteOrder,
    Written,
)
from odt_core.solvers.mip.options import DEFAULT_OPTIONS, MipOptions
from odt_core.solvers.mip.points import assignment_of, point_of
from odt_core.solvers.mip.process import LARGE, Child, Ended, LogLine, borrowed_child
from odt_core.solvers.mip.program import Floats
from odt_core.tree import count_assignment, keeps_smallest_leaf

POLL = 0.05
"""Seconds between two looks at the clock and at the user's wish to stop."""

GRACE = 0.2
"""Seconds after the time limit until a solver is killed."""

FORMATS = (".lp", ".mps")
"""The file formats of an integer program."""

BLURRED_REMARK = (
    "The sums are so large that {solver}, which counts in floating point, cannot distinguish "
    "neighbouring sums. It proves nothing here, but the exact search can."
)


@dataclass(frozen=True)
class MipOutcome:
    """The outcome of solving the program.

    Attributes
    ----------
    status : MipStatus
        The solver's status after checks, or ``STOPPED``.
    assignment : Assignment or None
        The best tree: the solver's or the start.
    total : int or None
        Its recounted total.
    claimed_total : int or None
        The total that the solver claims; only with ``OPTIMAL``.
    bound : int
        A proved upper bound on the total.
    bound_is_solvers : bool
        Whether the solver proved the bound. Otherwise the bound comes from a count of equal rows
        or from `proved_bound`.
    cancelled : bool
        Whether the user ended the solve.
    start_taken : bool
        Whether the solver reported that it accepted the start.
    seconds : float
        Seconds from the call to the return.
    report : MipReport
        Size of the program and the solver's claims.
    trace : tuple of TracePoint
        The best total and the bound over time. The total is of a tree or from the solver's log.
    """

    status: MipStatus
    assignment: Assignment | None
    total: int | None
    claimed_total: int | None
    bound: int
    bound_is_solvers: bool
    cancelled: bool
    start_taken: bool
    seconds: float
    report: MipReport
    trace: tuple[TracePoint, ...]

    @property
    def remark(self) -> str:
        """A sentence if the solver's status proves nothing; usually empty."""
        if self.status is not MipStatus.BLURRED:
            return ""
        return BLURRED_REMARK.format(solver=self.report.solver)


def solve_mip(
    problem: Problem,
    engine: Engine,
    options: MipOptions = DEFAULT_OPTIONS,
    control: Control = DEFAULT_CONTROL,
    *,
    start: Assignment | None = None,
    proved_bound: int | None = None,
) -> MipOutcome:
    """Solve the paper's program of a problem with CBC or HiGHS, in another process.

    Parameters
    ----------
    problem : Problem
        The problem.
    engine : Engine
        ``CBC`` or ``HIGHS``.
    options : MipOptions
        The switches of section 4.
    control : Control
        The limits, and the functions that follow the solve. The solver is killed after the time
        limit, and if the user stops it.
    start : Assignment, optional
        A tree to start from; by default a greedy tree.
    proved_bound : int, optional
        A proved upper bound on the total, added to the program as a row.

    Raises
    ------
    SolverError
        If the solver crashes.
    DisagreementError
        If the solver's tree has a smaller total than it claims.
    """
    began = time.perf_counter()
    end = began + control.time_limit
    formulation = formulate(problem, options, bound=proved_bound)
    trivial = formulation.trivial_bound
    bound = trivial if proved_bound is None else min(trivial, proved_bound)
    run = _MipSolve(formulation, BACKENDS[engine], began, bound, control)
    run.take_tree(
        start or greedy_assignment(problem, lambda: control.stopped() or time.perf_counter() >= end)
    )
    run.tell()
    with tempfile.TemporaryDirectory(prefix="odt-mip-") as folder:
        path = str(Path(folder) / "solutions") if run.backend.writes_solutions else None
        order = SolveOrder(
            engine=engine,
            program=formulation.program,
            start=run.start_values(),
            time_limit=_solver_seconds(end - time.perf_counter()),
            threads=control.threads,
            seed=control.seed,
            solutions_path=path,
        )
        key = (engine, control.threads if run.backend.threads_are_fixed else None)
        with borrowed_child(key) as child:
            child.send(order)
            run.follow(child, order, end + GRACE)
    return run.outcome()


def write_program(
    problem: Problem, path: Path | str, options: MipOptions = DEFAULT_OPTIONS
) -> None:
    """Write the integer program of `solve_mip` as an LP or MPS file, by the path's extension.

    Raises
    ------
    InputError
        If the extension is neither ``.lp`` nor ``.mps``, or the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"The file of the integer program {path.name!r} must end in {' or '.join(FORMATS)}."
        )
    try:
        path.open("wb").close()
    except OSError as error:
        raise InputError(
            f"The file of the integer program {str(path)!r} cannot be written "
            f"({error.strerror}): choose another place."
        ) from error
    order = WriteOrder(formulate(problem, options).program, str(path.absolute()))
    with borrowed_child((Engine.HIGHS, 1)) as child:
        child.send(order)
        message = _next_message(child)
        if isinstance(message, Failure):
            raise SolverError(f"The integer program could not be written: {message.message}")
        if not isinstance(message, Written):
            raise SolverError(f"The process that writes integer programs {child.how_it_ended()}")


def _next_message(child: Child) -> Message | None:
    """The child's next message; None if the child has ended. Lines of its log are skipped."""
    while True:
        event = child.events.get()
        if isinstance(event, Ended):
            return None
        if not isinstance(event, LogLine):
            return event


def _solver_seconds(left: float) -> float:
    """The solver's time limit: a little less than the remaining time, because solvers overrun."""
    return max(left - min(0.5, 0.1 * left), 0.05)


class _MipSolve:
    """The state of one solve: the best tree, the bound, and the solver's progress."""

    def __init__(
        self,
        formulation: Formulation,
        backend: Backend,
        began: float,
        bound: int,
        control: Control,
    ) -> None:
        self.formulation = formulation
        self.problem = formulation.draft.problem
        self.backend = backend
        self.began = began
        self.bound = self.given_bound = bound
        self.control = control
        self.best: Assignment | None = None
        self.total: int | None = None
        self.answer: Answer | None = None
        self.cancelled = False
        self.start_taken = False
        self.gave_up = False  # the log says that the solver stopped at a limit
        self.logged: int | None = None  # the best total in the log; its tree may not be known
        self.trace: list[TracePoint] = []

    # ---- the best tree and bound ----

    def start_values(self) -> Floats | None:
        """The start as a point of the program; None without a start."""
        return None if self.best is None else point_of(self.formulation, self.best)

    def take_tree(self, tree: Assignment | None) -> int | None:
        """Keep a tree if it is allowed and the best so far. Return the total of an allowed tree."""
        if tree is None or not self.problem.admits_all(tree.splits, tree.labels):
            return None
        confusion = count_assignment(self.problem, tree.splits, tree.labels)
        if not self.problem.gains.allows(confusion):
            return None
        if not keeps_smallest_leaf(self.problem, tree.splits):
            return None
        total = self.problem.gains.total(confusion)
        if self.total is None or total > self.total:
            self.best, self.total = tree, total
            self._tell_tree(tree)
        return total

    def _tell_tree(self, tree: Assignment) -> None:
        if self.control.on_found is not None:
            seconds = time.perf_counter() - self.began
            self.control.on_found(Found(tree, self.bound, (), Seconds(seconds, mip=seconds)))

    def take_bound(self, bound: int) -> None:
        """Keep a proved upper bound if it is the best so far."""
        self.bound = min(self.bound, bound)

    def tell(self) -> None:
        """Add a point to the trace if the best total or the bound is new."""
        incumbent = max(self._found(), default=None)
        point = TracePoint(time.perf_counter() - self.began, incumbent, self.bound)
        last = self.trace[-1] if self.trace else None
        if last is not None and (last.incumbent, last.bound) == (point.incumbent, point.bound):
            return
        self.trace.append(point)
        if self.control.on_progress is not None:
            self.control.on_progress(point)

    # ---- the solver's progress ----

    def follow(self, child: Child, order: SolveOrder, deadline: float) -> None:
        """Follow the solver until it has answered, the user stops it, or the deadline is over."""
        log = self.backend.log()
        log_is_complete = False
        while self.answer is None or not log_is_complete:
            if self.control.stopped():
                self.cancelled = True
                break
            if time.perf_counter() > deadline:
                break
            try:
                event = child.events.get(timeout=POLL)
            except queue.Empty:
                continue
            if isinstance(event, LogLine):
                log_is_complete = event.text == END_OF_LOG
                self._take_reading(log.read(event.text), order)
            elif isinstance(event, Answer):
                self.answer = event
            elif isinstance(event, Failure):
                raise SolverError(f"{self.backend.title} could not solve: {event.message}")
            else:
                raise SolverError(f"{self.backend.title} {child.how_it_ended()}")
            self.tell()
        small = order.program.n_nonzeros <= LARGE
        child.is_clean = self.answer is not None and log_is_complete and small
        if not child.is_clean:
            child.kill()
        self._look_for_solutions(order)
        self._take_answer()
        self.tell()

    def _take_reading(self, reading: LogReading | None, order: SolveOrder) -> None:
        if reading is None:
            return
        self.start_taken |= reading.start_taken
        self.gave_up |= reading.stopped
        if reading.incumbent is not None:
            total = self.formulation.incumbent_of(reading.incumbent)
            if self.logged is None or total > self.logged:
                self.logged = total
                self._look_for_solutions(order)
        if reading.bound is not None:
            # A solver bounds only points that are better than its incumbent, and may fix variables
            # on this ground. Then the bound in its log can be above the optimum of the (minimised)
            # program, but never above the incumbent.
            bound = self.formulation.bound_of(reading.bound)
            self.take_bound(max([bound, *self._found()]))

    def _found(self) -> list[int]:
        return [total for total in (self.total, self.logged) if total is not None]

    def _look_for_solutions(self, order: SolveOrder) -> None:
        """Read the points that the solver has written to its file."""
        if order.solutions_path is None:
            return
        path, n_columns = Path(order.solutions_path), order.program.n_columns
        for x in self.backend.read_solutions(path, n_columns):
            self.take_tree(assignment_of(self.formulation, x))

    # ---- the answer ----

    def _take_answer(self) -> None:
        """Check the solver's claims against its log and a recount of its tree."""
        if self.gave_up and self.answer is not None:
            # A solve that stopped early proves nothing, whatever its status says.
            self.answer = dataclasses.replace(self.answer, status=MipStatus.STOPPED)
        answer = self.answer
        if answer is None or answer.x is None or answer.objective is None:
            return
        tree = assignment_of(self.formulation, answer.x)
        total = self.take_tree(tree)
        if self._is_blurred(answer.objective, tree, total):
            if answer.status is MipStatus.OPTIMAL:
                self.take_bound(self.formulation.bound_of(answer.objective - GAP))
            self.answer = dataclasses.replace(answer, status=MipStatus.BLURRED)
            return
        slack = self.formulation.tolerance(answer.objective)
        if total is None or self.formulation.objective_of(total) > answer.objective + slack:
            claimed = self.formulation.total_of(answer.objective)
            raise DisagreementError(
                f"{self.backend.title} claims a tree of {claimed:g}, but the tree it returned "
                f"{'breaks the conditions' if total is None else f'reaches {total}'}"
            )
        if answer.status is MipStatus.OPTIMAL:
            self.take_bound(self._proved_by(answer.objective))
            if total == self.total:
                self.best = tree  # an equally good tree from the log depends on timing

    def _is_blurred(self, objective: float, tree: Assignment, total: int | None) -> bool:
        """Whether the claim and the recount differ, but only within the solver's tolerance.

        The value of a variable may be off by `TOLERANCE`. If rows weigh millions, this hides whole
        units of the objective and of a floor.
        """
        if total is None:
            confusion = count_assignment(self.problem, tree.splits, tree.labels)
            legal = self.problem.admits_all(tree.splits, tree.labels)
            return (
                legal
                and self.formulation.nearly_allows(confusion)
                and self.formulation.nearly_keeps_smallest_leaf(tree.splits)
            )
        assert self.total is not None
        off = abs(self.formulation.objective_of(self.total) - objective)
        return 0.5 <= off <= self.formulation.tolerance(objective)

    def _proved_by(self, objective: float) -> int:
        """The bound on the total that the status OPTIMAL proves, given the gap `GAP`."""
        whole = round(objective)
        if abs(objective - whole) <= self.formulation.tolerance(objective):
            lost = whole
        else:
            lost = math.ceil(objective - GAP - self.formulation.tolerance(objective))
        return self.formulation.most - self.formulation.draft.unit * lost

    def outcome(self) -> MipOutcome:
        """Return the outcome, after the solve has been followed."""
        status = MipStatus.STOPPED if self.answer is None else self.answer.status
        claimed = None
        if status is MipStatus.OPTIMAL:
            assert self.answer is not None and self.answer.objective is not None
            claimed = self._proved_by(self.answer.objective)
        return MipOutcome(
            status=status,
            assignment=self.best,
            total=self.total,
            claimed_total=claimed,
            bound=self.bound,
            bound_is_solvers=self.bound < self.given_bound
            or status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE),
            cancelled=self.cancelled,
            start_taken=self.start_taken,
            seconds=time.perf_counter() - self.began,
            report=self._report(status),
            trace=tuple(self.trace),
        )

    def _report(self, status: MipStatus) -> MipReport:
        program, scale = self.formulation.program, self.problem.gains.scale
        objective = self.answer.objective if self.answer is not None else None
        return MipReport(
            columns=program.n_columns,
            rows=program.n_rows,
            integers=program.n_integers,
            nonzeros=program.n_nonzeros,
            status=str(status),
            objective=None if objective is None else self.formulation.total_of(objective) / scale,
            bound=self.bound / scale,
            solver=self.backend.title,
            is_blurred=status is MipStatus.BLURRED,
        )
