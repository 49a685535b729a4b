"""Writing a server's runs into the store, without making the server wait or losing a result.

A full disk or an unreachable database must not cost a result that took an hour, and must not block
the server. So a thread writes. Anything that cannot be written stays in memory, together with the
reason, and is tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Unpack

from odt_core.storage.errors import StorageError
from odt_core.storage.queue import Queue
from odt_core.storage.records import Ending, Progress, RunStatus

RETRY_EVERY = 2.0
"""Seconds between two attempts to write to a database that failed."""

log = logging.getLogger("odt_core.storage.recorder")


class Recorder:
    """Writes one server's runs. No call waits for the database or raises its errors.

    Parameters
    ----------
    server : str
        From `Queue.register`.
    retry_every : float
        See `RETRY_EVERY`.
    """

    def __init__(self, queue: Queue, server: str, retry_every: float = RETRY_EVERY) -> None:
        self._queue = queue
        self._server = server
        self._retry_every = retry_every
        self._changed = threading.Condition()
        self._unwritten: dict[str, Progress] = {}
        self._endings: dict[str, Ending] = {}
        self._problem = ""
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True, name="odt-recorder")
        self._thread.start()

    @property
    def problem(self) -> str:
        """One sentence for the user on why the last write failed; empty when all is well."""
        return self._problem

    @property
    def waiting(self) -> dict[str, Ending]:
        """Endings by run that are not written yet; pages can still show their results."""
        with self._changed:
            return dict(self._endings)

    def progress(self, run_id: str, **changes: Unpack[Progress]) -> None:
        """Write a run's progress soon; see `Queue.record_progress`.

        If several points wait to be written, only the newest values are written.
        """
        with self._changed:
            self._unwritten[run_id] = {**self._unwritten.get(run_id, {}), **changes}
            self._changed.notify_all()

    def end(self, run_id: str, ending: Ending) -> None:
        """Write soon how a run ended, or keep it until it can be written."""
        with self._changed:
            if ending.result is not None:  # the result includes the last points
                self._unwritten.pop(run_id, None)
            self._endings[run_id] = ending
            self._changed.notify_all()

    def flush(self, timeout: float) -> bool:
        """Wait until everything is written, a write fails, or the time is over.

        Returns
        -------
        bool
            Whether everything is written.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            self._problem = ""
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: not self._has_work() or self._problem, deadline - time.monotonic()
            )
            return not self._has_work()

    def close(self, timeout: float = 10.0) -> bool:
        """Write what can be written and end the thread; true if everything was written."""
        written = self.flush(timeout)
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(timeout)
        return written

    def _has_work(self) -> bool:
        return bool(self._unwritten or self._endings)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._has_work() or self._closed)
                if self._closed:
                    return
                run_id = next(iter(self._unwritten or self._endings))
                progress, ending = self._unwritten.get(run_id), self._endings.get(run_id)
            problem = self._write(run_id, progress, ending)
            with self._changed:
                self._problem = problem
                self._changed.notify_all()
                if problem:
                    self._changed.wait(self._retry_every)

    def _write(self, run_id: str, progress: Progress | None, ending: Ending | None) -> str:
        """Write a run's last progress and ending. Returns the reason if it must be tried again."""
        try:
            if progress is not None:
                self._queue.record_progress(self._server, run_id, **progress)
            if ending is not None:
                self._queue.end(self._server, run_id, ending)
        except StorageError as error:
            return str(error)
        except Exception as error:
            # Not the database's fault, so another try would fail too. The run fails, others go on.
            log.exception("run %s cannot be recorded", run_id)
            self._give_up(run_id, error)
        with self._changed:
            if self._unwritten.get(run_id) is progress:
                self._unwritten.pop(run_id, None)
            if self._endings.get(run_id) is ending:
                self._endings.pop(run_id, None)
        return ""

    def _give_up(self, run_id: str, error: Exception) -> None:
        reason = " ".join(str(error).split())[:200]
        message = f"The run ended, but its result cannot be recorded ({reason})."
        with self._changed:
            ending = self._endings.pop(run_id, None)
            if ending is not None and (ending.result is not None or ending.model is not None):
                self._endings[run_id] = Ending(RunStatus.FAILED, message=message)
