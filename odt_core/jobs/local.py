"""Warm workers on this machine, each a process group of its own.

A worker that does not do what it is told, or takes more memory than it may, is killed with all it
has started, and a new one takes its place.
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
from pathlib import Path
from typing import Any

from odt_core.errors import InputError
from odt_core.jobs.pool import Listener, Loss
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
from odt_core.worker import to_line

MOST_FAILED_STARTS = 3
"""Workers that end before they are ready, in a row, until those who wait are told."""
LATER = 5.0
"""Seconds between two tries to start a worker after that."""
MOST_KEPT = 0.5
"""Share of the memory limit that an idle worker may go on holding."""
WEIGH_EVERY = 0.5
"""Seconds between two looks at the memory of busy workers."""
GLANCE = 0.05
ACKNOWLEDGE_WITHIN = 10.0
"""Seconds that an idle worker has to take up a job; one that is frozen is killed then."""
MOST_TRIES = 3
"""Workers that may fail to take up the same job, in a row, until the job fails."""
SHARE = 0.8
"""Of the machine's memory, for all workers together; the server and the system have the rest."""
LEAST = 1024 * MIB
"""A worker's limit where the machine's share would be less."""
AT_REST = 512 * MIB
"""What a worker may take before it has done anything; the least that the setting may be."""
PREFIX = "odt-workers-"
YOUNG = 60.0
"""Seconds in which a folder may be without a lock since its owner has just made it."""

log = logging.getLogger("odt_core.jobs.local")


