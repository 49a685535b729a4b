"""A run as one file: exported here, imported elsewhere, and never trusted."""

from __future__ import annotations

import base64
import copy
import dataclasses
import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from odt_core.errors import InputError
from odt_core.storage import Ending, NotFoundError, RunFile, RunStatus, Store
from odt_core.storage.datasets import LARGEST
from tests.core.storage.helpers import CSV, METRICS, OWNER, SPEC, new_run, put, queue_run

RESULT = {"tree": ["\0", "\ud800", 1e-300, None], "order": {"z": 1, "a": 2}}


def finished(store: Store, owner: str = OWNER) -> str:
    run = queue_run(store, owner, name="Größe", note="a\nb", kind="frontier")
    server = store.queue.register()
    assert store.queue.claim(server, {"mip": "2.0.0"}) is not None
    store.queue.end(server, run.id, Ending(RunStatus.DONE, RESULT, {"m": 1}, METRICS))
    return run.id


@pytest.fixture
def elsewhere(tmp_path: Path) -> Store:
    """Another installation, on SQLite."""
    return Store(None, tmp_path / "elsewhere")


def test_a_run_is_the_same_elsewhere(store: Store, elsewhere: Store) -> None:
    run_id = finished(store)
    text = store.exchange.export_run(OWNER, run_id, with_data=True)
    assert json.loads(text)["format"] == "odt-run"
    imported = elsewhere.exchange.import_run("bob", text)
    there, here = elsewhere.runs.get("bob", imported.id), store.runs.get(OWNER, run_id)
    assert imported.id != run_id, "an id of its own"
    changed = {"id": run_id, "owner": OWNER, "server": here.summary.server}
    assert dataclasses.replace(there.summary, **changed) == here.summary  # type: ignore[arg-type]
    assert there.spec == SPEC and there.result == RESULT and there.versions == {"mip": "2.0.0"}
    assert list(there.result["order"]) == ["z", "a"]  # type: ignore[index]
    assert elsewhere.datasets.read("bob", imported.dataset) == CSV
    again = elsewhere.runs.rerun("bob", imported.id)
    claimed = elsewhere.queue.claim(elsewhere.queue.register())
    assert claimed is not None and (claimed.id, claimed.spec) == (again.id, SPEC)


def test_and_back_again_into_either_database(store: Store, elsewhere: Store) -> None:
    text = store.exchange.export_run(OWNER, finished(store), with_data=True)
    there = elsewhere.exchange.import_run("bob", text)
    back = elsewhere.exchange.export_run("bob", there.id, with_data=True)
    assert back == text
    assert store.exchange.import_run("carol", back).metrics == METRICS


def test_without_data_it_opens_and_asks_for_the_file(store: Store, elsewhere: Store) -> None:
    text = store.exchange.export_run(OWNER, finished(store))
    assert base64.b64encode(CSV).decode()[:20] not in text
    imported = elsewhere.exchange.import_run("bob", text)
    assert elsewhere.runs.get("bob", imported.id).result == RESULT
    assert not elsewhere.datasets.get("bob", imported.dataset).stored
    with pytest.raises(NotFoundError, match="upload the file whose SHA-256"):
        elsewhere.runs.rerun("bob", imported.id)
    with pytest.raises(NotFoundError, match="upload the file whose SHA-256"):
        elsewhere.exchange.export_run("bob", imported.id, with_data=True)
    put(elsewhere, "bob")
    assert elsewhere.runs.rerun("bob", imported.id).status is RunStatus.QUEUED


def test_knowing_a_hash_gives_nobody_the_bytes(store: Store) -> None:
    """Bob imports a run on Alice's data set, which is stored here, but not his."""
    text = store.exchange.export_run("alice", finished(store, "alice"))
    imported = store.exchange.import_run("bob", text)
    for call in (store.datasets.read, store.datasets.path):
        with pytest.raises(NotFoundError, match="not stored here"):
            call("bob", imported.dataset)
    with pytest.raises(NotFoundError):
        store.runs.rerun("bob", imported.id)
    store.datasets.delete("bob", imported.dataset)
    assert store.datasets.read("alice", imported.dataset) == CSV
    # Bob's claim on the hash does not keep Alice's bytes from being deleted.
    store.exchange.import_run("bob", text)
    store.datasets.delete("alice", imported.dataset)
    assert not store.datasets.get("bob", imported.dataset).stored
    with store.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM chunks").scalar() == 0


