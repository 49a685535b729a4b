"""The engine ``hybrid``: the exact search finds and proves, the integer program confirms.

CBC alone can need minutes for a problem that the search solves in milliseconds. With the search's
tree as a start and its proved bound as a row, CBC confirms small programs within two seconds. It
confirms larger programs only with `MipOptions.confirm_always`. If the search runs out of time, CBC
continues from its tree and bound.
"""

from __future__ import annotations

import dataclasses
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from odt_core.errors import DisagreementError, SolverError
from odt_core.problem import Problem
from odt_core.solution import (
    Assignment,
    Engine,
    Found,
    MipReport,
    MipRole,
    Prover,
    Seconds,
    Solution,
    TracePoint,
    make_solution,
)
from odt_core.solvers.control import Control
from odt_core.solvers.disagreement import write_disagreement
from odt_core.solvers.mip.messages import MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.run import MipOutcome, solve_mip
from odt_core.solvers.mip.size import MOST_TO_BUILD, estimated_nonzeros
from odt_core.solvers.search import SearchOutcome, solve_search
from odt_core.solvers.search.loader import loader

SEARCH_SHARE = 0.7
"""The search's share of the time limit. CBC gets the rest."""
MOST_TO_CONFIRM = 50_000
"""The most nonzeros of a program that CBC confirms by default. Up to this size, a proof took at
most 40 microseconds of CPU time for each nonzero (docs/benchmarks.md)."""
CONFIRM_SECONDS = 5.0
"""The time limit of a confirmation, in wall-clock time, because the machine may be busy."""
MOST_TO_CONTINUE = 12_000_000
"""The most nonzeros of a program with which CBC continues an unfinished search."""
START_RATE = 300_000.0
"""The fewest nonzeros that CBC loads in a second. With 5,000 to 160,000 rows and ten features it
loaded 400,000 to 650,000."""
START_SECONDS = 0.3
"""The fixed part of CBC's start-up time, in seconds."""
CUT_SHORT = "CBC's confirmation was cut short."
WITHOUT_CBC = "this answer comes from the exact search alone."


@dataclass
class _HybridSolve:
    """One solve: its arguments, its progress and its steps."""

    problem: Problem
    engine: Engine
    control: Control
    options: MipOptions
    began: float = field(default_factory=time.perf_counter)
    last_point: TracePoint | None = None
    """The last point that the caller got. Points of the next engine must not be worse."""
    mip_seconds: float = 0.0
    """Total time of CBC."""

    @cached_property
    def size(self) -> int:
        """The estimated nonzeros of the integer program."""
        return estimated_nonzeros(self.problem)

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        return self.began + self.control.time_limit - time.perf_counter()

    def solve(self) -> Solution:
        """Search, then let CBC confirm or continue."""
        found = solve_search(
            self.problem,
            self._control_of(self._search_share() * max(self.left, 0.05), self.control.on_found),
        )
        self._report_found(found)
        if found.cancelled or self.left <= 0:
            return self._settle(found, None)
        try:
            if found.proved or found.infeasible:
                return self._confirm(found)
            return self._continue(found)
        except SolverError as failure:  # such as no memory; the search's answer is still valid
            return self._settle(found, None, remark=f"{failure}: {WITHOUT_CBC}")

    def _search_share(self) -> float:
        """The search's share of the remaining time; 1 if the rest is too short for CBC."""
        is_enough = self._seconds_to_start() <= (1 - SEARCH_SHARE) * self.left
        return SEARCH_SHARE if self.size <= MOST_TO_CONTINUE and is_enough else 1.0

    def _seconds_to_start(self) -> float:
        """An estimate of CBC's start-up time."""
        return START_SECONDS + self.size / START_RATE

    def _control_of(self, seconds: float, on_found: Callable[[Found], None] | None) -> Control:
        """The control of an engine that starts now. Its progress has times since the run began."""
        offset = time.perf_counter() - self.began

        def on_progress(point: TracePoint) -> None:
            self.last_point = _after(self.last_point, point, offset)
            if self.control.on_progress is not None:
                self.control.on_progress(self.last_point)

        return dataclasses.replace(
            self.control, time_limit=seconds, on_progress=on_progress, on_found=on_found
        )

    def _report_found(self, found: SearchOutcome) -> None:
        """Report the search's tree at once, because CBC may take long."""
        if self.control.on_found is None or found.assignment is None:
            return
        self.control.on_found(
            Found(
                assignment=found.assignment,
                bound=found.bound,
                proved_by=(Prover.SEARCH,) if found.proved else (),
                seconds=Seconds(time.perf_counter() - self.began, search=found.seconds),
            )
        )

    def _confirm(self, found: SearchOutcome) -> Solution:
        """Let CBC confirm the proof, if the program is small or `confirm_always` is set."""
        always = self.options.confirm_always
        obstacle = ""
        if self.size > MOST_TO_BUILD:
            obstacle = "cannot be built"
        elif self.size > MOST_TO_CONFIRM and not always:
            obstacle = "would take too long"
        if obstacle:
            about = f"it has about {self.size:,} entries and {obstacle}"
            return self._settle(found, None, remark=f"The integer program was not run: {about}.")
        if self.control.stopped():
            return self._settle(found, None, remark=CUT_SHORT)
        seconds = self.left if always else min(self.left, CONFIRM_SECONDS)
        outcome = self._run_cbc(found, self._control_of(seconds, None))
        if outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
            return self._settle(found, outcome, MipRole.CONFIRMED)
        if outcome.cancelled:
            return self._settle(found, None, remark=CUT_SHORT)
        remark = outcome.remark or "CBC did not find a proof of its own in that time."
        return self._settle(found, outcome, remark=remark)

    def _continue(self, found: SearchOutcome) -> Solution:
        """Let CBC continue for the rest of the time from the search's tree and bound."""
        if self.size > MOST_TO_CONTINUE:
            entries = f"about {self.size:,} entries"
            remark = f"CBC was not run: the integer program would have {entries}."
            return self._settle(found, None, remark=remark)
        if self.left < self._seconds_to_start():
            return self._settle(found, None)
        control = self._control_of(self.left, self.control.on_found)
        return self._settle(found, self._run_cbc(found, control))

    def _run_cbc(self, found: SearchOutcome, control: Control) -> MipOutcome:
        """Run CBC, and check that its answer does not contradict the search's."""
        try:
            outcome = solve_mip(
                self.problem,
                Engine.CBC,
                self.options,
                control,
                start=found.assignment,
                proved_bound=None if found.infeasible else found.bound,
            )
        except DisagreementError as claim:  # CBC's tree does not have its claimed objective
            raise self._disagreement(str(claim), found.assignment, None) from claim
        self.mip_seconds += outcome.seconds
        contradiction = _contradiction(found, outcome)
        if contradiction:
            raise self._disagreement(contradiction, found.assignment, outcome.assignment)
        return outcome

    def _disagreement(
        self, reason: str, by_search: Assignment | None, by_mip: Assignment | None
    ) -> DisagreementError:
        """Write a file that reproduces the disagreement, and return the error."""
        file = write_disagreement(self.problem, reason, by_search, by_mip, self.options)
        return DisagreementError(
            f"Two engines disagree: {reason}. To reproduce it: "
            f"python -m odt_core.solvers.disagreement {shlex.quote(str(file))}"
        )

    def _settle(
        self,
        found: SearchOutcome,
        outcome: MipOutcome | None,
        role: MipRole = MipRole.CONTINUED,
        remark: str = "",
    ) -> Solution:
        """Make the solution from the better tree and the better bound."""
        assignment, total, bound = found.assignment, found.total, found.bound
        report: MipReport | None = None
        trace = found.trace
        if outcome is not None:
            report = dataclasses.replace(outcome.report, role=role)
            bound = min(bound, outcome.bound)
            if outcome.total is not None and (total is None or outcome.total > total):
                assignment, total = outcome.assignment, outcome.total
            remark = remark or outcome.remark
            trace = (*trace, *_following(outcome, found.seconds, trace[-1:] if trace else ()))
        return make_solution(
            self.problem,
            engine=self.engine,
            assignment=assignment,
            claimed_total=total,
            bound=bound,
            infeasible=found.infeasible,
            cancelled=found.cancelled or (outcome is not None and outcome.cancelled),
            provers=_provers(found, outcome, total, bound),
            seconds=Seconds(
                total=time.perf_counter() - self.began,
                search=found.seconds,
                mip=self.mip_seconds,
            ),
            mip=report,
            trace=trace,
            remark=remark,
        )


