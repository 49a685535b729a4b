"""What a worker can do: one function for each kind of job.

Each function takes the table, the job's specification and the hooks, and returns the JSON of the
result and the model. The functions import what they need, because a manager only names the kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from odt_core.training import Stage
from odt_core.worker import JobKind, JobSpec

if TYPE_CHECKING:
    from odt_core.data import Table
    from odt_core.problem import Problem
    from odt_core.solution import TracePoint
    from odt_core.training import BestSoFar, TrainResult


@dataclass(frozen=True)
class Hooks:
    """The calls by which running work reports to the outside.

    Attributes
    ----------
    on_progress : callable
        Called with the problem and a point of the solve's trace.
    on_stage : callable
        Called with the stage that starts.
    on_best : callable
        Called with the best tree so far of a training run.
    should_stop : callable
        Returns whether to end with the best tree so far.
    """

    on_progress: Callable[[Problem, TracePoint], None]
    on_stage: Callable[[Stage], None]
    on_best: Callable[[BestSoFar], None]
    should_stop: Callable[[], bool]


@dataclass(frozen=True)
class Answer:
    """The JSON of a job's result, and of its model if it has one."""

    result: dict[str, Any]
    model: dict[str, Any] | None = None


def run_job(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    """Run a job and return its answer."""
    return RUNNERS[spec.kind](table, spec, hooks)


def _train(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.training import run_training

    return _of_training(
        run_training(
            table,
            spec.train,
            on_progress=hooks.on_progress,
            on_stage=hooks.on_stage,
            on_best=hooks.on_best,
            should_stop=hooks.should_stop,
        )
    )


def _adopt(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import Adoption, run_adoption

    assert isinstance(spec.part, Adoption)
    return _of_training(run_adoption(table, spec.train, spec.part, on_stage=hooks.on_stage))


def _of_training(result: TrainResult) -> Answer:
    return Answer(result.to_json(), None if result.model is None else result.model.to_json())


def _frontier(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import run_frontier

    result = run_frontier(table, spec.train, on_stage=hooks.on_stage, should_stop=hooks.should_stop)
    return Answer(result.to_json())


def _curve(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import CurveRepeat, run_repeat

    assert isinstance(spec.part, CurveRepeat)
    runs = run_repeat(
        table, spec.train, spec.part, on_stage=hooks.on_stage, should_stop=hooks.should_stop
    )
    return Answer({"runs": [run.to_json() for run in runs]})


def _compare(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import ComparisonFold, run_fold

    assert isinstance(spec.part, ComparisonFold)
    runs = run_fold(
        table, spec.train, spec.part, on_stage=hooks.on_stage, should_stop=hooks.should_stop
    )
    return Answer({"runs": [run.to_json() for run in runs]})


def _path(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import PathPart, run_path
    from odt_core.training import BestSoFar

    assert isinstance(spec.part, PathPart)
    result = run_path(
        table,
        spec.train,
        spec.part,
        on_progress=hooks.on_progress,
        on_stage=hooks.on_stage,
        on_result=lambda found: hooks.on_best(BestSoFar(False, lambda: found)),
        should_stop=hooks.should_stop,
    )
    return Answer(result.to_json())


def _alternatives(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.alternatives.study import AlternativesPart, run_alternatives
    from odt_core.training import BestSoFar

    assert isinstance(spec.part, AlternativesPart)
    result = run_alternatives(
        table,
        spec.train,
        spec.part,
        on_stage=hooks.on_stage,
        on_result=lambda found: hooks.on_best(BestSoFar(False, lambda: found)),
        should_stop=hooks.should_stop,
    )
    return Answer(result.to_json())


def _stability(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import ResampleRange, run_range

    assert isinstance(spec.part, ResampleRange)
    run = run_range(
        table, spec.train, spec.part, on_stage=hooks.on_stage, should_stop=hooks.should_stop
    )
    return Answer(run.to_json())


def _verify(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.verification import Claim, run_verification

    assert isinstance(spec.part, Claim)
    found = run_verification(
        table, spec.train, spec.part, on_stage=hooks.on_stage, should_stop=hooks.should_stop
    )
    return Answer(found.to_json())


def _validate(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.studies import ValidationSpec, run_validation

    assert isinstance(spec.part, ValidationSpec)
    return Answer(run_validation(table, spec.part, on_stage=hooks.on_stage).to_json())


def _question(table: Table, spec: JobSpec, hooks: Hooks) -> Answer:
    from odt_core.alternatives.question import QuestionPart, run_ranking
    from odt_core.training import BestSoFar

    assert isinstance(spec.part, QuestionPart)
    found = run_ranking(
        table,
        spec.train,
        spec.part,
        on_stage=hooks.on_stage,
        on_ranking=lambda known: hooks.on_best(BestSoFar(False, lambda: known)),
        should_stop=hooks.should_stop,
    )
    return Answer(found.to_json())


RUNNERS: dict[JobKind, Callable[[Table, JobSpec, Hooks], Answer]] = {
    JobKind.TRAIN: _train,
    JobKind.FRONTIER: _frontier,
    JobKind.CURVE: _curve,
    JobKind.COMPARE: _compare,
    JobKind.STABILITY: _stability,
    JobKind.ADOPT: _adopt,
    JobKind.PATH: _path,
    JobKind.ALTERNATIVES: _alternatives,
    JobKind.VERIFY: _verify,
    JobKind.VALIDATE: _validate,
    JobKind.QUESTION: _question,
}
