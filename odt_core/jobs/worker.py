"""A warm worker: ``python -m odt_core.jobs.worker`` runs jobs from standard input, one at a time.

It ends when its standard input closes, so it never outlives the process that started it.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

from odt_core.errors import InputError
from odt_core.jobs.messages import JobSpec, to_line

PROGRESS_EVERY = 0.2
"""Seconds between two progress messages of a job, at least."""

log = logging.getLogger("odt_core.jobs.worker")


class Worker:
    """Reads orders in one thread and runs them in another."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders = orders
        self._answers = answers
        self._answer_lock = threading.Lock()
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._cancelled: set[str] = set()

    def run(self) -> None:
        """Serve until standard input closes."""
        threading.Thread(target=self._read_orders, daemon=True).start()
        _import_what_jobs_need()
        self._say({"type": "ready"})
        while True:
            order = self._queue.get()
            self._run_job(order["job"], order["spec"])

    def _read_orders(self) -> None:
        for line in self._orders:
            order = json.loads(line)
            if order["type"] == "cancel":
                self._cancelled.add(order["job"])
            else:
                self._queue.put(order)
        if os.getpid() == os.getpgid(0):
            os.killpg(0, signal.SIGKILL)  # with whatever a running solve has started
        os._exit(0)

    def _run_job(self, job: str, record: dict[str, Any]) -> None:
        from odt_core.data import read_table
        from odt_core.problem import Problem
        from odt_core.solution import TracePoint
        from odt_core.training import run_training

        last_said = -PROGRESS_EVERY

        def on_progress(problem: Problem, point: TracePoint) -> None:
            nonlocal last_said
            if point.seconds - last_said < PROGRESS_EVERY:
                return
            last_said = point.seconds
            self._say(
                {
                    "type": "progress",
                    "job": job,
                    "seconds": point.seconds,
                    "incumbent": point.incumbent,
                    "bound": point.bound,
                    "scale": problem.gains.scale,
                }
            )

        try:
            spec = JobSpec.from_json(record)
            table = read_table(spec.table_path, spec.read, name=spec.table_name)
            result = run_training(
                table,
                spec.train,
                on_progress=on_progress,
                should_stop=lambda: job in self._cancelled,
            )
            self._say(
                {
                    "type": "result",
                    "job": job,
                    "result": result.to_json(),
                    "model": None if result.model is None else result.model.to_json(),
                }
            )
        except InputError as error:
            self._say({"type": "error", "job": job, "message": str(error), "user": True})
        except Exception as error:
            # The job fails, the worker lives: the manager shows the sentence and logs the rest.
            log.exception("job %s failed", job)
            self._say(
                {
                    "type": "error",
                    "job": job,
                    "message": f"{type(error).__name__}: {error}",
                    "user": False,
                }
            )
        finally:
            self._cancelled.discard(job)

    def _say(self, message: dict[str, Any]) -> None:
        with self._answer_lock:
            self._answers.write(to_line(message))
            self._answers.flush()


def _import_what_jobs_need() -> None:
    """Pay for imports before the first job, not during it."""
    import odt_core.data.reading
    import odt_core.training  # noqa: F401


def _die_with_parent() -> None:
    """Linux: be killed when the starting process ends, however it ends."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)


def main() -> None:
    """Serve jobs; answers go to what was standard output, stray prints to standard error."""
    _die_with_parent()
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    Worker(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
