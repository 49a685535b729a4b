"""Dispatch of jobs: from the queue to a free worker."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from odt_core.errors import InputError
from odt_core.jobs.job import Batch, Job
from odt_core.jobs.pool import Pool, WorkerLoss
from odt_core.jobs.server_jobs import DELETED, ServerJobs, WaitingJob
from odt_core.storage import ClaimedRun, RunStatus, StorageError, Store, software_versions
from odt_core.worker.messages import JobSpec

CONFIRM_AT_LEAST = 0.5
"""Seconds that a second engine gets to confirm a proved tree, even if others wait."""
LOOK_EVERY = 1.0
"""Seconds between two checks for runs of other servers. This server's own runs start at once."""


class Dispatch:
    """Gives jobs to free workers and handles their messages (a `jobs.pool.Listener`).

    Parameters
    ----------
    store : Store
        Holds the queue and the data sets.
    server : str
        This server's id in the queue.
    pool : Pool
        The workers.
    jobs : ServerJobs
        This server's jobs.
    """

    def __init__(self, store: Store, server: str, pool: Pool, jobs: ServerJobs) -> None:
        self._store = store
        self._server = server
        self._pool = pool
        self._jobs = jobs
        self._woken = threading.Event()
        self._closed = False

    def close(self) -> None:
        """Start no more jobs."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """Wake the dispatch thread: there may be a job to start."""
        self._woken.set()

    def wait(self) -> None:
        """Wait until there may be a job to start, or until the next check is due."""
        self._woken.wait(CONFIRM_AT_LEAST if self._jobs.confirming() else LOOK_EVERY)
        self._woken.clear()

    def start_all(self) -> None:
        """Start waiting jobs while workers are free. If none is free, shorten confirmations.

        Raises
        ------
        StorageError
            If the queue does not answer.
        """
        while not self._closed and self._pool.n_free():
            if not self._start_next():
                return
        if not self._closed:
            self._make_room()

    def _start_next(self) -> bool:
        """Start the next job in turn; false if no job waits or none can start."""
        waiting = self._jobs.next_waiting()
        if waiting is None:
            claimed = self._store.queue.claim(self._server, software_versions())
            self._jobs.note_recovery()
            if claimed is None:
                return False
            waiting = self._job_of(claimed)
            if waiting is None:
                return True
        path = self._path_of(waiting)
        if path is None:
            return True
        hurry = self._pool.n_free() <= 1 and self._others_wait()
        return self._jobs.start(waiting.job, path, hurry)

    def _others_wait(self) -> bool:
        try:
            return self._store.queue.n_waiting() > 0
        except StorageError as error:
            self._jobs.note_problem(error)
            return False

    def _job_of(self, claimed: ClaimedRun) -> WaitingJob | None:
        """Make a job of a claimed run. If the run cannot be read, it fails; return None."""
        with self._jobs.entry:
            job = self._jobs.get(claimed.id)
        if job is None:
            try:
                spec = JobSpec.from_json(claimed.spec)
            except InputError as error:
                self._jobs.fail_unread(claimed.id, str(error))
                return None
            job = self._jobs.add(Job(spec, claimed.owner, claimed.lane, id=claimed.id))
        return WaitingJob(job)

    def _path_of(self, waiting: WaitingJob) -> Path | None:
        """Find the file of a job's data set. If the owner has none, the job fails; return None.

        Raises
        ------
        StorageError
            If the store cannot be read now; the job goes on waiting.
        """
        if waiting.path is not None:
            return waiting.path
        try:
            return self._store.datasets.path(waiting.job.owner, waiting.job.spec.dataset)
        except StorageError:
            self._jobs.put_first(waiting)
            raise
        except InputError as error:
            self._jobs.end(waiting.job, RunStatus.FAILED, str(error))
            return None

    def _make_room(self) -> None:
        """Shorten confirmations while others wait: the trees are already proved."""
        since = time.monotonic() - CONFIRM_AT_LEAST
        confirming = self._jobs.confirming()
        ready = [r for r in confirming if r.proved_at is not None and r.proved_at < since]
        if ready:
            self._jobs.cut_short(ready, self._store.queue.n_waiting())

    def run_unrecorded(self, batch: Batch, error: StorageError) -> None:
        """Run jobs that the store could not enter. A job without its file fails with the reason.

        The store enters them as soon as it can be written: see `ServerJobs.enter_all`.
        """
        self._jobs.note_unentered(batch, error)
        for job in batch.jobs:
            try:
                path = self._store.datasets.path(job.owner, job.spec.dataset)
            except InputError:
                self._jobs.end(job, RunStatus.FAILED, str(error))
                continue
            self._jobs.put_last(WaitingJob(job, path))
        self.wake()

    def _wait_again(self, waiting: WaitingJob) -> None:
        """Put a job that no worker has begun back in its place in the queue."""
        job = waiting.job
        if job.recorded:
            try:
                if not self._store.queue.put_back(self._server, job.id):
                    self._jobs.end(job, RunStatus.CANCELLED, DELETED)
                return
            except StorageError as error:
                self._jobs.note_problem(error)
        self._jobs.put_first(waiting)

    # ---- calls from the pool ----

    def on_free(self) -> None:
        """React to a worker that may be free."""
        self.wake()

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """Handle a worker's message about its job."""
        self._jobs.handle_message(job, message)

    def on_restart(self, job: str) -> None:
        """Start a job again because the machine that ran it was lost."""
        self._jobs.restart(job)

    def on_lost(self, job: str, loss: WorkerLoss) -> None:
        """Handle a job that has lost its worker or its place at the pool."""
        again = self._jobs.lose(job, loss, is_closing=self._closed)
        if again is not None:
            self._wait_again(again)
        self.wake()

    def on_no_worker(self, reason: str) -> None:
        """Fail the waiting jobs: no worker can be started, so waiting is useless."""
        message = f"No solver process could be started ({reason}): see the server's log."
        while (waiting := self._jobs.next_waiting()) is not None:
            self._jobs.end(waiting.job, RunStatus.FAILED, message)
        try:
            while (claimed := self._store.queue.claim(self._server)) is not None:
                waiting = self._job_of(claimed)
                if waiting is not None:
                    self._jobs.end(waiting.job, RunStatus.FAILED, message)
        except StorageError as error:
            self._jobs.note_problem(error)
