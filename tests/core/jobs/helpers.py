"""What tests of jobs share: runs of known difficulty, servers and workers, and waiting."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from odt_core.alternatives.question import QuestionPart
from odt_core.data import SAMPLES, ReadOptions, SplitSpec, Table, infer_schema, read_table
from odt_core.jobs import Job, JobKind, JobManager, JobSpec
from odt_core.jobs.pool import Listener, LocalPool
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, RunRecord, RunStatus, Store
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from tests.core.jobs.server import serve
from tests.forks import Fork
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
HARD_LIMIT = 600.0
"""Time limit of runs that a test ends: far longer than a test waits."""
MOST_TO_STOP = 3.0
"""Seconds that what a test has left running may take to stop before its worker is killed."""


def sample_job(store: Store, sample: str, topology: str, time_limit: float = 60.0) -> JobSpec:
    """A run on all rows of a sample, solved by CBC."""
    name = f"{sample}.csv"
    sha256 = store.datasets.put(LOCAL_OWNER, SAMPLES[sample].csv(), name).sha256
    train = TrainSpec(
        schema=SAMPLES[sample].schema(),
        split=SplitSpec("all"),
        topology=Topology.parse(topology),
        engine=Engine.CBC,
        time_limit=time_limit,
    )
    return JobSpec(sha256, name, ReadOptions(), train)


def ranking_job(store: Store) -> JobSpec:
    """The job that needs the least of a new worker: it loads neither CBC nor scikit-learn."""
    spec = sample_job(store, "monks-1", "depth-1")
    return dataclasses.replace(spec, kind=JobKind.QUESTION, part=QuestionPart(0, 8))


def table_of(store: Store, spec: JobSpec) -> Table:
    """The table that a run reads."""
    content = store.datasets.read(LOCAL_OWNER, spec.dataset)
    return read_table(content, spec.read, name=spec.table_name)


def has_best_tree(job: Job) -> bool:
    return any(point.incumbent is not None for point in job.progress)


def family_of(pid: int) -> list[psutil.Process]:
    """All processes that a process and its children have started.

    Without the process that compiles the search once on a machine: it may go on until it is done.
    """
    compiling = "import warm_up"
    family = psutil.Process(pid).children(recursive=True)
    return [process for process in family if compiling not in command_of(process)]


def solver_seconds_until(condition: Callable[[], object], pid: int) -> float:
    """Processor time that a solver below a process takes until the condition holds.

    A busy machine does not lengthen it, as it does the time by the clock. On such a machine the
    solver may also begin later.
    """
    before = _solver_seconds(pid)
    after: dict[int, float] = {}

    def look() -> object:
        with suppress(psutil.NoSuchProcess):  # the process was ended with its solver
            after.update(_solver_seconds(pid))
        return condition()

    wait_until(look)
    return max((seconds - before.get(solver, 0.0) for solver, seconds in after.items()), default=0)


def _solver_seconds(pid: int) -> dict[int, float]:
    """Processor time of each solver below a process, by the solver's own process id."""
    found = {}
    for process in family_of(pid):
        if "solvers.mip.child" in command_of(process):
            with suppress(psutil.Error):
                times = process.cpu_times()
                found[process.pid] = float(times.user + times.system)
    return found


