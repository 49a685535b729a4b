"""Jobs on a machine of a Dask cluster: the part that runs inside a Dask worker.

Each Dask worker keeps as many of our warm workers as it has threads. So a job there starts as fast,
is cancelled as reliably and has the same memory limit as a job on the server's own machine.
"""

from __future__ import annotations

import dataclasses
import queue
import tempfile
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import Reschedule, Worker, WorkerPlugin, get_worker

from odt_core.jobs.pool import LocalPool, WorkerLoss, worker_memory
from odt_core.storage.cache import FileCache

PLUGIN = "odt-workers"
_LAST = ("result", "error", "lost")
"""Messages that end a job: no other message follows."""


class Hub:
    """The warm workers of one Dask worker, and the listener of each job.

    Parameters
    ----------
    n_workers : int
        How many jobs run at once.
    """

    def __init__(self, n_workers: int) -> None:
        self._files = tempfile.TemporaryDirectory(prefix="odt-data-")
        self._cache = FileCache(Path(self._files.name))
        self._boxes: dict[str, queue.Queue[dict[str, Any]]] = {}
        self._stopped: set[str] = set()
        self._free = threading.Event()
        self._closed = False
        self._pool = LocalPool(n_workers, worker_memory(n_workers))
        self._pool.start(self)

    def run(
        self,
        job: str,
        spec: dict[str, Any],
        content: bytes,
        hurry: bool,
        tell: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]:
        """Run a job to its end and return its last message."""
        box = self._boxes[job] = queue.Queue()
        try:
            sha256 = str(spec["dataset"])
            path = self._cache.find(sha256, len(content)) or self._cache.put(sha256, [content])
            self._give(job, spec, path, hurry)
            while True:
                message = box.get()
                if message["type"] == "lost" and not message["begun"] and not self._closed:
                    self._give(job, spec, path, hurry)
                    continue
                if message["type"] == "lost" and self._closed:
                    raise Reschedule  # this machine shuts down: another one runs the job
                if message["type"] in _LAST:
                    return message
                tell(message)
        finally:
            del self._boxes[job]
            self._stopped.discard(job)

    def _give(self, job: str, spec: dict[str, Any], path: Path, hurry: bool) -> None:
        """Give a job to a worker as soon as one is free."""
        while self._boxes[job].empty() and not self._pool.run(job, spec, path, hurry):
            self._wait_for_worker()
        if job in self._stopped:
            self._pool.stop(job)

    def _wait_for_worker(self) -> None:
        if self._closed:
            raise Reschedule
        self._free.wait(0.2)
        self._free.clear()

    def stop(self, job: str) -> bool:
        """Ask a job to end and return its best tree; false if the job is not here."""
        self._stopped.add(job)
        self._pool.stop(job)
        return job in self._boxes

    def kill(self, job: str) -> bool:
        """End a job's worker; false if the job is not here."""
        self._pool.kill(job)
        return job in self._boxes

    def close(self) -> None:
        """End all workers. Their jobs start again on other machines."""
        self._closed = True
        self._free.set()
        self._pool.close()
        self._files.cleanup()

    # ---- calls from the pool ----

    def on_free(self) -> None:
        """React to a worker that may be free."""
        self._free.set()

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """Pass on a worker's message about its job."""
        box = self._boxes.get(job)
        if box is not None:
            box.put(message)

    def on_restart(self, job: str) -> None:
        """Do nothing: workers of this machine never restart a job."""

    def on_lost(self, job: str, loss: WorkerLoss) -> None:
        """Note that a job's worker ended before the job did."""
        self.on_message(job, {"type": "lost", **dataclasses.asdict(loss)})

    def on_no_worker(self, reason: str) -> None:
        """Fail all jobs: workers cannot be started here."""
        message = f"No solver process could be started on a machine of the cluster ({reason})."
        for box in list(self._boxes.values()):
            box.put({"type": "error", "message": message})


class OdtWorkers(WorkerPlugin):
    """Starts a hub on each Dask worker, including Dask workers that join later."""

    name = PLUGIN
    idempotent = True

    def setup(self, worker: Worker) -> None:
        """Start the warm workers."""
        self.hub = Hub(worker.state.nthreads)

    def teardown(self, worker: Worker) -> None:
        """End the warm workers when the Dask worker shuts down."""
        self.hub.close()


def _hub(worker: Worker) -> Hub:
    plugin = worker.plugins[PLUGIN]
    assert isinstance(plugin, OdtWorkers)
    return plugin.hub


def run_here(
    job: str, spec: dict[str, Any], content: bytes, hurry: bool, topic: str
) -> dict[str, Any]:
    """Run a job as a Dask task. Its messages go to a topic; the last one is its result."""
    worker, attempt = get_worker(), uuid.uuid4().hex

    def tell(message: dict[str, Any]) -> None:
        worker.log_event(topic, {**message, "job": job, "attempt": attempt})

    tell({"type": "start"})
    return _hub(worker).run(job, spec, content, hurry, tell)


def stop_here(job: str, dask_worker: Worker) -> bool:
    """Ask a job to end and return its best tree; false if it is not on this Dask worker."""
    return _hub(dask_worker).stop(job)


def kill_here(job: str, dask_worker: Worker) -> bool:
    """End a job's worker; false if the job is not on this Dask worker."""
    return _hub(dask_worker).kill(job)


def bytes_here(content: bytes) -> bytes:
    """Return a data set's bytes, as a Dask task, so that lost bytes can be computed again."""
    return content
