"""The engine ``hybrid``: the exact search finds and proves, the paper's program confirms.

CBC alone needs minutes where the search needs milliseconds; but given the search's tree as a start
and its proved bound as a row, it confirms small programs within two seconds. Larger ones it is only
asked to confirm by those who want it. Where the search runs out of time CBC goes on from its tree
and bound.
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
from odt_core.solvers.disagreement import write_disagreement
from odt_core.solvers.mip.messages import MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.run import MipOutcome, solve_mip
from odt_core.solvers.mip.size import MOST_TO_BUILD, estimated_nonzeros
from odt_core.solvers.search import SearchOutcome, solve_search
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.run import tree_teller

SEARCH_SHARE = 0.7
"""The search's share of the time limit; what it leaves is CBC's."""
MOST_TO_CONFIRM = 50_000
"""Nonzeros above which CBC is not asked for a proof, unless always: up to here a proof took at most
40 microseconds of CPU time for each (docs/benchmarks.md)."""
CONFIRM_SECONDS = 5.0
"""What CBC may take for that, by the clock: the machine may be busy."""
MOST_TO_GO_ON = 12_000_000
"""Nonzeros above which CBC does not go on where the search ran out of time."""
START_RATE = 300_000.0
"""Nonzeros that CBC is ready to work on in a second, at least: from 5,000 to 160,000 rows of ten
features it was 400,000 to 650,000."""
START_SECONDS = 0.3
"""Seconds that it needs apart from that."""
CUT_SHORT = "CBC's confirmation was cut short."
WITHOUT_CBC = "what is said here is the exact search's alone."


@dataclass
class _Run:
    """One solve: when it must be over, how the caller hears and stops, and its steps."""

    problem: Problem
    engine: Engine
    time_limit: float
    threads: int
    seed: int
    options: MipOptions
    on_progress: Callable[[TracePoint], None] | None
    on_found: Callable[[Found], None] | None
    should_stop: Callable[[], bool] | None
    began: float = field(default_factory=time.perf_counter)
    told: TracePoint | None = None
    """What the caller heard last: an engine that begins anew must not fall behind it."""
    mip_seconds: float = 0.0
    """What CBC took for all questions that it was asked."""

    @cached_property
    def size(self) -> int:
        """Nonzeros of the integer program, about."""
        return estimated_nonzeros(self.problem)

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        return self.began + self.time_limit - time.perf_counter()

    def solve(self) -> Solution:
        """Search, then let CBC confirm or go on."""
        found = solve_search(
            self.problem,
            time_limit=self._search_share() * max(self.left, 0.05),
            threads=self.threads,
            seed=self.seed,
            on_progress=self._clocked(),
            should_stop=self.should_stop,
            on_tree=None if self.on_found is None else tree_teller(self.on_found, self.began),
        )
        self._tell_found(found)
        if found.cancelled or self.left <= 0:
            return self._settle(found, None)
        try:
            if found.proved or found.infeasible:
                return self._confirm(found)
            return self._go_on(found)
        except SolverError as failure:  # as where memory ran out; the search's answer stands
            return self._settle(found, None, remark=f"{failure}: {WITHOUT_CBC}")

    def _search_share(self) -> float:
        """The search's share of what is left: all where CBC could do nothing with the rest."""
        of_use = self._seconds_to_start() <= (1 - SEARCH_SHARE) * self.left
        return SEARCH_SHARE if self.size <= MOST_TO_GO_ON and of_use else 1.0

    def _seconds_to_start(self) -> float:
        """What CBC may need before it can do anything of use."""
        return START_SECONDS + self.size / START_RATE

    def _clocked(self) -> Callable[[TracePoint], None] | None:
        """The caller's ear, for an engine that starts now: told on the run's own clock."""
        if self.on_progress is None:
            return None
        tell, offset = self.on_progress, time.perf_counter() - self.began

        def on_progress(point: TracePoint) -> None:
            self.told = _after(self.told, point, offset)
            tell(self.told)

        return on_progress

    def _tell_found(self, found: SearchOutcome) -> None:
        """Tell of the search's tree at once: what CBC has to say to it may take long."""
        if self.on_found is None or found.assignment is None:
            return
        self.on_found(
            Found(
                assignment=found.assignment,
                bound=found.bound,
                proved_by=(Prover.SEARCH,) if found.proved else (),
                seconds=Seconds(time.perf_counter() - self.began, search=found.seconds),
            )
        )

    def _confirm(self, found: SearchOutcome) -> Solution:
        """CBC proves the same, where that is a matter of seconds or always wanted."""
        always = self.options.confirm_always
        not_asked = ""
        if self.size > MOST_TO_BUILD:
            not_asked = "cannot be built"
        elif self.size > MOST_TO_CONFIRM and not always:
            not_asked = "would take too long"
        if not_asked:
            about = f"it has about {self.size:,} entries and {not_asked}"
            return self._settle(found, None, remark=f"The integer program was not asked: {about}.")
        if self.should_stop is not None and self.should_stop():
            return self._settle(found, None, remark=CUT_SHORT)
        seconds = self.left if always else min(self.left, CONFIRM_SECONDS)
        outcome = self._ask_cbc(found, seconds)
        if outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
            return self._settle(found, outcome, MipRole.CONFIRMED)
        if outcome.cancelled:
            return self._settle(found, None, remark=CUT_SHORT)
        remark = outcome.remark or "It did not come to a proof of its own in that time."
        return self._settle(found, outcome, remark=remark)

    def _go_on(self, found: SearchOutcome) -> Solution:
        """CBC has the rest of the time, from the search's tree and bound."""
        if self.size > MOST_TO_GO_ON:
            entries = f"about {self.size:,} entries"
            remark = f"CBC was not asked: the integer program would have {entries}."
            return self._settle(found, None, remark=remark)
        if self.left < self._seconds_to_start():
            return self._settle(found, None)
        return self._settle(found, self._ask_cbc(found, self.left, self.on_found))

    def _ask_cbc(
        self,
        found: SearchOutcome,
        seconds: float,
        on_found: Callable[[Found], None] | None = None,
    ) -> MipOutcome:
        """Put a question to CBC; its answer does not contradict the search's."""
        try:
            outcome = solve_mip(
                self.problem,
                Engine.CBC,
                self.options,
                time_limit=seconds,
                threads=self.threads,
                seed=self.seed,
                start=found.assignment,
                proved_bound=None if found.infeasible else found.bound,
                on_progress=self._clocked(),
                on_found=on_found,
                should_stop=self.should_stop,
            )
        except DisagreementError as claim:  # its own tree is not worth what it says
            raise self._disagreement(str(claim), found.assignment, None) from claim
        self.mip_seconds += outcome.seconds
        contradiction = _contradiction(found, outcome)
        if contradiction:
            raise self._disagreement(contradiction, found.assignment, outcome.assignment)
        return outcome

    def _disagreement(
        self, reason: str, by_search: Assignment | None, by_mip: Assignment | None
    ) -> DisagreementError:
        """The error, with a file that reproduces it."""
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
        """The better tree and the better bound of the two."""
        assignment, total, bound = found.assignment, found.total, found.bound
        provers: tuple[Prover, ...] = (Prover.SEARCH,) if found.proved else ()
        report: MipReport | None = None
        trace = found.trace
        if outcome is not None:
            report = dataclasses.replace(outcome.report, role=role)
            bound = min(bound, outcome.bound)
            if outcome.total is not None and (total is None or outcome.total > total):
                assignment, total = outcome.assignment, outcome.total
            remark = remark or outcome.remark
            if outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
                provers = (*provers, Prover.CBC)
            trace = (*trace, *_later(outcome, found.seconds, trace[-1:] if trace else ()))
        if not provers and total == bound:
            # The bound was reached without a last word: it is whose bound it is that proves it.
            if found.bound == bound:
                provers = (Prover.SEARCH,)
            elif outcome is not None and outcome.bound_is_solvers:
                provers = (Prover.CBC,)
        return make_solution(
            self.problem,
            engine=self.engine,
            assignment=assignment,
            claimed_total=total,
            bound=bound,
            infeasible=found.infeasible,
            cancelled=found.cancelled or (outcome is not None and outcome.cancelled),
            provers=provers,
            seconds=Seconds(
                total=time.perf_counter() - self.began,
                search=found.seconds,
                mip=self.mip_seconds,
            ),
            mip=report,
            trace=trace,
            remark=remark,
        )


