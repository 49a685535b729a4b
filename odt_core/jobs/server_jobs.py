"""The jobs of one server. Memory has them at once, and the store has them soon after."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from odt_core.jobs.job import (
    Batch,
    Job,
    fill,
    follow,
    job_of,
    kept_result,
    metrics_of,
    now,
    run_of,
)
from odt_core.jobs.pool import Pool, WorkerLoss
from odt_core.solution import TracePoint
from odt_core.storage import (
    Ending,
    NotFoundError,
    Progress,
    Recorder,
    RunRecord,
    RunStatus,
    RunSummary,
    StorageError,
    Store,
)
from odt_core.training import Stage

CANCEL_GRACE = 1.0
"""Seconds within which a solve must stop after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds for which a solve may run past its time limit."""
OTHER_STEPS_LIMIT = 600.0
"""Seconds for the steps outside the time limit: reading before a solve, counting after it."""
DELETED = "This run was deleted."

log = logging.getLogger("odt_core.jobs")


@dataclass
class RunningJob:
    """A job that has a worker.

    Attributes
    ----------
    path : Path
        File of its data set.
    stage_at : float
        Monotonic time at which its current stage started.
    stop_at : float or None
        Monotonic time at which it was asked to stop.
    proved_at : float or None
        Monotonic time at which its tree was proved, if a second engine goes on to confirm it.
    overdue, deleted : bool
        Why its worker was killed: the job took too long, or was deleted.
    unwritten : set of str
        What the recorder has not received yet: ``stage``, ``progress``, ``best``.
    """

    job: Job
    path: Path
    stage_at: float = field(default_factory=time.monotonic)
    stop_at: float | None = None
    proved_at: float | None = None
    overdue: bool = False
    deleted: bool = False
    unwritten: set[str] = field(default_factory=set)

    @property
    def deadline(self) -> float:
        """Monotonic time at which the job loses its worker.

        A job that is asked to stop while it solves gets a short time. After the solve, the server
        waits longer, because the best tree is on its way.
        """
        if self.job.stage is Stage.FINISHING:
            return self.stage_at + OTHER_STEPS_LIMIT
        if self.stop_at is not None:
            return self.stop_at + CANCEL_GRACE
        if self.job.stage is Stage.SOLVING:
            return self.stage_at + self.job.spec.time_limit + DEADLINE_GRACE
        return self.stage_at + OTHER_STEPS_LIMIT

    def loss_words(self, loss: WorkerLoss) -> str:
        """Say why the job lost its worker, and what to do."""
        if loss.memory_limit is not None:
            return (
                f"The run needed more memory than a solver process may take "
                f"({loss.memory_limit // 2**20:,} MiB) and was stopped: start it again with a "
                "smaller shape, fewer columns or fewer rows, or raise ODT_WORKER_MEMORY."
            )
        if self.overdue:
            limit = (
                f"{DEADLINE_GRACE:g} s after its time limit"
                if self.job.stage is Stage.SOLVING
                else f"{OTHER_STEPS_LIMIT:g} s of {self.job.stage}"
            )
            return (
                f"The run did not end within {limit} and was stopped: start it again with a "
                "smaller shape, fewer columns or fewer rows."
            )
        return (
            f"The solver's process ended unexpectedly ({loss.how}): start it again, with a "
            "smaller shape or fewer columns if it repeats."
        )


@dataclass(frozen=True)
class WaitingJob:
    """A job that waits on this server for a worker.

    Attributes
    ----------
    path : Path or None
        File of its data set; None if the store has not been asked for it yet.
    """

    job: Job
    path: Path | None = None


class ServerJobs:
    """The jobs of one server. Any thread may call any method.

    Each change of a job is noted in memory at once. A recorder writes it into the store, and no
    call waits for that.

    Parameters
    ----------
    store : Store
        Holds the runs.
    server : str
        This server's id in the queue.
    pool : Pool
        The workers.

    Attributes
    ----------
    entry : Lock
        Held while a run is entered into the store, until its job is known here.
    """

    def __init__(self, store: Store, server: str, pool: Pool) -> None:
        self.entry = threading.Lock()
        self._store = store
        self._server = server
        self._pool = pool
        self._recorder = Recorder(store.queue, server)
        self._lock = threading.RLock()
        """Guards all attributes below."""
        self._known: WeakValueDictionary[str, Job] = WeakValueDictionary()
        """Jobs by id that somebody uses, wherever they run."""
        self._waiting: deque[WaitingJob] = deque()
        """Jobs that wait here and not in the store's queue; the next one first."""
        self._running: dict[str, RunningJob] = {}
        self._unwritten: dict[str, Job] = {}
        """Ended jobs that may not be in the store yet."""
        self._unentered: list[Batch] = []
        """Jobs that the store has not entered; jobs of one study stand together."""
        self._problem = ""
        self._why_unentered = ""

    # ---- faults ----

    @property
    def problem(self) -> str:
        """One sentence on what is wrong with the store; empty when all is well."""
        return self._store.problem or self._recorder.problem or self._problem

    def note_problem(self, error: StorageError) -> None:
        """Note that the store failed; `problem` says so until the store answers again."""
        log.warning("the store: %s", error)
        self._problem = str(error)

    def note_unexpected(self, error: Exception) -> None:
        """Note a mistake of this program; `problem` says so until the queue is served again."""
        log.error("an unexpected error", exc_info=error)
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self._problem = f"The server met an unexpected error ({reason}): see its log."

    def note_recovery(self) -> None:
        """Note that the queue answers again."""
        self._problem = ""

    def ask(self, call: Callable[[], Any]) -> None:
        """Call the store; a failure is noted and does no harm."""
        try:
            call()
        except NotFoundError:
            return
        except StorageError as error:
            self.note_problem(error)

    # ---- where a job runs ----

    def get(self, run_id: str) -> Job | None:
        """Return a job that somebody uses, wherever it runs."""
        return self._known.get(run_id)

    def add(self, job: Job) -> Job:
        """Remember a job for as long as somebody uses it."""
        self._known[job.id] = job
        return job

    def here(self, run_id: str) -> Job | None:
        """Return a job if this server knows more of it than the store does."""
        with self._lock:
            job = self._known.get(run_id)
            if run_id in self._running or run_id in self._unwritten:
                return job
            return job if job is not None and not job.recorded else None

    def claimed(self) -> set[str]:
        """List the ids of the runs that the store must leave to this server."""
        with self._lock:
            waiting = {w.job.id for w in self._waiting if w.job.recorded}
            return {*self._running, *self._unwritten, *waiting}

    def not_here(self) -> list[Job]:
        """List jobs that somebody uses, that are not over, and that this server does not run."""
        with self._lock:
            return [
                job
                for job in self._known.values()
                if job.recorded and not job.is_over and not self.is_working_on(job)
            ]

    def is_working_on(self, job: Job) -> bool:
        """Whether a job runs or waits on this server."""
        with self._lock:
            return job.id in self._running or any(w.job is job for w in self._waiting)

    def place(self, job: Job) -> int | None:
        """Count the jobs that wait here before this one; None if it does not wait here."""
        with self._lock:
            waiting = [w.job for w in self._waiting]
            return waiting.index(job) if job in waiting else None

    def n_unentered(self, owner: str) -> int:
        """Count an owner's runs that the store has not entered."""
        with self._lock:
            return sum(len(batch.jobs) for batch in self._unentered if batch.owner == owner)

    # ---- jobs from the store's records ----

    def know(self, record: RunRecord) -> Job:
        """Return the job of a record; the same object for as long as somebody uses it.

        Raises
        ------
        InputError
            If another version of the program wrote the record's specification.
        """
        run_id = record.summary.id
        with self._lock:
            known = self._known.get(run_id)
            if known is not None and (record.summary.is_over or not known.is_over):
                return known
            if run_id in self._unwritten:
                return self._unwritten[run_id]
            return self.add(job_of(record))

    def follow(
        self,
        jobs: Sequence[Job],
        summaries: Mapping[str, RunSummary],
        records: Mapping[str, RunRecord],
    ) -> None:
        """Update jobs that do not run here.

        Parameters
        ----------
        summaries : mapping of str to RunSummary
            The store's summaries by id. A deleted run has none.
        records : mapping of str to RunRecord
            The whole records of the runs that are over.
        """
        with self._lock:
            for job in jobs:
                if job.is_over or self.is_working_on(job):
                    continue
                if job.id not in summaries:
                    job.message, job.ended_at = DELETED, now()
                    job.status = RunStatus.CANCELLED
                    continue
                follow(job, summaries[job.id])
                if job.id in records:
                    fill(job, records[job.id])

    # ---- from waiting to running ----

    def next_waiting(self) -> WaitingJob | None:
        """Remove and return the job that is to start first."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def put_first(self, waiting: WaitingJob) -> None:
        """Let a job wait here, ahead of all others."""
        with self._lock:
            self._waiting.appendleft(waiting)

    def put_last(self, waiting: WaitingJob) -> None:
        """Let a job wait here, behind all others."""
        with self._lock:
            self._known[waiting.job.id] = waiting.job
            self._waiting.append(waiting)

    def start(self, job: Job, path: Path, hurry: bool) -> bool:
        """Give a job to a worker; false if none is free, so that the job waits here again.

        Parameters
        ----------
        hurry : bool
            Whether others wait: see `Pool.run`.
        """
        with self._lock:
            if job.is_over:  # cancelled in the meantime
                return True
            self._running[job.id] = RunningJob(job, path)
            job.status, job.started_at = RunStatus.RUNNING, now()
            if self._pool.run(job.id, job.spec.to_json(), path, hurry):
                return True
            self.put_first(self._taken_back(self._running[job.id]))
        return False

    def _taken_back(self, running: RunningJob) -> WaitingJob:
        """Take a job back from its worker; it waits again."""
        job = running.job
        del self._running[job.id]
        job.status, job.started_at = RunStatus.QUEUED, None
        return WaitingJob(job, running.path)

    def confirming(self) -> list[RunningJob]:
        """List the jobs that only confirm a proved tree, the longest first."""
        with self._lock:
            found = [r for r in self._running.values() if r.proved_at and r.stop_at is None]
        return sorted(found, key=lambda running: running.proved_at or 0.0)

    def cut_short(self, ready: list[RunningJob], n_waiting: int) -> None:
        """End confirmations to make workers free for waiting runs.

        A worker that was asked to stop counts as free.

        Parameters
        ----------
        ready : list of RunningJob
            Confirmations that may be ended, in this order.
        n_waiting : int
            Number of runs that wait in the store's queue.
        """
        with self._lock:
            n_waiting += len(self._waiting)
            n_waiting -= sum(running.stop_at is not None for running in self._running.values())
            for running in ready[: max(n_waiting, 0)]:
                running.stop_at = time.monotonic()
                self._pool.stop(running.job.id)

    # ---- messages of workers ----

    def handle_message(self, run_id: str, message: dict[str, Any]) -> None:
        """Handle a worker's message about its job: see `odt_core.worker.messages`."""
        with self._lock:
            running = self._running.get(run_id)
            if running is None:
                return
            kind, job = message["type"], running.job
            if kind == "stage":
                running.stage_at = time.monotonic()
                job.stage = Stage(message["stage"])
                running.unwritten.add("stage")
            elif kind == "progress":
                point = TracePoint(message["seconds"], message["incumbent"], message["bound"])
                job.progress.append(point)
                running.unwritten.add("progress")
            elif kind == "best":
                job.best = {**message["result"], "model": message["model"]}
                if job.proved_best is not None and running.proved_at is None:
                    running.proved_at = time.monotonic()
                running.unwritten.add("best")
            elif kind == "result":
                self.end(job, RunStatus.DONE, "", message["result"], message["model"])
            else:
                self.end(job, RunStatus.FAILED, message["message"])

    def restart(self, run_id: str) -> None:
        """Reset a job that starts again because the machine that ran it was lost."""
        with self._lock:
            running = self._running.get(run_id)
            if running is not None:
                running.stage_at = time.monotonic()
                running.job.stage = Stage.PREPARING
                running.job.progress = []
                running.unwritten |= {"stage", "progress"}

    def lose(self, run_id: str, loss: WorkerLoss, *, is_closing: bool) -> WaitingJob | None:
        """Handle a job that has lost its worker or its place at the pool.

        Returns
        -------
        WaitingJob or None
            The job, if it must wait again; None if it is over.
        """
        with self._lock:
            running = self._running.get(run_id)
            if running is None:
                return None
            if is_closing:
                self._interrupt(running)
            elif running.deleted:
                self.end(running.job, RunStatus.CANCELLED, DELETED)
            elif running.stop_at is not None and not running.overdue:
                self._end_stopped(running.job)
            elif loss.begun or running.overdue:
                self.end(running.job, RunStatus.FAILED, running.loss_words(loss))
            else:
                return self._taken_back(running)
        return None

    # ---- how jobs are stopped ----

    def stop(self, job: Job) -> bool:
        """Stop a job that runs or waits here; false if it is elsewhere."""
        with self._lock:
            running = self._running.get(job.id)
            if running is not None:
                if running.stop_at is None:
                    job.cancelled_at, running.stop_at = now(), time.monotonic()
                    self._pool.stop(job.id)
                return True
            for waiting in self._waiting:
                if waiting.job is job:
                    self._waiting.remove(waiting)
                    job.cancelled_at = now()
                    self.end(job, RunStatus.CANCELLED, "Cancelled before it started.")
                    return True
        return False

    def drop(self, run_id: str) -> None:
        """End a deleted run and keep nothing of it."""
        with self._lock:
            running = self._running.get(run_id)
            if running is not None and running.job.recorded:
                running.deleted = True
                self._pool.kill(run_id)

    def kill_overdue(self) -> None:
        """Kill the workers of jobs that run past their deadline."""
        with self._lock:
            late = [r for r in self._running.values() if time.monotonic() > r.deadline]
            for running in late:
                running.overdue = running.stop_at is None
        for running in late:
            self._pool.kill(running.job.id)

    # ---- how jobs end ----

    def end(
        self,
        job: Job,
        status: RunStatus,
        message: str,
        result: dict[str, Any] | None = None,
        model: dict[str, Any] | None = None,
    ) -> None:
        """Note how a job ended, and hand that to the recorder."""
        with self._lock:
            running = self._running.pop(job.id, None)
            job.result, job.model, job.message = result, model, message
            job.ended_at = now()
            job.status = status
            if not job.recorded or (running is not None and running.deleted):
                return
            if running is not None and result is None:
                self._write(running)
            self._record_end(job)

    def fail_unread(self, run_id: str, message: str) -> None:
        """Fail a claimed run whose specification cannot be read."""
        self._recorder.end(run_id, Ending(RunStatus.FAILED, message=message))

    def _end_stopped(self, job: Job) -> None:
        """End a job that was stopped by force, with its best tree so far as its result."""
        if job.best is None:
            self.end(job, RunStatus.CANCELLED, "Cancelled before a tree was found.")
        else:
            self.end(job, RunStatus.DONE, "", *kept_result(job.best))

    def _record_end(self, job: Job) -> None:
        """Hand the end of a job to the recorder."""
        self._unwritten[job.id] = job
        metrics = metrics_of(job.spec, job.result, job.seconds)
        self._recorder.end(
            job.id, Ending(job.status, job.result, job.model, metrics, job.message, job.ended_at)
        )

    def _interrupt(self, running: RunningJob) -> None:
        """Interrupt a running job because the server closes; `Queue.leave` updates its record."""
        job = running.job
        self._write(running)
        self._running.pop(job.id, None)
        job.message, job.ended_at = "The server was closed while this run was running.", now()
        job.status = RunStatus.INTERRUPTED

    def close(self) -> bool:
        """Interrupt running jobs and write what can be written; true if everything was written."""
        with self._lock:
            for running in list(self._running.values()):
                self._interrupt(running)
        return self._recorder.close()

    # ---- what the recorder writes ----

    def write_progress(self) -> None:
        """Hand new progress of running jobs to the recorder, and forget ends that it has stored."""
        with self._lock:
            for running in self._running.values():
                self._write(running)
            waiting = self._recorder.waiting
            self._unwritten = {k: job for k, job in self._unwritten.items() if k in waiting}

    def _write(self, running: RunningJob) -> None:
        job, what = running.job, running.unwritten
        if not what or not job.recorded:
            return
        changes: Progress = {"stage": job.stage.value}
        if "progress" in what:
            changes["trace"] = [point.to_json() for point in job.progress]
        if "progress" in what and job.progress:
            changes["progress"] = vars(job.progress[-1])
        if "best" in what and job.best is not None:
            changes["best"] = job.best
        self._recorder.progress(job.id, **changes)
        running.unwritten = set()

    def is_stored(self, job: Job) -> bool:
        """Whether an ended job has nothing left to store.

        That is so if its end is in the store, or if it was deleted together with its data set.
        """
        with self._lock:
            return job.recorded and job.id not in self._recorder.waiting

    def unstored(self, job: Job) -> str:
        """One sentence on why an ended job is not in the store; empty if it is stored.

        It is also empty while the first attempt to store the job goes on (see `is_stored`).
        """
        with self._lock:
            if not job.is_over or self.is_stored(job):
                return ""
            return self.problem if job.recorded else self._why_unentered

    # ---- jobs that the store has not entered ----

    def note_unentered(self, batch: Batch, error: StorageError) -> None:
        """Note jobs that the store could not enter; `enter_all` tries again."""
        self._note_why(error)
        with self._lock:
            self._unentered.append(batch)

    def enter_all(self) -> None:
        """Enter the jobs that the store could not enter when they were submitted.

        Raises
        ------
        StorageError
            If the store still cannot be written.
        """
        with self._lock:
            ready = [batch for batch in self._unentered if batch.has_begun]
        for batch in ready:
            try:
                self._enter(batch)
            except StorageError as error:
                self._note_why(error)
                raise

    def _note_why(self, error: StorageError) -> None:
        self.note_problem(error)
        self._why_unentered = str(error)

    def _enter(self, batch: Batch) -> None:
        runs = [run_of(job) for job in batch.jobs]
        try:
            study_id = self._store.queue.adopt(self._server, batch.owner, runs, batch.study)
            is_deleted = False
        except NotFoundError:
            log.warning("runs are not stored: their data set was deleted")
            study_id, is_deleted = None, True
        with self._lock:
            for job in batch.jobs:
                job.recorded = True  # a deleted job has nothing left to store
                if job.is_over and not is_deleted:
                    self._record_end(job)
            self._unentered.remove(batch)
            batch.id, batch.study = study_id, None
