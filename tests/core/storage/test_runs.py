"""Records of runs: whole, searchable, sortable, and nobody else's."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from odt_core.errors import InputError
from odt_core.storage import (
    Ending,
    KeyMetrics,
    NotFoundError,
    RunQuery,
    RunStatus,
    RunSummary,
    SortKey,
    Store,
)
from tests.core.storage.helpers import HEADLINE, METRICS, OWNER, SPEC, new_run, put, queue_run


def finish(store: Store, run_id: str, metrics: KeyMetrics = METRICS) -> None:
    """Claim until it is this run's turn, and end it."""
    server = store.queue.register()
    while (run := store.queue.claim(server)) is not None:
        if run.id == run_id:
            ending = Ending(RunStatus.DONE, {"tree": [1, 2.5, "ü"]}, {"model": None}, metrics)
            assert store.queue.end(server, run_id, ending)
            return
    raise AssertionError("the run never came")


def test_a_run_is_recorded_from_the_moment_it_is_queued(store: Store) -> None:
    run = queue_run(store, name="First", note="why", lane="tab 1", rerun_of="x" * 32)
    record = store.runs.get(OWNER, run.id)
    assert record.summary == run
    assert run.status is RunStatus.QUEUED and not run.is_over
    assert run.headline == HEADLINE and run.metrics == KeyMetrics()
    assert (run.name, run.note, run.lane, run.rerun_of) == ("First", "why", "tab 1", "x" * 32)
    assert run.started_at is run.ended_at is run.improved_at is None
    assert run.queued_at.tzinfo is not None
    assert len(run.id) == 32 and int(run.id, 16)


def test_a_specification_comes_back_exactly_with_its_order(store: Store) -> None:
    record = store.runs.get(OWNER, queue_run(store).id)
    assert record.spec == SPEC
    assert list(record.spec["train"]) == list(SPEC["train"])


def test_nan_never_gets_into_a_record(store: Store) -> None:
    with pytest.raises(Exception, match="not JSON compliant"):
        queue_run(store, spec={"x": float("nan")})
    assert store.runs.list(OWNER).total == 0


def test_a_finished_run_has_everything(store: Store) -> None:
    run = queue_run(store)
    finish(store, run.id)
    record = store.runs.get(OWNER, run.id)
    assert record.summary.status is RunStatus.DONE and record.summary.is_over
    assert record.summary.metrics == METRICS
    assert record.result == {"tree": [1, 2.5, "ü"]} and record.model == {"model": None}
    assert record.summary.started_at is not None and record.summary.ended_at is not None
    assert record.summary.queued_at <= record.summary.started_at <= record.summary.ended_at


def test_a_run_needs_a_data_set_of_its_owner(store: Store) -> None:
    sha256 = put(store, "alice")
    with pytest.raises(NotFoundError, match="no such data set"):
        store.runs.create("bob", new_run(sha256))
    with pytest.raises(NotFoundError, match="no such data set"):
        store.runs.create_many("alice", [new_run(sha256), new_run("0" * 64)])
    assert store.runs.list("alice").total == 0, "all or none"


def test_a_run_can_be_run_again_from_its_record_alone(store: Store) -> None:
    first = queue_run(store, name="Mine")
    finish(store, first.id)
    again = store.runs.rerun(OWNER, first.id, lane="tab 2")
    assert again.id != first.id and again.rerun_of == first.id
    claimed = store.queue.claim(store.queue.register())
    assert claimed is not None and claimed.id == again.id
    assert (claimed.spec, claimed.dataset, claimed.kind) == (SPEC, first.dataset, first.kind)
    assert claimed.table_name == "colours.csv" and claimed.lane == "tab 2"