def test_importing_does_not_change_what_the_owner_has(store: Store) -> None:
    text = store.exchange.export_run(OWNER, finished(store))
    renamed = json.loads(text)
    renamed["dataset"]["name"] = "evil.csv"
    store.exchange.import_run(OWNER, json.dumps(renamed))
    record = store.datasets.list(OWNER)[0]
    assert (record.name, record.stored, record.n_runs) == ("colours.csv", True, 2)


@pytest.mark.parametrize("status", ["queued", "running"])
def test_a_run_that_had_not_ended_is_not_run_by_importing(store: Store, status: str) -> None:
    run = queue_run(store)
    if status == "running":
        store.queue.claim(store.queue.register())
    imported = store.exchange.import_run("bob", store.exchange.export_run(OWNER, run.id))
    assert imported.status is RunStatus.INTERRUPTED and "run it again" in imported.message
    store.runs.delete(OWNER, [run.id])
    assert store.queue.n_waiting() == 0


def test_a_study_travels_with_its_runs(store: Store, elsewhere: Store) -> None:
    dataset = put(store)
    members = [new_run(dataset, name=str(number)) for number in range(3)]
    study = store.studies.create(OWNER, new_run(dataset, kind="curve"), members)
    server = store.queue.register()
    while (run := store.queue.claim(server)) is not None:
        store.queue.end(server, run.id, Ending(RunStatus.DONE, RESULT, None, METRICS))
    text = store.exchange.export_run(OWNER, study.id, with_data=True)
    imported = elsewhere.exchange.import_run("bob", text)
    assert imported.members is not None and imported.members.done == 3
    assert elsewhere.runs.list("bob").total == 1
    there = elsewhere.studies.members("bob", imported.id)
    assert [record.summary.name for record in there] == ["0", "1", "2"]
    assert [record.result for record in there] == [RESULT] * 3
    assert {record.summary.study for record in there} == {imported.id}
    assert elsewhere.studies.rerun("bob", imported.id).members is not None


def test_other_rooms_can_refuse_a_file(store: Store) -> None:
    text = store.exchange.export_run(OWNER, finished(store))
    seen: list[RunFile] = []

    def check(file: RunFile) -> None:
        seen.append(file)
        raise InputError("The specification is of version 9.")

    with pytest.raises(InputError, match="version 9"):
        store.exchange.import_run("bob", text, check)
    assert seen[0].run.values["spec"] == SPEC and seen[0].members is None
    assert store.runs.list("bob").total == 0


def damaged(text: str, path: str, value: Any) -> str:
    found = json.loads(text)
    *parents, last = path.split(".")
    place = found
    for name in parents:
        place = place[name]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(found)


DAMAGES: list[tuple[str, Any, str]] = [
    ("format", "other", "not an exported run"),
    ("format", KeyError, "not an exported run"),
    ("version", 2, "version '2'"),
    ("run", KeyError, "'run' is a required property"),
    ("run.spec", KeyError, "at run .'spec' is a required"),
    ("run.spec", [], "run.spec"),
    ("run.status", "finished", "run.status"),
    ("run.name", 5, "run.name"),
    ("run.name", "x" * 10_001, "run.name"),
    ("run.kind", "", "run.kind"),
    ("run.queued_at", None, "run.queued_at"),
    ("run.queued_at", "yesterday", "run.queued_at"),
    ("run.ended_at", "2030-01-01T00:00:00", "run.ended_at"),
    ("run.ended_at", "0001-01-01T00:00:00+14:00", "run.ended_at"),
    ("run.metrics.errors", -1, "run.metrics.errors"),
    ("run.metrics.errors", 2**70, "run.metrics.errors"),
    ("run.metrics.objective", 10**400, "run.metrics.objective"),
    ("run.metrics.solved", KeyError, "run.metrics"),
    ("run.headline.seed", 2**63, "run.headline.seed"),
    ("run.headline.max_card", "2", "run.headline.max_card"),
    ("run.versions", {"a": 1}, "run.versions.a"),
    ("run.trace", {}, "run.trace"),
    ("members", [{}], "members.0"),
    ("run.more", "x", "at run .*'more' was unexpected"),
    ("more", "x", "'more' was unexpected"),
    ("dataset.more", "x", "dataset .*'more' was unexpected"),
    ("run.headline.more", "x", "run.headline .*'more' was unexpected"),
    ("run.metrics.more", 1, "run.metrics .*'more' was unexpected"),
    ("run.headline.goal", "x" * 1001, "run.headline.goal"),
    ("run.trace", [0] * 20_001, "run.trace"),
    ("run.versions", {str(n): "1" for n in range(101)}, "run.versions"),
    ("dataset.sha256", "../../../etc/passwd", "dataset.sha256"),
    ("dataset.sha256", "0" * 64, "hash differs"),
    ("dataset.size", LARGEST + 1, "dataset.size"),
    ("dataset.content", "!!!!", "hash differs"),
    ("dataset.content", base64.b64encode(b"not gzip").decode(), "hash differs"),
    ("dataset.content", base64.b64encode(gzip.compress(b"other")).decode(), "hash differs"),
    ("dataset.content", base64.b64encode(gzip.compress(CSV)[:-12]).decode(), "hash differs"),
]


