"""Runs of known difficulty: one that is over at once, and one that CBC works on for minutes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, Table, read_table
from odt_core.jobs import JobManager, JobSpec
from odt_core.solution import Engine
from odt_core.solvers.search import compiling
from odt_core.solvers.search.parts import PARTS
from odt_core.storage import LOCAL_OWNER, Store
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from tests.core.storage.conftest import (
    _no_settings_from_outside,  # noqa: F401  (fixtures of the storage tests, used here too)
    postgres,  # noqa: F401
    read_only,  # noqa: F401
)
from tests.core.storage.postgres import PostgresServer


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
    """Breast cancer, depth 2: proved by the search at once, confirmed by CBC for six seconds."""
    if not compiling.is_compiled(PARTS):
        compiling.main()
    spec = sample_job(store, "breast-cancer", "depth-2")
    return dataclasses.replace(spec, train=dataclasses.replace(spec.train, engine=Engine.HYBRID))


@pytest.fixture()
def manager(store: Store) -> Iterator[JobManager]:
    """One warm worker."""
    manager = JobManager(store, n_workers=1)
    yield manager
    manager.close()


@pytest.fixture
def postgres_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database on a real server."""
    server: PostgresServer = request.getfixturevalue("postgres")
    server.execute("CREATE DATABASE odt_jobs")
    yield server.url("odt_jobs")
    server.execute("DROP DATABASE odt_jobs WITH (FORCE)")
