"""Jobs as their owner sees them, the batches of studies, and their records in the store."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from odt_core.solution import Status, TracePoint
from odt_core.storage import (
    LOCAL_OWNER,
    Headline,
    KeyMetrics,
    NewRun,
    RunRecord,
    RunStatus,
    RunSummary,
)
from odt_core.studies import ComparisonFold, CurveRepeat, PathPart, TreeCandidate
from odt_core.topology import AnyShape, Shape
from odt_core.training import Stage
from odt_core.training.stored_result import StoredResult
from odt_core.worker.messages import JobKind, JobSpec


def now() -> datetime:
    """Return the present moment, in UTC."""
    return datetime.now(UTC)


@dataclass(eq=False)
class Job:
    """A job as its owner sees it. Any thread can read it at any time.

    Attributes
    ----------
    id : str
        Id of the run in the store; nobody can guess it.
    owner : str
        The owner's id.
    spec : JobSpec
        What the job does, and on which data.
    lane : str
        Jobs of one lane start in order; an owner's lanes take turns.
    status : RunStatus
        ``done`` has a result; a cancelled job that found a tree in time is ``done``, too.
        ``failed`` has a message. ``interrupted`` means that its server ended while it ran.
    stage : Stage
        The step that a running job is at.
    progress : list of TracePoint
        The solve's trace so far. `odt_core.problem.Gains` explains its numbers.
    best : dict or None
        The JSON that the run would have if it ended now with its best tree so far: the result,
        and the model under ``model``. It is kept if the run is interrupted or fails. Its status
        is ``optimal`` when the tree is proved and only a second engine's confirmation is missing.
    result, model : dict or None
        JSON of the result and of the model.
    message : str
        One sentence that says why it failed.
    queued_at, started_at, ended_at, cancelled_at : datetime or None
        In UTC. `cancelled_at` is when the owner cancelled it.
    recorded : bool
        Whether the store has entered it; false while the store cannot be written.
    name : str
        The user's name for it, while it is not recorded.
    rerun_of : str or None
        The run that this one repeats, while it is not recorded.
    """

    spec: JobSpec
    owner: str = LOCAL_OWNER
    lane: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    status: RunStatus = RunStatus.QUEUED
    stage: Stage = Stage.PREPARING
    progress: list[TracePoint] = field(default_factory=list)
    best: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    model: dict[str, Any] | None = None
    message: str = ""
    queued_at: datetime = field(default_factory=now)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    cancelled_at: datetime | None = None
    recorded: bool = True
    name: str = ""
    rerun_of: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self.status.is_over

    @property
    def seconds(self) -> float:
        """Seconds since it started running; 0 before that."""
        if self.started_at is None:
            return 0.0
        return max(((self.ended_at or now()) - self.started_at).total_seconds(), 0.0)

    @property
    def proved_best(self) -> dict[str, Any] | None:
        """The proved tree's result, while a second engine still confirms it."""
        best = self.best
        is_proved = best is not None and StoredResult(best).status is Status.OPTIMAL
        return best if is_proved else None

    @property
    def shows_tree(self) -> bool:
        """Whether it has a tree that can be shown as a result: final or proved."""
        shown = self.result if self.is_over else self.proved_best
        return shown is not None and StoredResult(shown).has_tree

    @property
    def trained(self) -> StoredResult | None:
        """The result of a training run that is over or shown as over; None without a result."""
        return None if self.result is None else StoredResult(self.result)

    def as_shown(self) -> Job:
        """Return the job to draw: a job that only confirms a proved tree looks as if it is done."""
        best = self.proved_best
        if self.is_over or best is None:
            return self
        return replace(self, result=best, model=best["model"])


@dataclass(eq=False)
class Batch:
    """The jobs of one study, in order. Any thread can read them at any time.

    Attributes
    ----------
    jobs : tuple of Job
        In the order in which they were submitted.
    owner : str
        The owner's id.
    id : str or None
        Id of the study in the store; None if the store could not be written.
    began : datetime
        When they were submitted, in UTC.
    study : NewRun or None
        The study's own record, while the store has not entered it.
    """

    jobs: tuple[Job, ...]
    owner: str = LOCAL_OWNER
    id: str | None = None
    began: datetime = field(default_factory=now)
    study: NewRun | None = None

    @property
    def n_done(self) -> int:
        """How many jobs are over, with or without a result."""
        return sum(job.is_over for job in self.jobs)

    @property
    def has_begun(self) -> bool:
        """Whether no job waits for a worker."""
        return all(job.status is not RunStatus.QUEUED for job in self.jobs)

    @property
    def is_over(self) -> bool:
        """Whether all jobs have ended."""
        return all(job.is_over for job in self.jobs)

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody stopped a job before its end."""
        return any(
            job.cancelled_at is not None or job.status is RunStatus.CANCELLED for job in self.jobs
        )

    @property
    def seconds(self) -> float:
        """Seconds from the request until the last job ended, or until now."""
        ends = [job.ended_at for job in self.jobs if job.ended_at is not None]
        until = max(ends) if self.is_over and ends else now()
        return (until - self.began).total_seconds()

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left, at the pace so far; None before the first job is over."""
        done = self.n_done
        starts = [job.started_at for job in self.jobs if job.started_at is not None]
        if done == 0 or not starts:
            return None
        spent = (now() - min(starts)).total_seconds()
        return spent / done * (len(self.jobs) - done)

    @property
    def results(self) -> list[dict[str, Any]]:
        """Results of the jobs so far, in order."""
        return [job.result for job in self.jobs if job.result is not None]

    @property
    def failure(self) -> str:
        """One sentence that says why the first failed job failed; empty if none did."""
        return next((job.message for job in self.jobs if job.status is RunStatus.FAILED), "")


