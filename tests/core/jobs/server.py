"""A server of its own: ``python -m tests.core.jobs.server ADDRESS FOLDER N_WORKERS``.

Each line of standard input is a job to submit; ``submitted ID`` and ``started ID`` are said of it.
It goes on until it is killed.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from odt_core.jobs import JobManager, JobSpec
from odt_core.jobs.local import LocalPool
from odt_core.storage import Store

LEASE = 3600.0
"""Seconds: whatever a test sees of a server that was killed, it sees before this one runs out."""
_SAYING = threading.Lock()


def say(words: str) -> None:
    """Say a line as a whole, though two threads may speak at once."""
    with _SAYING:
        print(words, flush=True)


class TellingPool(LocalPool):
    """Says which jobs it starts."""

    has_started = False

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        started = super().run(job, spec, path, hurry)
        if started:
            self.has_started = True
            say(f"started {job}")
        return started


def main(address: str, folder: Path, n_workers: int) -> None:
    store = Store(address, folder, lease=LEASE)
    pool = TellingPool(n_workers)
    manager = JobManager(store, n_workers, pool=pool)
    while pool.n_free() < n_workers and not pool.has_started:
        time.sleep(0.01)
    say("ready")
    for line in sys.stdin:
        job = manager.submit(JobSpec.from_json(json.loads(line)))
        say(f"submitted {job.id}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
