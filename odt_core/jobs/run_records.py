"""Conversion between a job and its record in the store."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from odt_core.jobs.job import Job
from odt_core.solution import Status, TracePoint
from odt_core.storage import Headline, KeyMetrics, NewRun, RunRecord, RunSummary
from odt_core.studies import ComparisonFold, CurveRepeat, PathPart, TreeCandidate
from odt_core.topology import AnyShape, Shape
from odt_core.training import Stage
from odt_core.worker import JobKind, JobSpec


def run_of(job: Job) -> NewRun:
    """Make the store's entry for a job that started before it could be entered."""
    return dataclasses.replace(
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


def points_to_json(points: Sequence[TracePoint]) -> list[list[Any]]:
    """Write a trace in the form that results have."""
    return [[round(point.seconds, 4), point.incumbent, point.bound] for point in points]


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