CALLS: dict[str, Callable[[Store, str, str], Any]] = {
    "summary": lambda store, owner, run: store.runs.summary(owner, run),
    "get": lambda store, owner, run: store.runs.get(owner, run),
    "rename": lambda store, owner, run: store.runs.rename(owner, run, "stolen"),
    "annotate": lambda store, owner, run: store.runs.annotate(owner, run, "stolen"),
    "cancel": lambda store, owner, run: store.runs.cancel(owner, run),
    "rerun": lambda store, owner, run: store.runs.rerun(owner, run),
    "delete": lambda store, owner, run: store.runs.delete(owner, [run]),
    "position": lambda store, owner, run: store.queue.position(owner, run),
    "export": lambda store, owner, run: store.exchange.export_run(owner, run),
    "members": lambda store, owner, run: store.studies.members(owner, run),
    "list members": lambda store, owner, run: store.runs.list(owner, RunQuery(study=run)),
    "rerun study": lambda store, owner, run: store.studies.rerun(owner, run),
    "resume": lambda store, owner, run: store.studies.resume(owner, run),
}


def test_another_owners_run_does_not_exist(store: Store) -> None:
    dataset = put(store, "alice")
    put(store, "bob")
    run = store.studies.create("alice", new_run(dataset), [new_run(dataset)])
    before = store.runs.get("alice", run.id), store.studies.members("alice", run.id)
    for (what, call), asked in itertools.product(
        CALLS.items(), (run.id, "f" * 32, "", "x" * 10_000, "a\0b", "\ud800", "ü")
    ):
        with pytest.raises(NotFoundError) as refusal:
            call(store, "bob", asked)
        # A stranger's run looks like a run that does not exist.
        assert str(refusal.value) == "There is no such run here: choose one on the Runs page.", what
    assert (store.runs.get("alice", run.id), store.studies.members("alice", run.id)) == before
    assert store.runs.list("bob").total == 0


def test_names_and_notes_can_be_changed_and_found(store: Store) -> None:
    run = queue_run(store, name="old name")
    assert store.runs.rename(OWNER, run.id, "  Größter\n Baum ").name == "Größter Baum"
    assert store.runs.annotate(OWNER, run.id, " one\ntwo\0 ").note == "one\ntwo"
    for search, found in (("größter BAUM", 1), ("two", 1), ("old", 0), ("größter three", 0)):
        assert store.runs.list(OWNER, RunQuery(search=search)).total == found
    with pytest.raises(InputError, match="200"):
        store.runs.rename(OWNER, run.id, "x" * 201)
    with pytest.raises(InputError, match="20000"):
        store.runs.annotate(OWNER, run.id, "x" * 20_001)


def test_a_search_takes_every_sign_as_it_is(store: Store) -> None:
    queue_run(store, name="100 ab")
    for search in ("100%", "a_b", "!", "it's", "'; DROP TABLE runs; --", "\\", "ÅÖ"):
        hit = queue_run(store, name=f"x{search}y")
        assert [run.id for run in store.runs.list(OWNER, RunQuery(search=search)).runs] == [hit.id]
        store.runs.delete(OWNER, [hit.id])
    for nothing in ("\0", " ", ""):
        assert store.runs.list(OWNER, RunQuery(search=nothing)).total == 1
    assert store.runs.list(OWNER, RunQuery(search="\ud800", dataset="a\0")).total == 0


def test_lists_filter_and_page(store: Store) -> None:
    dataset, other = put(store), put(store, content=b"other")
    for number in range(25):
        kind = "frontier" if number % 5 == 0 else "train"
        store.runs.create(OWNER, new_run(dataset, name=f"Run {number:02}", kind=kind))
    store.runs.create(OWNER, new_run(other))
    done = store.runs.list(OWNER, RunQuery(search="17")).runs[0]
    finish(store, done.id)

    newest = store.runs.list(OWNER, RunQuery(limit=10))
    assert newest.total == 26 and newest.runs[1].name == "Run 24"
    pages = [
        store.runs.list(OWNER, RunQuery(sort=SortKey.NAME, descending=False, limit=10, offset=o))
        for o in (0, 10, 20)
    ]
    names = [run.name for page in pages for run in page.runs]
    assert names == [f"Run {number:02}" for number in range(25)] + [""], "no name comes last"
    assert store.runs.list(OWNER, RunQuery(statuses=(RunStatus.DONE,))).runs[0].id == done.id
    assert store.runs.list(OWNER, RunQuery(kinds=("frontier",))).total == 5
    assert store.runs.list(OWNER, RunQuery(dataset=other)).total == 1
    assert store.runs.list(OWNER, RunQuery(limit=0)).runs == ()
    assert store.runs.list(OWNER, RunQuery(limit=-5, offset=-5)).total == 26


