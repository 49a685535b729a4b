"""Keeps warm workers, queues jobs, streams progress, cancels.

A job that does not answer a cancel, or runs far past its time limit, loses its worker: the
worker's process group is killed and a new one started.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from odt_core.jobs.messages import JobSpec, Progress, to_line

CANCEL_GRACE = 1.0
"""Seconds a worker has to hand in its best tree after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds past its time limit (which bounds the solve, not the reading) before a job is killed."""

MOST_FAILED_STARTS = 3
"""Workers that end before they are ready, in a row, until the queue is told."""

log = logging.getLogger("odt_core.jobs.manager")


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass
class Job:
    """A job as its owner sees it; read it at any time, from any thread.

    Attributes
    ----------
    id : str
        Not guessable.
    spec : JobSpec
        What runs.
    state : JobState
        ``done`` has a result (also after a cancel that found a tree in time); ``failed`` has a
        message.
    progress : list of Progress
        So far.
    result, model : dict or None
        The result's and the model's JSON.
    message : str
        Why it failed, in one sentence.
    """

    spec: JobSpec
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: JobState = JobState.QUEUED
    progress: list[Progress] = field(default_factory=list)
    result: dict[str, Any] | None = None
    model: dict[str, Any] | None = None
    message: str = ""
    queued_at: float = field(default_factory=time.monotonic)
    started_at: float | None = None
    ended_at: float | None = None
    cancelled_at: float | None = None
    overdue: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.state not in (JobState.QUEUED, JobState.RUNNING)

    @property
    def seconds(self) -> float:
        """Since it started running; 0 before."""
        if self.started_at is None:
            return 0.0
        return (self.ended_at or time.monotonic()) - self.started_at


class _WorkerProcess:
    """A worker as the manager sees it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "odt_core.jobs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,
        )
        self.job: Job | None = None
        self.ready = self.was_ready = False

    def tell(self, message: dict[str, Any]) -> bool:
        """Send a message; false if the worker has just died (its listener deals with that)."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(to_line(message))
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        return True

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            log.debug("worker %s had already ended", self.process.pid)


class JobManager:
    """Runs jobs on a fixed number of warm worker processes.

    Parameters
    ----------
    n_workers : int
        How many jobs run at once.
    """

    def __init__(self, n_workers: int) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Job] = deque()
        self._workers: list[_WorkerProcess] = []
        self._n_workers = n_workers
        self._closed = False
        self._failed_starts = 0
        threading.Thread(target=self._keep_house, daemon=True).start()

    def submit(self, spec: JobSpec) -> Job:
        """Queue a job and return at once."""
        job = Job(spec)
        with self._lock:
            self._waiting.append(job)
            self._hand_out()
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job; a running one has a moment to hand in its best tree."""
        with self._lock:
            if job.state is JobState.QUEUED:
                self._waiting.remove(job)
                self._end(job, JobState.CANCELLED, "Cancelled before it started.")
            elif job.state is JobState.RUNNING and job.cancelled_at is None:
                job.cancelled_at = time.monotonic()
                for worker in self._workers:
                    if worker.job is job:
                        worker.tell({"type": "cancel", "job": job.id})

    def position(self, job: Job) -> int:
        """How many jobs are ahead in the queue; 0 when it runs or is next."""
        with self._lock:
            return self._waiting.index(job) if job in self._waiting else 0

    def close(self) -> None:
        """Kill the workers; jobs that still ran are cancelled."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
            for job in self._waiting:
                self._end(job, JobState.CANCELLED, "The server was closed.")
            self._waiting.clear()

    def _hand_out(self) -> None:
        """Give waiting jobs to idle workers (the lock is held)."""
        for worker in self._workers:
            if not self._waiting:
                return
            if worker.ready and worker.job is None:
                job = self._waiting.popleft()
                if not worker.tell({"type": "run", "job": job.id, "spec": job.spec.to_json()}):
                    self._waiting.appendleft(job)
                    worker.ready = False
                    continue
                job.state, job.started_at = JobState.RUNNING, time.monotonic()
                worker.job = job

    def _listen(self, worker: _WorkerProcess) -> None:
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            with self._lock:
                self._take_in(worker, json.loads(line))
        code = worker.process.wait()
        with self._lock:
            self._workers.remove(worker)
            if worker.job is not None:
                self._end_lost(worker.job, code)
            if not worker.was_ready and not self._closed:
                self._failed_starts += 1
                self._fail_waiting(code)

    def _take_in(self, worker: _WorkerProcess, message: dict[str, Any]) -> None:
        kind, job = message["type"], worker.job
        if kind == "ready":
            worker.ready = worker.was_ready = True
            self._failed_starts = 0
        elif job is None or message["job"] != job.id:
            raise RuntimeError(f"a worker spoke of a job that is not its own: {kind}")
        elif kind == "progress":
            job.progress.append(
                Progress(
                    message["seconds"], message["incumbent"], message["bound"], message["scale"]
                )
            )
            return
        elif kind == "result":
            job.result, job.model = message["result"], message["model"]
            self._end(job, JobState.DONE, "")
            worker.job = None
        else:
            self._end(job, JobState.FAILED, message["message"])
            worker.job = None
        self._hand_out()

    def _end(self, job: Job, state: JobState, message: str) -> None:
        job.state, job.message, job.ended_at = state, message, time.monotonic()

    def _end_lost(self, job: Job, code: int) -> None:
        if job.cancelled_at is not None:
            self._end(job, JobState.CANCELLED, "Cancelled before a tree was found.")
        elif self._closed:
            self._end(job, JobState.CANCELLED, "The server was closed.")
        elif job.overdue:
            self._end(
                job,
                JobState.FAILED,
                f"The run did not end within {DEADLINE_GRACE:g} s after its time limit and was "
                "stopped; train again with a smaller shape, fewer columns or more time.",
            )
        else:
            self._end(
                job,
                JobState.FAILED,
                f"The solver's process ended unexpectedly (code {code}); train again, with a "
                "smaller shape or fewer columns if it repeats.",
            )

    def _fail_waiting(self, code: int) -> None:
        """After several vain starts, tell those who wait instead of trying for ever."""
        if self._failed_starts < MOST_FAILED_STARTS or any(w.was_ready for w in self._workers):
            return
        for job in self._waiting:
            self._end(job, JobState.FAILED, f"No worker process could be started (code {code}).")
        self._waiting.clear()

    def _keep_house(self) -> None:
        """Start workers and enforce deadlines, from one thread that lives as long as the manager.

        On Linux a worker is killed when the *thread* that started it ends, so no shorter-lived
        thread may start one.
        """
        while not self._closed:
            with self._lock:
                if self._failed_starts < MOST_FAILED_STARTS or self._waiting:
                    while len(self._workers) < self._n_workers and not self._closed:
                        worker = _WorkerProcess()
                        self._workers.append(worker)
                        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
                self._kill_overdue(time.monotonic())
            time.sleep(0.05)

    def _kill_overdue(self, now: float) -> None:
        for worker in self._workers:
            job = worker.job
            if job is None or job.started_at is None:
                continue
            if job.cancelled_at is not None:
                overdue = now > job.cancelled_at + CANCEL_GRACE
            else:
                overdue = now > job.started_at + job.spec.train.time_limit + DEADLINE_GRACE
                job.overdue = overdue
            if overdue:
                worker.kill()
