"""Runs jobs: from the store's queue to a free worker, and what comes of them back into the store.

One manager serves a process. A job is a run in the store from the moment it is asked for, so that
a reloaded page, a second tab or a killed server loses nothing; several managers, in one process or
on several machines, share the queue of one store. Where the store cannot be written the jobs run
all the same, and their results stay in memory.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from odt_core.errors import InputError
from odt_core.jobs.batch import Batch
from odt_core.jobs.job import Job, JobState, now
from odt_core.jobs.local import LocalPool
from odt_core.jobs.memory import worker_memory
from odt_core.jobs.messages import JobSpec
from odt_core.jobs.pool import Loss, Pool
from odt_core.jobs.runs import (
    fill,
    follow,
    job_of,
    kept_result,
    metrics_of,
    new_run,
    points_to_json,
)
from odt_core.solution import TracePoint
from odt_core.storage import (
    LOCAL_OWNER,
    ClaimedRun,
    Ending,
    NotFoundError,
    Recorder,
    RunRecord,
    RunStatus,
    StorageError,
    Store,
    software_versions,
)
from odt_core.storage.rows import no_run
from odt_core.training.progress import Stage

CANCEL_GRACE = 1.0
"""Seconds a solve has to stop after a cancel."""
DEADLINE_GRACE = 15.0
"""Seconds a solve may run past its time limit."""
OTHER_WORK_LIMIT = 600.0
"""Seconds for what is not bounded by the time limit: reading before a solve, counting after it."""

CONFIRM_AT_LEAST = 0.5
"""Seconds that a second engine has to confirm a proved tree, however many others wait."""
LOOK_EVERY = 1.0
"""Seconds between two looks for runs that another server has queued; one's own start at once."""
WISHES_EVERY = 0.5
"""Seconds between two questions what owners want; progress is written as often."""
HEARTBEAT_EVERY = 5.0
TIDY_EVERY = 30.0
RETRY_EVERY = 2.0
"""Seconds after which the queue of a store that failed is asked again."""
GLANCE = 0.05

log = logging.getLogger("odt_core.jobs.manager")


@dataclass
class _Running:
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


@dataclass(frozen=True)
class _Order:
    """A claimed job that waits for a worker."""

    job: Job
    path: Path


