"""Runs jobs: from the store's queue to a free worker, and what comes of them back into the store.

One manager serves a process. A job is a run in the store from the moment it is asked for, so that
a reloaded page, a second tab or a killed server loses nothing; several managers, in one process or
on several machines, share the queue of one store. Where the store cannot be written the jobs run
all the same, and their results stay in memory.

What the manager has in hand is in `held`; `dispatch` takes it to the workers, `hearing` takes in
what they say, `recording` brings that into the store, `following` keeps up with the store and with
other servers, `deadlines` ends what takes too long.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Sequence

from odt_core.errors import InputError
from odt_core.jobs.batch import Batch
from odt_core.jobs.deadlines import kill_late
from odt_core.jobs.dispatch import Dispatch
from odt_core.jobs.following import Following
from odt_core.jobs.hearing import Hearing
from odt_core.jobs.held import Held
from odt_core.jobs.job import Job, JobState
from odt_core.jobs.local import LocalPool
from odt_core.jobs.memory import worker_memory
from odt_core.jobs.pool import Pool
from odt_core.jobs.recording import Recording
from odt_core.jobs.rounds import Rounds
from odt_core.jobs.runs import new_run
from odt_core.storage import LOCAL_OWNER, RunSummary, StorageError, Store
from odt_core.storage.rows import no_run
from odt_core.worker import JobSpec

WISHES_EVERY = 0.5
"""Seconds between two questions what owners want; progress is written as often."""
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
        self._held = Held()
        self._recording = Recording(store, self._server, self._held)
        rooms = (store, self._server, self._pool, self._held, self._recording)
        self._dispatch = Dispatch(*rooms)
        self._following = Following(*rooms)
        self._pool.start(Hearing(self._held, self._recording, self._dispatch, self._closed))
        self._rounds = Rounds(self._recording, self._closed)
        self._rounds.start("dispatch", self._dispatch.start_all, self._dispatch.wait)
        self._rounds.start("deadlines", lambda: kill_late(self._held, self._pool), GLANCE)
        self._rounds.start("keeper", self._following.keep_in_step, WISHES_EVERY)
        self._rounds.start("tidy", self._tidy, TIDY_EVERY)
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
        return self._recording.problem or self._pool.problem or self._setting

    def unstored(self, job: Job) -> str:
        """Why a job that is over is not in the store yet, in a sentence; empty if it is.

        It is also empty while the first attempt to store the job goes on (see `is_stored`). The job
        stays in memory and is stored as soon as possible.
        """
        return self._recording.unstored(job)

    def is_stored(self, job: Job) -> bool:
        """Whether nothing is left to store of a job that is over.

        Its end is in the store, or it was deleted together with its data set.
        """
        return self._recording.is_stored(job)

    def n_unentered(self, owner: str) -> int:
        """How many of an owner's runs the store does not know of yet."""
        with self._held.lock:
            mine = [batch for batch in self._held.unentered if batch.owner == owner]
        return sum(len(batch.jobs) for batch in mine)

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
        with self._held.entry:
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
        with self._held.entry:
            try:
                summary = self.store.studies.create(owner, study, members)
                records = self.store.studies.members(owner, summary.id)
            except StorageError as error:
                unknown = tuple(Job(spec, owner, lane, recorded=False) for spec in specs)
                batch = Batch(unknown, owner=owner, study=study)
                self._dispatch.run_unrecorded(batch, error)
                return batch
            jobs = [self._following.know(record) for record in records]
        self._dispatch.wake()
        return Batch(tuple(jobs), owner=owner, id=summary.id, began=summary.queued_at)

    def find(self, owner: str, run_id: str) -> Job:
        """A job by its id: the one that runs here, or as the store has it, kept up to date.

        Raises
        ------
        NotFoundError
            If the owner has no such run (or it is another owner's, which is the same).
        """
        job = self._held.known.get(run_id)
        if job is not None and job.owner != owner:
            raise no_run()
        here = self._held.here(run_id)
        if here is not None:
            return here
        try:
            record = self.store.runs.get(owner, run_id)
        except StorageError:
            if job is None:
                raise
            return job
        return self._following.know(record)

    def find_study(self, owner: str, study_id: str) -> Batch:
        """A study's jobs by its id.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        summary = self.store.runs.summary(owner, study_id)
        records = self.store.studies.members(owner, study_id)
        jobs = tuple(self._following.know(record) for record in records)
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
        with self._held.entry:
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
        with self._held.entry:
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
        with self._held.entry:
            self.store.studies.resume(owner, study_id)
            batch = self.find_study(owner, study_id)
        self._dispatch.wake()
        return batch

    def cancel(self, job: Job) -> None:
        """Stop a job; a running one has a moment to hand in its best tree."""
        if not self._following.stop_here(job) and not job.is_over:
            self._recording.ask(lambda: self.store.runs.cancel(job.owner, job.id))
            self._following.refresh(job.owner, [job])

    def cancel_study(self, batch: Batch) -> None:
        """Stop all jobs of a study that are not over."""
        open_jobs = [job for job in batch.jobs if not job.is_over]
        if batch.id is not None and open_jobs:
            study_id = batch.id
            self._recording.ask(lambda: self.store.runs.cancel(batch.owner, study_id))
        # The last first, so that of those that are not in the store none starts meanwhile.
        elsewhere = [job for job in reversed(open_jobs) if not self._following.stop_here(job)]
        if batch.id is not None and elsewhere:
            self._following.refresh(batch.owner, elsewhere)

    def position(self, job: Job) -> int:
        """How many jobs are ahead in the queue; 0 when it runs or is next."""
        if job.state is not JobState.QUEUED:
            return 0
        place = self._held.place(job)
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
        self._rounds.join()
        with self._held.lock:
            for running in list(self._held.running.values()):
                self._recording.interrupt(running)
        if self._recording.close():
            self._recording.ask(lambda: self.store.queue.leave(self._server))

    def _enter(self, spec: JobSpec, summary: RunSummary) -> Job:
        """The job of a run that was just queued."""
        at = summary.queued_at
        job = Job(spec, summary.owner, summary.lane, id=summary.id, queued_at=at)
        self._held.known[job.id] = job
        return job

    def _tidy(self) -> None:
        """Mark what dead servers left, apply age limits, wipe."""
        self.store.tidy()
        self._dispatch.wake()
