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

from odt_core.jobs.messages import JobSpec, to_line
from odt_core.solution import TracePoint
from odt_core.training.progress import Stage

CANCEL_GRACE = 1.0
"""Seconds a solve has to stop after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds a solve may run past its time limit."""
OTHER_WORK_LIMIT = 600.0
"""Seconds for what is not bounded by the time limit: reading before a solve, counting after it."""

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


@dataclass(eq=False)
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
    stage : Stage
        What a running job is doing.
    progress : list of TracePoint
        The solve's trace so far; its numbers mean what `odt_core.problem.Gains` says.
    result, model : dict or None
        The result's and the model's JSON.
    message : str
        Why it failed, in one sentence.
    """

    spec: JobSpec
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    state: JobState = JobState.QUEUED
    stage: Stage = Stage.PREPARING
    progress: list[TracePoint] = field(default_factory=list)
    result: dict[str, Any] | None = None
    model: dict[str, Any] | None = None
    message: str = ""
    queued_at: float = field(default_factory=time.monotonic)
    started_at: float | None = None
    stage_at: float | None = None
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
        self.ready = self.was_ready = self.killed = False

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
        """End the worker and whatever its solve has started."""
        if self.killed:
            return
        self.killed, self.ready = True, False
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
            workers = list(self._workers)
            for worker in workers:
                worker.kill()
            for job in self._waiting:
                self._end(job, JobState.CANCELLED, "The server was closed.")
            self._waiting.clear()
        for worker in workers:
            worker.process.wait()

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
                job.stage_at = job.started_at
                worker.job = job

    def _listen(self, worker: _WorkerProcess) -> None:
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            with self._lock:
                try:
                    self._take_in(worker, json.loads(line))
                except (ValueError, KeyError, TypeError):
                    log.exception("worker %s cannot be understood", worker.process.pid)
                    worker.kill()
                    break
        code = worker.process.wait()
        with self._lock:
            self._workers.remove(worker)
            if worker.job is not None:
                self._end_lost(worker.job, code)
            if not worker.was_ready and not self._closed:
                self._fail_waiting(_ending(code))

    def _take_in(self, worker: _WorkerProcess, message: dict[str, Any]) -> None:
        kind, job = message["type"], worker.job
        if kind == "ready":
            worker.ready = worker.was_ready = True
            self._failed_starts = 0
        elif job is None or message["job"] != job.id:
            raise ValueError(f"a worker spoke of a job that is not its own: {kind}")
        elif kind == "stage":
            job.stage, job.stage_at = Stage(message["stage"]), time.monotonic()
        elif kind == "progress":
            del message["type"], message["job"]
            job.progress.append(TracePoint(**message))
        elif kind == "result":
            job.result, job.model = message["result"], message["model"]
            self._end(job, JobState.DONE, "")
            worker.job = None
        else:
            self._end(job, JobState.FAILED, message["message"])
            worker.job = None
        if worker.job is None:
            self._hand_out()

    def _end(self, job: Job, state: JobState, message: str) -> None:
        job.state, job.message, job.ended_at = state, message, time.monotonic()

    def _end_lost(self, job: Job, code: int) -> None:
        if job.cancelled_at is not None:
            self._end(job, JobState.CANCELLED, "Cancelled before a tree was found.")
        elif self._closed:
            self._end(job, JobState.CANCELLED, "The server was closed.")
        elif job.overdue:
            limit = (
                f"{DEADLINE_GRACE:g} s after its time limit"
                if job.stage is Stage.SOLVING
                else f"{OTHER_WORK_LIMIT:g} s of {job.stage}"
            )
            self._end(
                job,
                JobState.FAILED,
                f"The run did not end within {limit} and was stopped: train again with a smaller "
                "shape, fewer columns or fewer rows.",
            )
        else:
            self._end(
                job,
                JobState.FAILED,
                f"The solver's process ended unexpectedly ({_ending(code)}): train again, with a "
                "smaller shape or fewer columns if it repeats.",
            )

    def _fail_waiting(self, reason: str) -> None:
        """After several vain starts, tell those who wait instead of trying for ever."""
        self._failed_starts += 1
        if self._failed_starts < MOST_FAILED_STARTS or any(w.was_ready for w in self._workers):
            return
        for job in self._waiting:
            self._end(
                job,
                JobState.FAILED,
                f"No solver process could be started ({reason}): see the server's log.",
            )
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
                        if not self._start_worker():
                            break
                self._kill_overdue(time.monotonic())
            time.sleep(0.05)

    def _start_worker(self) -> bool:
        try:
            worker = _WorkerProcess()
        except OSError as error:
            log.exception("no worker could be started")
            self._fail_waiting(str(error.strerror))
            return False
        self._workers.append(worker)
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
        return True

    def _kill_overdue(self, now: float) -> None:
        for worker in self._workers:
            job = worker.job
            if job is None or now <= _deadline(job):
                continue
            job.overdue = job.cancelled_at is None
            worker.kill()


def _deadline(job: Job) -> float:
    """When a running job loses its worker.

    A job that is asked to stop while it solves has a moment; once the solve has stopped, its best
    tree is worth waiting for.
    """
    assert job.stage_at is not None
    if job.stage is Stage.FINISHING:
        return job.stage_at + OTHER_WORK_LIMIT
    if job.cancelled_at is not None:
        return job.cancelled_at + CANCEL_GRACE
    if job.stage is Stage.SOLVING:
        return job.stage_at + job.spec.train.time_limit + DEADLINE_GRACE
    return job.stage_at + OTHER_WORK_LIMIT


def _ending(code: int) -> str:
    """How a process ended, in a word or two."""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit status {code}"
