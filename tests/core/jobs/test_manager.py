"""Jobs run in workers, report their progress, and end well or with one clear sentence."""

from __future__ import annotations

import dataclasses
import os
import signal
from pathlib import Path

import psutil
import pytest

from odt_core.jobs import JobManager, JobSpec, pool, server_jobs
from odt_core.storage import LOCAL_OWNER, NotFoundError, RunStatus, Store
from odt_core.training import Stage, run_training
from tests.core.jobs.helpers import (
    HARD_LIMIT,
    address_of,
    family_of,
    has_best_tree,
    is_alive,
    servers,
    solver_seconds_until,
    table_of,
    worker_pid,
)
from tests.waiting import wait_until


def test_a_job_brings_what_the_same_run_brings_here(
    manager: JobManager, store: Store, easy: JobSpec
) -> None:
    job = manager.submit(easy)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    here = run_training(table_of(store, easy), easy.train).to_json()
    assert job.result is not None
    for name in ("status", "errors", "objective", "tree", "cart", "train", "test", "settings"):
        assert job.result[name] == here[name], name
    assert job.result["status"] == "optimal"
    assert job.model is not None and job.model["tree"] == job.result["tree"]


def test_a_running_job_says_how_far_it_is(manager: JobManager, hard: JobSpec) -> None:
    job = manager.submit(hard)
    wait_until(lambda: has_best_tree(job))
    assert job.status is RunStatus.RUNNING and job.stage is Stage.SOLVING
    point = next(point for point in job.progress if point.incumbent is not None)
    assert point.incumbent is not None and 0 < point.incumbent <= 958
    assert point.bound is None or point.bound >= point.incumbent


def test_cancel_keeps_the_best_tree_within_a_second(manager: JobManager, hard: JobSpec) -> None:
    job = manager.submit(hard)
    wait_until(lambda: has_best_tree(job))
    best = max(point.incumbent for point in job.progress if point.incumbent is not None)
    manager.cancel(job)
    assert solver_seconds_until(lambda: job.is_over, worker_pid(manager)) < 1.5
    assert job.status is RunStatus.DONE, job.message
    assert job.result is not None and job.result["status"] == "cancelled"
    assert job.result["objective"]["total"] >= best
    assert job.result["tree"] is not None


def test_cancel_works_again_and_again(manager: JobManager, hard: JobSpec, ranking: JobSpec) -> None:
    for _ in range(2):
        job = manager.submit(hard)
        wait_until(lambda job=job: job.stage is Stage.SOLVING)
        manager.cancel(job)
        manager.cancel(job)
        wait_until(lambda job=job: job.is_over)
        assert job.status in (RunStatus.DONE, RunStatus.CANCELLED)
    last = manager.submit(ranking)
    wait_until(lambda: last.is_over)
    assert last.status is RunStatus.DONE, last.message


def test_jobs_wait_in_line_and_can_be_cancelled_there(
    manager: JobManager, hard: JobSpec, ranking: JobSpec
) -> None:
    first, second, third = (manager.submit(spec) for spec in (hard, ranking, ranking))
    wait_until(lambda: first.status is RunStatus.RUNNING)
    assert [manager.position(job) for job in (first, second, third)] == [0, 0, 1]
    manager.cancel(second)
    assert second.status is RunStatus.CANCELLED
    assert second.message == "Cancelled before it started."
    assert manager.position(third) == 0
    manager.cancel(first)
    wait_until(lambda: third.is_over)
    assert third.status is RunStatus.DONE, third.message


def test_a_proved_tree_is_there_while_it_is_confirmed(manager: JobManager, quick: JobSpec) -> None:
    job = manager.submit(quick)
    wait_until(lambda: job.best is not None)
    assert job.status is RunStatus.RUNNING and job.shows_tree
    shown = job.as_shown()
    assert shown.result is not None and shown.result["status"] == "optimal"
    assert shown.result["proved_by"] == ["search"] and shown.result["mip"] is None
    assert shown.model is not None and shown.model["tree"] == shown.result["tree"]
    manager.cancel(job)
    wait_until(lambda: job.is_over)
    assert job.result is not None and job.result["tree"] == shown.result["tree"]


