"""The same jobs on a Dask cluster: a real scheduler and two workers on loopback."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import Client, Scheduler, Security

from odt_core.cli import main
from odt_core.data import Fold, Folding, SplitSpec
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobManager, JobSpec
from odt_core.jobs.cluster import DaskPool, check_address, check_scheduler
from odt_core.jobs.pool import LocalPool
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from odt_core.studies import ComparisonSpec, CurveSpec, PathPart, ResampleRange, TreeCandidate
from odt_core.topology import Topology
from odt_core.training import run_training
from odt_core.worker.kinds import run_job
from tests.core.jobs.helpers import (
    HARD_LIMIT,
    ROOT,
    command_of,
    family_of,
    is_alive,
    sample_job,
    solver_seconds_until,
    status,
    table_of,
)
from tests.ports import free_port
from tests.waiting import wait_until

LOCAL_DASK = ["--no-dashboard", "--host", "127.0.0.1"]


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Cluster:
    """A scheduler and its workers, each a process; with TLS if there is a certificates' folder."""

    def __init__(self, n_workers: int = 2, certificates: Path | None = None) -> None:
        self.tls = [] if certificates is None else tls_options(certificates)
        port = free_port()
        self.address = f"{'tls' if self.tls else 'tcp'}://127.0.0.1:{port}"
        protocol = ["--protocol", "tls"] if self.tls else []
        self.scheduler = start(
            *("distributed.cli.dask_scheduler", *LOCAL_DASK, "--port", str(port)),
            *(*protocol, *self.tls),
        )
        self.workers = [self.add_worker() for _ in range(n_workers)]

    def add_worker(self) -> subprocess.Popen[bytes]:
        return start(
            *("distributed.cli.dask_worker", self.address, *LOCAL_DASK),
            *("--nthreads", "1", "--no-nanny", "--death-timeout", "30", *self.tls),
        )

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def is_solving(self, worker: subprocess.Popen[bytes]) -> bool:
        """Whether CBC has files in the folder of one of its workers."""
        return any(list(folder.glob("odt-mip-*")) for folder in folders_of(worker.pid))


def tls_options(folder: Path) -> list[str]:
    files = {"--tls-ca-file": "ca.pem", "--tls-cert": "node.pem", "--tls-key": "node-key.pem"}
    return [word for name, file in files.items() for word in (name, str(folder / file))]


def folders_of(pid: int) -> list[Path]:
    """Where the workers of a machine put temporary files."""
    found = []
    for process in family_of(pid):
        if "odt_core.worker" in command_of(process):
            with suppress(psutil.Error):
                found.append(Path(process.environ()["TMPDIR"]))
    return found


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.close()


@pytest.fixture
def manager(
    cluster: Cluster, store: Store, monkeypatch: pytest.MonkeyPatch
) -> Iterator[JobManager]:
    """The manager of a server with the setting for the cluster."""
    monkeypatch.setenv("ODT_DASK_SCHEDULER", cluster.address)
    manager = JobManager(store, n_workers=1)
    assert isinstance(manager.pool, DaskPool)
    wait_until(lambda: manager.pool.n_free() == 2)
    assert not manager.problem
    yield manager
    manager.close()


def test_a_job_on_the_cluster_brings_what_it_brings_here(
    manager: JobManager, store: Store, easy: JobSpec
) -> None:
    job = manager.submit(easy)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    here = run_training(table_of(store, easy), easy.train).to_json()
    assert job.result is not None and job.model is not None
    for name in ("status", "errors", "objective", "tree", "cart", "train", "settings"):
        assert job.result[name] == here[name], name
    wait_until(lambda: store.runs.summary(LOCAL_OWNER, job.id).status is RunStatus.DONE)


def test_progress_comes_and_a_cancel_keeps_the_best_tree(
    manager: JobManager, cluster: Cluster, hard: JobSpec
) -> None:
    job = manager.submit(hard)
    wait_until(lambda: job.best is not None and job.progress)
    machine = next(worker for worker in cluster.workers if cluster.is_solving(worker))
    manager.cancel(job)
    seconds = solver_seconds_until(lambda: job.is_over, machine.pid)
    print(f"a job on the cluster was stopped after {seconds:.2f} s of the solver's work")
    assert seconds < 1.5
    assert job.status is RunStatus.DONE, job.message
    assert job.result is not None and job.result["status"] == "cancelled"
    assert job.result["tree"] is not None


