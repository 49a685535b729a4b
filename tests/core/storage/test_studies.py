"""Studies: many runs as one."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from odt_core.errors import InputError
from odt_core.storage import (
    Ending,
    MemberCounts,
    RunQuery,
    RunStatus,
    RunSummary,
    Store,
)
from tests.core.storage.helpers import METRICS, OWNER, new_run, put, queue_run

OPEN = Callable[..., Store]
DONE = Ending(RunStatus.DONE, {"tree": 1}, None, METRICS)


def queue_study(store: Store, n: int = 3) -> RunSummary:
    dataset = put(store)
    study = new_run(dataset, kind="curve", name="Curve", spec={"levels": n})
    return store.studies.create(
        OWNER, study, [new_run(dataset, name=f"level {i}") for i in range(n)]
    )


def claim(store: Store, server: str) -> str:
    run = store.queue.claim(server)
    assert run is not None
    return run.id


def status(store: Store, study: RunSummary) -> RunStatus:
    return store.runs.summary(OWNER, study.id).status


def test_a_study_is_listed_once_and_its_runs_beneath_it(store: Store) -> None:
    study, single = queue_study(store), queue_run(store)
    page = store.runs.list(OWNER)
    assert [run.id for run in page.runs] == [single.id, study.id] and page.total == 2
    assert page.runs[1].members == MemberCounts(queued=3) and page.runs[0].members is None
    members = store.runs.list(OWNER, RunQuery(study=study.id, descending=False))
    assert {run.study for run in members.runs} == {study.id} and members.total == 3
    names = [record.summary.name for record in store.studies.members(OWNER, study.id)]
    assert names == ["level 0", "level 1", "level 2"]
    assert store.datasets.list(OWNER)[0].n_runs == 2


def test_a_studys_status_follows_its_runs(store: Store) -> None:
    study = queue_study(store, 2)
    server = store.queue.register()
    assert status(store, study) is RunStatus.QUEUED
    first = claim(store, server)
    assert status(store, study) is RunStatus.RUNNING
    store.queue.end(server, first, DONE)
    assert status(store, study) is RunStatus.RUNNING, "one is still to come"
    store.queue.end(server, claim(store, server), DONE)
    summary = store.runs.summary(OWNER, study.id)
    assert summary.status is RunStatus.DONE and summary.members == MemberCounts(done=2)
    assert summary.started_at is not None and summary.ended_at is not None
    assert store.queue.claim(server) is None, "nobody runs the study itself"


def test_the_worst_of_its_runs_is_the_studys_status(store: Store) -> None:
    study = queue_study(store, 3)
    server = store.queue.register()
    endings = [DONE, Ending(RunStatus.CANCELLED), Ending(RunStatus.FAILED, message="x")]
    for ending in endings:
        store.queue.end(server, claim(store, server), ending)
    summary = store.runs.summary(OWNER, study.id)
    assert (summary.status, summary.message) == (RunStatus.FAILED, "1 of 3 runs failed.")


def test_a_study_gets_a_lane_of_its_own(store: Store) -> None:
    queue_study(store, 50)
    single = queue_run(store)
    server = store.queue.register()
    assert single.id in (claim(store, server), claim(store, server))


def test_cancelling_a_study_stops_all_of_it(store: Store) -> None:
    study = queue_study(store, 4)
    server = store.queue.register()
    done, running = claim(store, server), claim(store, server)
    store.queue.end(server, done, DONE)
    summary = store.runs.cancel(OWNER, study.id)
    assert summary.members == MemberCounts(done=1, running=1, cancelled=2)
    assert summary.status is RunStatus.RUNNING, "until the one that runs has stopped"
    assert store.queue.requests(server, [running]).cancel == {running}
    store.queue.end(server, running, Ending(RunStatus.CANCELLED))
    assert status(store, study) is RunStatus.CANCELLED


def test_an_interrupted_study_is_resumed_where_it_was(store: Store) -> None:
    study = queue_study(store, 3)
    server = store.queue.register()
    done = claim(store, server)
    store.queue.end(server, done, DONE)
    claim(store, server)
    store.queue.leave(server)
    store.runs.cancel(OWNER, study.id)
    assert status(store, study) is RunStatus.INTERRUPTED

    resumed = store.studies.resume(OWNER, study.id)

    assert resumed.members == MemberCounts(done=1, queued=2)
    assert resumed.status is RunStatus.RUNNING and resumed.cancel_at is None
    server = store.queue.register()
    again = {claim(store, server), claim(store, server)}
    assert done not in again
    assert store.queue.requests(server, sorted(again)).cancel == set()
    for run_id in again:
        store.queue.end(server, run_id, DONE)
    assert status(store, study) is RunStatus.DONE


def test_a_study_can_be_run_again_from_its_records_alone(store: Store) -> None:
    study = queue_study(store, 3)
    again = store.studies.rerun(OWNER, study.id)
    assert again.rerun_of == study.id and again.members == MemberCounts(queued=3)
    old, new = store.studies.members(OWNER, study.id), store.studies.members(OWNER, again.id)
    assert [record.spec for record in old] == [record.spec for record in new]
    assert store.runs.get(OWNER, again.id).spec == {"levels": 3}


def test_deleting_a_study_takes_its_runs(store: Store) -> None:
    study, single = queue_study(store), queue_run(store)
    running = claim(store, store.queue.register())
    deleted = store.runs.delete(OWNER, [study.id])
    assert (deleted.n_runs, deleted.running) == (1, (running,))
    assert [run.id for run in store.runs.list(OWNER).runs] == [single.id]
    assert store.queue.n_waiting() == 1


def test_deleting_a_studys_last_open_run_ends_it(store: Store) -> None:
    study = queue_study(store, 2)
    server = store.queue.register()
    store.queue.end(server, claim(store, server), DONE)
    members = store.studies.members(OWNER, study.id)
    left = [m.summary.id for m in members if m.summary.status is RunStatus.QUEUED]
    store.runs.delete(OWNER, left)
    assert status(store, study) is RunStatus.DONE


def test_a_study_without_runs_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="no runs"):
        store.studies.create(OWNER, new_run(put(store)), [])


def test_runs_that_end_at_the_same_moment_end_the_study(open_store: OPEN) -> None:
    stores = [open_store(f"machine{n}") for n in range(4)]
    for _ in range(5):
        study = queue_study(stores[0], 4)
        servers = [store.queue.register() for store in stores]
        runs = [claim(store, server) for store, server in zip(stores, servers, strict=True)]
        start = threading.Barrier(4)

        def end(store: Store, server: str, run: str, start: threading.Barrier = start) -> None:
            start.wait()
            store.queue.end(server, run, DONE)

        threads = [
            threading.Thread(target=end, args=arguments)
            for arguments in zip(stores, servers, runs, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert status(stores[0], study) is RunStatus.DONE
