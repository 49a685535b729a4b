"""The job manager: takes runs from the store's queue to free workers, and stores what they find.

Each process has one manager. A job is a run in the store from the moment of the request. So a page
that is reloaded, a second tab or a killed server loses nothing. Several managers, in one process or
on several machines, share the queue of one store. If the store cannot be written, the jobs still
run, and their results stay in memory.

`ServerJobs` holds the manager's jobs in memory. `Dispatch` gives them to the workers.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from odt_core.errors import InputError
from odt_core.jobs.dispatch import Dispatch
from odt_core.jobs.job import Batch, Job, new_run
from odt_core.jobs.pool import LocalPool, Pool, worker_memory
from odt_core.jobs.server_jobs import ServerJobs
from odt_core.storage import (
    LOCAL_OWNER,
    NotFoundError,
    RunStatus,
    RunSummary,
    StorageError,
    Store,
)
from odt_core.storage.rows import no_run
from odt_core.worker.messages import JobSpec

REQUESTS_EVERY = 0.5
"""Seconds between two checks for owners' requests. Progress is written as often."""
HEARTBEAT_EVERY = 5.0
"""Seconds between two heartbeats, which tell other servers that this one lives."""
TIDY_EVERY = 30.0
GLANCE = 0.05
"""Seconds between two checks of deadlines."""
RETRY_EVERY = 2.0
"""Seconds until a task that failed is tried again."""
LAST_ROUND = 5.0
"""Seconds that a task may still take once the server ends."""


class ServiceThreads:
    """The manager's threads.

    If the store fails, or this program makes a mistake, the task is tried again later and the
    thread lives on. Without the thread, all runs would stand still, and nobody would know why.

    Parameters
    ----------
    jobs : ServerJobs
        Its `problem` says what failed.
    closed : threading.Event
        Set when the server ends.
    """

    def __init__(self, jobs: ServerJobs, closed: threading.Event) -> None:
        self._jobs = jobs
        self._closed = closed
        self._threads: list[threading.Thread] = []

    def start(
        self, name: str, task: Callable[[], object], pause: Callable[[], object] | float
    ) -> None:
        """Start a thread.

        Parameters
        ----------
        name : str
            What the thread does, in one word.
        task : callable
            What the thread repeats.
        pause : callable or float
            Waits until the task is due again; or the seconds between two repetitions.
        """
        seconds = pause if isinstance(pause, float) else None
        wait = pause if callable(pause) else lambda: self._closed.wait(seconds)
        thread = threading.Thread(
            target=self._repeat, args=(task, wait), daemon=True, name=f"odt-{name}"
        )
        self._threads.append(thread)
        thread.start()

    def join(self) -> None:
        """Wait until all tasks have ended."""
        for thread in self._threads:
            thread.join(LAST_ROUND)

    def _repeat(self, task: Callable[[], object], wait: Callable[[], object]) -> None:
        while not self._closed.is_set():
            try:
                task()
            except StorageError as error:
                self._jobs.note_problem(error)
                self._closed.wait(RETRY_EVERY)
            except Exception as error:
                self._jobs.note_unexpected(error)
                self._closed.wait(RETRY_EVERY)
            wait()


