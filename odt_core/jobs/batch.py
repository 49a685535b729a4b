"""Many jobs that belong together: how many are done, how long the rest will take, cancel all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from odt_core.jobs.job import Job, JobState, now
from odt_core.storage import LOCAL_OWNER, NewRun
from odt_core.worker import JobSpec

if TYPE_CHECKING:
    from odt_core.jobs.manager import JobManager


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
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return all(job.is_over for job in self.jobs)

    @property
    def was_cancelled(self) -> bool:
        """Whether a job was stopped before its end."""
        return any(
            job.cancelled_at is not None or job.state is JobState.CANCELLED for job in self.jobs
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
        return next((job.message for job in self.jobs if job.state is JobState.FAILED), "")

    def cancel(self, manager: JobManager) -> None:
        """Stop all that is not over."""
        manager.cancel_study(self)
