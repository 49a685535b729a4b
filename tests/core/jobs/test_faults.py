"""Processes are killed and disks fill up, for real: nothing is lost, and a message says why."""

from __future__ import annotations

import dataclasses
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from sqlalchemy import Pool, event, text

from odt_core.errors import InputError
from odt_core.jobs import JobManager, JobSpec, pool
from odt_core.jobs.pool import AT_REST, WorkerFolders, worker_memory
from odt_core.processes import MIB, memory_with_all
from odt_core.storage import (
    LOCAL_OWNER,
    NotFoundError,
    RunStatus,
    StorageError,
    Store,
    open_store,
)
from odt_core.training import Stage
from tests.core.jobs.helpers import (
    HARD_LIMIT,
    KeptPool,
    address_of,
    command_of,
    family_of,
    is_alive,
    large_job,
    managing,
    ranking_job,
    record,
    sample_job,
    servers,
    solver_seconds_until,
    status,
    status_or_none,
    worker_pid,
    worker_pids,
)
from tests.core.storage.helpers import fill
from tests.examples import some
from tests.waiting import wait_until


@pytest.mark.parametrize("address", some(["sqlite", "postgres"], always=1), indirect=True)
def test_a_killed_server_loses_nothing(address: str, tmp_path: Path, kept_pool: KeptPool) -> None:
    folder = tmp_path / "data"
    store = Store(address, folder)
    easy = sample_job(store, "monks-1", "depth-1")
    hard = sample_job(store, "tic-tac-toe", "depth-3", HARD_LIMIT)
    with servers(address, folder) as (server,):
        done = server.submit(easy)
        wait_until(lambda: status(store, done) is RunStatus.DONE)
        whole = record(store, done)
        running = server.submit(hard)
        wait_until(lambda: status(store, running) is RunStatus.RUNNING)
        began = time.time()
        queued = [server.submit(easy) for _ in range(2)]
        wait_until(lambda: record(store, running).best is not None)
        family = family_of(server.process.pid)
        assert any("mip.child" in command_of(process) for process in family)
        wait_until(lambda: time.time() - began > 2.5)
        server.kill()
        killed = time.time()
        orphans = wait_until(lambda: not any(is_alive(p) for p in family))
    print(f"workers and solvers were gone after {orphans:.2f} s")
    wait_until(lambda: time.time() - killed > 2)
    assert status(store, running) is RunStatus.RUNNING, "nobody has looked yet"

    with managing(store, kept_pool) as manager:
        wait_until(lambda: status(store, running) is RunStatus.INTERRUPTED)  # long before the lease
        wait_until(lambda: all(status(store, run) is RunStatus.DONE for run in queued))
        assert record(store, done) == whole
        caught = manager.find(LOCAL_OWNER, running)
        assert caught.status is RunStatus.INTERRUPTED and "run it again" in caught.message
        assert caught.best is not None and caught.best["tree"] is not None
        assert caught.best["model"]["tree"] == caught.best["tree"]
        run = store.runs.summary(LOCAL_OWNER, running)
        assert run.started_at is not None and run.ended_at is not None
        assert 1.5 < (run.ended_at - run.started_at).total_seconds() < killed - began + 1
        again = manager.rerun(LOCAL_OWNER, running)
        wait_until(lambda: again.best is not None)
        assert again.spec == hard and again.id != running
    store.close()


@pytest.mark.parametrize("address", some(["postgres", "sqlite"], always=1), indirect=True)
def test_two_servers_on_one_database_run_no_job_twice(address: str, tmp_path: Path) -> None:
    store = Store(address, tmp_path / "here")
    spec = ranking_job(store)
    with servers(address, tmp_path / "one", tmp_path / "two") as both:
        runs = [both[number % 2].submit(spec) for number in range(8)]
        wait_until(lambda: all(status(store, run) is RunStatus.DONE for run in runs))
        started = [run for server in both for run in server.heard("started")]
        shares = [len(server.heard("started")) for server in both]
    assert sorted(started) == sorted(runs)
    assert min(shares) >= 1, shares
    print(f"{shares[0]} and {shares[1]} of 8 runs on two servers")
    store.close()