class JobManager:
    """Runs jobs on warm worker processes.

    Parameters
    ----------
    store : Store
        Holds the data sets and runs.
    n_workers : int
        How many jobs run at the same time on this machine.
    memory_limit : int, optional
        Memory limit of a worker, in bytes. By default it is ``ODT_WORKER_MEMORY`` (MiB) or a
        share of the machine's memory. A job that needs more ends with a message; others go on.
    pool : Pool, optional
        The workers. By default the Dask cluster that ``ODT_DASK_SCHEDULER`` names, or processes
        of this machine.

    Attributes
    ----------
    store : Store
        The store that was given.
    pool : Pool
        The workers.

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
        self.pool = pool or self._make_pool(n_workers, memory_limit)
        self._server = store.queue.register()
        self._closed = threading.Event()
        self._beat_at = time.monotonic()
        self._jobs = ServerJobs(store, self._server, self.pool)
        self._dispatch = Dispatch(store, self._server, self.pool, self._jobs)
        self.pool.start(self._dispatch)
        self._threads = ServiceThreads(self._jobs, self._closed)
        self._threads.start("dispatch", self._dispatch.start_all, self._dispatch.wait)
        self._threads.start("deadlines", self._jobs.kill_overdue, GLANCE)
        self._threads.start("keeper", self._synchronise, REQUESTS_EVERY)
        self._threads.start("tidy", self._tidy, TIDY_EVERY)
        atexit.register(self.close)

    def _make_pool(self, n_workers: int, memory_limit: int | None) -> Pool:
        """Make the pool: the cluster of ``ODT_DASK_SCHEDULER``, or processes of this machine."""
        scheduler = os.environ.get("ODT_DASK_SCHEDULER", "").strip()
        if scheduler:
            from odt_core.jobs.cluster import pool_from_environment  # importing Dask is slow

            try:
                return pool_from_environment(scheduler)
            except InputError as error:
                self._setting = f"{error} Runs are made on this machine meanwhile."
        if memory_limit is None:
            try:
                memory_limit = worker_memory(n_workers)
            except InputError as error:
                self._setting = self._setting or str(error)
        return LocalPool(n_workers, memory_limit)

    # ---- requests of owners ----

    @property
    def problem(self) -> str:
        """One sentence on what is wrong with the store or a setting; empty when all is well.

        Meanwhile results stay in memory, and pages show them.
        """
        return self._jobs.problem or self.pool.problem or self._setting

    def unstored(self, job: Job) -> str:
        """One sentence on why an ended job is not in the store yet; empty if it is stored.

        It is also empty while the first attempt to store the job goes on (see `is_stored`). The job
        stays in memory and is stored as soon as possible.
        """
        return self._jobs.unstored(job)

    def is_stored(self, job: Job) -> bool:
        """Whether an ended job has nothing left to store.

        That is so if its end is in the store, or if it was deleted together with its data set.
        """
        return self._jobs.is_stored(job)

    def n_unentered(self, owner: str) -> int:
        """Count an owner's runs that the store has not entered yet."""
        return self._jobs.n_unentered(owner)

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

        Owners take turns, and the lanes of one owner take turns (see `odt_core.storage.turns`). So
        a study of many jobs does not keep a single job waiting.

        Parameters
        ----------
        spec : JobSpec
            What the job does, and on which data.
        owner : str
            The owner's id.
        lane : str
            Jobs of one lane start in order: a browser session, or anything else that takes turns.
        name : str
            The user's name for it; may be empty.
        rerun_of : str, optional
            The run that this one repeats, perhaps with changes.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        run = new_run(spec, name=name, lane=lane, rerun_of=rerun_of)
        with self._jobs.entry:
            try:
                summary = self.store.runs.create(owner, run)
            except StorageError as error:
                job = Job(spec, owner, lane, recorded=False, name=name, rerun_of=rerun_of)
                self._dispatch.run_unrecorded(Batch((job,), owner=owner), error)
                return job
            job = self._enter(spec, summary)
        self._dispatch.wake()
        return job

    def submit_study(
        self, specs: Sequence[JobSpec], *, owner: str = LOCAL_OWNER, name: str = ""
    ) -> Batch:
        """Queue the jobs of a study. They get a lane of their own.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        InputError
            If there are no jobs, or too many.
        """
        members = [new_run(spec) for spec in specs]
        if not members:
            raise InputError("The study has no runs: choose at least one level, shape or repeat.")
        study = new_run(specs[0], name=name)
        with self._jobs.entry:
            try:
                summary = self.store.studies.create(owner, study, members)
                records = self.store.studies.members(owner, summary.id)
            except StorageError as error:
                unknown = tuple(Job(spec, owner, recorded=False) for spec in specs)
                batch = Batch(unknown, owner=owner, study=study)
                self._dispatch.run_unrecorded(batch, error)
                return batch
            jobs = [self._jobs.know(record) for record in records]
        self._dispatch.wake()
        return Batch(tuple(jobs), owner=owner, id=summary.id, began=summary.queued_at)

    def find(self, owner: str, run_id: str) -> Job:
        """Find a job by its id, wherever it runs. The manager keeps it up to date.

        Raises
        ------
        NotFoundError
            If the owner has no such run. Another owner's run counts as none.
        """
        job = self._jobs.get(run_id)
        if job is not None and job.owner != owner:
            raise no_run()
        here = self._jobs.here(run_id)
        if here is not None:
            return here
        try:
            record = self.store.runs.get(owner, run_id)
        except StorageError:
            if job is None:
                raise
            return job
        return self._jobs.know(record)

    def find_study(self, owner: str, study_id: str) -> Batch:
        """Find a study's jobs by the study's id.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        summary = self.store.runs.summary(owner, study_id)
        records = self.store.studies.members(owner, study_id)
        jobs = tuple(self._jobs.know(record) for record in records)
        return Batch(jobs, owner=owner, id=study_id, began=summary.queued_at)

    def rerun(self, owner: str, run_id: str, lane: str = "") -> Job:
        """Queue a run again, from its record alone. For a study, see `rerun_study`.

        Raises
        ------
        NotFoundError
            If the owner has no such run, or its data set is not stored.
        InputError
            If another version of the program made it, and this one cannot read its settings.
        """
        spec = JobSpec.from_json(self.store.runs.get(owner, run_id).spec)
        with self._jobs.entry:
            summary = self.store.runs.rerun(owner, run_id, lane)
            job = self._enter(spec, summary)
        self._dispatch.wake()
        return job

    def rerun_study(self, owner: str, study_id: str) -> Batch:
        """Queue a study again, with all its runs.

        Raises
        ------
        NotFoundError
            If the owner has no such study, or its data set is not stored.
        """
        with self._jobs.entry:
            summary = self.store.studies.rerun(owner, study_id)
            batch = self.find_study(owner, summary.id)
        self._dispatch.wake()
        return batch

    def resume_study(self, owner: str, study_id: str) -> Batch:
        """Queue a study's interrupted, cancelled and failed runs again.

        Raises
        ------
        NotFoundError
            If the owner has no such study, or its data set is not stored.
        """
        with self._jobs.entry:
            self.store.studies.resume(owner, study_id)
            batch = self.find_study(owner, study_id)
        self._dispatch.wake()
        return batch

    def cancel(self, job: Job) -> None:
        """Stop a job. A running job gets a moment to return its best tree."""
        if not self._jobs.stop(job) and not job.is_over:
            self._jobs.ask(lambda: self.store.runs.cancel(job.owner, job.id))
            self._refresh(job.owner, [job])

    def cancel_study(self, batch: Batch) -> None:
        """Stop all jobs of a study that are not over."""
        open_jobs = [job for job in batch.jobs if not job.is_over]
        if batch.id is not None and open_jobs:
            study_id = batch.id
            self._jobs.ask(lambda: self.store.runs.cancel(batch.owner, study_id))
        # Stop the last job first. Otherwise a job that waits here could start in the meantime.
        elsewhere = [job for job in reversed(open_jobs) if not self._jobs.stop(job)]
        if batch.id is not None and elsewhere:
            self._refresh(batch.owner, elsewhere)

    def position(self, job: Job) -> int:
        """Count the jobs ahead of a job in the queue; 0 if it does not wait or is next."""
        if job.status is not RunStatus.QUEUED:
            return 0
        place = self._jobs.place(job)
        if place is not None:
            return place
        try:
            return self.store.queue.position(job.owner, job.id)
        except InputError:  # deleted, or the store is away: the job's status will say so
            return 0

    def close(self) -> None:
        """End the workers. Running jobs become interrupted; waiting jobs stay in the queue."""
        if self._closed.is_set():
            return
        self._closed.set()
        atexit.unregister(self.close)
        self._dispatch.close()
        self.pool.close()
        self._threads.join()
        if self._jobs.close():
            self._jobs.ask(lambda: self.store.queue.leave(self._server))

    def _enter(self, spec: JobSpec, summary: RunSummary) -> Job:
        """Make the job of a run that was just queued."""
        at = summary.queued_at
        return self._jobs.add(Job(spec, summary.owner, summary.lane, id=summary.id, queued_at=at))

    def _tidy(self) -> None:
        """Mark runs of dead servers, apply age limits, and wipe deleted data."""
        self.store.tidy()
        self._dispatch.wake()

    def _synchronise(self) -> None:
        """Write progress, read requests, follow jobs elsewhere, and enter jobs not yet stored.

        Raises
        ------
        StorageError
            If the store does not answer.
        """
        self.store.queue.say_alive(self._server)
        self._jobs.write_progress()
        is_beat = time.monotonic() - self._beat_at >= HEARTBEAT_EVERY
        if is_beat:
            self._beat_at = time.monotonic()
        self._read_requests(self._jobs.claimed(), is_beat)
        others = self._jobs.not_here()
        for owner in {job.owner for job in others}:
            self._refresh(owner, [job for job in others if job.owner == owner])
        self._jobs.enter_all()

    def _read_requests(self, claimed: set[str], is_beat: bool) -> None:
        """Read which runs are to stop. When a heartbeat is due, also say that this server lives."""
        if not claimed and not is_beat:
            return
        ask = self.store.queue.heartbeat if is_beat else self.store.queue.requests
        requests = ask(self._server, claimed)
        for run_id in requests.cancel:
            job = self._jobs.get(run_id)
            if job is not None and not job.is_over:
                self._jobs.stop(job)
        for run_id in requests.lost:
            self._jobs.drop(run_id)

    def _refresh(self, owner: str, jobs: Sequence[Job]) -> None:
        """Read the state of jobs that do not run here."""
        try:
            found = self.store.runs.present(owner, [job.id for job in jobs])
            over = [run_id for run_id, summary in found.items() if summary.is_over]
            records = {r.summary.id: r for r in self.store.runs.get_many(owner, over)}
        except StorageError as error:
            self._jobs.note_problem(error)
        except NotFoundError:  # deleted just now: the next call sees that
            return
        else:
            self._jobs.follow(jobs, found, records)


@contextmanager
def temporary_manager(n_workers: int) -> Iterator[JobManager]:
    """Make a manager for one command. Its store is in memory and ends with the command.

    Parameters
    ----------
    n_workers : int
        How many jobs run at the same time.
    """
    with tempfile.TemporaryDirectory(prefix="odt-memory-") as folder:
        store = Store("sqlite://", Path(folder))
        manager = JobManager(store, n_workers)
        try:
            yield manager
        finally:
            manager.close()
            store.close()
