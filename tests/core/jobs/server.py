"""A server in a process of its own (see `tests.forks`).

Each line that it reads is a job to submit. It answers with ``submitted ID`` and ``started ID``. It
runs until it is killed.
"""

from __future__ import annotations

import json
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from odt_core.jobs import JobManager, JobSpec
from odt_core.jobs.pool import LocalPool
from odt_core.storage import Store

LEASE = 3600.0
"""Seconds of a server's lease: longer than any test looks at a server that was killed."""


class Speaker:
    """Says a line as a whole, though two threads may speak at once."""

    def __init__(self, test: Connection) -> None:
        self._test = test
        self._lock = threading.Lock()

    def say(self, words: str) -> None:
        with self._lock:
            self._test.send(words)


class TellingPool(LocalPool):
    """Says which jobs it starts."""

    def __init__(self, n_workers: int, speaker: Speaker) -> None:
        super().__init__(n_workers)
        self.speaker = speaker
        self.has_started = False

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        started = super().run(job, spec, path, hurry)
        if started:
            self.has_started = True
            self.speaker.say(f"started {job}")
        return started


def serve(test: Connection, address: str, folder: str, n_workers: str) -> None:
    speaker = Speaker(test)
    store = Store(address, Path(folder), lease=LEASE)
    pool = TellingPool(int(n_workers), speaker)
    manager = JobManager(store, int(n_workers), pool=pool)
    while pool.n_free() < int(n_workers) and not pool.has_started:
        time.sleep(0.01)
    speaker.say("ready")
    while True:
        job = manager.submit(JobSpec.from_json(json.loads(test.recv())))
        speaker.say(f"submitted {job.id}")