def solve(problem: Problem, engine: Engine, control: Control, mip_options: MipOptions) -> Solution:
    """Search, then confirm or continue with CBC. See `odt_core.solvers.solve`.

    Raises
    ------
    DisagreementError
        If search and CBC contradict each other. The message names a file with both answers and
        the problem.
    """
    run = _HybridSolve(problem, engine, control, mip_options)
    loader.begin(problem)
    return run.solve()


def _provers(
    found: SearchOutcome, outcome: MipOutcome | None, total: int | None, bound: int
) -> tuple[Prover, ...]:
    """Return the engines that proved the answer, whose total and bound are the better ones."""
    provers: tuple[Prover, ...] = (Prover.SEARCH,) if found.proved else ()
    if outcome is not None and outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
        provers = (*provers, Prover.CBC)
    if provers or total != bound:
        return provers
    # The tree reaches the bound, so the engine that proved the bound proved the tree.
    if found.bound == bound:
        return (Prover.SEARCH,)
    return (Prover.CBC,) if outcome is not None and outcome.bound_is_solvers else ()


def _contradiction(found: SearchOutcome, outcome: MipOutcome) -> str:
    """Describe how one engine's answer contradicts the other's; empty if it does not."""
    if found.infeasible:
        if outcome.total is not None:
            return f"the search proved that no tree exists, CBC found one worth {outcome.total}"
    elif outcome.status is MipStatus.INFEASIBLE:
        return f"the search found a tree worth {found.total}, CBC says that no tree exists"
    elif outcome.total is not None and outcome.total > found.bound:
        return f"the search proved at most {found.bound}, CBC found a tree worth {outcome.total}"
    elif found.total is not None and outcome.bound < found.total:
        return f"the search found a tree worth {found.total}, CBC proved at most {outcome.bound}"
    return ""


def _following(
    outcome: MipOutcome, offset: float, last: tuple[TracePoint, ...]
) -> tuple[TracePoint, ...]:
    """CBC's part of the trace, never worse than the end of the search's."""
    points = list(last)
    for point in outcome.trace:
        points.append(_after(points[-1] if points else None, point, offset))
    return tuple(points[len(last) :])


def _after(last: TracePoint | None, point: TracePoint, offset: float) -> TracePoint:
    """Shift a point by `offset` seconds, and keep the better values of the last point."""
    known = (point,) if last is None else (last, point)
    incumbents = [p.incumbent for p in known if p.incumbent is not None]
    bounds = [p.bound for p in known if p.bound is not None]
    return TracePoint(
        point.seconds + offset, max(incumbents, default=None), min(bounds, default=None)
    )