def test_a_damaged_file_is_refused_with_its_place(elsewhere: Store) -> None:
    text = elsewhere.exchange.export_run(OWNER, finished(elsewhere), with_data=True)
    for path, value, message in DAMAGES:
        with pytest.raises(InputError, match=message):
            elsewhere.exchange.import_run("bob", damaged(text, path, value))
    assert elsewhere.runs.list("bob").total == 0 and elsewhere.datasets.list("bob") == ()


NO_RUNS = (
    *("", "[]", "null", "{", b"\xff\xfe\x00", '{"x": NaN}', '{"x": -1e999}'),
    *("[" * 100_000, '{"a": ' + "9" * 5000),
)


@pytest.mark.parametrize("text", NO_RUNS, ids=range(len(NO_RUNS)))
def test_what_is_no_run_at_all_is_refused(elsewhere: Store, text: str | bytes) -> None:
    with pytest.raises(InputError, match="sound JSON|not an exported run"):
        elsewhere.exchange.import_run(OWNER, text)


def test_a_file_cannot_unpack_to_more_than_a_data_set_may_have(
    elsewhere: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odt_core.storage.runfile.LARGEST", 1000)
    text = elsewhere.exchange.export_run(OWNER, finished(elsewhere))
    bomb = base64.b64encode(gzip.compress(bytes(10_000_000))).decode()
    with pytest.raises(InputError, match="hash differs"):
        elsewhere.exchange.import_run("bob", damaged(text, "dataset.content", bomb))


def test_a_file_full_of_faults_is_refused_at_once(elsewhere: Store) -> None:
    text = elsewhere.exchange.export_run(OWNER, finished(elsewhere))
    member = {name: [] for name in json.loads(text)["run"]}
    for path, value in (
        ("members", [member] * 9_000),
        ("run.versions", dict.fromkeys(map(str, range(90)), 5)),
        ("run", {str(n): n for n in range(100_000)}),
    ):
        begun = time.process_time()
        with pytest.raises(InputError, match="damaged at"):
            elsewhere.exchange.import_run("bob", damaged(text, path, value))
        assert time.process_time() - begun < 2


def test_settings_and_results_are_stored_up_to_a_size(
    elsewhere: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = elsewhere.exchange.export_run(OWNER, finished(elsewhere), with_data=True)
    monkeypatch.setattr("odt_core.storage.runfile.LARGEST_REST", 1 << 20)
    elsewhere.exchange.import_run("bob", damaged(text, "run.result", {"a": "x" * 500_000}))
    with pytest.raises(InputError, match="more than 1 MB besides its data set"):
        elsewhere.exchange.import_run("bob", damaged(text, "run.result", {"a": "x" * 1_100_000}))


def test_names_from_a_file_are_kept_in_a_storable_form(store: Store) -> None:
    text = store.exchange.export_run(OWNER, finished(store))
    odd = json.loads(text)
    for part, name in (
        ("run", "name"),
        ("run", "note"),
        ("run", "table_name"),
        ("dataset", "name"),
    ):
        odd[part][name] = "a\0\ud800 b"
    odd["run"]["headline"] = copy.deepcopy(odd["run"]["headline"]) | {"target": "t\0" + "x" * 500}
    imported = store.exchange.import_run("bob", json.dumps(odd))
    assert (imported.name, imported.note, imported.table_name) == ("a? b",) * 3
    assert len(imported.headline.target) == 200
