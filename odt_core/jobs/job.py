"""Jobs as their owner sees them, single or in a batch."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from odt_core.solution import TracePoint
from odt_core.storage import LOCAL_OWNER, NewRun, RunStatus
from odt_core.training.progress import Stage
from odt_core.training.stored_result import StoredResult
from odt_core.worker import JobSpec

if TYPE_CHECKING:
    from odt_core.jobs.manager import JobManager


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


@dataclass(eq=False)
class Job:
    """A job as its owner sees it; read it at any time, from any thread.

    Attributes
    ----------
    id : str
        Of the run in the store; not guessable.
    owner : str
        Whose it is.
    spec : JobSpec
        What runs.
    lane : str
        Jobs of one lane follow each other; an owner's lanes take turns.
    status : RunStatus
        ``done`` has a result (also after a cancel that found a tree in time); ``failed`` has a
        message; ``interrupted``: its server ended while it ran.
    stage : Stage
        What a running job is doing.
    progress : list of TracePoint
        The solve's trace so far; its numbers mean what `odt_core.problem.Gains` says.
    best : dict or None
        The result's JSON, and under ``model`` the model's, as they would be if the run ended with
        its best tree so far; what is left of a run that was interrupted or failed. Its status is
        ``optimal`` when the tree is proved and only a second engine's word is awaited.
    result, model : dict or None
        The result's and the model's JSON.
    message : str
        Why it failed, in one sentence.
    queued_at, started_at, ended_at, cancelled_at : datetime or None
        In UTC. `cancelled_at` is when it was asked to stop.
    recorded : bool
        Whether the store knows of it; false as long as the store cannot be written.
    name : str
        The user's word for it, as long as it is not recorded.
    rerun_of : str or None
        The run that this repeats, as long as it is not recorded.
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
        """Whether nothing more will come."""
        return self.status not in (RunStatus.QUEUED, RunStatus.RUNNING)

    @property
    def seconds(self) -> float:
        """Since it started running; 0 before."""
        if self.started_at is None:
            return 0.0
        return max(((self.ended_at or now()) - self.started_at).total_seconds(), 0.0)

    @property
    def proved_best(self) -> dict[str, Any] | None:
        """The proved tree's result while a second engine still confirms it."""
        best = self.best
        return best if best is not None and best["status"] == "optimal" else None

    @property
    def shows_tree(self) -> bool:
        """Whether it has a tree to be looked at as a result: a final one, or a proved one."""
        shown = self.result if self.is_over else self.proved_best
        return shown is not None and shown.get("tree") is not None

    @property
    def trained(self) -> StoredResult | None:
        """The result of a training run that is over or shown as if it were; None without one."""
        return None if self.result is None else StoredResult(self.result)

    def as_shown(self) -> Job:
        """The job; while its proved tree is only being confirmed, as if it had ended with that."""
        best = self.proved_best
        if self.is_over or best is None:
            return self
        return replace(self, result=best, model=best["model"])


@dataclass(eq=False)
class Batch:
    """Jobs of one study, in order; read it at any time, from any thread.

    Attributes
    ----------
    jobs : tuple of Job
        In the order they were asked for.
    owner : str
        Whose they are.
    id : str or None
        Of the study in the store; None if the store could not be written.
    began : datetime
        When they were asked for, in UTC.
    study : NewRun or None
        What is to be entered for the study itself, as long as the store does not know of it.
    """

    jobs: tuple[Job, ...]
    owner: str = LOCAL_OWNER
    id: str | None = None
    began: datetime = field(default_factory=now)
    study: NewRun | None = None

    @classmethod
    def submit(
        cls,
        manager: JobManager,
        specs: Sequence[JobSpec],
        *,
        owner: str = LOCAL_OWNER,
        name: str = "",
    ) -> Batch:
        """Queue all; they take turns with the jobs of others."""
        return manager.submit_study(specs, owner=owner, name=name)

    @property
    def n_done(self) -> int:
        """Jobs that are over, however they ended."""
        return sum(job.is_over for job in self.jobs)

    @property
    def has_begun(self) -> bool:
        """Whether none of the jobs waits for a worker."""
        return all(job.status is not RunStatus.QUEUED for job in self.jobs)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return all(job.is_over for job in self.jobs)

    @property
    def was_cancelled(self) -> bool:
        """Whether a job was stopped before its end."""
        return any(
            job.cancelled_at is not None or job.status is RunStatus.CANCELLED for job in self.jobs
        )

    @property
    def seconds(self) -> float:
        """Since the request, until the last job ended."""
        ends = [job.ended_at for job in self.jobs if job.ended_at is not None]
        until = max(ends) if self.is_over and ends else now()
        return (until - self.began).total_seconds()

    @property
    def seconds_left(self) -> float | None:
        """At the pace since the first job started; None before the first is over."""
        done = self.n_done
        starts = [job.started_at for job in self.jobs if job.started_at is not None]
        if done == 0 or not starts:
            return None
        spent = (now() - min(starts)).total_seconds()
        return spent / done * (len(self.jobs) - done)

    @property
    def results(self) -> list[dict[str, Any]]:
        """What the jobs brought so far, in order."""
        return [job.result for job in self.jobs if job.result is not None]

    @property
    def failure(self) -> str:
        """Why the first failed job failed, in one sentence; empty if none did."""
        return next((job.message for job in self.jobs if job.status is RunStatus.FAILED), "")

    def cancel(self, manager: JobManager) -> None:
        """Stop all that is not over."""
        manager.cancel_study(self)
