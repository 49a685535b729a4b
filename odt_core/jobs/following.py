"""In touch with the store: what owners want of the jobs here, and how those elsewhere are."""

from __future__ import annotations

import time
from collections.abc import Sequence

from odt_core.jobs.held import Held
from odt_core.jobs.job import Job, JobState, now
from odt_core.jobs.pool import Pool
from odt_core.jobs.recording import Recording
from odt_core.jobs.runs import fill, follow, job_of
from odt_core.storage import NotFoundError, RunRecord, StorageError, Store

HEARTBEAT_EVERY = 5.0
"""Seconds between two signs of life to other servers."""


class Following:
    """Keeps jobs and their records in step.

    Parameters
    ----------
    store : Store
        The records.
    server : str
        This server's id in the queue.
    pool : Pool
        The workers.
    held : Held
        This server's jobs.
    recording : Recording
        For those that are cancelled while they wait here.
    """

    def __init__(
        self, store: Store, server: str, pool: Pool, held: Held, recording: Recording
    ) -> None:
        self._store = store
        self._server = server
        self._pool = pool
        self._held = held
        self._recording = recording
        self._beat_at = time.monotonic()

    def keep_in_step(self) -> None:
        """Write progress, hear what owners want, follow what runs elsewhere, enter the unstored.

        Raises
        ------
        StorageError
            If the store does not answer.
        """
        self._store.queue.say_alive(self._server)
        self._recording.write_all()
        beat = time.monotonic() - self._beat_at >= HEARTBEAT_EVERY
        if beat:
            self._beat_at = time.monotonic()
        self._hear(self._held.claimed(), beat)
        others = self._held.elsewhere()
        for owner in {job.owner for job in others}:
            self.refresh(owner, [job for job in others if job.owner == owner])
        self._recording.enter_all()

    def _hear(self, holding: set[str], beat: bool) -> None:
        """Learn which runs are to stop, and say that this server lives if it is time to."""
        if not holding and not beat:
            return
        ask = self._store.queue.heartbeat if beat else self._store.queue.wishes
        heard = ask(self._server, holding)
        for run_id in heard.cancel:
            job = self._held.known.get(run_id)
            if job is not None and not job.is_over:
                self.stop_here(job)
        for run_id in heard.lost:
            self._drop(run_id)

    def _drop(self, run_id: str) -> None:
        """A run was deleted: end it without a trace."""
        with self._held.lock:
            running = self._held.running.get(run_id)
            if running is not None and running.job.recorded:
                running.deleted = True
                self._pool.kill(run_id)

    def stop_here(self, job: Job) -> bool:
        """Stop a job that has a worker here, or waits here; false if it is elsewhere."""
        held = self._held
        with held.lock:
            running = held.running.get(job.id)
            if running is not None:
                if running.stop_at is None:
                    job.cancelled_at, running.stop_at = now(), time.monotonic()
                    self._pool.stop(job.id)
                return True
            for order in held.orders:
                if order.job is job:
                    held.orders.remove(order)
                    job.cancelled_at = now()
                    self._recording.end(job, JobState.CANCELLED, "Cancelled before it started.")
                    return True
        return False

    def refresh(self, owner: str, jobs: Sequence[Job]) -> None:
        """Read where jobs are that do not run here."""
        try:
            found = self._store.runs.present(owner, [job.id for job in jobs])
            over = [run_id for run_id, summary in found.items() if summary.is_over]
            records = {r.summary.id: r for r in self._store.runs.get_many(owner, over)}
        except StorageError as error:
            self._recording.note_problem(error)
            return
        except NotFoundError:  # deleted just now: the next look tells
            return
        with self._held.lock:
            for job in jobs:
                if job.is_over or self._held.is_working_on(job):
                    continue
                if job.id not in found:
                    job.message, job.ended_at = "This run was deleted.", now()
                    job.state = JobState.CANCELLED
                    continue
                follow(job, found[job.id])
                if job.id in records:
                    fill(job, records[job.id])

    def know(self, record: RunRecord) -> Job:
        """The job of a record; always the same one while somebody looks at it."""
        held, run_id = self._held, record.summary.id
        with held.lock:
            known = held.known.get(run_id)
            if known is not None and (record.summary.is_over or not known.is_over):
                return known
            if run_id in held.unwritten:
                return held.unwritten[run_id]
            job = job_of(record)
            held.known[job.id] = job
            return job
