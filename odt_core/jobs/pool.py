"""Pools of workers: the interface to the manager, and the pool of this machine.

Each warm worker on this machine is in a process group of its own. If a worker does not react or
takes more memory than its limit, the pool kills it together with every process that it started. A
new worker takes its place.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from odt_core.errors import InputError
from odt_core.processes import (
    MIB,
    LockedFile,
    apart,
    end_with_all,
    ending_words,
    is_unlocked,
    machine_memory,
    memory_with_all,
    with_temporary_folder,
)
from odt_core.worker.lines import to_line


@dataclass(frozen=True)
class WorkerLoss:
    """The loss of a job's worker before the job ended, or of the job's place at a pool.

    Attributes
    ----------
    how : str
        How the process ended, in a few words.
    memory_limit : int or None
        The limit in bytes, if the worker was ended because it took more.
    begun : bool
        Whether a worker had started the job. If not, the job can wait for another worker.
    """

    how: str
    memory_limit: int | None = None
    begun: bool = True


class Listener(Protocol):
    """Receives the events of a pool. The pool's threads call it."""

    def on_free(self) -> None:
        """React to a worker that may be free."""

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """Handle a worker's message about its job: see `odt_core.worker.messages`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the message cannot be understood; the pool then ends the worker.
        """

    def on_restart(self, job: str) -> None:
        """Reset a job that starts again because the machine that ran it was lost."""

    def on_lost(self, job: str, loss: WorkerLoss) -> None:
        """Handle a job that has lost its worker or its place at the pool."""

    def on_no_worker(self, reason: str) -> None:
        """Handle a pool in which several workers in a row could not be started."""


class Pool(Protocol):
    """Workers, each of which runs one job at a time.

    Attributes
    ----------
    problem : str
        One sentence for the user on why there are no workers; empty if all is well.
    """

    problem: str

    def start(self, listener: Listener) -> None:
        """Start the pool. It makes its workers now."""

    def n_free(self) -> int:
        """Count the jobs that could be started now."""

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Start a job on a free worker; false if no worker is free.

        Parameters
        ----------
        job : str
            Its id.
        spec : dict
            `odt_core.jobs.JobSpec` as JSON.
        path : Path
            A file on this machine with the data set's bytes.
        hurry : bool
            Whether others wait. A proved tree then skips a second engine's confirmation.
        """

    def stop(self, job: str) -> None:
        """Ask a job to end and return its best tree."""

    def kill(self, job: str) -> None:
        """End a job's worker and every process that it started."""

    def close(self) -> None:
        """End all workers."""


MOST_FAILED_STARTS = 3
"""After this many failed starts in a row, jobs stop waiting for a worker and fail."""
RETRY_EVERY = 5.0
"""Seconds between two further attempts to start a worker."""
MOST_KEPT = 0.5
"""Share of the memory limit that an idle worker may keep."""
CHECK_MEMORY_EVERY = 0.5
"""Seconds between two checks of the busy workers' memory."""
GLANCE = 0.05
ACKNOWLEDGE_WITHIN = 10.0
"""Seconds within which an idle worker must take up a job. After that it is killed as frozen."""
MOST_TRIES = 3
"""A job fails after this many workers in a row have failed to take it up."""
SHARE = 0.8
"""Share of the machine's memory for all workers; the rest is for the server and the system."""
LEAST = 1024 * MIB
"""Least memory limit of a worker, even if the machine's share would be less."""
AT_REST = 512 * MIB
"""Memory that a worker needs before it has done anything; no limit may be lower."""
PREFIX = "odt-workers-"
YOUNG = 60.0
"""Seconds for which a new folder may be without a lock, because it has only just been made."""

log = logging.getLogger("odt_core.jobs.pool")


class _WorkerProcess:
    """A worker process, its current job, and the thread that writes to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "odt_core.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[2],
            env=with_temporary_folder(folder),
            **apart(),
        )
        self.job: str | None = None
        self.given_at: float | None = None
        """Monotonic time at which it was given its job; None once it has taken the job up."""
        self.ready = self.was_ready = self.killed = self.used = False
        self.memory_limit: int | None = None
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._write, daemon=True, name="odt-worker-orders").start()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message without waiting until the worker reads it."""
        self._outbox.put(to_line(message))

    def close_outbox(self) -> None:
        """Send no more messages, because the worker has ended."""
        self._outbox.put(None)

    def _write(self) -> None:
        """Write messages to the worker. Only this thread waits if the worker is frozen."""
        assert self.process.stdin is not None
        while (line := self._outbox.get()) is not None:
            try:
                self.process.stdin.write(line)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                log.debug("worker %s has ended: its listener deals with it", self.process.pid)
                return

    def kill(self) -> None:
        """End the worker and every process that its solve started."""
        if self.killed:
            return
        self.killed, self.ready = True, False
        end_with_all(self.process)