def test_two_machines_work_at_once_and_a_job_waits_its_turn(
    manager: JobManager, hard: JobSpec
) -> None:
    first, second, third = (manager.submit(hard) for _ in range(3))
    wait_until(lambda: first.progress and second.progress)
    assert third.status is RunStatus.QUEUED and manager.position(third) == 0
    for job in (third, second, first):
        manager.cancel(job)
    wait_until(lambda: all(job.is_over for job in (first, second, third)))
    assert third.status is RunStatus.CANCELLED


def test_a_study_runs_on_the_cluster(manager: JobManager, store: Store) -> None:
    spec = sample_job(store, "monks-1", "depth-1")
    curve = CurveSpec(topologies=(Topology.parse("depth-1"),), repeats=4)
    train = dataclasses.replace(
        spec.train, split=dataclasses.replace(spec.train.split, train_size=300)
    )
    spec = dataclasses.replace(spec, train=train, kind=JobKind.CURVE)
    parts = [dataclasses.replace(spec, part=part) for part in curve.parts()]
    batch = manager.submit_study(parts)
    wait_until(lambda: batch.is_over)
    assert not batch.failure and len(batch.results) == 4


def test_folds_paths_and_resamples_on_the_cluster_bring_what_they_bring_here(
    manager: JobManager, store: Store
) -> None:
    spec = sample_job(store, "triage", "depth-1")
    train = dataclasses.replace(
        spec.train, split=SplitSpec.parse("200"), max_card=1, engine=Engine.SEARCH
    )
    candidate = TreeCandidate(train.topology, train.max_card)
    comparison = ComparisonSpec(candidates=(candidate,), folding=Folding(2))
    parts = {
        JobKind.COMPARE: comparison.fold_parts()[1],
        JobKind.PATH: PathPart(2, Fold(0, 1, 2)),
        JobKind.STABILITY: ResampleRange(0, 3),
    }
    specs = [
        dataclasses.replace(spec, train=train, kind=kind, part=part) for kind, part in parts.items()
    ]
    jobs = [manager.submit(each) for each in specs]
    wait_until(lambda: all(job.is_over for job in jobs), seconds=90)
    for job in jobs:
        assert job.status is RunStatus.DONE, job.message
        here = run_job(table_of(store, job.spec), job.spec).result
        assert without_seconds(job.result) == without_seconds(here), job.spec.kind


def without_seconds(found: Any) -> Any:
    """A result but for how long it took."""
    if isinstance(found, dict):
        return {k: without_seconds(v) for k, v in found.items() if k not in ("seconds", "words")}
    return [without_seconds(each) for each in found] if isinstance(found, list) else found


def test_a_lost_machine_s_job_begins_anew_on_another(
    manager: JobManager, cluster: Cluster, hard: JobSpec
) -> None:
    spec = dataclasses.replace(hard, train=dataclasses.replace(hard.train, time_limit=8.0))
    job = manager.submit(spec)
    wait_until(lambda: job.best is not None)
    lost = next(worker for worker in cluster.workers if cluster.is_solving(worker))
    family = family_of(lost.pid)
    lost.send_signal(signal.SIGKILL)
    lost.wait()
    killed = time.monotonic()
    wait_until(lambda: not any(is_alive(process) for process in family))
    print(f"its workers and solvers were gone after {time.monotonic() - killed:.2f} s")
    other = next(worker for worker in cluster.workers if worker is not lost)
    wait_until(lambda: cluster.is_solving(other))
    print(f"another machine had the job after {time.monotonic() - killed:.2f} s")
    cluster.workers[cluster.workers.index(lost)] = cluster.add_worker()
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    assert job.result is not None and job.result["status"] == "feasible"


def test_the_manager_reports_a_missing_scheduler_and_waits_for_it(
    store: Store, easy: JobSpec
) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    manager = JobManager(store, 1, pool=DaskPool(address))
    try:
        job = manager.submit(easy)
        wait_until(lambda: manager.problem)
        assert f"The Dask scheduler {address} cannot be reached" in manager.problem
        assert job.status is RunStatus.QUEUED
    finally:
        manager.close()
    assert store.runs.summary(LOCAL_OWNER, job.id).status is RunStatus.QUEUED


