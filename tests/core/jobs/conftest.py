"""Runs of known difficulty: an easy run ends at once, and a hard run keeps CBC busy for minutes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from odt_core.jobs import JobManager, JobSpec
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.storage import Store
from tests.core.jobs.helpers import HARD_LIMIT, KeptPool, managing, ranking_job, sample_job


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
def ranking(store: Store) -> JobSpec:
    """The columns of monks-1 ranked at one question: needs neither CBC nor scikit-learn."""
    return ranking_job(store)


@pytest.fixture()
def hard(store: Store) -> JobSpec:
    """tic-tac-toe, depth 3: CBC's bound does not move for minutes (docs/benchmarks.md)."""
    return sample_job(store, "tic-tac-toe", "depth-3", HARD_LIMIT)


@pytest.fixture()
def quick(store: Store) -> JobSpec:
    """Breast cancer, depth 2: proved by the search at once, then confirmed by CBC for long."""
    spec = sample_job(store, "breast-cancer", "depth-2", HARD_LIMIT)
    asked = {"engine": Engine.HYBRID, "mip": MipOptions(confirm_always=True)}
    return dataclasses.replace(spec, train=dataclasses.replace(spec.train, **asked))


@pytest.fixture(scope="session")
def kept_pool() -> Iterator[KeptPool]:
    """The worker that tests use one after the other."""
    pool = KeptPool()
    yield pool
    pool.end()


@pytest.fixture()
def manager(store: Store, kept_pool: KeptPool) -> Iterator[JobManager]:
    """One warm worker."""
    with managing(store, kept_pool) as manager:
        yield manager