class _WorkerProcess:
    """A worker as the pool sees it."""

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
        """When its job was given to it, by the monotonic clock, until it has taken it up."""
        self.ready = self.was_ready = self.killed = self.used = False
        self.memory_limit: int | None = None
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._write, daemon=True, name="odt-worker-orders").start()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message, without waiting for the worker to read it."""
        self._outbox.put(to_line(message))

    def close_outbox(self) -> None:
        """Send nothing more: the worker has ended."""
        self._outbox.put(None)

    def _write(self) -> None:
        """Write to the worker; a frozen one may keep this thread waiting, and nobody else."""
        assert self.process.stdin is not None
        while (line := self._outbox.get()) is not None:
            try:
                self.process.stdin.write(line)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                log.debug("worker %s has ended: its listener deals with it", self.process.pid)
                return

    def kill(self) -> None:
        """End the worker and whatever its solve has started."""
        if self.killed:
            return
        self.killed, self.ready = True, False
        end_with_all(self.process)


class LocalPool:
    """A fixed number of warm worker processes; see `odt_core.jobs.pool.Pool`.

    Parameters
    ----------
    n_workers : int
        How many jobs run at once.
    memory_limit : int, optional
        Bytes that a worker, with what it starts, may take; `share_of_memory` by default.
    """

    def __init__(self, n_workers: int, memory_limit: int | None = None) -> None:
        self.problem = ""
        self._n_workers = n_workers
        self.memory_limit = memory_limit or share_of_memory(n_workers)
        self._lock = threading.Lock()
        self._workers: list[_WorkerProcess] = []
        self._folders = WorkerFolders()
        self._closed = False
        self._failed_starts = 0
        self._weighed_at = 0.0
        self._tries: dict[str, int] = {}

    def start(self, listener: Listener) -> None:
        """Start the workers."""
        self._listener = listener
        threading.Thread(target=self._keep_house, daemon=True, name="odt-workers").start()

    def n_free(self) -> int:
        """Workers that are ready and have nothing to do."""
        with self._lock:
            return sum(worker.ready and worker.job is None for worker in self._workers)

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Start a job on a free worker; false if there is none after all."""
        order = {"type": "run", "job": job, "spec": spec, "path": str(path), "hurry": hurry}
        with self._lock:
            for worker in self._workers:
                if not worker.ready or worker.job is not None:
                    continue
                worker.job, worker.used = job, True  # before it can answer
                worker.given_at = time.monotonic()
                worker.tell(order)
                return True
        return False

    def stop(self, job: str) -> None:
        """Ask a job to end with its best tree."""
        with self._lock:
            for worker in self._of(job):
                worker.tell({"type": "cancel", "job": job})

    def kill(self, job: str) -> None:
        """End a job's worker and whatever it has started."""
        with self._lock:
            for worker in self._of(job):
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

    def _of(self, job: str) -> list[_WorkerProcess]:
        return [worker for worker in self._workers if worker.job == job]

    def _listen(self, worker: _WorkerProcess) -> None:
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            try:
                self._take_in(worker, json.loads(line))
            except (ValueError, KeyError, TypeError):
                log.exception("worker %s cannot be understood", worker.process.pid)
                with self._lock:
                    worker.kill()
                break
        code = worker.process.wait()
        worker.close_outbox()
        self._folders.remove(worker.folder)
        with self._lock:
            self._workers.remove(worker)
            lost, vain = worker.job, not worker.was_ready and not self._closed
            again = lost is not None and worker.given_at is not None and self._may_try(lost)
        if lost is not None:
            loss = Loss(ending_words(code), worker.memory_limit, begun=not again)
            self._listener.on_lost(lost, loss)
        if vain:
            self._note_failed_start(ending_words(code))

    def _take_in(self, worker: _WorkerProcess, message: dict[str, Any]) -> None:
        kind, job = message["type"], worker.job
        if kind == "ready":
            with self._lock:
                worker.ready = worker.was_ready = True
                self._failed_starts = 0
            self._listener.on_free()
            return
        if job is None or message["job"] != job:
            raise ValueError(f"a worker spoke of a job that is not its own: {kind}")
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
        """After several vain starts, tell those who wait instead of trying for ever."""
        with self._lock:
            self._failed_starts += 1
            tell = self._failed_starts >= MOST_FAILED_STARTS
            tell = tell and not any(worker.was_ready for worker in self._workers)
        if tell:
            self._listener.on_no_worker(reason)

    def _keep_house(self) -> None:
        """Start workers and weigh them, from one thread that lives as long as the pool.

        On Linux a worker is killed when the *thread* that started it ends, so no shorter-lived
        thread may start one.
        """
        next_start = 0.0
        while not self._closed:
            now = time.monotonic()
            if now >= next_start:
                self._start_missing()
                if self._failed_starts >= MOST_FAILED_STARTS:
                    next_start = now + LATER
            self._end_silent(now)
            if now - self._weighed_at >= WEIGH_EVERY:
                self._weighed_at = now
                self._end_heavy()
            time.sleep(GLANCE)

    def _start_missing(self) -> None:
        failure = None
        with self._lock:
            while len(self._workers) < self._n_workers and not self._closed:
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

    def _end_silent(self, now: float) -> None:
        """End workers that do not take up the job they were given; another one gets it."""
        with self._lock:
            for worker in self._workers:
                if worker.given_at is not None and now - worker.given_at > ACKNOWLEDGE_WITHIN:
                    log.warning("worker %s does not answer and is killed", worker.process.pid)
                    worker.kill()

    def _may_try(self, job: str) -> bool:
        """Whether a job that no worker took up may be given to another one; under the lock."""
        self._tries[job] = self._tries.get(job, 0) + 1
        if self._tries[job] < MOST_TRIES:
            return True
        del self._tries[job]
        return False

    def _end_heavy(self) -> None:
        """End workers that take more memory than they may; nobody else is touched.

        An idle one that still holds much of it from its last job makes room for a new one.
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
    """Bytes that one worker may take: ``ODT_WORKER_MEMORY`` (in MiB), else a share of all.

    Raises
    ------
    InputError
        If the setting is not a whole number, or less than a worker needs at rest.
    """
    text = os.environ.get("ODT_WORKER_MEMORY", "").strip()
    if not text:
        return share_of_memory(n_workers)
    if not (text.isascii() and text.isdecimal() and int(text) * MIB >= AT_REST):
        raise InputError(
            f"ODT_WORKER_MEMORY is {text!r}: give a whole number of MiB, at least "
            f"{AT_REST // MIB}, which a worker needs at rest, or leave it out."
        )
    return int(text) * MIB


def share_of_memory(n_workers: int) -> int:
    """Bytes that one of several workers may take of this machine's memory."""
    return max(int(SHARE * machine_memory() / n_workers), LEAST)


class WorkerFolders:
    """A folder for the temporary files of a server's workers, which are killed and cannot clean up.

    The server holds a lock in it, so that others know when the folder may go.
    """

    def __init__(self) -> None:
        remove_left_behind()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = LockedFile(self.folder / "lock")

    def make(self) -> Path:
        """A new folder for one worker."""
        return Path(tempfile.mkdtemp(prefix="worker-", dir=self.folder))

    def remove(self, folder: Path) -> None:
        """Remove a worker's folder once the worker is gone."""
        shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_left_behind() -> None:
    """Remove what servers that were killed have left behind."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < YOUNG:
                continue
            if not (folder / "lock").exists() or is_unlocked(folder / "lock"):
                shutil.rmtree(folder, ignore_errors=True)