def test_confirmations_yield_to_those_who_wait(manager: JobManager, quick: JobSpec) -> None:
    first = manager.submit(quick)
    wait_until(lambda: first.proved_best)
    rest = [manager.submit(quick) for _ in range(3)]
    wait_until(lambda: all(job.is_over for job in rest[:2]))
    for job in (first, *rest[:2]):
        assert job.status is RunStatus.DONE and job.result is not None
        assert job.result["status"] == "optimal" and job.cancelled_at is None
        assert job.result["words"]["remark"] == "CBC's confirmation was cut short."
    manager.cancel(rest[2])


def test_bad_input_fails_the_job_with_its_own_sentence(manager: JobManager, easy: JobSpec) -> None:
    schema = dataclasses.replace(easy.train.schema, positive="perhaps")
    wrong = dataclasses.replace(easy, train=dataclasses.replace(easy.train, schema=schema))
    job = manager.submit(wrong)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.FAILED
    assert "'perhaps'" in job.message and "Error" not in job.message


def test_a_data_set_that_is_not_there_is_reported(manager: JobManager, easy: JobSpec) -> None:
    with pytest.raises(NotFoundError, match="no such data set"):
        manager.submit(dataclasses.replace(easy, dataset="0" * 64))
    with pytest.raises(NotFoundError, match="no such data set"):
        manager.submit(easy, owner="somebody else")


def test_a_solve_far_past_its_time_limit_is_stopped(
    manager: JobManager, hard: JobSpec, ranking: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(server_jobs, "DEADLINE_GRACE", 2.0 - HARD_LIMIT)
        job = manager.submit(hard)
        wait_until(lambda: job.is_over)
    assert job.status is RunStatus.FAILED
    assert "after its time limit and was stopped" in job.message
    again = manager.submit(ranking)
    wait_until(lambda: again.is_over)
    assert again.status is RunStatus.DONE, again.message


def test_workers_that_cannot_start_are_reported(
    store: Store, easy: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool.sys, "executable", "/bin/false")
    manager = JobManager(store, n_workers=1)
    try:
        job = manager.submit(easy)
        wait_until(lambda: job.is_over)
        assert job.status is RunStatus.FAILED
        assert job.message == (
            "No solver process could be started (exit status 1): see the server's log."
        )
    finally:
        manager.close()


def test_closing_ends_everything_but_what_waits(store: Store, hard: JobSpec, easy: JobSpec) -> None:
    manager = JobManager(store, n_workers=1)
    running, waiting = manager.submit(hard), manager.submit(easy)
    wait_until(lambda: running.stage is Stage.SOLVING)
    family = [psutil.Process(worker_pid(manager)), *family_of(worker_pid(manager))]
    manager.close()
    wait_until(lambda: running.is_over)
    assert running.status is RunStatus.INTERRUPTED and waiting.status is RunStatus.QUEUED
    found = store.runs.summaries(LOCAL_OWNER, [running.id, waiting.id])
    assert [run.status for run in found] == [RunStatus.INTERRUPTED, RunStatus.QUEUED]
    wait_until(lambda: not any(is_alive(process) for process in family))


def test_a_worker_that_still_loads_what_jobs_need_takes_a_job(
    store: Store, easy: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODT_WARM_WORKERS", "1")
    manager = JobManager(store, n_workers=1)
    try:
        jobs = [manager.submit(easy), manager.submit(easy)]
        wait_until(lambda: all(job.is_over for job in jobs))
        assert [job.status for job in jobs] == [RunStatus.DONE] * 2, jobs[0].message
    finally:
        manager.close()


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_workers_die_with_the_process_that_started_them(
    tmp_path: Path, store: Store, hard: JobSpec, ending: signal.Signals
) -> None:
    """One that solves and an idle one."""
    folder = tmp_path / "data"
    with servers(address_of(folder), folder, n_workers=2) as (server,):
        server.submit(hard)
        # the workers, and the solver of one
        wait_until(lambda: len(family_of(server.process.pid)) >= 3)
        family = family_of(server.process.pid)
        os.kill(server.process.pid, ending)
        server.process.wait()
        wait_until(lambda: not any(is_alive(process) for process in family))