def test_a_job_that_another_server_runs_is_followed_and_cancelled(
    tmp_path: Path, store: Store, hard: JobSpec, kept_pool: KeptPool
) -> None:
    folder = tmp_path / "data"
    with servers(address_of(folder), folder) as (server,):
        theirs = server.submit(hard)
        wait_until(lambda: server.heard("started"))
        with managing(store, kept_pool) as manager:
            job = manager.find(LOCAL_OWNER, theirs)
            wait_until(lambda: job.progress and job.status is RunStatus.RUNNING)
            wait_until(lambda: record(store, theirs).best is not None)
            manager.cancel(job)
            seconds = wait_until(lambda: job.is_over)
            print(f"a job of another server was stopped in {seconds:.2f} s")
            assert job.status is RunStatus.DONE and job.result is not None
            assert job.result["status"] == "cancelled" and job.model is not None


def test_a_killed_worker_leaves_its_best_tree_and_neither_solver_nor_files(
    manager: JobManager, store: Store, hard: JobSpec, easy: JobSpec
) -> None:
    job = manager.submit(hard)
    wait_until(lambda: job.best is not None)
    lost = worker_pid(manager)
    folder = Path(psutil.Process(lost).environ()["TMPDIR"])
    assert list(folder.glob("odt-mip-*")), "CBC's files are in the worker's own folder"
    family = [psutil.Process(lost), *family_of(lost)]
    os.kill(lost, signal.SIGKILL)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.FAILED
    assert job.message == (
        "The solver's process ended unexpectedly (killed by SIGKILL): start it again, with a "
        "smaller shape or fewer columns if it repeats."
    )
    wait_until(lambda: status(store, job.id) is RunStatus.FAILED)
    kept = record(store, job.id).best
    assert kept is not None and kept["tree"] == job.best["tree"]
    wait_until(lambda: not folder.exists())
    wait_until(lambda: not any(is_alive(process) for process in family))
    again = manager.submit(easy)
    wait_until(lambda: again.is_over)
    assert again.status is RunStatus.DONE, again.message
    assert worker_pid(manager) != lost


def test_a_cancel_that_is_not_answered_keeps_the_best_tree(
    manager: JobManager, hard: JobSpec
) -> None:
    job = manager.submit(hard)
    wait_until(lambda: job.best is not None)
    worker = worker_pid(manager)
    os.kill(worker, signal.SIGSTOP)  # hangs, while its solver goes on
    manager.cancel(job)
    assert solver_seconds_until(lambda: job.is_over, worker) < 1.5
    assert job.status is RunStatus.DONE and job.result is not None and job.model is not None
    assert job.result["status"] == "cancelled" and job.result["tree"] == job.best["tree"]
    assert "Stopped after" in job.result["words"]["status"]


def test_a_job_that_needs_too_much_memory_ends_alone(
    store: Store, kept_pool: KeptPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    light = sample_job(store, "tic-tac-toe", "depth-2")  # CBC takes 35 MiB
    heavy = large_job(store)
    with managing(store, kept_pool, n_workers=2) as manager:
        loading = manager.submit(sample_job(store, "monks-1", "depth-1"))
        wait_until(lambda: loading.is_over and kept_pool.n_free() == 2)
        at_rest = max(memory_with_all(pid) for pid in worker_pids(manager))
        monkeypatch.setattr(kept_pool, "memory_limit", at_rest + 80 * MIB)
        first, second = manager.submit(heavy, lane="a"), manager.submit(light, lane="b")
        wait_until(lambda: first.is_over)
        assert first.status is RunStatus.FAILED
        limit = f"{kept_pool.memory_limit // MIB:,} MiB"
        assert f"more memory than a solver process may take ({limit})" in first.message
        assert "ODT_WORKER_MEMORY" in first.message
        assert second.status is RunStatus.RUNNING, second.message
        again = manager.submit(ranking_job(store))
        wait_until(lambda: again.is_over)
        assert again.status is RunStatus.DONE, again.message
        assert second.status is RunStatus.RUNNING, second.message


def test_folders_of_dead_servers_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "YOUNG", -1.0)
    mine = WorkerFolders()
    dead = Path(tempfile.mkdtemp(prefix=pool.PREFIX))
    (dead / "lock").touch()
    (dead / "worker-1" / "odt-mip-1").mkdir(parents=True)
    pool.remove_left_behind()
    assert not dead.exists() and mine.folder.exists()
    mine.close()
    assert not mine.folder.exists()