def solve(
    problem: Problem,
    *,
    engine: Engine,
    time_limit: float,
    threads: int,
    seed: int,
    on_progress: Callable[[TracePoint], None] | None,
    on_found: Callable[[Found], None] | None,
    should_stop: Callable[[], bool] | None,
    mip_options: MipOptions,
) -> Solution:
    """Search, then confirm or go on with CBC. See `odt_core.solvers.solve`.

    Raises
    ------
    DisagreementError
        If search and CBC contradict each other; both answers and the problem are written to a
        file that the message names.
    """
    run = _Run(
        problem=problem,
        engine=engine,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        options=mip_options,
        on_progress=on_progress,
        on_found=on_found,
        should_stop=should_stop,
    )
    loader.begin(problem)
    return run.solve()


def _contradiction(found: SearchOutcome, outcome: MipOutcome) -> str:
    """How one engine contradicts what the other has proved or holds in hand; empty if not."""
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


def _later(
    outcome: MipOutcome, offset: float, last: tuple[TracePoint, ...]
) -> tuple[TracePoint, ...]:
    """CBC's progress after the search's, without stepping back behind it."""
    points = list(last)
    for point in outcome.trace:
        points.append(_after(points[-1] if points else None, point, offset))
    return tuple(points[len(last) :])


def _after(last: TracePoint | None, point: TracePoint, offset: float) -> TracePoint:
    """A point of an engine that began `offset` seconds later, with what was known before."""
    known = (point,) if last is None else (last, point)
    incumbents = [p.incumbent for p in known if p.incumbent is not None]
    bounds = [p.bound for p in known if p.bound is not None]
    return TracePoint(
        point.seconds + offset, max(incumbents, default=None), min(bounds, default=None)
    )
