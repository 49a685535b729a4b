"""From the queue to a worker: whose turn it is, and what stands in its way."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from odt_core.errors import InputError
from odt_core.jobs.batch import Batch
from odt_core.jobs.held import Held, Order, Running
from odt_core.jobs.job import Job, JobState, now
from odt_core.jobs.pool import Pool
from odt_core.jobs.recording import Recording
from odt_core.storage import ClaimedRun, StorageError, Store, software_versions
from odt_core.worker import JobSpec

CONFIRM_AT_LEAST = 0.5
"""Seconds that a second engine has to confirm a proved tree, however many others wait."""
LOOK_EVERY = 1.0
"""Seconds between two looks for runs that another server has queued; one's own start at once."""


class Dispatch:
    """Gives jobs to free workers.

    Parameters
    ----------
    store : Store
        Its queue, and the data sets.
    server : str
        This server's id in the queue.
    pool : Pool
        The workers.
    held : Held
        This server's jobs.
    recording : Recording
        For jobs that cannot be started.
    """

    def __init__(
        self, store: Store, server: str, pool: Pool, held: Held, recording: Recording
    ) -> None:
        self._store = store
        self._server = server
        self._pool = pool
        self._held = held
        self._recording = recording
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
        self._woken.wait(CONFIRM_AT_LEAST if self._held.confirming() else LOOK_EVERY)
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
        order = self._held.next_order()
        if order is None:
            claimed = self._store.queue.claim(self._server, software_versions())
            self._recording.note_well()
            if claimed is None:
                return False
            order = self._order_of(claimed)
            if order is None:
                return True
        path = self._path_of(order)
        return path is None or self._start(order.job, path)

    def _start(self, job: Job, path: Path) -> bool:
        held = self._held
        hurry = self._pool.n_free() <= 1 and self._others_wait()
        with held.lock:
            if job.is_over:  # cancelled meanwhile
                return True
            held.running[job.id] = Running(job, path)
            job.state, job.started_at = JobState.RUNNING, now()
            if self._pool.run(job.id, job.spec.to_json(), path, hurry):
                return True
            del held.running[job.id]
            job.state, job.started_at = JobState.QUEUED, None
            held.orders.appendleft(Order(job, path))
        return False

    def _others_wait(self) -> bool:
        try:
            return self._store.queue.n_waiting() > 0
        except StorageError as error:
            self._recording.note_problem(error)
            return False

    def _order_of(self, claimed: ClaimedRun) -> Order | None:
        """A claimed run as a job; one that cannot be read fails with a word."""
        with self._held.entry:
            job = self._held.known.get(claimed.id)
        if job is None:
            try:
                spec = JobSpec.from_json(claimed.spec)
            except InputError as error:
                self._recording.fail_unread(claimed.id, str(error))
                return None
            job = Job(spec, claimed.owner, claimed.lane, id=claimed.id)
            self._held.known[claimed.id] = job
        return Order(job)

    def _path_of(self, order: Order) -> Path | None:
        """The file of a job's data set; None if there is none, and the job has failed with a word.

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
            with self._held.lock:
                self._held.orders.appendleft(order)
            raise
        except InputError as error:
            self._recording.end(order.job, JobState.FAILED, str(error))
            return None

    def _make_room(self) -> None:
        """Cut confirmations short for those who wait: what is proved is proved."""
        held, since = self._held, time.monotonic() - CONFIRM_AT_LEAST
        ready = [r for r in held.confirming() if r.proved_at is not None and r.proved_at < since]
        if not ready:
            return
        waiting = self._store.queue.n_waiting() + len(held.orders)
        with held.lock:
            waiting -= sum(running.stop_at is not None for running in held.running.values())
            for running in ready[: max(waiting, 0)]:
                running.stop_at = time.monotonic()
                self._pool.stop(running.job.id)

    def run_unrecorded(self, batch: Batch, error: StorageError) -> None:
        """Run jobs that could not be entered; without their file they fail with the reason.

        They are entered as soon as the store can be written: see `Recording.enter_all`.
        """
        self._recording.note_unentered(error)
        with self._held.lock:
            self._held.unentered.append(batch)
        for job in batch.jobs:
            try:
                path = self._store.datasets.path(job.owner, job.spec.dataset)
            except InputError:
                self._recording.end(job, JobState.FAILED, str(error))
                continue
            with self._held.lock:
                self._held.known[job.id] = job
                self._held.orders.append(Order(job, path))
        self.wake()

    def wait_again(self, order: Order) -> None:
        """Put a job that no worker has begun back in its place in the queue."""
        job = order.job
        if job.recorded:
            try:
                if not self._store.queue.put_back(self._server, job.id):
                    self._recording.end(job, JobState.CANCELLED, "This run was deleted.")
                return
            except StorageError as error:
                self._recording.note_problem(error)
        with self._held.lock:
            self._held.orders.appendleft(order)

    def fail_all(self, message: str) -> None:
        """No job can be started: tell those who wait instead of keeping them waiting."""
        with self._held.lock:
            while (order := self._held.next_order()) is not None:
                self._recording.end(order.job, JobState.FAILED, message)
        try:
            while (claimed := self._store.queue.claim(self._server)) is not None:
                order = self._order_of(claimed)
                if order is not None:
                    self._recording.end(order.job, JobState.FAILED, message)
        except StorageError as error:
            self._recording.note_problem(error)
