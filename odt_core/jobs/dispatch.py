"""From the queue to a worker: whose turn it is, and what stands in its way."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from odt_core.errors import InputError
from odt_core.jobs.job import Batch, Job
from odt_core.jobs.pool import Loss, Pool
from odt_core.jobs.server_jobs import DELETED, Order, ServerJobs
from odt_core.storage import ClaimedRun, RunStatus, StorageError, Store, software_versions
from odt_core.worker import JobSpec

CONFIRM_AT_LEAST = 0.5
"""Seconds that a second engine has to confirm a proved tree, however many others wait."""
LOOK_EVERY = 1.0
"""Seconds between two looks for runs that another server has queued; one's own start at once."""


class Dispatch:
    """Gives jobs to free workers, and hears what becomes of them: see `jobs.pool.Listener`.

    Parameters
    ----------
    store : Store
        Its queue, and the data sets.
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
        """Start nothing more."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """There may be something to start."""
        self._woken.set()

    def wait(self) -> None:
        """Wait until there may be something to start, or it is time to look."""
        self._woken.wait(CONFIRM_AT_LEAST if self._jobs.confirming() else LOOK_EVERY)
        self._woken.clear()

    def start_all(self) -> None:
        """Start what waits as long as workers are free; if none is, make room.

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
        """Give the job whose turn it is to a worker; false if none waits or none can start."""
        order = self._jobs.next_order()
        if order is None:
            claimed = self._store.queue.claim(self._server, software_versions())
            self._jobs.note_well()
            if claimed is None:
                return False
            order = self._order_of(claimed)
            if order is None:
                return True
        path = self._path_of(order)
        if path is None:
            return True
        hurry = self._pool.n_free() <= 1 and self._others_wait()
        return self._jobs.start(order.job, path, hurry)

    def _others_wait(self) -> bool:
        try:
            return self._store.queue.n_waiting() > 0
        except StorageError as error:
            self._jobs.note_problem(error)
            return False

    def _order_of(self, claimed: ClaimedRun) -> Order | None:
        """A claimed run as a job; None if it cannot be read, and it has failed with the reason."""
        with self._jobs.entry:
            job = self._jobs.get(claimed.id)
        if job is None:
            try:
                spec = JobSpec.from_json(claimed.spec)
            except InputError as error:
                self._jobs.fail_unread(claimed.id, str(error))
                return None
            job = self._jobs.add(Job(spec, claimed.owner, claimed.lane, id=claimed.id))
        return Order(job)

    def _path_of(self, order: Order) -> Path | None:
        """The file of a job's data set; None if there is none, and the job has failed for that.

        Raises
        ------
        StorageError
            If it cannot be had now; the job goes on waiting.
        """
        if order.path is not None:
            return order.path
        try:
            return self._store.datasets.path(order.job.owner, order.job.spec.dataset)
        except StorageError:
            self._jobs.put_first(order)
            raise
        except InputError as error:
            self._jobs.end(order.job, RunStatus.FAILED, str(error))
            return None

    def _make_room(self) -> None:
        """Cut confirmations short for those who wait: what is proved is proved."""
        since = time.monotonic() - CONFIRM_AT_LEAST
        confirming = self._jobs.confirming()
        ready = [r for r in confirming if r.proved_at is not None and r.proved_at < since]
        if ready:
            self._jobs.cut_short(ready, self._store.queue.n_waiting())

    def run_unrecorded(self, batch: Batch, error: StorageError) -> None:
        """Run jobs that could not be entered; without their file they fail with the reason.

        They are entered as soon as the store can be written: see `ServerJobs.enter_all`.
        """
        self._jobs.note_unentered(batch, error)
        for job in batch.jobs:
            try:
                path = self._store.datasets.path(job.owner, job.spec.dataset)
            except InputError:
                self._jobs.end(job, RunStatus.FAILED, str(error))
                continue
            self._jobs.put_last(Order(job, path))
        self.wake()

    def _wait_again(self, order: Order) -> None:
        """Put a job that no worker has begun back in its place in the queue."""
        job = order.job
        if job.recorded:
            try:
                if not self._store.queue.put_back(self._server, job.id):
                    self._jobs.end(job, RunStatus.CANCELLED, DELETED)
                return
            except StorageError as error:
                self._jobs.note_problem(error)
        self._jobs.put_first(order)

    # ---- what the pool tells ----

    def on_free(self) -> None:
        """A worker may be free."""
        self.wake()

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """A worker says something of its job."""
        self._jobs.take_in(job, message)

    def on_restart(self, job: str) -> None:
        """A job begins anew, since the machine that ran it was lost."""
        self._jobs.begin_again(job)

    def on_lost(self, job: str, loss: Loss) -> None:
        """A job's worker has ended before the job, or none has begun it."""
        again = self._jobs.lose(job, loss, is_closing=self._closed)
        if again is not None:
            self._wait_again(again)
        self.wake()

    def on_no_worker(self, reason: str) -> None:
        """No worker can be started: fail those who wait instead of keeping them waiting."""
        message = f"No solver process could be started ({reason}): see the server's log."
        while (order := self._jobs.next_order()) is not None:
            self._jobs.end(order.job, RunStatus.FAILED, message)
        try:
            while (claimed := self._store.queue.claim(self._server)) is not None:
                order = self._order_of(claimed)
                if order is not None:
                    self._jobs.end(order.job, RunStatus.FAILED, message)
        except StorageError as error:
            self._jobs.note_problem(error)