def test_closing_takes_the_jobs_off_the_cluster(
    cluster: Cluster, store: Store, hard: JobSpec
) -> None:
    manager = JobManager(store, 1, pool=DaskPool(cluster.address))
    job = manager.submit(hard)
    wait_until(lambda: job.progress)
    manager.close()
    assert job.status is RunStatus.INTERRUPTED
    wait_until(lambda: not any(map(cluster.is_solving, cluster.workers)))
    assert all(psutil.pid_exists(worker.pid) for worker in cluster.workers)


def is_known(job: str, dask_scheduler: Scheduler) -> bool:
    """Whether a scheduler has taken up a job."""
    return any(job in key for key in dask_scheduler.tasks)


def test_a_scheduler_that_is_lost_costs_only_what_had_begun(
    cluster: Cluster, store: Store, hard: JobSpec, easy: JobSpec
) -> None:
    """The last one to use the cluster that all share."""
    manager = JobManager(store, 1, pool=DaskPool(cluster.address))
    try:
        wait_until(lambda: manager.pool.n_free() == 2)
        with Client(cluster.address, set_as_default=False) as other:
            busy = other.submit(time.sleep, HARD_LIMIT, pure=False)
            wait_until(lambda: any(other.processing().values()) and not busy.done())
            begun, handed_over, waiting = (manager.submit(spec) for spec in (hard, easy, easy))
            wait_until(lambda: begun.best is not None)
            wait_until(lambda: handed_over.status is RunStatus.RUNNING)
            wait_until(lambda: other.run_on_scheduler(is_known, handed_over.id))
            cluster.scheduler.kill()
        seconds = wait_until(lambda: begun.is_over)
        print(f"a lost scheduler was noticed after {seconds:.2f} s")
        assert begun.status is RunStatus.FAILED and begun.best is not None
        wait_until(lambda: "cannot be reached" in manager.problem)
        wait_until(lambda: handed_over.status is RunStatus.QUEUED)
        assert waiting.status is RunStatus.QUEUED
        wait_until(lambda: status(store, handed_over.id) is RunStatus.QUEUED)
    finally:
        manager.close()
    assert status(store, handed_over.id) is status(store, waiting.id) is RunStatus.QUEUED


def test_a_cluster_with_certificates_serves_only_who_has_them(
    tmp_path: Path, store: Store, ranking: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        assert main(["cluster-certificates", str(folder)]) == 0
        assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}
    cluster = Cluster(1, ours)
    monkeypatch.setenv("ODT_DASK_SCHEDULER", cluster.address)
    try:
        monkeypatch.setenv("ODT_DASK_CERTIFICATES", str(ours))
        manager = JobManager(store, n_workers=1)
        wait_until(lambda: manager.pool.n_free() == 1)
        job = manager.submit(ranking)
        wait_until(lambda: job.is_over)
        assert job.status is RunStatus.DONE, job.message
        manager.close()
        for security in (Security(), check_address("tls://x", theirs, False)):
            with pytest.raises((OSError, TypeError)):
                check_scheduler(cluster.address, security)
        with pytest.raises(OSError):
            check_scheduler(cluster.address.replace("tls", "tcp"), Security())
    finally:
        cluster.close()


def test_certificates_are_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster-certificates", str(tmp_path)]) == 0
    before = (tmp_path / "ca.pem").read_bytes()
    assert main(["cluster-certificates", str(tmp_path)]) == 2
    assert "holds certificates already" in capsys.readouterr().err
    assert (tmp_path / "ca.pem").read_bytes() == before


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "tcp://scheduler.example.org:8786"])
def test_a_plain_scheduler_elsewhere_is_refused_unless_the_network_is_trusted(
    address: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="uses no TLS.*ODT_DASK_TRUSTED_NETWORK=1"):
        check_address(address, None, False)
    assert check_address(address, None, True).require_encryption is not True
    monkeypatch.setenv("ODT_DASK_SCHEDULER", address)
    manager = JobManager(store, n_workers=1)
    try:
        assert isinstance(manager.pool, LocalPool)
        assert "uses no TLS" in manager.problem and "on this machine meanwhile" in manager.problem
    finally:
        manager.close()


@pytest.mark.parametrize(
    ("address", "folder", "words"),
    [
        ("host:8786", None, "give an address such as tls://host:8786"),
        ("http://host", None, "give an address such as"),
        ("tls://host:8786", None, "name the folder with the certificates"),
        ("tls://host:8786", Path("nowhere"), "has no file ca.pem"),
    ],
)
def test_settings_of_a_cluster_that_cannot_be_used_are_named(
    address: str, folder: Path | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        check_address(address, folder, False)