def test_a_full_disk_costs_no_result_and_no_run(
    manager: JobManager, store: Store, easy: JobSpec, hard: JobSpec
) -> None:
    running = manager.submit(hard)
    wait_until(lambda: running.best is not None)
    wait_until(lambda: record(store, running.id).best is not None)
    with full_disk(store):
        manager.cancel(running)
        wait_until(lambda: running.is_over)
        assert running.result is not None, "the result is on the screen"
        wait_until(lambda: manager.problem)
        assert "no room left on the disk" in manager.problem
        assert manager.find(LOCAL_OWNER, running.id) is running
        unrecorded = manager.submit(easy)
        wait_until(lambda: unrecorded.is_over)
        assert unrecorded.status is RunStatus.DONE and unrecorded.result is not None
        assert manager.find(LOCAL_OWNER, unrecorded.id) is unrecorded
    wait_until(lambda: status(store, running.id) is RunStatus.DONE)
    assert record(store, running.id).result == running.result
    wait_until(lambda: not manager.problem)
    wait_until(lambda: unrecorded.recorded and not manager.unstored(unrecorded))
    wait_until(lambda: status(store, unrecorded.id) is RunStatus.DONE)
    kept = record(store, unrecorded.id)
    assert kept.summary.status is RunStatus.DONE and kept.result == unrecorded.result
    assert kept.summary.ended_at == unrecorded.ended_at
    assert manager.n_unentered(LOCAL_OWNER) == 0


def test_what_a_full_disk_kept_out_is_stored_once_there_is_room(
    small_disk: Path, kept_pool: KeptPool
) -> None:
    store = Store(None, small_disk)
    easy = sample_job(store, "monks-1", "depth-1")
    store.datasets.path(LOCAL_OWNER, easy.dataset)
    with managing(store, kept_pool) as manager:
        filler = fill(small_disk)
        single = manager.submit(easy, name="kept out")
        study = manager.submit_study([easy, easy], name="kept out, too")
        jobs = [single, *study.jobs]
        wait_until(lambda: all(job.is_over for job in jobs))
        assert all(job.status is RunStatus.DONE and not job.recorded for job in jobs)
        assert study.id is None and "no room left" in manager.unstored(single)
        assert store.runs.list(LOCAL_OWNER).total == 0
        filler.unlink()
        wait_until(lambda: all(status_or_none(store, job.id) is RunStatus.DONE for job in jobs))
        wait_until(lambda: not any(map(manager.unstored, jobs)))
        assert study.id is not None
        expected = {("kept out", RunStatus.DONE), ("kept out, too", RunStatus.DONE)}
        listed = store.runs.list
        wait_until(lambda: {(run.name, run.status) for run in listed(LOCAL_OWNER).runs} == expected)
        assert record(store, single.id).result == single.result
        members = manager.find_study(LOCAL_OWNER, study.id).jobs
        assert [job.id for job in members] == [job.id for job in study.jobs]
        assert all(status(store, job.id) is RunStatus.DONE for job in members)
    store.close()


