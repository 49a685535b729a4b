"""Runs of known difficulty: one that is over at once, and one that CBC works on for minutes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, Table, read_table
from odt_core.jobs import JobManager, JobSpec
from odt_core.jobs.local import LocalPool
from odt_core.jobs.pool import Listener
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.storage import LOCAL_OWNER, Store
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from tests.core.storage.conftest import (
    _no_settings_from_outside,  # noqa: F401  (fixtures of the storage tests, used here too)
    postgres,  # noqa: F401
    read_only,  # noqa: F401
    small_disk,  # noqa: F401
)
from tests.core.storage.postgres import PostgresServer

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


def table_of(store: Store, spec: JobSpec) -> Table:
    """What a run reads."""
    content = store.datasets.read(LOCAL_OWNER, spec.dataset)
    return read_table(content, spec.read, name=spec.table_name)


@pytest.fixture()
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of the test's own, in a file."""
    store = Store(None, tmp_path / "data")
    yield store
    store.close()


@pytest.fixture()
def easy(store: Store) -> JobSpec:
    """monks-1, depth 1: proved in well under a second."""
    return sample_job(store, "monks-1", "depth-1")


@pytest.fixture()
def hard(store: Store) -> JobSpec:
    """tic-tac-toe, depth 3: CBC's bound does not move for minutes (docs/benchmarks.md)."""
    return sample_job(store, "tic-tac-toe", "depth-3")


@pytest.fixture()
def quick(store: Store) -> JobSpec:
    """Breast cancer, depth 2: proved by the search at once, then confirmed by CBC for long."""
    spec = sample_job(store, "breast-cancer", "depth-2")
    asked = {"engine": Engine.HYBRID, "mip": MipOptions(confirm_always=True)}
    return dataclasses.replace(spec, train=dataclasses.replace(spec.train, **asked))


class KeptPool(LocalPool):
    """One warm worker for a manager after another: to start one takes three seconds of work.

    When a manager closes it, only what still runs is ended.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self._started = False

    def start(self, listener: Listener) -> None:
        self._listener = listener
        if not self._started:
            self._started = True
            super().start(listener)

    def close(self) -> None:
        with self._lock:
            busy = [worker for worker in self._workers if worker.job is not None]
            for worker in busy:
                worker.kill()
        for worker in busy:
            worker.process.wait()

    def end(self) -> None:
        """End the worker, too."""
        super().close()


@pytest.fixture(scope="module")
def kept_pool() -> Iterator[KeptPool]:
    """The worker that the tests of a module use one after the other."""
    pool = KeptPool()
    yield pool
    pool.end()


@contextmanager
def managing(store: Store, pool: KeptPool) -> Iterator[JobManager]:
    """A manager with one warm worker that has nothing to do, and is to be kept."""
    manager = JobManager(store, n_workers=1, pool=pool)
    try:
        yield manager
    finally:
        running = manager._jobs._running
        for one in list(running.values()):
            manager.cancel(one.job)
        deadline = time.monotonic() + MOST_TO_STOP
        while running and time.monotonic() < deadline:
            time.sleep(0.01)
        manager.close()


@pytest.fixture()
def manager(store: Store, kept_pool: KeptPool) -> Iterator[JobManager]:
    """One warm worker."""
    with managing(store, kept_pool) as manager:
        yield manager


@pytest.fixture
def postgres_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database on a real server."""
    server: PostgresServer = request.getfixturevalue("postgres")
    server.execute("CREATE DATABASE odt_jobs")
    yield server.url("odt_jobs")
    server.execute("DROP DATABASE odt_jobs WITH (FORCE)")
