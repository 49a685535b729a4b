"""How far jobs are and how they end: in memory at once, in the store as soon as it can be."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from odt_core.jobs.batch import Batch
from odt_core.jobs.held import Held, Running
from odt_core.jobs.job import Job, JobState, now
from odt_core.jobs.runs import kept_result, metrics_of, points_to_json, run_of
from odt_core.storage import (
    Ending,
    NotFoundError,
    Recorder,
    RunStatus,
    StorageError,
    Store,
)

log = logging.getLogger("odt_core.jobs.recording")


class Recording:
    """Ends jobs and writes down what happens to them; no call waits for the store.

    Parameters
    ----------
    store : Store
        Where runs are kept.
    server : str
        This server's id in the queue.
    held : Held
        Its jobs.
    """

    def __init__(self, store: Store, server: str, held: Held) -> None:
        self._store = store
        self._server = server
        self._held = held
        self._recorder = Recorder(store.queue, server)
        self._problem = ""
        self._why_unentered = ""

    @property
    def problem(self) -> str:
        """What is wrong with the store, in a sentence; empty when all is well."""
        return self._store.problem or self._recorder.problem or self._problem

    def note_problem(self, error: StorageError) -> None:
        """The store failed; said until it answers again."""
        log.warning("the store: %s", error)
        self._problem = str(error)

    def note_surprise(self, error: Exception) -> None:
        """Something failed that should not; said until the queue is served again."""
        log.error("what must not happen", exc_info=error)
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

    # ---- how far they are ----

    def write(self, running: Running) -> None:
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

    def write_all(self) -> None:
        """The same for all that run; endings that are in the store by now are let go of."""
        with self._held.lock:
            for running in self._held.running.values():
                self.write(running)
            waiting, unwritten = self._recorder.waiting, self._held.unwritten
            self._held.unwritten = {k: job for k, job in unwritten.items() if k in waiting}

    # ---- what the store does not know of ----

    def enter_all(self) -> None:
        """Enter the jobs that could not be entered when they were asked for.

        Raises
        ------
        StorageError
            If the store still cannot be written.
        """
        with self._held.lock:
            ready = [batch for batch in self._held.unentered if _has_begun(batch)]
        for batch in ready:
            try:
                self._enter(batch)
            except StorageError as error:
                self.note_unentered(error)
                raise

    def note_unentered(self, error: StorageError) -> None:
        """A job could not be entered."""
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
        with self._held.lock:
            for job in batch.jobs:
                job.recorded = True  # a deleted job has nothing left to store
                if job.is_over and not is_deleted:
                    self._record_end(job)
            self._held.unentered.remove(batch)
            batch.id, batch.study = study_id, None

    def is_stored(self, job: Job) -> bool:
        """Whether nothing is left to store of a job that is over.

        Its end is in the store, or it was deleted together with its data set.
        """
        with self._held.lock:
            return job.recorded and job.id not in self._recorder.waiting

    def unstored(self, job: Job) -> str:
        """Why a job that is over is not in the store, in a sentence; empty if it is.

        It is also empty while the first attempt to store the job goes on (see `is_stored`).
        """
        with self._held.lock:
            if not job.is_over or self.is_stored(job):
                return ""
            return self.problem if job.recorded else self._why_unentered

    # ---- how they end ----

    def end(
        self,
        job: Job,
        state: JobState,
        message: str,
        result: dict[str, Any] | None = None,
        model: dict[str, Any] | None = None,
    ) -> None:
        """A job is over."""
        held = self._held
        with held.lock:
            running = held.running.pop(job.id, None)
            job.result, job.model, job.message = result, model, message
            job.ended_at = now()
            job.state = state
            if not job.recorded or (running is not None and running.deleted):
                return
            if running is not None and result is None:
                self.write(running)
            self._record_end(job)

    def _record_end(self, job: Job) -> None:
        """Hand a job's ending to the recorder."""
        self._held.unwritten[job.id] = job
        metrics = metrics_of(job.spec, job.result, job.seconds)
        status = RunStatus(job.state.value)
        self._recorder.end(
            job.id, Ending(status, job.result, job.model, metrics, job.message, job.ended_at)
        )

    def end_stopped(self, job: Job) -> None:
        """A job was stopped by force: its best tree so far is its result."""
        if job.best is None:
            self.end(job, JobState.CANCELLED, "Cancelled before a tree was found.")
        else:
            self.end(job, JobState.DONE, "", *kept_result(job.best))

    def fail_unread(self, run_id: str, message: str) -> None:
        """A claimed run cannot even be read."""
        self._recorder.end(run_id, Ending(RunStatus.FAILED, message=message))

    def interrupt(self, running: Running) -> None:
        """The server closes while a job runs; its record is settled by `Queue.leave`."""
        job = running.job
        self.write(running)
        self._held.running.pop(job.id, None)
        job.message, job.ended_at = "The server was closed while this run was running.", now()
        job.state = JobState.INTERRUPTED

    def close(self) -> bool:
        """Write what can be written; whether everything was."""
        return self._recorder.close()


def _has_begun(batch: Batch) -> bool:
    """Whether the store can take over jobs: none of them waits for a worker here."""
    return all(job.state is not JobState.QUEUED for job in batch.jobs)
