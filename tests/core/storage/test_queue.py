"""The queue: nobody gets a run twice, everybody gets a turn, and servers may die."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from odt_core.storage import (
    Ending,
    NotFoundError,
    RunStatus,
    Store,
    software_versions,
)
from tests.core.storage.children import claim_all, serve
from tests.core.storage.helpers import (
    METRICS,
    OWNER,
    SPEC,
    interrupted,
    make_old,
    new_run,
    put,
    queue_run,
)
from tests.forks import Fork
from tests.waiting import wait_until

OPEN = Callable[..., Store]
DONE = Ending(RunStatus.DONE, {"tree": "result"}, {"model": 1}, METRICS)


def claim(store: Store, server: str) -> str:
    run = store.queue.claim(server)
    assert run is not None
    return run.id


def test_runs_are_claimed_in_the_order_they_queued(store: Store) -> None:
    ids = [queue_run(store).id for _ in range(3)]
    server = store.queue.register()
    assert [store.queue.position(OWNER, run_id) for run_id in ids] == [0, 1, 2]
    run = store.queue.claim(server, software_versions())
    assert run is not None
    assert (run.id, run.owner, run.spec, run.table_name) == (ids[0], OWNER, SPEC, "colours.csv")
    record = store.runs.get(OWNER, run.id)
    assert record.summary.status is RunStatus.RUNNING
    assert record.versions is not None and record.versions["odt-studio"]
    assert [claim(store, server) for _ in range(2)] == ids[1:]
    assert store.queue.claim(server) is None and store.queue.n_waiting() == 0


def test_one_persons_crowd_does_not_starve_anothers_single_run(store: Store) -> None:
    crowd = put(store, "crowd")
    store.runs.create_many("crowd", [new_run(crowd)] * 500)
    single = queue_run(store, "single")
    server = store.queue.register()
    assert store.queue.position("single", single.id) == 1
    claimed = [claim(store, server) for _ in range(2)]
    assert claimed[1] == single.id
    # One worker, one run at a time: turns go on when runs end.
    latecomer = queue_run(store, "late")
    for run_id in claimed:
        store.queue.end(server, run_id, DONE)
    assert store.queue.position("late", latecomer.id) == 0
    assert claim(store, server) == latecomer.id


def test_sessions_of_one_owner_take_turns(store: Store) -> None:
    dataset = put(store)
    store.runs.create_many(OWNER, [new_run(dataset, lane="a")] * 50)
    single = queue_run(store, lane="b")
    server = store.queue.register()
    assert store.queue.position(OWNER, single.id) == 1
    assert [claim(store, server) for _ in range(2)][1] == single.id


def test_the_shown_position_equals_the_order_of_claims(store: Store) -> None:
    runs = [
        (owner, queue_run(store, owner, lane=lane).id)
        for owner, lane in zip("aabacbaabcab", "xyxxxyyxyxxx", strict=True)
    ]
    server = store.queue.register()
    claim(store, server)
    claim(store, server)
    waiting = [
        (owner, run_id)
        for owner, run_id in runs
        if store.runs.summary(owner, run_id).status is RunStatus.QUEUED
    ]
    shown = {run_id: store.queue.position(owner, run_id) for owner, run_id in waiting}
    actual = {claim(store, server): place for place in range(len(waiting))}
    assert shown == actual


def test_three_processes_never_claim_the_same_run(
    store: Store, address: str, tmp_path: Path
) -> None:
    dataset = put(store)
    ids = {run.id for run in store.runs.create_many(OWNER, [new_run(dataset)] * 100)}
    servers = [Fork(claim_all, address, str(tmp_path / f"machine{n}")) for n in range(3)]
    for server in servers:
        assert server.next_line() == "ready"
    for server in servers:
        server.say()
    claimed = [list(server.lines()) for server in servers]
    assert [server.wait() for server in servers] == [0, 0, 0]
    assert sorted(run for runs in claimed for run in runs) == sorted(ids)
    assert sum(len(runs) > 0 for runs in claimed) >= 2, "more than one had a turn"


def test_progress_is_seen_by_everybody_while_it_runs(open_store: OPEN) -> None:
    here, there = open_store("here"), open_store("there")
    run = queue_run(here)
    server = here.queue.register()
    claim(here, server)
    assert here.queue.record_progress(server, run.id, stage="solving")
    assert there.runs.summary(OWNER, run.id).improved_at is None
    point = {"seconds": 0.5, "incumbent": 3, "bound": 9}
    assert here.queue.record_progress(
        server, run.id, progress=point, best={"tree": "first"}, trace=[[0.5, 3, 9]]
    )
    assert here.queue.record_progress(server, run.id, progress=point | {"incumbent": 4})
    record = there.runs.get(OWNER, run.id)
    assert record.summary.progress == point | {"incumbent": 4}
    assert record.summary.stage == "solving" and record.summary.improved_at is not None
    assert record.best == {"tree": "first"} and record.trace == [[0.5, 3, 9]]


def test_only_the_server_that_holds_a_run_writes_to_it(open_store: OPEN) -> None:
    store = open_store()
    run = queue_run(store)
    holder, other = store.queue.register(), store.queue.register()
    assert not store.queue.end(holder, run.id, DONE), "it is not claimed yet"
    claim(store, holder)
    assert not store.queue.record_progress(other, run.id, best={})
    assert not store.queue.end(other, run.id, DONE)
    assert store.queue.end(holder, run.id, DONE)
    assert not store.queue.end(holder, run.id, Ending(RunStatus.FAILED, message="late"))
    assert store.runs.get(OWNER, run.id).result == DONE.result


def test_a_failed_run_says_why(store: Store) -> None:
    run = queue_run(store)
    server = store.queue.register()
    claim(store, server)
    store.queue.record_progress(server, run.id, best={"tree": "kept"})
    store.queue.end(server, run.id, Ending(RunStatus.FAILED, message="Out of memory."))
    record = store.runs.get(OWNER, run.id)
    assert record.summary.status is RunStatus.FAILED
    assert record.summary.message == "Out of memory." and record.best == {"tree": "kept"}


def test_a_waiting_run_is_cancelled_at_once(store: Store) -> None:
    run = queue_run(store)
    assert store.runs.cancel(OWNER, run.id).status is RunStatus.CANCELLED
    assert store.queue.claim(store.queue.register()) is None
    ended = store.runs.summary(OWNER, run.id).ended_at
    assert store.runs.cancel(OWNER, run.id).ended_at == ended, "over is over"


def test_a_running_run_hears_of_its_cancel(store: Store) -> None:
    run, other = queue_run(store), queue_run(store)
    server = store.queue.register()
    holding = [claim(store, server), claim(store, server)]
    assert store.queue.requests(server, holding).cancel == set()
    assert store.runs.cancel(OWNER, run.id).status is RunStatus.RUNNING
    for answer in (store.queue.requests(server, holding), store.queue.heartbeat(server, holding)):
        assert (answer.cancel, answer.lost) == ({run.id}, set())
    store.queue.end(server, run.id, Ending(RunStatus.CANCELLED, {"tree": "best"}))
    assert store.runs.summary(OWNER, run.id).status is RunStatus.CANCELLED
    assert store.runs.get(OWNER, run.id).result == {"tree": "best"}
    assert store.runs.summary(OWNER, other.id).status is RunStatus.RUNNING


def test_a_server_learns_that_its_run_was_deleted(store: Store) -> None:
    run = queue_run(store)
    server = store.queue.register()
    claim(store, server)
    store.datasets.delete(OWNER, run.dataset)
    assert store.queue.requests(server, [run.id]).lost == {run.id}
    assert store.queue.heartbeat(server, [run.id]).lost == {run.id}
    assert not store.queue.record_progress(server, run.id, best={})
    assert not store.queue.end(server, run.id, DONE)
    with pytest.raises(NotFoundError):
        store.runs.get(OWNER, run.id)


def test_runs_of_a_silent_server_are_interrupted_with_their_best_tree(open_store: OPEN) -> None:
    silent, watching = open_store("far"), open_store("here")
    run, waiting = queue_run(silent), queue_run(silent)
    server = silent.queue.register()
    claim(silent, server)
    silent.queue.record_progress(server, run.id, best={"tree": "best so far"})
    assert not interrupted(watching), "the lease still runs"
    make_old(silent, "servers.lease_until", 1)
    silent.queue.heartbeat(server, [run.id])
    assert not interrupted(watching), "a heartbeat renews it"
    make_old(silent, "servers.lease_until", 1)
    watching.tidy()

    record = watching.runs.get(OWNER, run.id)
    assert record.summary.status is RunStatus.INTERRUPTED and record.summary.is_over
    assert "run it again" in record.summary.message
    assert record.best == {"tree": "best so far"}
    assert record.summary.ended_at is not None and record.summary.started_at is not None
    assert watching.runs.summary(OWNER, waiting.id).status is RunStatus.QUEUED
    again = watching.runs.rerun(OWNER, run.id)
    assert {claim(watching, watching.queue.register()) for _ in range(2)} == {waiting.id, again.id}


def test_a_lease_runs_out_by_itself(open_store: OPEN) -> None:
    store, watching = open_store("far", lease=0.2), open_store("here")
    run = queue_run(store)
    claim(store, store.queue.register())
    wait_until(lambda: interrupted(watching) == [run.id])


def interrupt(open_store: OPEN) -> tuple[Store, str, str]:
    """A run whose server was silent for too long, but lives."""
    store, watching = open_store("far"), open_store("here")
    run = queue_run(store)
    server = store.queue.register()
    claim(store, server)
    make_old(store, "servers.lease_until", 1)
    assert interrupted(watching) == [run.id]
    return store, server, run.id


def test_a_server_that_slept_takes_its_run_back(open_store: OPEN) -> None:
    store, server, run_id = interrupt(open_store)
    assert store.queue.heartbeat(server, [run_id]).lost == set()
    summary = store.runs.summary(OWNER, run_id)
    assert (summary.status, summary.ended_at, summary.message) == (RunStatus.RUNNING, None, "")


def test_a_result_that_comes_after_the_lease_is_not_thrown_away(open_store: OPEN) -> None:
    store, server, run_id = interrupt(open_store)
    assert store.queue.end(server, run_id, DONE)
    assert store.runs.summary(OWNER, run_id).status is RunStatus.DONE


def test_a_claim_that_never_arrived_is_let_go(open_store: OPEN) -> None:
    store = open_store()
    run = queue_run(store)
    server = store.queue.register()
    claim(store, server)
    store.queue.heartbeat(server, [])
    assert store.runs.summary(OWNER, run.id).status is RunStatus.RUNNING, "it may be on its way"
    make_old(store, "runs.started_at", 1)
    store.queue.heartbeat(server, [])
    assert store.runs.summary(OWNER, run.id).status is RunStatus.INTERRUPTED


def test_a_run_that_was_not_begun_waits_again_where_it_stood(store: Store) -> None:
    first, second = (queue_run(store).id for _ in range(2))
    server, other = store.queue.register(), store.queue.register()
    assert claim(store, server) == first
    assert not store.queue.put_back(other, first)
    assert store.queue.put_back(server, first)
    summary = store.runs.summary(OWNER, first)
    assert (summary.status, summary.started_at) == (RunStatus.QUEUED, None)
    assert not store.queue.end(server, first, DONE), "it is nobody's now"
    assert [claim(store, other) for _ in range(2)] == [first, second]


def test_a_server_that_leaves_lets_its_runs_go(store: Store, tmp_path: Path) -> None:
    run = queue_run(store)
    server = store.queue.register()
    claim(store, server)
    lock = tmp_path / "data" / "servers" / server
    assert lock.exists()
    store.queue.leave(server)
    assert not lock.exists()
    assert store.runs.summary(OWNER, run.id).status is RunStatus.INTERRUPTED


def test_a_restart_finds_a_killed_servers_runs_at_once(
    store: Store, address: str, tmp_path: Path
) -> None:
    ids = [queue_run(store).id for _ in range(2)]
    server = Fork(serve, address, str(tmp_path / "data"))
    assert server.next_line() == "ready"
    server.say()
    assert not interrupted(store), "it lives"
    server.kill()
    store.tidy()  # an hour before the lease runs out
    record = store.runs.get(OWNER, ids[0])
    assert record.summary.status is RunStatus.INTERRUPTED
    assert record.best == {"tree": "best so far"}
    assert record.versions == {"odt-studio": "1"}
    assert claim(store, store.queue.register()) == ids[1], "what waited runs"


def test_another_machines_data_folder_leaves_it_to_the_lease(
    open_store: OPEN, address: str, tmp_path: Path
) -> None:
    elsewhere = open_store("elsewhere")
    queue_run(elsewhere)
    server = Fork(serve, address, str(tmp_path / "data"))
    assert server.next_line() == "ready"
    server.kill()
    assert not interrupted(elsewhere)


@pytest.mark.parametrize("n_waiting", [0, 3])
def test_the_queue_counts_what_waits(store: Store, n_waiting: int) -> None:
    for _ in range(n_waiting):
        queue_run(store)
    assert store.queue.n_waiting() == n_waiting