def run_of(job: Job) -> NewRun:
    """Make the store's entry for a job that started before it could be entered."""
    return replace(
        new_run(job.spec, name=job.name, lane=job.lane, rerun_of=job.rerun_of),
        id=job.id,
        queued_at=job.queued_at,
        started_at=job.started_at,
    )


def new_run(
    spec: JobSpec, *, name: str = "", lane: str = "", rerun_of: str | None = None
) -> NewRun:
    """Make the store's entry. The specification's JSON is enough to run it again."""
    train = spec.train
    return NewRun(
        dataset=spec.dataset,
        table_name=spec.table_name,
        spec=spec.to_json(),
        headline=Headline(
            target=train.schema.target,
            positive=train.schema.positive,
            topology=", ".join(_shapes_of(spec)),
            goal=train.objective.goal.value,
            engine=train.engine.value,
            max_card=train.max_card,
            seed=train.seed,
        ),
        kind=spec.kind.value,
        name=name,
        lane=lane,
        rerun_of=rerun_of,
    )


def _shapes_of(spec: JobSpec) -> list[str]:
    """List the names of all shapes that a run searches."""
    part = spec.part
    shapes: tuple[Shape, ...] = (spec.train.topology,)
    if isinstance(part, CurveRepeat):
        shapes = part.topologies
    elif isinstance(part, ComparisonFold):
        trees = (c.topology for c in part.candidates if isinstance(c, TreeCandidate))
        shapes = tuple(dict.fromkeys(trees))
    elif isinstance(part, PathPart):
        shapes = (AnyShape(part.most_questions),)
    return [shape.name for shape in shapes]


def metrics_of(spec: JobSpec, result: Mapping[str, Any] | None, seconds: float) -> KeyMetrics:
    """Choose the figures of a result that lists show."""
    if result is None:
        return KeyMetrics(seconds=seconds)
    if spec.kind in (JobKind.TRAIN, JobKind.ADOPT):
        return KeyMetrics.from_result(result)
    return KeyMetrics(
        solved=result.get("status"),
        n_train=result.get("n_train"),
        n_test=result.get("n_test"),
        seconds=seconds,
    )


def kept_result(best: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Make the result and model of a run that was stopped, from its best tree so far."""
    result = {key: value for key, value in best.items() if key != "model"}
    if result["status"] != Status.OPTIMAL:
        words = dict(result["words"])
        words["status"] = words["status"].replace("Best found in", "Stopped after", 1)
        result |= {"status": Status.CANCELLED.value, "words": words}
    return result, best["model"]


def job_of(record: RunRecord) -> Job:
    """Rebuild a job from its record.

    Raises
    ------
    InputError
        If another version of the program wrote the record's specification.
    """
    summary = record.summary
    job = Job(
        spec=JobSpec.from_json(record.spec),
        owner=summary.owner,
        lane=summary.lane,
        id=summary.id,
        queued_at=summary.queued_at,
    )
    follow(job, summary)
    fill(job, record)
    return job


def follow(job: Job, summary: RunSummary) -> None:
    """Update a job that runs elsewhere from its record's summary."""
    job.started_at, job.ended_at = summary.started_at, summary.ended_at
    job.cancelled_at = summary.cancel_at
    job.message = summary.message
    if summary.stage in tuple(Stage):
        job.stage = Stage(summary.stage)
    point = summary.progress
    if point is not None:
        latest = TracePoint(point["seconds"], point["incumbent"], point["bound"])
        if not job.progress or job.progress[-1] != latest:
            job.progress.append(latest)
    if not summary.is_over:  # `fill` sets a final status, together with the result
        job.status = summary.status


def fill(job: Job, record: RunRecord) -> None:
    """Add the parts that only the whole record has (trees, trace, result), then the final state."""
    job.best = None if record.best is None else dict(record.best)
    job.result = None if record.result is None else dict(record.result)
    job.model = None if record.model is None else dict(record.model)
    trace = record.trace or (job.result or {}).get("trace") or []
    if trace:
        job.progress = [TracePoint(*point) for point in trace]
    job.status = record.summary.status