def sorted_by(run: RunSummary, sort: SortKey) -> Any:
    """The value that a list is sorted by; None for a run without it."""
    for part in (run, run.headline, run.metrics):
        if hasattr(part, sort.value):
            found = getattr(part, sort.value)
            return found.lower() or None if isinstance(found, str) else found
    raise AssertionError(sort)


def test_every_column_sorts_and_unknown_values_come_last(store: Store) -> None:
    dataset = put(store)
    store.runs.create_many(OWNER, [new_run(dataset, name=name) for name in ("b", "A", "c", "")])
    server = store.queue.register()
    for number in range(3):
        run = store.queue.claim(server)
        assert run is not None
        metrics = dataclasses.replace(
            METRICS, errors=10 - number, objective=90.0 + number, seconds=number / 10
        )
        store.queue.end(server, run.id, Ending(RunStatus.DONE, {}, {}, metrics))

    for sort, descending in itertools.product(SortKey, (True, False)):
        page = store.runs.list(OWNER, RunQuery(sort=sort, descending=descending))
        values = [sorted_by(run, sort) for run in page.runs]
        known = [value for value in values if value is not None]
        assert len(known) >= 1, sort
        assert known == sorted(known, reverse=descending), sort
        assert values[len(known) :] == [None] * (4 - len(known)), sort


def test_runs_are_fetched_in_the_order_asked_for(store: Store) -> None:
    ids = [queue_run(store, name=str(number)).id for number in range(4)]
    asked = [ids[2], ids[0], ids[3]]
    assert [record.summary.id for record in store.runs.get_many(OWNER, asked)] == asked
    assert [summary.id for summary in store.runs.summaries(OWNER, asked)] == asked
    with pytest.raises(NotFoundError):
        store.runs.get_many(OWNER, [ids[0], "0" * 32])


def test_all_runs_are_deleted_or_no_run_is(store: Store) -> None:
    ids = [queue_run(store).id for _ in range(3)]
    with pytest.raises(NotFoundError):
        store.runs.delete(OWNER, [ids[0], "0" * 32])
    assert store.runs.list(OWNER).total == 3
    running = store.queue.claim(store.queue.register())
    assert running is not None
    deleted = store.runs.delete(OWNER, ids[:2])
    assert (deleted.n_runs, deleted.running) == (2, (running.id,))
    assert [run.id for run in store.runs.list(OWNER).runs] == ids[2:]
    assert store.runs.delete(OWNER, []).n_runs == 0


def test_too_many_runs_at_once_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match="10,000"):
        store.runs.create_many(OWNER, [new_run("0" * 64)] * 10_001)


def test_metrics_of_the_command_lines_contract() -> None:
    result = {
        "status": "feasible",
        "errors": 5,
        "objective": {"value": 45, "bound": 48.5},
        "seconds": {"total": 1.25},
        "n_train": 50,
        "n_test": 0,
        "train": {"tp": 20, "fp": 2, "tn": 25, "fn": 3},
        "test": None,
    }
    metrics = KeyMetrics.from_result(result)
    assert (metrics.solved, metrics.errors, metrics.gap) == ("feasible", 5, 3.5)
    assert metrics.train_accuracy == 45 / 50
    assert (metrics.train_tpr, metrics.train_tnr) == (20 / 23, 25 / 27)
    assert metrics.test_accuracy is metrics.test_tpr is metrics.test_tnr is None
