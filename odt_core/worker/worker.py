"""A warm worker: ``python -m odt_core.worker`` runs jobs from standard input, one at a time.

It ends when its standard input closes, so it never outlives the process that started it.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from odt_core.errors import DisagreementError, InputError, SolverError
from odt_core.processes import end_this_with_all, end_with_parent
from odt_core.training import Hooks
from odt_core.worker.kinds import run_job
from odt_core.worker.lines import to_line
from odt_core.worker.messages import JobSpec

if TYPE_CHECKING:
    from odt_core.data import Table
    from odt_core.problem import Problem
    from odt_core.solution import TracePoint
    from odt_core.training import BestSoFar

PROGRESS_EVERY = 0.2
"""Least number of seconds between two progress messages of a job."""
FIRST_BEST_AFTER = 0.3
"""Seconds for which an unproved first tree waits for a better one, or for the run's end."""
BEST_EVERY = 1.0
"""Least number of seconds between two messages with the best tree of a job."""
BEST_SHARE = 20.0
"""The pause after such a message is at least this many times as long as making it took."""

log = logging.getLogger("odt_core.worker")


class Worker:
    """Reads orders in one thread and runs them in another."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders = orders
        self._answers = answers
        self._answer_lock = threading.Lock()
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._cancelled: set[str] = set()
        self._last_table: tuple[tuple[object, ...], Table] | None = None

    def run(self) -> None:
        """Serve until standard input closes."""
        self._send_message({"type": "ready"})
        threading.Thread(target=self._read_orders, daemon=True).start()
        if os.environ.get("ODT_WARM_WORKERS") != "0":
            try:
                warm_up(self._queue.empty)
            except Exception:  # the jobs that need what is broken will say so
                log.exception("what jobs need could not be loaded beforehand")
        while True:
            order = self._queue.get()
            self._run_job(order["job"], order["spec"], Path(order["path"]), order["hurry"])

    def _read_orders(self) -> None:
        for line in self._orders:
            order = json.loads(line)
            if order["type"] == "cancel":
                self._cancelled.add(order["job"])
            else:
                self._send_message({"type": "begun", "job": order["job"]})
                self._queue.put(order)
        end_this_with_all()

    def _run_job(self, job: str, record: dict[str, Any], path: Path, hurry: bool) -> None:
        progress = ProgressSender(job, self._send_message)
        best = _BestSender(job, self._send_message)

        def on_best(found: BestSoFar) -> None:
            best.send(found)
            if found.is_proved and hurry:
                self._cancelled.add(job)  # a proved tree need not be confirmed

        hooks = Hooks(
            on_progress=progress.send,
            on_stage=lambda stage: self._send_message(
                {"type": "stage", "job": job, "stage": stage}
            ),
            on_best=on_best,
            should_stop=lambda: job in self._cancelled,
        )
        try:
            spec = JobSpec.from_json(record)
            found = run_job(self._read(spec, path), spec, hooks)
            answer = {"type": "result", "result": found.result, "model": found.model}
        except InputError as error:
            answer = {"type": "error", "message": str(error)}
        except SolverError as error:
            log.exception("job %s: the solver failed", job)
            advice = "start it again, with a smaller shape or fewer columns if it repeats"
            answer = {"type": "error", "message": f"{error}: {advice}."}
        except DisagreementError as error:
            log.exception("job %s: an answer was refused", job)
            answer = {"type": "error", "message": f"The solver's answer was refused: {error}."}
        except Exception as error:
            # The job fails, the worker lives. The manager shows one sentence; the log has the rest.
            log.exception("job %s failed", job)
            answer = {"type": "error", "message": f"The run failed ({_in_short(error)})."}
        progress.close()
        best.close()
        self._cancelled.discard(job)
        self._send_message({**answer, "job": job})

    def _read(self, spec: JobSpec, path: Path) -> Table:
        """Read the job's table. The last table is kept, because the next run often uses it too."""
        from odt_core.data import read_table

        key = (spec.dataset, spec.read, spec.table_name)
        if self._last_table is None or self._last_table[0] != key:
            self._last_table = None
            self._last_table = (key, read_table(path, spec.read, name=spec.table_name))
        return self._last_table[1]

    def _send_message(self, message: dict[str, Any]) -> None:
        with self._answer_lock:
            self._answers.write(to_line(message))
            self._answers.flush()


