"""The jobs that a server has in hand, in memory, under one lock."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from odt_core.jobs.batch import Batch
from odt_core.jobs.job import Job


@dataclass
class Running:
    """A job with a worker.

    Attributes
    ----------
    path : Path
        Its data set.
    stage_at : float
        Monotonic time at which its stage began.
    stop_at : float or None
        Monotonic time at which it was asked to stop.
    proved_at : float or None
        Monotonic time at which its tree was proved, if it goes on to have it confirmed.
    overdue, deleted : bool
        Why its worker was killed.
    unwritten : set of str
        What is not with the recorder yet: ``stage``, ``progress``, ``best``.
    """

    job: Job
    path: Path
    stage_at: float = field(default_factory=time.monotonic)
    stop_at: float | None = None
    proved_at: float | None = None
    overdue: bool = False
    deleted: bool = False
    unwritten: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Order:
    """A job of this server that waits for a worker.

    Attributes
    ----------
    path : Path or None
        Its data set; None if the file must still be asked for.
    """

    job: Job
    path: Path | None = None


class Held:
    """The jobs of one server; who reads or changes more than one thing holds `lock`.

    Attributes
    ----------
    lock : RLock
        For all that follows.
    entry : Lock
        Held from a run's entry into the store until its job is known here.
    known : mapping of str to Job
        Jobs that somebody looks at, by id, wherever they run.
    orders : deque of Order
        What waits here, not in the store's queue; the next first.
    running : dict of str to Running
        What has a worker.
    unwritten : dict of str to Job
        What has ended, but may not be in the store yet.
    unentered : list of Batch
        What the store does not know of, since it could not be written when that was asked for;
        jobs that belong together stand together.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.entry = threading.Lock()
        self.known: WeakValueDictionary[str, Job] = WeakValueDictionary()
        self.orders: deque[Order] = deque()
        self.running: dict[str, Running] = {}
        self.unwritten: dict[str, Job] = {}
        self.unentered: list[Batch] = []

    def here(self, run_id: str) -> Job | None:
        """A job of which this server knows more than the store."""
        with self.lock:
            job = self.known.get(run_id)
            if run_id in self.running or run_id in self.unwritten:
                return job
            return job if job is not None and not job.recorded else None

    def claimed(self) -> set[str]:
        """Ids of the runs that the store must leave to this server."""
        with self.lock:
            waiting = {order.job.id for order in self.orders if order.job.recorded}
            return {*self.running, *self.unwritten, *waiting}

    def elsewhere(self) -> list[Job]:
        """Jobs that somebody looks at, are not over, and are in the store's or others' hands."""
        with self.lock:
            return [
                job
                for job in self.known.values()
                if job.recorded and not job.is_over and not self.is_working_on(job)
            ]

    def is_working_on(self, job: Job) -> bool:
        """Whether a job runs or waits here."""
        with self.lock:
            return job.id in self.running or any(order.job is job for order in self.orders)

    def place(self, job: Job) -> int | None:
        """How many jobs wait here before one; None if it does not wait here."""
        with self.lock:
            waiting = [order.job for order in self.orders]
            return waiting.index(job) if job in waiting else None

    def next_order(self) -> Order | None:
        """Take out what is to be started first."""
        with self.lock:
            return self.orders.popleft() if self.orders else None

    def confirming(self) -> list[Running]:
        """Jobs whose tree is proved and only being confirmed, the longest first."""
        with self.lock:
            found = [r for r in self.running.values() if r.proved_at and r.stop_at is None]
        return sorted(found, key=lambda running: running.proved_at or 0.0)