def test_what_could_not_be_stored_goes_with_its_data_set(
    manager: JobManager, store: Store, easy: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("There is no room left on the disk.")

    with monkeypatch.context() as patch:
        patch.setattr(store.runs, "create", full)
        patch.setattr(store.queue, "adopt", full)
        job = manager.submit(easy)
        wait_until(lambda: job.is_over)
        assert "no room left" in manager.unstored(job) and not manager.is_stored(job)
        store.datasets.delete(LOCAL_OWNER, easy.dataset)
    wait_until(lambda: manager.n_unentered(LOCAL_OWNER) == 0)
    wait_until(lambda: not manager.unstored(job))
    assert manager.is_stored(job), "nothing is left to store"
    with pytest.raises(NotFoundError):
        manager.find(LOCAL_OWNER, job.id)


def test_a_frozen_worker_keeps_nobody_waiting(
    manager: JobManager, monkeypatch: pytest.MonkeyPatch, ranking: JobSpec
) -> None:
    monkeypatch.setattr(pool, "ACKNOWLEDGE_WITHIN", HARD_LIMIT)
    wait_until(lambda: manager.pool.n_free() == 1)
    frozen = worker_pid(manager)
    os.kill(frozen, signal.SIGSTOP)
    large = dataclasses.replace(ranking, table_name="x" * 300_000)  # more than a pipe takes in
    first = manager.submit(large)
    second = manager.submit(ranking)
    manager.cancel(second)
    assert worker_pid(manager) == frozen, "nobody has waited until it was ended"
    monkeypatch.setattr(pool, "ACKNOWLEDGE_WITHIN", 0.0)
    wait_until(lambda: frozen not in worker_pids(manager))
    monkeypatch.setattr(pool, "ACKNOWLEDGE_WITHIN", HARD_LIMIT)
    wait_until(lambda: first.is_over)
    assert first.status is RunStatus.DONE, first.message
    wait_until(lambda: second.is_over)


def test_a_worker_that_freezes_while_it_prepares_keeps_only_its_own_run_waiting(
    store: Store, ranking: JobSpec, kept_pool: KeptPool
) -> None:
    with managing(store, kept_pool, n_workers=2) as manager:
        wait_until(lambda: kept_pool.n_free() == 2)
        frozen = manager.submit(large_job(store))

        def workers() -> list[int]:
            return [pid for pid, job in kept_pool.workers().items() if job == frozen.id]

        wait_until(workers)  # a moment after the run is running
        (pid,) = workers()
        os.kill(pid, signal.SIGSTOP)
        assert frozen.stage is Stage.PREPARING
        other = manager.submit(ranking, lane="another")
        wait_until(lambda: other.is_over)
        assert other.status is RunStatus.DONE, other.message
        manager.cancel(frozen)
        wait_until(lambda: frozen.is_over)
        assert frozen.status is RunStatus.CANCELLED
        wait_until(lambda: kept_pool.n_free() == 2)


def test_a_solver_that_is_killed_alone_fails_its_run_in_words_and_no_other(
    manager: JobManager, hard: JobSpec, easy: JobSpec
) -> None:
    job = manager.submit(hard)
    wait_until(lambda: job.best is not None)
    worker = worker_pid(manager)
    (solver,) = (p for p in family_of(worker) if "solvers.mip.child" in command_of(p))
    solver.kill()
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.FAILED and "CBC" in job.message, (job.status, job.message)
    after = manager.submit(easy)
    wait_until(lambda: after.is_over)
    assert after.status is RunStatus.DONE and worker_pid(manager) == worker


DEAF_WORKER = """#!/bin/sh
echo '{"type": "ready"}'
exec cat > /dev/null
"""


def test_a_job_that_no_worker_takes_up_fails_in_words(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, easy: JobSpec
) -> None:
    deaf = tmp_path / "deaf-worker"
    deaf.write_text(DEAF_WORKER)
    deaf.chmod(0o700)
    monkeypatch.setattr(pool.sys, "executable", str(deaf))
    monkeypatch.setattr(pool, "ACKNOWLEDGE_WITHIN", 0.2)
    manager = JobManager(store, 1)
    try:
        job = manager.submit(easy)
        wait_until(lambda: job.is_over)
        assert job.status is RunStatus.FAILED and "ended unexpectedly" in job.message
    finally:
        manager.close()


@pytest.mark.parametrize("setting", ["64", "511", "-1", "1e3", "much"])
def test_too_little_memory_for_workers_is_refused_in_words(
    setting: str, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setenv("ODT_WORKER_MEMORY", setting)
    with pytest.raises(InputError, match=f"ODT_WORKER_MEMORY is {setting!r}.*at least 512"):
        worker_memory(1)


def test_a_worker_at_rest_takes_less_than_the_least_setting_and_no_database_library() -> None:
    """With everything loaded, and with its process of CBC. A database library would take 20 MiB."""
    code = (
        "import os, sys; from odt_core.processes import memory_with_all as memory;"
        "from odt_core.worker.worker import warm_up; warm_up(); print(memory(os.getpid()));"
        "print({'sqlalchemy', 'alembic', 'distributed'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    memory, databases = done.stdout.splitlines()
    assert 0 < int(memory) < AT_REST and databases == "set()"


@contextmanager
def full_disk(store: Store) -> Iterator[None]:
    """SQLite may not add a page, which gives the error of a full disk."""
    with store.database.bare() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar()

    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(Pool, "checkout", limit)
    try:
        yield
    finally:
        event.remove(Pool, "checkout", limit)
        store.close()  # new connections have no limit


@pytest.mark.parametrize("instead", [None, b"", b"no database", "another store"])
def test_a_deleted_or_replaced_database_is_reported_and_loses_nothing(
    manager: JobManager,
    store: Store,
    tmp_path: Path,
    easy: JobSpec,
    hard: JobSpec,
    instead: bytes | str | None,
) -> None:
    running = manager.submit(hard)
    wait_until(lambda: running.best is not None)
    here, away = tmp_path / "data" / "odt.sqlite3", tmp_path / "away"
    here.rename(away)  # a process with the open file would go on writing into it
    if isinstance(instead, bytes):
        here.write_bytes(instead)
    elif instead is not None:
        Store(None, tmp_path / "other").close()
        (tmp_path / "other" / "odt.sqlite3").rename(here)
    manager.cancel(running)
    wait_until(lambda: running.is_over)
    wait_until(lambda: manager.problem)
    assert "was deleted, moved or replaced" in manager.problem
    assert running.result is not None, "the result is on the screen"
    unrecorded = manager.submit(easy)
    wait_until(lambda: unrecorded.is_over)
    assert unrecorded.status is RunStatus.DONE and not unrecorded.recorded
    away.rename(here)
    wait_until(lambda: status(store, running.id) is RunStatus.DONE)
    wait_until(lambda: not manager.problem)


def test_a_database_that_loses_its_tables_stops_no_thread(
    address: str, tmp_path: Path, kept_pool: KeptPool
) -> None:
    store = Store(address, tmp_path / "data")
    easy = sample_job(store, "monks-1", "depth-1")
    with managing(store, kept_pool) as manager:
        before = manager.submit(easy)
        wait_until(lambda: status(store, before.id) is RunStatus.DONE)
        for now, then in (("runs", "elsewhere"), ("elsewhere", "runs")):
            with store.database.write() as connection:
                connection.execute(text(f"ALTER TABLE {now} RENAME TO {then}"))
            if then == "elsewhere":
                wait_until(lambda: manager.problem)
                assert "lacks some of its tables" in manager.problem
        wait_until(lambda: not manager.problem)
        after = manager.submit(easy)
        wait_until(lambda: after.is_over)
        assert after.status is RunStatus.DONE and after.recorded
    store.close()


def test_a_mistake_of_this_program_is_reported_and_costs_one_round(
    manager: JobManager, store: Store, easy: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise RuntimeError("cannot count")

    with monkeypatch.context() as patch:
        patch.setattr(store.queue, "n_waiting", fail)
        job = manager.submit(easy)
        wait_until(lambda: "unexpected error" in manager.problem)
        assert "cannot count" in manager.problem
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE and not manager.problem


def test_a_claimed_run_waits_while_its_file_cannot_be_had(
    manager: JobManager, store: Store, easy: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(owner: str, sha256: str) -> Path:
        raise StorageError("The database is away.")

    with monkeypatch.context() as patch:
        patch.setattr(store.datasets, "path", away)
        job = manager.submit(easy)
        wait_until(lambda: manager.problem == "The database is away.")
        assert job.status is RunStatus.QUEUED and manager.position(job) == 0
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE
    wait_until(lambda: status(store, job.id) is RunStatus.DONE)


@pytest.mark.parametrize("why", ["read-only", "unreachable", "wrong address", "wrong age"])
def test_where_nothing_can_be_kept_runs_go_on_in_memory(
    why: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kept_pool: KeptPool,
) -> None:
    folder = request.getfixturevalue("read_only") if why == "read-only" else tmp_path / "data"
    monkeypatch.setenv("ODT_DATA_DIR", str(folder))
    if why == "unreachable":
        monkeypatch.setenv("ODT_DATABASE_URL", "postgresql://odt:secret@127.0.0.1:9/odt")
    elif why == "wrong address":
        monkeypatch.setenv("ODT_DATABASE_URL", "mysql://here")
    elif why == "wrong age":
        monkeypatch.setenv("ODT_RETENTION_DAYS", "soon")
    words = {
        "read-only": "cannot be",
        "unreachable": "cannot be reached",
        "wrong address": "not the address of a PostgreSQL or SQLite database",
        "wrong age": "ODT_RETENTION_DAYS is 'soon'",
    }[why]
    store = open_store()
    if os.getuid() == 0:
        os.seteuid(0)  # the other user may not start workers here either
    assert words in store.problem and "in memory only" in store.problem
    assert "secret" not in store.problem
    with managing(store, kept_pool) as manager:
        assert manager.problem == store.problem
        job = manager.submit(sample_job(store, "monks-1", "depth-1"))
        wait_until(lambda: job.is_over)
        assert job.status is RunStatus.DONE and job.result is not None
        wait_until(lambda: status(store, job.id) is RunStatus.DONE)
    store.close()