class LocalPool:
    """A fixed number of warm worker processes (a `Pool`).

    Parameters
    ----------
    n_workers : int
        How many jobs run at the same time.
    memory_limit : int, optional
        Memory limit in bytes for a worker and its children; `share_of_memory` by default.
    """

    def __init__(self, n_workers: int, memory_limit: int | None = None) -> None:
        self.problem = ""
        self.n_workers = n_workers
        self.memory_limit = memory_limit or share_of_memory(n_workers)
        self._lock = threading.Lock()
        self._workers: list[_WorkerProcess] = []
        self._folders = WorkerFolders()
        self._closed = False
        self._failed_starts = 0
        self._memory_checked_at = 0.0
        self._tries: dict[str, int] = {}

    def start(self, listener: Listener) -> None:
        """Start the workers."""
        self._listener = listener
        threading.Thread(target=self._maintain_workers, daemon=True, name="odt-workers").start()

    def workers(self) -> dict[int, str | None]:
        """Return the process id of each worker, with the job that it has."""
        with self._lock:
            return {worker.process.pid: worker.job for worker in self._workers}

    def n_free(self) -> int:
        """Count the workers that are ready and idle."""
        with self._lock:
            return sum(worker.ready and worker.job is None for worker in self._workers)

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Start a job on a free worker; false if no worker is free."""
        order = {"type": "run", "job": job, "spec": spec, "path": str(path), "hurry": hurry}
        with self._lock:
            for worker in self._workers:
                if not worker.ready or worker.job is not None:
                    continue
                worker.job, worker.used = job, True  # before the worker can answer
                worker.given_at = time.monotonic()
                worker.tell(order)
                return True
        return False

    def stop(self, job: str) -> None:
        """Ask a job to end and return its best tree."""
        with self._lock:
            for worker in self._workers_of(job):
                worker.tell({"type": "cancel", "job": job})

    def kill(self, job: str) -> None:
        """End a job's worker and every process that it started."""
        with self._lock:
            for worker in self._workers_of(job):
                worker.kill()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._closed = True
            workers = list(self._workers)
            for worker in workers:
                worker.kill()
        for worker in workers:
            worker.process.wait()
        self._folders.close()

    def _workers_of(self, job: str) -> list[_WorkerProcess]:
        return [worker for worker in self._workers if worker.job == job]

    def _listen(self, worker: _WorkerProcess) -> None:
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            try:
                self._handle_message(worker, json.loads(line))
            except (ValueError, KeyError, TypeError):
                log.exception("a message of worker %s cannot be understood", worker.process.pid)
                with self._lock:
                    worker.kill()
                break
        code = worker.process.wait()
        worker.close_outbox()
        shutil.rmtree(worker.folder, ignore_errors=True)
        with self._lock:
            self._workers.remove(worker)
            lost, vain = worker.job, not worker.was_ready and not self._closed
            again = lost is not None and worker.given_at is not None and self._may_try(lost)
        if lost is not None:
            loss = WorkerLoss(ending_words(code), worker.memory_limit, begun=not again)
            self._listener.on_lost(lost, loss)
        if vain:
            self._note_failed_start(ending_words(code))

    def _handle_message(self, worker: _WorkerProcess, message: dict[str, Any]) -> None:
        kind, job = message["type"], worker.job
        if kind == "ready":
            with self._lock:
                worker.ready = worker.was_ready = True
                self._failed_starts = 0
            self._listener.on_free()
            return
        if job is None or message["job"] != job:
            raise ValueError(f"a worker sent a message about another worker's job: {kind}")
        if kind == "begun":
            with self._lock:
                worker.given_at = None
                self._tries.pop(job, None)
            return
        if kind in ("result", "error"):
            with self._lock:
                worker.job = None
        self._listener.on_message(job, message)
        if worker.job is None:
            self._listener.on_free()

    def _note_failed_start(self, reason: str) -> None:
        """After several failed starts, fail the waiting jobs, so that they do not wait forever."""
        with self._lock:
            self._failed_starts += 1
            fails = self._failed_starts >= MOST_FAILED_STARTS
            fails = fails and not any(worker.was_ready for worker in self._workers)
        if fails:
            self._listener.on_no_worker(reason)

    def _maintain_workers(self) -> None:
        """Start missing workers and check the others, in one thread that lives as long as the pool.

        On Linux a worker is killed when the *thread* that started it ends. So a thread with a
        shorter life must not start one.
        """
        next_start = 0.0
        while not self._closed:
            now = time.monotonic()
            if now >= next_start:
                self._start_missing()
                if self._failed_starts >= MOST_FAILED_STARTS:
                    next_start = now + RETRY_EVERY
            self._kill_unresponsive(now)
            if now - self._memory_checked_at >= CHECK_MEMORY_EVERY:
                self._memory_checked_at = now
                self._kill_over_memory()
            time.sleep(GLANCE)

    def _start_missing(self) -> None:
        failure = None
        with self._lock:
            while len(self._workers) < self.n_workers and not self._closed:
                try:
                    worker = _WorkerProcess(self._folders.make())
                except OSError as error:
                    log.exception("no worker could be started")
                    failure = str(error.strerror)
                    break
                self._workers.append(worker)
                threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
        if failure is not None:
            self._note_failed_start(failure)

    def _kill_unresponsive(self, now: float) -> None:
        """Kill workers that do not take up their job; another worker gets the job."""
        with self._lock:
            for worker in self._workers:
                if worker.given_at is not None and now - worker.given_at > ACKNOWLEDGE_WITHIN:
                    log.warning("worker %s does not answer and is killed", worker.process.pid)
                    worker.kill()

    def _may_try(self, job: str) -> bool:
        """Whether another worker may try a job that no worker took up. The caller has the lock."""
        self._tries[job] = self._tries.get(job, 0) + 1
        if self._tries[job] < MOST_TRIES:
            return True
        del self._tries[job]
        return False

    def _kill_over_memory(self) -> None:
        """Kill workers that take more memory than their limit, and no others.

        An idle worker that keeps much memory from its last job is replaced by a new one.
        """
        with self._lock:
            used = [worker for worker in self._workers if worker.used]
        for worker in used:
            job, bytes_taken = worker.job, memory_with_all(worker.process.pid)
            with self._lock:
                if worker.job is not job:
                    continue
                if job is None:
                    worker.used = False
                    if bytes_taken > max(self.memory_limit * MOST_KEPT, AT_REST):
                        worker.kill()
                elif bytes_taken > self.memory_limit:
                    worker.memory_limit = self.memory_limit
                    worker.kill()


