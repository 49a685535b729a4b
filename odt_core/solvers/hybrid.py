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

from odt_core.errors import DisagreementError, SolverError
from odt_core.problem import Problem
from odt_core.solution import (
    Assignment,
    Engine,
    Found,
    MipReport,
    MipRole,
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
from odt_core.solvers.search.engine import tree_teller
from odt_core.solvers.search.loader import loader

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


@dataclass(frozen=True)
class _Budget:
    """When things must be over, and how the caller hears and stops."""

    began: float
    time_limit: float
    threads: int
    seed: int
    options: MipOptions
    on_progress: Callable[[TracePoint], None] | None
    on_found: Callable[[Found], None] | None
    should_stop: Callable[[], bool] | None
    told: list[TracePoint] = field(default_factory=list)
    """What the caller heard last: an engine that begins anew must not fall behind it."""
    mip_seconds: list[float] = field(default_factory=list)
    """What CBC took for each question that it was asked."""

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        return self.began + self.time_limit - time.perf_counter()

    def is_stopped(self) -> bool:
        """Whether the caller wants no more."""
        return self.should_stop is not None and self.should_stop()

    def clocked(self) -> Callable[[TracePoint], None] | None:
        """The caller's ear, for an engine that starts now: told on the run's own clock."""
        if self.on_progress is None:
            return None
        tell, offset, told = self.on_progress, time.perf_counter() - self.began, self.told

        def on_progress(point: TracePoint) -> None:
            after = _after(told[-1] if told else None, point, offset)
            told[:] = [after]
            tell(after)

        return on_progress

    def tell_found(self, found: SearchOutcome) -> None:
        """Tell of the search's tree at once: what CBC has to say to it may take long."""
        if self.on_found is None or found.assignment is None:
            return
        self.on_found(
            Found(
                assignment=found.assignment,
                bound=found.bound,
                proved_by=("search",) if found.proved else (),
                seconds=Seconds(time.perf_counter() - self.began, search=found.seconds),
            )
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
    began = time.perf_counter()
    budget = _Budget(
        began, time_limit, threads, seed, mip_options, on_progress, on_found, should_stop
    )
    loader.begin(problem)
    found = solve_search(
        problem,
        time_limit=_search_share(estimated_nonzeros(problem), budget) * max(budget.left, 0.05),
        threads=threads,
        seed=seed,
        on_progress=budget.clocked(),
        should_stop=should_stop,
        on_tree=None if on_found is None else tree_teller(on_found, began),
    )
    budget.tell_found(found)
    return _finish(problem, engine, budget, found)


def _seconds_to_start(size: int) -> float:
    """What CBC may need before it can do anything of use."""
    return START_SECONDS + size / START_RATE


def _search_share(size: int, budget: _Budget) -> float:
    """The search's share of what is left: all of it where CBC could do nothing with the rest."""
    of_use = _seconds_to_start(size) <= (1 - SEARCH_SHARE) * budget.left
    return SEARCH_SHARE if size <= MOST_TO_GO_ON and of_use else 1.0


def _finish(problem: Problem, engine: Engine, budget: _Budget, found: SearchOutcome) -> Solution:
    """What CBC has to say to the search's answer."""
    size = estimated_nonzeros(problem)
    if found.cancelled or budget.left <= 0:
        return _settle(problem, engine, budget, found, None)
    try:
        if found.proved or found.infeasible:
            return _confirm(problem, engine, budget, found, size)
        return _go_on(problem, engine, budget, found, size)
    except SolverError as failure:  # as where memory ran out; the search's answer stands without it
        return _settle(problem, engine, budget, found, None, remark=f"{failure}: {WITHOUT_CBC}")


def _confirm(
    problem: Problem, engine: Engine, budget: _Budget, found: SearchOutcome, size: int
) -> Solution:
    """CBC proves the same, where that is a matter of seconds or always wanted."""
    always = budget.options.confirm_always
    not_asked = ""
    if size > MOST_TO_BUILD:
        not_asked = "cannot be built"
    elif size > MOST_TO_CONFIRM and not always:
        not_asked = "would take too long"
    if not_asked:
        remark = (
            f"The integer program was not asked: it has about {size:,} entries and {not_asked}."
        )
        return _settle(problem, engine, budget, found, None, remark=remark)
    if budget.is_stopped():
        return _settle(problem, engine, budget, found, None, remark=CUT_SHORT)
    seconds = budget.left if always else min(budget.left, CONFIRM_SECONDS)
    outcome = _ask(problem, budget, seconds=seconds, start=found)
    _compare(problem, budget, found, outcome)
    if outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
        return _settle(problem, engine, budget, found, outcome, MipRole.CONFIRMED)
    if outcome.cancelled:
        return _settle(problem, engine, budget, found, None, remark=CUT_SHORT)
    remark = outcome.remark or "It did not come to a proof of its own in that time."
    return _settle(problem, engine, budget, found, outcome, MipRole.CONTINUED, remark)


def _go_on(
    problem: Problem, engine: Engine, budget: _Budget, found: SearchOutcome, size: int
) -> Solution:
    """CBC has the rest of the time, from the search's tree and bound."""
    remark = ""
    if size > MOST_TO_GO_ON:
        remark = f"CBC was not asked: the integer program would have about {size:,} entries."
    if remark or budget.left < _seconds_to_start(size):
        return _settle(problem, engine, budget, found, None, remark=remark)
    outcome = _ask(problem, budget, seconds=budget.left, start=found, on_found=budget.on_found)
    _compare(problem, budget, found, outcome)
    return _settle(problem, engine, budget, found, outcome, MipRole.CONTINUED)


def _ask(
    problem: Problem,
    budget: _Budget,
    *,
    seconds: float,
    start: SearchOutcome,
    on_found: Callable[[Found], None] | None = None,
) -> MipOutcome:
    """Put a question to CBC."""
    try:
        outcome = solve_mip(
            problem,
            Engine.CBC,
            budget.options,
            time_limit=seconds,
            threads=budget.threads,
            seed=budget.seed,
            start=start.assignment,
            proved_bound=None if start.infeasible else start.bound,
            on_progress=budget.clocked(),
            on_found=on_found,
            should_stop=budget.should_stop,
        )
    except DisagreementError as claim:  # its own tree is not worth what it says
        raise _disagreement(problem, budget, str(claim), start.assignment, None) from claim
    budget.mip_seconds.append(outcome.seconds)
    return outcome


def _compare(problem: Problem, budget: _Budget, found: SearchOutcome, outcome: MipOutcome) -> None:
    """Neither engine may contradict what the other has proved or holds in hand."""
    reason = None
    if found.infeasible:
        if outcome.total is not None:
            reason = f"the search proved that no tree exists, CBC found one worth {outcome.total}"
    elif outcome.status is MipStatus.INFEASIBLE:
        reason = f"the search found a tree worth {found.total}, CBC says that no tree exists"
    elif outcome.total is not None and outcome.total > found.bound:
        reason = f"the search proved at most {found.bound}, CBC found a tree worth {outcome.total}"
    elif found.total is not None and outcome.bound < found.total:
        reason = f"the search found a tree worth {found.total}, CBC proved at most {outcome.bound}"
    if reason is not None:
        raise _disagreement(problem, budget, reason, found.assignment, outcome.assignment)


def _disagreement(
    problem: Problem,
    budget: _Budget,
    reason: str,
    by_search: Assignment | None,
    by_mip: Assignment | None,
) -> DisagreementError:
    """The error, with a file that reproduces it."""
    file = write_disagreement(problem, reason, by_search, by_mip, budget.options)
    return DisagreementError(
        f"Two engines disagree: {reason}. To reproduce it: "
        f"python -m odt_core.solvers.disagreement {shlex.quote(str(file))}"
    )


def _settle(
    problem: Problem,
    engine: Engine,
    budget: _Budget,
    found: SearchOutcome,
    outcome: MipOutcome | None,
    role: MipRole = MipRole.CONTINUED,
    remark: str = "",
) -> Solution:
    """The better tree and the better bound of the two."""
    assignment, total, bound = found.assignment, found.total, found.bound
    provers = ("search",) if found.proved else ()
    report: MipReport | None = None
    trace = found.trace
    if outcome is not None:
        report = dataclasses.replace(outcome.report, role=role)
        bound = min(bound, outcome.bound)
        if outcome.total is not None and (total is None or outcome.total > total):
            assignment, total = outcome.assignment, outcome.total
        remark = remark or outcome.remark
        if outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE):
            provers = (*provers, "cbc")
        trace = (*trace, *_later(outcome, found.seconds, trace[-1:] if trace else ()))
    if not provers and total == bound:
        # The bound was reached without a last word: it is whose bound it is that proves it.
        by_mip = outcome is not None and outcome.bound_is_solvers
        provers = ("search",) if found.bound == bound else ("cbc",) if by_mip else ()
    return make_solution(
        problem,
        engine=engine,
        assignment=assignment,
        claimed_total=total,
        bound=bound,
        infeasible=found.infeasible,
        cancelled=found.cancelled or (outcome is not None and outcome.cancelled),
        provers=provers,
        seconds=Seconds(
            total=time.perf_counter() - budget.began,
            search=found.seconds,
            mip=sum(budget.mip_seconds),
        ),
        mip=report,
        trace=trace,
        remark=remark,
    )


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