class JobManager:
    """Runs jobs on warm worker processes.

    Parameters
    ----------
    store : Store
        Where data sets and runs are kept.
    n_workers : int
        How many jobs run at once on this machine.
    memory_limit : int, optional
        Bytes that a worker may take; ``ODT_WORKER_MEMORY`` (MiB) or a share of the machine's
        memory by default. A job that needs more ends with a message, and nothing else does.
    pool : Pool, optional
        The workers; by default the Dask cluster that ``ODT_DASK_SCHEDULER`` names, else processes
        of this machine.

    Attributes
    ----------
    store : Store
        As given.

    Raises
    ------
    StorageError
        If the store cannot be written: see `odt_core.storage.open_store`.
    """

    def __init__(
        self,
        store: Store,
        n_workers: int,
        *,
        memory_limit: int | None = None,
        pool: Pool | None = None,
    ) -> None:
        self.store = store
        self._setting = ""
        self._pool = pool or self._make_pool(n_workers, memory_limit)
        self._server = store.queue.register()
        self._recorder = Recorder(store.queue, self._server)
        self._lock = threading.RLock()
        self._entry = threading.Lock()  # held from a run's entry until its job is known
        self._known: WeakValueDictionary[str, Job] = WeakValueDictionary()
        self._running: dict[str, _Running] = {}
        self._orders: deque[_Order] = deque()
        self._unwritten: dict[str, Job] = {}
        self._problem = ""
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._pool.start(self)
        self._threads = [
            threading.Thread(target=target, daemon=True, name=f"odt-{name}")
            for name, target in (
                ("dispatch", self._dispatch),
                ("deadlines", self._enforce),
                ("keeper", self._keep),
                ("tidy", self._tidy),
            )
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def _make_pool(self, n_workers: int, memory_limit: int | None) -> Pool:
        """The cluster that ``ODT_DASK_SCHEDULER`` names, else processes of this machine."""
        scheduler = os.environ.get("ODT_DASK_SCHEDULER", "").strip()
        if scheduler:
            from odt_core.jobs.cluster import DaskPool  # importing Dask takes a second

            return DaskPool(scheduler)
        if memory_limit is None:
            try:
                memory_limit = worker_memory(n_workers)
            except InputError as error:
                self._setting = str(error)
        return LocalPool(n_workers, memory_limit)

    # ---- what owners ask for ----

    @property
    def problem(self) -> str:
        """What is wrong with the store (or a setting), in a sentence; empty when all is well.

        Results stay in memory meanwhile, and on the screen.
        """
        found = (self.store.problem, self._recorder.problem, self._problem)
        return next(filter(None, (*found, self._pool.problem, self._setting)), "")

    def submit(
        self,
        spec: JobSpec,
        *,
        owner: str = LOCAL_OWNER,
        lane: str = "",
        name: str = "",
        rerun_of: str | None = None,
    ) -> Job:
        """Queue a job and return at once.

        Turns are taken between owners, then between an owner's lanes (see
        `odt_core.storage.turns`): a study of many jobs does not keep a single one waiting.

        Parameters
        ----------
        spec : JobSpec
            What to do.
        owner : str
            Whose it is.
        lane : str
            A browser session, or what else takes turns with the owner's other jobs.
        name : str
            The user's word for it; may be empty.
        rerun_of : str, optional
            The run that this repeats, perhaps with changes.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        run = new_run(spec, name=name, lane=lane, rerun_of=rerun_of)
        with self._entry:
            try:
                summary = self.store.runs.create(owner, run)
            except StorageError as error:
                return self._run_unrecorded([spec], owner, lane, error)[0]
            job = Job(spec, owner, lane, id=summary.id, queued_at=summary.queued_at)
            self._known[job.id] = job
        self._wake.set()
        return job

    def submit_study(
        self,
        specs: Sequence[JobSpec],
        *,
        owner: str = LOCAL_OWNER,
        lane: str = "",
        name: str = "",
    ) -> Batch:
        """Queue the jobs of a study, which have a lane of their own if none is named.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        InputError
            If there are none, or too many.
        """
        members = [new_run(spec, lane=lane) for spec in specs]
        if not members:
            raise InputError("The study has no runs: choose at least one level, shape or repeat.")
        study = new_run(specs[0], name=name)
        with self._entry:
            try:
                summary = self.store.studies.create(owner, study, members)
                records = self.store.studies.members(owner, summary.id)
            except StorageError as error:
                jobs = self._run_unrecorded(specs, owner, lane, error)
                return Batch(tuple(jobs), owner=owner)
            jobs = [self._know(record) for record in records]
        self._wake.set()
        return Batch(tuple(jobs), owner=owner, id=summary.id, began=summary.queued_at)

    def find(self, owner: str, run_id: str) -> Job:
        """A job by its id: the one that runs here, or as the store has it, kept up to date.

        Raises
        ------
        NotFoundError
            If the owner has no such run (or it is another owner's, which is the same).
        """
        with self._lock:
            job = self._known.get(run_id)
            is_here = run_id in self._running or run_id in self._unwritten
            is_here = is_here or (job is not None and not job.recorded)
        if job is not None and job.owner != owner:
            raise no_run()
        if job is not None and is_here:
            return job
        try:
            record = self.store.runs.get(owner, run_id)
        except StorageError:
            if job is None:
                raise
            return job
        return self._know(record)

    def find_study(self, owner: str, study_id: str) -> Batch:
        """A study's jobs by its id.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        summary = self.store.runs.summary(owner, study_id)
        records = self.store.studies.members(owner, study_id)
        jobs = tuple(self._know(record) for record in records)
        return Batch(jobs, owner=owner, id=study_id, began=summary.queued_at)

    def rerun(self, owner: str, run_id: str, lane: str = "") -> Job:
        """Queue a run again, from its record alone. A study: `rerun_study`.

        Raises
        ------
        NotFoundError
            If the owner has no such run, or its data set is not stored.
        InputError
            If it was made by a version of the program whose settings this one cannot read.
        """
        spec = JobSpec.from_json(self.store.runs.get(owner, run_id).spec)
        with self._entry:
            summary = self.store.runs.rerun(owner, run_id, lane)
            job = Job(spec, owner, lane, id=summary.id, queued_at=summary.queued_at)
            self._known[job.id] = job
        self._wake.set()
        return job

    def rerun_study(self, owner: str, study_id: str) -> Batch:
        """Queue a study again with all its runs.

        Raises
        ------
        NotFoundError
            If the owner has no such study, or its data set is not stored.
        """
        with self._entry:
            summary = self.store.studies.rerun(owner, study_id)
            batch = self.find_study(owner, summary.id)
        self._wake.set()
        return batch

    def resume_study(self, owner: str, study_id: str) -> Batch:
        """Queue those of a study's runs again that were interrupted, cancelled or failed.

        Raises
        ------
        NotFoundError
            If the owner has no such study, or its data set is not stored.
        """
        with self._entry:
            self.store.studies.resume(owner, study_id)
            batch = self.find_study(owner, study_id)
        self._wake.set()
        return batch

    def cancel(self, job: Job) -> None:
        """Stop a job; a running one has a moment to hand in its best tree."""
        if not self._stop_here(job) and not job.is_over:
            self._ask(lambda: self.store.runs.cancel(job.owner, job.id))
            self._refresh(job.owner, [job])

    def cancel_study(self, batch: Batch) -> None:
        """Stop all jobs of a study that are not over."""
        open_jobs = [job for job in batch.jobs if not job.is_over]
        if batch.id is not None and open_jobs:
            study_id = batch.id
            self._ask(lambda: self.store.runs.cancel(batch.owner, study_id))
        # The last first, so that of those that are not in the store none starts meanwhile.
        elsewhere = [job for job in reversed(open_jobs) if not self._stop_here(job)]
        if batch.id is not None and elsewhere:
            self._refresh(batch.owner, elsewhere)

    def position(self, job: Job) -> int:
        """How many jobs are ahead in the queue; 0 when it runs or is next."""
        if job.state is not JobState.QUEUED:
            return 0
        with self._lock:
            waiting = [order.job for order in self._orders]
            if job in waiting:
                return waiting.index(job)
        try:
            return self.store.queue.position(job.owner, job.id)
        except InputError:  # deleted, or the store is away: its state will tell
            return 0

    def close(self) -> None:
        """End the workers; jobs that still ran are interrupted, those that wait stay queued."""
        if self._closed.is_set():
            return
        self._closed.set()
        atexit.unregister(self.close)
        self._wake.set()
        self._pool.close()
        for thread in self._threads:
            thread.join(5.0)
        with self._lock:
            for running in list(self._running.values()):
                self._interrupt(running)
        if self._recorder.close():
            self._ask(lambda: self.store.queue.leave(self._server))

    # ---- from the queue to a worker ----

    def _dispatch(self) -> None:
        while not self._closed.is_set():
            self._wake.wait(CONFIRM_AT_LEAST if self._confirming() else LOOK_EVERY)
            self._wake.clear()
            try:
                while not self._closed.is_set() and self._pool.n_free():
                    if not self._start_next():
                        break
                else:
                    self._make_room()
            except StorageError as error:
                self._note_problem(error)
                self._closed.wait(RETRY_EVERY)

    def _start_next(self) -> bool:
        """Give the job whose turn it is to a worker; false if none waits or none can start."""
        with self._lock:
            order = self._orders.popleft() if self._orders else None
        if order is None:
            claimed = self.store.queue.claim(self._server, software_versions())
            self._problem = ""
            if claimed is None:
                return False
            order = self._order_of(claimed)
            if order is None:
                return True
        job = order.job
        hurry = self._pool.n_free() <= 1 and self.store.queue.n_waiting() > 0
        with self._lock:
            if job.is_over:  # cancelled meanwhile
                return True
            self._running[job.id] = _Running(job, order.path)
            job.state, job.started_at = JobState.RUNNING, now()
            if self._pool.run(job.id, job.spec.to_json(), order.path, hurry):
                return True
            del self._running[job.id]
            job.state, job.started_at = JobState.QUEUED, None
            self._orders.appendleft(order)
        return False

    def _confirming(self) -> list[_Running]:
        """Jobs whose tree is proved and only being confirmed, the longest first."""
        with self._lock:
            found = [r for r in self._running.values() if r.proved_at and r.stop_at is None]
        return sorted(found, key=lambda running: running.proved_at or 0.0)

    def _make_room(self) -> None:
        """Cut confirmations short for those who wait: what is proved is proved."""
        since = time.monotonic() - CONFIRM_AT_LEAST
        ready = [r for r in self._confirming() if r.proved_at is not None and r.proved_at < since]
        if not ready:
            return
        waiting = self.store.queue.n_waiting() + len(self._orders)
        with self._lock:
            waiting -= sum(running.stop_at is not None for running in self._running.values())
            for running in ready[: max(waiting, 0)]:
                running.stop_at = time.monotonic()
                self._pool.stop(running.job.id)

    def _order_of(self, claimed: ClaimedRun) -> _Order | None:
        """A claimed run as a job with its file; if that cannot be, the run fails with a word."""
        with self._entry:
            job = self._known.get(claimed.id)
        try:
            if job is None:
                spec = JobSpec.from_json(claimed.spec)
                job = Job(spec, claimed.owner, claimed.lane, id=claimed.id)
                self._known[claimed.id] = job
            return _Order(job, self.store.datasets.path(claimed.owner, claimed.dataset))
        except InputError as error:
            ending = Ending(RunStatus.FAILED, message=str(error))
            if job is None:
                self._recorder.end(claimed.id, ending)
            else:
                self._end(job, JobState.FAILED, str(error))
            return None

    def _run_unrecorded(
        self, specs: Sequence[JobSpec], owner: str, lane: str, error: StorageError
    ) -> list[Job]:
        """Run jobs that could not be entered; without their file they fail with the reason."""
        self._note_problem(error)
        jobs = [Job(spec, owner, lane, recorded=False) for spec in specs]
        for job in jobs:
            try:
                path = self.store.datasets.path(owner, job.spec.dataset)
            except InputError:
                self._end(job, JobState.FAILED, str(error))
                continue
            with self._lock:
                self._known[job.id] = job
                self._orders.append(_Order(job, path))
        self._wake.set()
        return jobs

    # ---- what the pool tells ----

    def on_free(self) -> None:
        """A worker may be free."""
        self._wake.set()

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """A worker says something of its job."""
        with self._lock:
            running = self._running.get(job)
            if running is not None:
                self._take_in(running, message)

    def on_restart(self, job: str) -> None:
        """A job begins anew, since the machine that ran it was lost."""
        with self._lock:
            running = self._running.get(job)
            if running is not None:
                running.stage_at = time.monotonic()
                running.job.stage = Stage.PREPARING
                running.job.progress = []
                running.unwritten |= {"stage", "progress"}

    def on_lost(self, job: str, loss: Loss) -> None:
        """A job's worker has ended before the job, or none has begun it."""
        again: _Order | None = None
        with self._lock:
            running = self._running.get(job)
            if running is None:
                return
            if self._closed.is_set():
                self._interrupt(running)
            elif running.deleted:
                self._end(running.job, JobState.CANCELLED, "This run was deleted.")
            elif running.stop_at is not None and not running.overdue:
                self._end_stopped(running.job)
            elif loss.begun or running.overdue:
                self._end(running.job, JobState.FAILED, _loss_words(running, loss))
            else:
                del self._running[job]
                running.job.state, running.job.started_at = JobState.QUEUED, None
                again = _Order(running.job, running.path)
        if again is not None:
            self._wait_again(again)
        self._wake.set()

    def _wait_again(self, order: _Order) -> None:
        """Put a job that no worker has begun back in its place in the queue."""
        job = order.job
        if job.recorded:
            try:
                if not self.store.queue.put_back(self._server, job.id):
                    self._end(job, JobState.CANCELLED, "This run was deleted.")
                return
            except StorageError as error:
                self._note_problem(error)
        with self._lock:
            self._orders.appendleft(order)

    def on_no_worker(self, reason: str) -> None:
        """Workers cannot be started: tell those who wait instead of keeping them waiting."""
        message = f"No solver process could be started ({reason}): see the server's log."
        with self._lock:
            while self._orders:
                self._end(self._orders.popleft().job, JobState.FAILED, message)
        try:
            while (claimed := self.store.queue.claim(self._server)) is not None:
                order = self._order_of(claimed)
                if order is not None:
                    self._end(order.job, JobState.FAILED, message)
        except StorageError as error:
            self._note_problem(error)

    def _take_in(self, running: _Running, message: dict[str, Any]) -> None:
        kind, job = message["type"], running.job
        if kind == "stage":
            job.stage, running.stage_at = Stage(message["stage"]), time.monotonic()
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
            self._end(job, JobState.DONE, "", message["result"], message["model"])
        else:
            self._end(job, JobState.FAILED, message["message"])

    # ---- how jobs end ----

    def _end_stopped(self, job: Job) -> None:
        """A job that was stopped by force: its best tree so far is its result."""
        if job.best is None:
            self._end(job, JobState.CANCELLED, "Cancelled before a tree was found.")
        else:
            self._end(job, JobState.DONE, "", *kept_result(job.best))

    def _end(
        self,
        job: Job,
        state: JobState,
        message: str,
        result: dict[str, Any] | None = None,
        model: dict[str, Any] | None = None,
    ) -> None:
        with self._lock:
            running = self._running.pop(job.id, None)
            job.result, job.model, job.message = result, model, message
            job.ended_at = now()
            job.state = state
            if not job.recorded or (running is not None and running.deleted):
                return
            self._unwritten[job.id] = job
            if running is not None and result is None:
                self._write(running)
            metrics = metrics_of(job.spec, result, job.seconds)
            self._recorder.end(
                job.id, Ending(RunStatus(state.value), result, model, metrics, message)
            )

    def _interrupt(self, running: _Running) -> None:
        """The server closes while a job runs; its record is settled by `Queue.leave`."""
        job = running.job
        self._write(running)
        self._running.pop(job.id, None)
        job.message, job.ended_at = "The server was closed while this run was running.", now()
        job.state = JobState.INTERRUPTED

    def _write(self, running: _Running) -> None:
        """Hand what is new of a running job to the recorder."""
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

    # ---- stopping ----

    def _stop_here(self, job: Job) -> bool:
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
                    self._end(job, JobState.CANCELLED, "Cancelled before it started.")
                    return True
        return False

    def _enforce(self) -> None:
        """Kill the workers of jobs that run far past what they may."""
        while not self._closed.wait(GLANCE):
            with self._lock:
                late = [r for r in self._running.values() if time.monotonic() > _deadline(r)]
                for running in late:
                    running.overdue = running.stop_at is None
            for running in late:
                self._pool.kill(running.job.id)

    # ---- keeping in touch with the store ----

    def _keep(self) -> None:
        """Write progress, hear what owners want, follow what runs elsewhere."""
        beat_at = time.monotonic()
        while not self._closed.wait(WISHES_EVERY):
            with self._lock:
                for running in self._running.values():
                    self._write(running)
                self._forget_written()
                holding = {*self._running, *self._unwritten}
                holding |= {order.job.id for order in self._orders if order.job.recorded}
            beat = time.monotonic() - beat_at >= HEARTBEAT_EVERY
            try:
                self._hear(holding, beat)
                self._follow()
            except StorageError as error:
                self._note_problem(error)
            if beat:
                beat_at = time.monotonic()

    def _hear(self, holding: set[str], beat: bool) -> None:
        """Learn which runs are to stop, and say that this server lives if it is time to."""
        if not holding and not beat:
            return
        ask = self.store.queue.heartbeat if beat else self.store.queue.wishes
        heard = ask(self._server, holding)
        for run_id in heard.cancel:
            job = self._known.get(run_id)
            if job is not None and not job.is_over:
                self._stop_here(job)
        for run_id in heard.lost:
            self._drop(run_id)

    def _drop(self, run_id: str) -> None:
        """A run was deleted: end it without a trace."""
        with self._lock:
            running = self._running.get(run_id)
            if running is not None and running.job.recorded:
                running.deleted = True
                self._pool.kill(run_id)

    def _forget_written(self) -> None:
        """Endings that are in the store now need not be kept here."""
        waiting = self._recorder.waiting
        self._unwritten = {k: job for k, job in self._unwritten.items() if k in waiting}

    def _follow(self) -> None:
        """Bring jobs that somebody looks at, and that do not run here, up to date."""
        with self._lock:
            here = {*self._running, *(order.job.id for order in self._orders)}
            others = [
                job
                for job in self._known.values()
                if job.recorded and not job.is_over and job.id not in here
            ]
        for owner in {job.owner for job in others}:
            self._refresh(owner, [job for job in others if job.owner == owner])

    def _refresh(self, owner: str, jobs: Sequence[Job]) -> None:
        """Read where jobs are that do not run here."""
        try:
            found = self.store.runs.present(owner, [job.id for job in jobs])
            over = [run_id for run_id, summary in found.items() if summary.is_over]
            records = {r.summary.id: r for r in self.store.runs.get_many(owner, over)}
        except StorageError as error:
            self._note_problem(error)
            return
        except NotFoundError:  # deleted just now: the next look tells
            return
        with self._lock:
            for job in jobs:
                if job.is_over or job.id in self._running:
                    continue
                if any(order.job is job for order in self._orders):
                    continue
                if job.id not in found:
                    job.message, job.ended_at = "This run was deleted.", now()
                    job.state = JobState.CANCELLED
                    continue
                follow(job, found[job.id])
                if job.id in records:
                    fill(job, records[job.id])

    def _know(self, record: RunRecord) -> Job:
        """The job of a record; always the same one while somebody looks at it."""
        with self._lock:
            known = self._known.get(record.summary.id)
            if known is not None and (record.summary.is_over or not known.is_over):
                return known
            if record.summary.id in self._unwritten:
                return self._unwritten[record.summary.id]
            job = job_of(record)
            self._known[job.id] = job
            return job

    def _tidy(self) -> None:
        """Now and at times: mark what dead servers left, apply age limits, wipe."""
        while True:
            try:
                self.store.tidy()
            except StorageError as error:
                self._note_problem(error)
            except Exception:
                log.exception("the store could not be tidied")
            self._wake.set()
            if self._closed.wait(TIDY_EVERY):
                return

    def _ask(self, call: Any) -> None:
        """Ask something of the store that may fail without harm."""
        try:
            call()
        except NotFoundError:
            return
        except StorageError as error:
            self._note_problem(error)

    def _note_problem(self, error: StorageError) -> None:
        log.warning("the store: %s", error)
        self._problem = str(error)


def _deadline(running: _Running) -> float:
    """When a running job loses its worker.

    A job that is asked to stop while it solves has a moment; once the solve has stopped, its best
    tree is worth waiting for.
    """
    if running.job.stage is Stage.FINISHING:
        return running.stage_at + OTHER_WORK_LIMIT
    if running.stop_at is not None:
        return running.stop_at + CANCEL_GRACE
    if running.job.stage.is_solving:
        return running.stage_at + running.job.spec.time_limit + DEADLINE_GRACE
    return running.stage_at + OTHER_WORK_LIMIT


def _loss_words(running: _Running, loss: Loss) -> str:
    """Why a job lost its worker, and what to do."""
    if loss.memory_limit is not None:
        return (
            f"The run needed more memory than a solver process may take "
            f"({loss.memory_limit // 2**20:,} MiB) and was stopped: train again with a smaller "
            "shape, fewer columns or fewer rows, or raise ODT_WORKER_MEMORY."
        )
    if running.overdue:
        limit = (
            f"{DEADLINE_GRACE:g} s after its time limit"
            if running.job.stage.is_solving
            else f"{OTHER_WORK_LIMIT:g} s of {running.job.stage}"
        )
        return (
            f"The run did not end within {limit} and was stopped: train again with a smaller "
            "shape, fewer columns or fewer rows."
        )
    return (
        f"The solver's process ended unexpectedly ({loss.how}): train again, with a smaller shape "
        "or fewer columns if it repeats."
    )
