"""Runs jobs: from the store's queue to a free worker, and what comes of them back into the store.

One manager serves a process. A job is a run in the store from the moment it is asked for, so that
a reloaded page, a second tab or a killed server loses nothing; several managers, in one process or
on several machines, share the queue of one store. Where the store cannot be written the jobs run
all the same, and their results stay in memory.

`ServerJobs` is what the manager has in hand. `Dispatch` takes it to the workers.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from odt_core.errors import InputError
from odt_core.jobs.dispatch import Dispatch
from odt_core.jobs.job import Batch, Job
from odt_core.jobs.local import LocalPool, worker_memory
from odt_core.jobs.pool import Pool
from odt_core.jobs.runs import new_run
from odt_core.jobs.server_jobs import ServerJobs
from odt_core.jobs.threads import ServiceThreads
from odt_core.storage import (
    LOCAL_OWNER,
    NotFoundError,
    RunStatus,
    RunSummary,
    StorageError,
    Store,
)
from odt_core.storage.rows import no_run
from odt_core.worker import JobSpec

WISHES_EVERY = 0.5
"""Seconds between two questions what owners want; progress is written as often."""
HEARTBEAT_EVERY = 5.0
"""Seconds between two signs of life to other servers."""
TIDY_EVERY = 30.0
GLANCE = 0.05
"""Seconds between two looks at deadlines."""


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
        self._closed = threading.Event()
        self._beat_at = time.monotonic()
        self._jobs = ServerJobs(store, self._server, self._pool)
        self._dispatch = Dispatch(store, self._server, self._pool, self._jobs)
        self._pool.start(self._dispatch)
        self._threads = ServiceThreads(self._jobs, self._closed)
        self._threads.start("dispatch", self._dispatch.start_all, self._dispatch.wait)
        self._threads.start("deadlines", self._jobs.kill_late, GLANCE)
        self._threads.start("keeper", self._keep_in_step, WISHES_EVERY)
        self._threads.start("tidy", self._tidy, TIDY_EVERY)
        atexit.register(self.close)

    def _make_pool(self, n_workers: int, memory_limit: int | None) -> Pool:
        """The cluster that ``ODT_DASK_SCHEDULER`` names, else processes of this machine."""
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

    # ---- what owners ask for ----

    @property
    def problem(self) -> str:
        """What is wrong with the store (or a setting), in a sentence; empty when all is well.

        Results stay in memory meanwhile, and on the screen.
        """
        return self._jobs.problem or self._pool.problem or self._setting

    def unstored(self, job: Job) -> str:
        """Why a job that is over is not in the store yet, in a sentence; empty if it is.

        It is also empty while the first attempt to store the job goes on (see `is_stored`). The job
        stays in memory and is stored as soon as possible.
        """
        return self._jobs.unstored(job)

    def is_stored(self, job: Job) -> bool:
        """Whether nothing is left to store of a job that is over.

        Its end is in the store, or it was deleted together with its data set.
        """
        return self._jobs.is_stored(job)

    def n_unentered(self, owner: str) -> int:
        """How many of an owner's runs the store does not know of yet."""
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
        with self._jobs.entry:
            try:
                summary = self.store.studies.create(owner, study, members)
                records = self.store.studies.members(owner, summary.id)
            except StorageError as error:
                unknown = tuple(Job(spec, owner, lane, recorded=False) for spec in specs)
                batch = Batch(unknown, owner=owner, study=study)
                self._dispatch.run_unrecorded(batch, error)
                return batch
            jobs = [self._jobs.know(record) for record in records]
        self._dispatch.wake()
        return Batch(tuple(jobs), owner=owner, id=summary.id, began=summary.queued_at)

    def find(self, owner: str, run_id: str) -> Job:
        """A job by its id: the one that runs here, or as the store has it, kept up to date.

        Raises
        ------
        NotFoundError
            If the owner has no such run (or it is another owner's, which is the same).
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
        """A study's jobs by its id.

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
        """Queue a run again, from its record alone. A study: `rerun_study`.

        Raises
        ------
        NotFoundError
            If the owner has no such run, or its data set is not stored.
        InputError
            If it was made by a version of the program whose settings this one cannot read.
        """
        spec = JobSpec.from_json(self.store.runs.get(owner, run_id).spec)
        with self._jobs.entry:
            summary = self.store.runs.rerun(owner, run_id, lane)
            job = self._enter(spec, summary)
        self._dispatch.wake()
        return job

    def rerun_study(self, owner: str, study_id: str) -> Batch:
        """Queue a study again with all its runs.

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
        """Queue those of a study's runs again that were interrupted, cancelled or failed.

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
        """Stop a job; a running one has a moment to hand in its best tree."""
        if not self._jobs.stop(job) and not job.is_over:
            self._jobs.ask(lambda: self.store.runs.cancel(job.owner, job.id))
            self._refresh(job.owner, [job])

    def cancel_study(self, batch: Batch) -> None:
        """Stop all jobs of a study that are not over."""
        open_jobs = [job for job in batch.jobs if not job.is_over]
        if batch.id is not None and open_jobs:
            study_id = batch.id
            self._jobs.ask(lambda: self.store.runs.cancel(batch.owner, study_id))
        # The last first, so that of those that are not in the store none starts meanwhile.
        elsewhere = [job for job in reversed(open_jobs) if not self._jobs.stop(job)]
        if batch.id is not None and elsewhere:
            self._refresh(batch.owner, elsewhere)

    def position(self, job: Job) -> int:
        """How many jobs are ahead in the queue; 0 when it runs or is next."""
        if job.status is not RunStatus.QUEUED:
            return 0
        place = self._jobs.place(job)
        if place is not None:
            return place
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
        self._dispatch.close()
        self._pool.close()
        self._threads.join()
        if self._jobs.close():
            self._jobs.ask(lambda: self.store.queue.leave(self._server))

    def _enter(self, spec: JobSpec, summary: RunSummary) -> Job:
        """The job of a run that was just queued."""
        at = summary.queued_at
        return self._jobs.add(Job(spec, summary.owner, summary.lane, id=summary.id, queued_at=at))

    def _tidy(self) -> None:
        """Mark what dead servers left, apply age limits, wipe."""
        self.store.tidy()
        self._dispatch.wake()

    def _keep_in_step(self) -> None:
        """Write progress, hear what owners want, follow what runs elsewhere, enter the unstored.

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
        self._hear_wishes(self._jobs.claimed(), is_beat)
        others = self._jobs.elsewhere()
        for owner in {job.owner for job in others}:
            self._refresh(owner, [job for job in others if job.owner == owner])
        self._jobs.enter_all()

    def _hear_wishes(self, claimed: set[str], is_beat: bool) -> None:
        """Learn which runs are to stop, and say that this server lives if it is time to."""
        if not claimed and not is_beat:
            return
        ask = self.store.queue.heartbeat if is_beat else self.store.queue.wishes
        heard = ask(self._server, claimed)
        for run_id in heard.cancel:
            job = self._jobs.get(run_id)
            if job is not None and not job.is_over:
                self._jobs.stop(job)
        for run_id in heard.lost:
            self._jobs.drop(run_id)

    def _refresh(self, owner: str, jobs: Sequence[Job]) -> None:
        """Read where jobs are that do not run here."""
        try:
            found = self.store.runs.present(owner, [job.id for job in jobs])
            over = [run_id for run_id, summary in found.items() if summary.is_over]
            records = {r.summary.id: r for r in self.store.runs.get_many(owner, over)}
        except StorageError as error:
            self._jobs.note_problem(error)
        except NotFoundError:  # deleted just now: the next look tells
            return
        else:
            self._jobs.follow(jobs, found, records)


@contextmanager
def unkept_manager(n_workers: int) -> Iterator[JobManager]:
    """A manager for one command: its store is in memory, and all of it is gone afterwards.

    Parameters
    ----------
    n_workers : int
        How many jobs run at once.
    """
    with tempfile.TemporaryDirectory(prefix="odt-memory-") as folder:
        store = Store("sqlite://", Path(folder))
        manager = JobManager(store, n_workers)
        try:
            yield manager
        finally:
            manager.close()
            store.close()
