"""Runs of known difficulty: one that is over at once, and one that CBC works on for minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from odt_core.data import SAMPLES, ReadOptions, SplitSpec
from odt_core.jobs import JobManager, JobSpec
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec


def sample_job(folder: Path, sample: str, topology: str, time_limit: float = 60.0) -> JobSpec:
    """A run on all rows of a sample, solved by CBC."""
    path = folder / f"{sample}.csv"
    path.write_bytes(SAMPLES[sample].csv())
    train = TrainSpec(
        schema=SAMPLES[sample].schema(),
        split=SplitSpec("all"),
        topology=Topology.parse(topology),
        engine=Engine.CBC,
        time_limit=time_limit,
    )
    return JobSpec(path, path.name, ReadOptions(), train)


@pytest.fixture()
def easy(tmp_path: Path) -> JobSpec:
    """monks-1, depth 1: proved in well under a second."""
    return sample_job(tmp_path, "monks-1", "depth-1")


@pytest.fixture()
def hard(tmp_path: Path) -> JobSpec:
    """tic-tac-toe, depth 3: CBC's bound does not move for minutes (docs/benchmarks.md)."""
    return sample_job(tmp_path, "tic-tac-toe", "depth-3")


@pytest.fixture()
def manager() -> Iterator[JobManager]:
    """One warm worker."""
    manager = JobManager(n_workers=1)
    yield manager
    manager.close()