class ProgressSender:
    """Sends a job's progress at most every `PROGRESS_EVERY` seconds, and always the last point."""

    def __init__(self, job: str, send_message: Callable[[dict[str, Any]], None]) -> None:
        self._job = job
        self._send_message = send_message
        self._lock = threading.Lock()
        self._pending: TracePoint | None = None
        self._timer: threading.Timer | None = None
        self._said_at = -PROGRESS_EVERY
        self._said: tuple[int | None, int | None] | None = None

    def send(self, problem: Problem, point: TracePoint) -> None:
        """Send a point now, or a little later if one was sent just before."""
        with self._lock:
            if (point.incumbent, point.bound) == self._said:
                return
            self._said = (point.incumbent, point.bound)
            self._pending = point
            wait = self._said_at + PROGRESS_EVERY - time.monotonic()
            if wait <= 0:
                self._flush()
            elif self._timer is None:
                self._timer = threading.Timer(wait, self._on_time)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """Send no more points, because the result, which has them all, comes next."""
        with self._lock:
            self._pending = None
            if self._timer is not None:
                self._timer.cancel()

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            self._flush()

    def _flush(self) -> None:
        if self._pending is None:
            return
        self._send_message(
            {"type": "progress", "job": self._job, **dataclasses.asdict(self._pending)}
        )
        self._pending, self._said_at = None, time.monotonic()


class _BestSender:
    """Sends the whole result with the best tree so far, for pages, and in case the run is killed.

    A proved tree is sent at once. Other trees are evaluated in a separate thread, so rarely that
    they do not slow the solve down.
    """

    def __init__(self, job: str, send_message: Callable[[dict[str, Any]], None]) -> None:
        self._job = job
        self._send_message = send_message
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._pending: BestSoFar | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def send(self, best: BestSoFar) -> None:
        """Send a proved tree now. Send another tree soon, unless a better one comes."""
        with self._changed:
            self._pending = None if best.is_proved else best
            if self._thread is None and not best.is_proved:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._changed.notify_all()
        if best.is_proved:
            self._send(best)

    def close(self) -> None:
        """Send no more trees, because the result comes next."""
        with self._changed:
            self._closed, self._pending = True, None
            self._changed.notify_all()
        with self._lock:
            pass  # wait until a message that is under way has been sent

    def _work(self) -> None:
        pause = FIRST_BEST_AFTER
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed, pause)
                self._changed.wait_for(lambda: self._closed or self._pending is not None)
                if self._closed:
                    return
                best, self._pending = self._pending, None
            assert best is not None
            began = time.monotonic()
            self._send(best)
            pause = max(BEST_EVERY, BEST_SHARE * (time.monotonic() - began))

    def _send(self, best: BestSoFar) -> None:
        with self._lock:
            result = best.result()
            if self._closed:
                return
            model = None if result.model is None else result.model.to_json()
            answer = {"result": result.to_json(), "model": model}
            self._send_message({"type": "best", "job": self._job, **answer})


def _in_short(error: Exception) -> str:
    """Write an unexpected error on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def warm_up(is_idle: Callable[[], bool] = lambda: True) -> None:
    """Load, in steps of about a second, what would delay a first job, as long as none waits."""
    for step in (_load_kernels, _load_cart, _run_tiny_job):
        if is_idle():
            step()


def _load_kernels() -> None:
    """Load the search's kernels, or have them compiled."""
    from odt_core.solvers.search.loader import loader

    loader.compile_in_background()


def _load_cart() -> None:
    from odt_core.cart import load_cart

    load_cart()


def _run_tiny_job() -> None:
    """Start the process of CBC, and import the rest that a training run uses."""
    from odt_core.data import SplitSpec, infer_schema, read_table
    from odt_core.solution import Engine
    from odt_core.topology import Topology
    from odt_core.training import TrainSpec, run_training

    rows = "".join(f"{i},{'ab'[i % 2]},{'yn'[i // 2 % 2]}\n" for i in range(20))
    table = read_table(f"size,kind,outcome\n{rows}".encode())
    spec = TrainSpec(
        schema=infer_schema(table, "outcome", "y"),
        split=SplitSpec(Fraction(4, 5)),
        topology=Topology.parse("depth-1"),
        engine=Engine.CBC,
        time_limit=5.0,
    )
    run_training(table, spec).to_json()


def main() -> None:
    """Serve jobs. Answers go to the original standard output, stray prints to standard error."""
    end_with_parent()
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    Worker(sys.stdin.buffer, answers).run()