def worker_memory(n_workers: int) -> int:
    """Memory limit of one worker in bytes: ``ODT_WORKER_MEMORY`` (MiB), or a share of the machine.

    Raises
    ------
    InputError
        If the setting is not a whole number, or is less than an idle worker needs.
    """
    text = os.environ.get("ODT_WORKER_MEMORY", "").strip()
    if not text:
        return share_of_memory(n_workers)
    if not (text.isascii() and text.isdecimal() and int(text) * MIB >= AT_REST):
        raise InputError(
            f"ODT_WORKER_MEMORY is {text!r}: give a whole number of MiB, at least "
            f"{AT_REST // MIB}, which an idle worker needs, or leave it out."
        )
    return int(text) * MIB


def share_of_memory(n_workers: int) -> int:
    """Share of this machine's memory for each of several workers, in bytes."""
    return max(int(SHARE * machine_memory() / n_workers), LEAST)


class WorkerFolders:
    """The folder for the temporary files of a server's workers, which may be killed at any time.

    The server holds a lock in the folder. The folder may be removed once nobody holds the lock.
    """

    def __init__(self) -> None:
        remove_left_behind()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = LockedFile(self.folder / "lock")

    def make(self) -> Path:
        """Make a new folder for one worker."""
        return Path(tempfile.mkdtemp(prefix="worker-", dir=self.folder))

    def close(self) -> None:
        """Remove all folders."""
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_left_behind() -> None:
    """Remove the folders of servers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < YOUNG:
                continue
            if not (folder / "lock").exists() or is_unlocked(folder / "lock"):
                shutil.rmtree(folder, ignore_errors=True)
