"""Writes what happens to a server's runs, and loses nothing when it cannot.

A disk that is full or a database that is away must not cost a result that took an hour: what
cannot be written stays in memory, with the reason, and is tried again.
"""

from __future__ import annotations

import threading
from typing import Any

from odt_core.storage.errors import StorageError
from odt_core.storage.queue import Queue
from odt_core.storage.records import Ending, Json


class Recorder:
    """The queue's writer for one server; no method raises `StorageError`.

    Parameters
    ----------
    queue : Queue
        The queue.
    server : str
        From `Queue.register`.

    Attributes
    ----------
    problem : str
        Why the last write failed, in a sentence for the user; empty when all is well.
    """

    def __init__(self, queue: Queue, server: str) -> None:
        self._queue = queue
        self._server = server
        self._lock = threading.Lock()
        self._waiting: dict[str, Ending] = {}
        self.problem = ""

    @property
    def waiting(self) -> dict[str, Ending]:
        """Endings that are not written yet, by run."""
        with self._lock:
            return dict(self._waiting)

    def progress(
        self,
        run_id: str,
        *,
        stage: str | None = None,
        progress: Json | None = None,
        best: Json | None = None,
        trace: list[Any] | None = None,
    ) -> bool:
        """Write how far a run is, see `Queue.record_progress`; the next point makes up for it.

        Returns
        -------
        bool
            Whether it was written.
        """
        try:
            written = self._queue.record_progress(
                self._server, run_id, stage=stage, progress=progress, best=best, trace=trace
            )
        except StorageError as error:
            self.problem = str(error)
            return False
        self.problem = ""
        return written

    def end(self, run_id: str, ending: Ending) -> bool:
        """Write how a run ended, or keep it until it can be written.

        Returns
        -------
        bool
            Whether it is written; if not, `problem` says why and `retry` tries again. Also false
            if the run was deleted: then nothing is kept.
        """
        with self._lock:
            self._waiting[run_id] = ending
            return self._write(run_id, ending)

    def retry(self) -> int:
        """Write what waits, and return how many endings still do."""
        with self._lock:
            for run_id, ending in list(self._waiting.items()):
                self._write(run_id, ending)
                if self.problem:
                    break
            return len(self._waiting)

    def _write(self, run_id: str, ending: Ending) -> bool:
        try:
            written = self._queue.end(self._server, run_id, ending)
        except StorageError as error:
            self.problem = str(error)
            return False
        self.problem = ""
        del self._waiting[run_id]
        return written