def command_of(process: psutil.Process) -> str:
    """Its command line; empty if it has just ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def worker_pids(manager: JobManager) -> list[int]:
    """The workers of a manager."""
    assert isinstance(manager.pool, LocalPool)
    return list(manager.pool.workers())


def worker_pid(manager: JobManager) -> int:
    """The one worker of a manager."""
    (pid,) = worker_pids(manager)
    return pid


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still runs. An ended process that waits for its parent does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class KeptPool(LocalPool):
    """Warm workers that managers use one after the other: a new worker takes seconds to start.

    When a manager closes it, only what still runs is ended.
    """

    def __init__(self, n_kept: int = 1) -> None:
        super().__init__(n_kept)
        self.n_kept = n_kept
        self._started = False

    def start(self, listener: Listener) -> None:
        self._listener = listener
        if not self._started:
            self._started = True
            super().start(listener)

    def close(self) -> None:
        self.n_workers = self.n_kept
        workers = self.workers()
        kept = [pid for pid, job in workers.items() if job is None][: self.n_kept]
        for pid in workers.keys() - kept:
            os.killpg(pid, signal.SIGKILL)
        wait_until(lambda: len(workers.keys() & self.workers().keys()) <= len(kept))

    def end(self) -> None:
        """End the workers, too."""
        super().close()


@contextmanager
def managing(store: Store, pool: KeptPool, n_workers: int = 1) -> Iterator[JobManager]:
    """A manager with a warm idle worker, which is kept, or with several workers."""
    pool.n_workers = n_workers
    manager = JobManager(store, n_workers, pool=pool)
    try:
        yield manager
    finally:
        deadline = time.monotonic() + MOST_TO_STOP
        while (jobs := set(filter(None, pool.workers().values()))) and time.monotonic() < deadline:
            for job in jobs:
                pool.stop(job)
            time.sleep(0.01)
        manager.close()


class Server:
    """A server in another process. Its messages are kept."""

    def __init__(self, address: str, folder: Path, n_workers: int) -> None:
        self.process = Fork(serve, address, str(folder), str(n_workers))
        self.said: list[tuple[str, str]] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        for line in self.process.lines():
            what, _, about = line.partition(" ")
            self.said.append((what, about))

    def heard(self, what: str) -> list[str]:
        return [about for said, about in self.said if said == what]

    def ask(self, specs: Sequence[JobSpec]) -> None:
        """Ask for jobs, without waiting until they are accepted."""
        for spec in specs:
            self.process.say(json.dumps(spec.to_json()))

    def submit(self, spec: JobSpec) -> str:
        before = len(self.heard("submitted"))
        self.ask([spec])
        wait_until(lambda: len(self.heard("submitted")) > before)
        return self.heard("submitted")[-1]

    def kill(self) -> None:
        """Kill it, and read its last messages."""
        self.process.kill()
        self._listener.join()


@contextmanager
def servers(address: str, *folders: Path, n_workers: int = 1) -> Iterator[list[Server]]:
    opened = [Server(address, folder, n_workers) for folder in folders]
    try:
        for server in opened:
            wait_until(lambda server=server: server.said)
        yield opened
    finally:
        for server in opened:
            server.kill()


def record(store: Store, run_id: str) -> RunRecord:
    return store.runs.get(LOCAL_OWNER, run_id)


def status(store: Store, run_id: str) -> RunStatus:
    return store.runs.summary(LOCAL_OWNER, run_id).status


def address_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'odt.sqlite3'}"


def large_job(store: Store) -> JobSpec:
    """A run on 20,000 different rows, for which CBC takes hundreds of megabytes."""
    rng = random.Random(1)
    rows = [",".join(str(rng.randrange(9)) for _ in range(10)) for _ in range(20_000)]
    names = ",".join(f"c{number}" for number in range(10))
    lines = (f"{row},{'yes' if row < '4' else 'no'}" for row in rows)
    content = "\n".join([f"{names},outcome", *lines]).encode()
    sha256 = store.datasets.put(LOCAL_OWNER, content, "large.csv").sha256
    schema = infer_schema(read_table(content), "outcome", "yes")
    topology = Topology.parse("depth-3")
    train = TrainSpec(schema, SplitSpec("all"), topology, engine=Engine.CBC)
    return JobSpec(sha256, "large.csv", ReadOptions(), train)


def status_or_none(store: Store, run_id: str) -> RunStatus | None:
    found = store.runs.present(LOCAL_OWNER, [run_id])
    return found[run_id].status if run_id in found else None
