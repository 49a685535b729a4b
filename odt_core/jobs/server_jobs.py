"""The jobs that a server has in hand: noted in memory at once, written into the store soon."""

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

from odt_core.jobs.job import Batch, Job, now
from odt_core.jobs.pool import Loss, Pool
from odt_core.jobs.runs import fill, follow, job_of, kept_result, metrics_of, points_to_json, run_of
from odt_core.solution import TracePoint
from odt_core.storage import (
    Ending,
    NotFoundError,
    Recorder,
    RunRecord,
    RunStatus,
    RunSummary,
    StorageError,
    Store,
)
from odt_core.training.progress import Stage

CANCEL_GRACE = 1.0
"""Seconds a solve has to stop after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds a solve may run past its time limit."""
OTHER_WORK_LIMIT = 600.0
"""Seconds for what is not bounded by the time limit: reading before a solve, counting after it."""
DELETED = "This run was deleted."

log = logging.getLogger("odt_core.jobs")


@dataclass
class Running:
    """A job with a worker.

    Attributes
    ----------
    path : Path
        Its data set.
    stage_at : float
        Monotonic time at which its stage began.
    stop_at : float or None
        Monotonic time at which it was asked to stop.
    proved_at : float or None
        Monotonic time at which its tree was proved, if it goes on to have it confirmed.
    overdue, deleted : bool
        Why its worker was killed.
    unwritten : set of str
        What is not with the recorder yet: ``stage``, ``progress``, ``best``.
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
        """When the job loses its worker, by the monotonic clock.

        A job that is asked to stop while it solves has a moment; once the solve has stopped, its
        best tree is worth waiting for.
        """
        if self.job.stage is Stage.FINISHING:
            return self.stage_at + OTHER_WORK_LIMIT
        if self.stop_at is not None:
            return self.stop_at + CANCEL_GRACE
        if self.job.stage is Stage.SOLVING:
            return self.stage_at + self.job.spec.time_limit + DEADLINE_GRACE
        return self.stage_at + OTHER_WORK_LIMIT

    def loss_words(self, loss: Loss) -> str:
        """Why the job lost its worker, and what to do."""
        if loss.memory_limit is not None:
            return (
                f"The run needed more memory than a solver process may take "
                f"({loss.memory_limit // 2**20:,} MiB) and was stopped: train again with a smaller "
                "shape, fewer columns or fewer rows, or raise ODT_WORKER_MEMORY."
            )
        if self.overdue:
            limit = (
                f"{DEADLINE_GRACE:g} s after its time limit"
                if self.job.stage is Stage.SOLVING
                else f"{OTHER_WORK_LIMIT:g} s of {self.job.stage}"
            )
            return (
                f"The run did not end within {limit} and was stopped: train again with a smaller "
                "shape, fewer columns or fewer rows."
            )
        return (
            f"The solver's process ended unexpectedly ({loss.how}): train again, with a smaller "
            "shape or fewer columns if it repeats."
        )


@dataclass(frozen=True)
class Order:
    """A job of this server that waits for a worker.

    Attributes
    ----------
    path : Path or None
        Its data set; None if the file must still be asked for.
    """

    job: Job
    path: Path | None = None


class ServerJobs:
    """The jobs of one server; any thread may call any method.

    What happens to a job is noted in memory at once. A recorder writes it into the store, and no
    call waits for that.

    Parameters
    ----------
    store : Store
        Where runs are kept.
    server : str
        This server's id in the queue.
    pool : Pool
        The workers.

    Attributes
    ----------
    entry : Lock
        Held from a run's entry into the store until its job is known here.
    """

    def __init__(self, store: Store, server: str, pool: Pool) -> None:
        self.entry = threading.Lock()
        self._store = store
        self._server = server
        self._pool = pool
        self._recorder = Recorder(store.queue, server)
        self._lock = threading.RLock()
        """For all that follows."""
        self._known: WeakValueDictionary[str, Job] = WeakValueDictionary()
        """Jobs that somebody looks at, by id, wherever they run."""
        self._orders: deque[Order] = deque()
        """What waits here, not in the store's queue; the next first."""
        self._running: dict[str, Running] = {}
        self._unwritten: dict[str, Job] = {}
        """What has ended, but may not be in the store yet."""
        self._unentered: list[Batch] = []
        """What the store does not know of; jobs that belong together stand together."""
        self._problem = ""
        self._why_unentered = ""

    # ---- what is wrong ----

    @property
    def problem(self) -> str:
        """What is wrong with the store, in a sentence; empty when all is well."""
        return self._store.problem or self._recorder.problem or self._problem

    def note_problem(self, error: StorageError) -> None:
        """The store failed; `problem` says so until the store answers again."""
        log.warning("the store: %s", error)
        self._problem = str(error)

    def note_unexpected(self, error: Exception) -> None:
        """A mistake of this program; `problem` says so until the queue is served again."""
        log.error("an unexpected error", exc_info=error)
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self._problem = f"The server met an unexpected error ({reason}): see its log."

    def note_well(self) -> None:
        """The queue answers."""
        self._problem = ""

    def ask(self, call: Callable[[], Any]) -> None:
        """Ask something of the store that may fail without harm."""
        try:
            call()
        except NotFoundError:
            return
        except StorageError as error:
            self.note_problem(error)

    # ---- where a job is ----

    def get(self, run_id: str) -> Job | None:
        """A job that somebody looks at, wherever it runs."""
        return self._known.get(run_id)

    def add(self, job: Job) -> Job:
        """Know a job from now on, as long as somebody looks at it."""
        self._known[job.id] = job
        return job

    def here(self, run_id: str) -> Job | None:
        """A job of which this server knows more than the store."""
        with self._lock:
            job = self._known.get(run_id)
            if run_id in self._running or run_id in self._unwritten:
                return job
            return job if job is not None and not job.recorded else None

    def claimed(self) -> set[str]:
        """Ids of the runs that the store must leave to this server."""
        with self._lock:
            waiting = {order.job.id for order in self._orders if order.job.recorded}
            return {*self._running, *self._unwritten, *waiting}

    def elsewhere(self) -> list[Job]:
        """Jobs that somebody looks at, are not over, and are in the store's or others' hands."""
        with self._lock:
            return [
                job
                for job in self._known.values()
                if job.recorded and not job.is_over and not self.is_working_on(job)
            ]

    def is_working_on(self, job: Job) -> bool:
        """Whether a job runs or waits here."""
        with self._lock:
            return job.id in self._running or any(order.job is job for order in self._orders)

    def place(self, job: Job) -> int | None:
        """How many jobs wait here before one; None if it does not wait here."""
        with self._lock:
            waiting = [order.job for order in self._orders]
            return waiting.index(job) if job in waiting else None

    def n_unentered(self, owner: str) -> int:
        """How many of an owner's runs the store does not know of."""
        with self._lock:
            return sum(len(batch.jobs) for batch in self._unentered if batch.owner == owner)

    # ---- as the store has them ----

    def know(self, record: RunRecord) -> Job:
        """The job of a record; always the same one while somebody looks at it.

        Raises
        ------
        InputError
            If the record's specification is of another version.
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
        """Bring jobs that do not run here up to date.

        Parameters
        ----------
        summaries : mapping of str to RunSummary
            What the store has of them, by id; of a deleted one nothing.
        records : mapping of str to RunRecord
            The whole records of those that are over.
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

    def next_order(self) -> Order | None:
        """Take out what is to be started first."""
        with self._lock:
            return self._orders.popleft() if self._orders else None

    def put_first(self, order: Order) -> None:
        """Let a job wait here, before all others."""
        with self._lock:
            self._orders.appendleft(order)

    def put_last(self, order: Order) -> None:
        """Let a job wait here, behind all others."""
        with self._lock:
            self._known[order.job.id] = order.job
            self._orders.append(order)

    def start(self, job: Job, path: Path, hurry: bool) -> bool:
        """Give a job to a worker; false if none is free, and the job waits here again.

        Parameters
        ----------
        hurry : bool
            Others wait: see `Pool.run`.
        """
        with self._lock:
            if job.is_over:  # cancelled meanwhile
                return True
            self._running[job.id] = Running(job, path)
            job.status, job.started_at = RunStatus.RUNNING, now()
            if self._pool.run(job.id, job.spec.to_json(), path, hurry):
                return True
            self.put_first(self._taken_back(self._running[job.id]))
        return False

    def _taken_back(self, running: Running) -> Order:
        """A job without its worker."""
        job = running.job
        del self._running[job.id]
        job.status, job.started_at = RunStatus.QUEUED, None
        return Order(job, running.path)

    def confirming(self) -> list[Running]:
        """Jobs whose tree is proved and only being confirmed, the longest first."""
        with self._lock:
            found = [r for r in self._running.values() if r.proved_at and r.stop_at is None]
        return sorted(found, key=lambda running: running.proved_at or 0.0)

    def cut_short(self, ready: list[Running], n_waiting: int) -> None:
        """End confirmations, as many as runs wait and no worker is about to be free for.

        Parameters
        ----------
        ready : list of Running
            Confirmations that may be ended, the first first.
        n_waiting : int
            Runs that wait in the store's queue.
        """
        with self._lock:
            n_waiting += len(self._orders)
            n_waiting -= sum(running.stop_at is not None for running in self._running.values())
            for running in ready[: max(n_waiting, 0)]:
                running.stop_at = time.monotonic()
                self._pool.stop(running.job.id)

    # ---- what workers say ----

    def take_in(self, run_id: str, message: dict[str, Any]) -> None:
        """A worker says something of its job: see `odt_core.worker.messages`."""
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

    def begin_again(self, run_id: str) -> None:
        """A job begins anew, since the machine that ran it was lost."""
        with self._lock:
            running = self._running.get(run_id)
            if running is not None:
                running.stage_at = time.monotonic()
                running.job.stage = Stage.PREPARING
                running.job.progress = []
                running.unwritten |= {"stage", "progress"}

    def lose(self, run_id: str, loss: Loss, *, is_closing: bool) -> Order | None:
        """A job's worker has ended before the job, or none has begun it.

        Returns
        -------
        Order or None
            What must wait again; None if the job is over.
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
        """Stop a job that has a worker here, or waits here; false if it is elsewhere."""
        with self._lock:
            running = self._running.get(job.id)
            if running is not None:
                if running.stop_at is None:
                    job.cancelled_at, running.stop_at = now(), time.monotonic()
                    self._pool.stop(job.id)
                return True
            for order in self._orders:
                if order.job is job:
                    self._orders.remove(order)
                    job.cancelled_at = now()
                    self.end(job, RunStatus.CANCELLED, "Cancelled before it started.")
                    return True
        return False

    def drop(self, run_id: str) -> None:
        """A run was deleted: end it without a trace."""
        with self._lock:
            running = self._running.get(run_id)
            if running is not None and running.job.recorded:
                running.deleted = True
                self._pool.kill(run_id)

    def kill_late(self) -> None:
        """Kill the workers of jobs that run far past what they may."""
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
        """A job is over."""
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
        """A claimed run cannot even be read."""
        self._recorder.end(run_id, Ending(RunStatus.FAILED, message=message))

    def _end_stopped(self, job: Job) -> None:
        """A job was stopped by force: its best tree so far is its result."""
        if job.best is None:
            self.end(job, RunStatus.CANCELLED, "Cancelled before a tree was found.")
        else:
            self.end(job, RunStatus.DONE, "", *kept_result(job.best))

    def _record_end(self, job: Job) -> None:
        """Hand a job's ending to the recorder."""
        self._unwritten[job.id] = job
        metrics = metrics_of(job.spec, job.result, job.seconds)
        self._recorder.end(
            job.id, Ending(job.status, job.result, job.model, metrics, job.message, job.ended_at)
        )

    def _interrupt(self, running: Running) -> None:
        """The server closes while a job runs; `Queue.leave` settles its record."""
        job = running.job
        self._write(running)
        self._running.pop(job.id, None)
        job.message, job.ended_at = "The server was closed while this run was running.", now()
        job.status = RunStatus.INTERRUPTED

    def close(self) -> bool:
        """Interrupt what still runs and write what can be written; whether everything was."""
        with self._lock:
            for running in list(self._running.values()):
                self._interrupt(running)
        return self._recorder.close()

    # ---- what the recorder writes ----

    def write_progress(self) -> None:
        """Hand what is new of running jobs to the recorder, and forget endings that are stored."""
        with self._lock:
            for running in self._running.values():
                self._write(running)
            waiting = self._recorder.waiting
            self._unwritten = {k: job for k, job in self._unwritten.items() if k in waiting}

    def _write(self, running: Running) -> None:
        job, what = running.job, running.unwritten
        if not what or not job.recorded:
            return
        point = job.progress[-1] if job.progress and "progress" in what else None
        self._recorder.progress(
            job.id,
            stage=job.stage.value,
            progress=None if point is None else vars(point),
            trace=points_to_json(job.progress) if "progress" in what else None,
            best=job.best if "best" in what else None,
        )
        running.unwritten = set()

    def is_stored(self, job: Job) -> bool:
        """Whether nothing is left to store of a job that is over.

        Its end is in the store, or it was deleted together with its data set.
        """
        with self._lock:
            return job.recorded and job.id not in self._recorder.waiting

    def unstored(self, job: Job) -> str:
        """Why a job that is over is not in the store, in a sentence; empty if it is.

        It is also empty while the first attempt to store the job goes on (see `is_stored`).
        """
        with self._lock:
            if not job.is_over or self.is_stored(job):
                return ""
            return self.problem if job.recorded else self._why_unentered

    # ---- what the store does not know of ----

    def note_unentered(self, batch: Batch, error: StorageError) -> None:
        """Jobs could not be entered; `enter_all` tries it again."""
        self._note_why(error)
        with self._lock:
            self._unentered.append(batch)

    def enter_all(self) -> None:
        """Enter the jobs that could not be entered when they were asked for.

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
