"""How far jobs are and how they end: in memory at once, in the store as soon as it can be."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from odt_core.jobs.held import Held, Running
from odt_core.jobs.job import Job, JobState, now
from odt_core.jobs.runs import kept_result, metrics_of, points_to_json
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
        self._held = held
        self._recorder = Recorder(store.queue, server)
        self._problem = ""

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
            held.unwritten[job.id] = job
            if running is not None and result is None:
                self.write(running)
            metrics = metrics_of(job.spec, result, job.seconds)
            self._recorder.end(
                job.id, Ending(RunStatus(state.value), result, model, metrics, message)
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
