"""What a pool tells of its workers and jobs, and what follows from it."""

from __future__ import annotations

import threading
import time
from typing import Any

from odt_core.jobs.deadlines import loss_words
from odt_core.jobs.dispatch import Dispatch
from odt_core.jobs.held import Held, Order, Running
from odt_core.jobs.job import JobState
from odt_core.jobs.pool import Loss
from odt_core.jobs.recording import Recording
from odt_core.solution import TracePoint
from odt_core.training.progress import Stage


class Hearing:
    """The manager's ear: see `odt_core.jobs.pool.Listener`.

    Parameters
    ----------
    held : Held
        This server's jobs.
    recording : Recording
        For what they bring.
    dispatch : Dispatch
        For free workers, and for jobs that must wait again.
    closed : threading.Event
        Set when the server ends.
    """

    def __init__(
        self, held: Held, recording: Recording, dispatch: Dispatch, closed: threading.Event
    ) -> None:
        self._held = held
        self._recording = recording
        self._dispatch = dispatch
        self._closed = closed

    def on_free(self) -> None:
        """A worker may be free."""
        self._dispatch.wake()

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """A worker says something of its job."""
        with self._held.lock:
            running = self._held.running.get(job)
            if running is not None:
                self._take_in(running, message)

    def on_restart(self, job: str) -> None:
        """A job begins anew, since the machine that ran it was lost."""
        with self._held.lock:
            running = self._held.running.get(job)
            if running is not None:
                running.stage_at = time.monotonic()
                running.job.stage = Stage.PREPARING
                running.job.progress = []
                running.unwritten |= {"stage", "progress"}

    def on_lost(self, job: str, loss: Loss) -> None:
        """A job's worker has ended before the job, or none has begun it."""
        again: Order | None = None
        with self._held.lock:
            running = self._held.running.get(job)
            if running is None:
                return
            if self._closed.is_set():
                self._recording.interrupt(running)
            elif running.deleted:
                self._recording.end(running.job, JobState.CANCELLED, "This run was deleted.")
            elif running.stop_at is not None and not running.overdue:
                self._recording.end_stopped(running.job)
            elif loss.begun or running.overdue:
                self._recording.end(running.job, JobState.FAILED, loss_words(running, loss))
            else:
                del self._held.running[job]
                running.job.state, running.job.started_at = JobState.QUEUED, None
                again = Order(running.job, running.path)
        if again is not None:
            self._dispatch.wait_again(again)
        self._dispatch.wake()

    def on_no_worker(self, reason: str) -> None:
        """Workers cannot be started."""
        self._dispatch.fail_all(
            f"No solver process could be started ({reason}): see the server's log."
        )

    def _take_in(self, running: Running, message: dict[str, Any]) -> None:
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
            self._recording.end(job, JobState.DONE, "", message["result"], message["model"])
        else:
            self._recording.end(job, JobState.FAILED, message["message"])
