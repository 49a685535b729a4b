"""Data sets: stored once, seen by their owner, and gone when deleted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from odt_core.errors import InputError
from odt_core.storage import NotFoundError, RunStatus, Store
from odt_core.storage.datasets import CHUNK, LARGEST
from odt_core.storage.tables import BlobRow, ChunkRow, ErasureRow
from tests.core.storage.helpers import (
    CSV,
    OWNER,
    bytes_below,
    count,
    make_old,
    new_run,
    put,
    queue_run,
)
from tests.core.storage.postgres import PostgresServer

OPEN = Callable[..., Store]


def test_bytes_come_back_as_they_were(store: Store) -> None:
    sha256 = put(store)
    record = store.datasets.get(OWNER, sha256)
    assert sha256 == hashlib.sha256(CSV).hexdigest()
    assert (record.name, record.size, record.stored) == ("colours.csv", len(CSV), True)
    assert store.datasets.read(OWNER, sha256) == CSV
    assert store.datasets.path(OWNER, sha256).read_bytes() == CSV


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_every_size_is_whole(store: Store, size: int) -> None:
    content = os.urandom(size)
    sha256 = put(store, content=content)
    assert store.datasets.read(OWNER, sha256) == content
    assert store.datasets.path(OWNER, sha256).read_bytes() == content


def test_the_same_bytes_are_stored_once(store: Store) -> None:
    for owner, name in (("alice", "a.csv"), ("alice", "b.csv"), ("bob", "c.csv")):
        put(store, owner, name=name)
    assert [record.name for record in store.datasets.list("alice")] == ["b.csv"]
    assert [record.name for record in store.datasets.list("bob")] == ["c.csv"]
    assert count(store, BlobRow) == count(store, ChunkRow) == 1


def test_another_owners_data_set_does_not_exist(store: Store) -> None:
    sha256 = put(store, "alice")
    put(store, "bob", content=b"other")
    for call in (store.datasets.get, store.datasets.read, store.datasets.path):
        with pytest.raises(NotFoundError):
            call("bob", sha256)
    with pytest.raises(NotFoundError):
        store.datasets.delete("bob", sha256)
    assert store.datasets.read("alice", sha256) == CSV


def test_too_large_a_file_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="200 MB"):
        put(store, content=bytes(LARGEST + 1))


@pytest.mark.parametrize("owner", ["", "a\0b", "x" * 256, "\ud800"])
def test_an_owner_without_a_usable_name_is_refused(store: Store, owner: str) -> None:
    with pytest.raises(InputError, match="sign in"):
        put(store, owner)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\0b\ud800.csv", "ab?.csv"), ("a\n b.csv", "a b.csv"), ("x" * 300, "x" * 199 + "…")],
)
def test_odd_file_names_are_kept_in_a_storable_form(store: Store, given: str, kept: str) -> None:
    assert store.datasets.get(OWNER, put(store, name=given)).name == kept


def test_a_cached_file_is_made_again_when_it_is_gone_or_cut_short(store: Store) -> None:
    sha256 = put(store)
    path = store.datasets.path(OWNER, sha256)
    path.write_bytes(CSV[:5])
    assert store.datasets.path(OWNER, sha256).read_bytes() == CSV
    path.unlink()
    assert store.datasets.path(OWNER, sha256).read_bytes() == CSV
    assert path.stat().st_mode & 0o077 == path.parent.stat().st_mode & 0o077 == 0


def test_deleting_takes_every_run_made_from_it_and_nothing_else(store: Store) -> None:
    gone, kept = put(store), put(store, content=b"other")
    store.runs.create_many(OWNER, [new_run(gone)] * 3)
    study = store.studies.create(OWNER, new_run(gone, kind="curve"), [new_run(gone)] * 4)
    stays = store.runs.create(OWNER, new_run(kept))
    bobs = queue_run(store, "bob")
    running = store.queue.claim(store.queue.register())
    assert running is not None

    deleted = store.datasets.delete(OWNER, gone)

    assert (deleted.n_runs, deleted.running, deleted.wiped) == (4, (running.id,), True)
    assert [run.id for run in store.runs.list(OWNER).runs] == [stays.id]
    assert [record.sha256 for record in store.datasets.list(OWNER)] == [kept]
    assert store.runs.get("bob", bobs.id).summary.dataset == gone
    assert store.datasets.read("bob", gone) == CSV
    with pytest.raises(NotFoundError):
        store.runs.get(OWNER, study.id)


def secrets_of(store: Store, owner: str = OWNER) -> tuple[str, list[bytes]]:
    """A data set with a run whose result repeats its categories, and what must vanish with it."""
    marks = [f"secret-{os.urandom(8).hex()}".encode() for _ in range(3)]
    content = b"x,y\n" + b"\n".join(marks[0] + b",%d" % i for i in range(300_000)) + b"\n"
    sha256 = put(store, owner, content)
    spec = {"categories": [marks[1].decode()] * 2_000}
    run = store.runs.create(owner, new_run(sha256, spec=spec, note=marks[2].decode()))
    server = store.queue.register()
    assert store.queue.claim(server) is not None
    for tree in range(20):
        best = {"tree": [marks[1].decode() + str(tree)] * 500}
        assert store.queue.record_progress(server, run.id, best=best)
    store.datasets.path(owner, sha256)
    return sha256, marks


def test_deleted_data_are_gone_from_disk_sqlite(tmp_path: Path) -> None:
    with_other = Store(None, tmp_path)
    sha256, marks = secrets_of(with_other)
    put(with_other, content=b"kept" * 1000)
    before = bytes_below(tmp_path)
    for mark in marks:  # so that the search below can fail
        assert any(mark in content for content in before.values())
    size = sum(map(len, before.values()))

    assert with_other.datasets.delete(OWNER, sha256).wiped

    after = bytes_below(tmp_path)
    found = [(name, mark) for name, content in after.items() for mark in marks if mark in content]
    assert found == []
    assert sum(map(len, after.values())) < size / 20, "the space is given back"


def test_a_deleted_run_is_gone_from_disk_after_tidying(tmp_path: Path) -> None:
    store = Store(None, tmp_path)
    run = queue_run(store, note="a secret note", spec={"x": "a secret category"})
    store.runs.delete(OWNER, [run.id])
    store.tidy()
    assert not any(b"secret" in content for content in bytes_below(tmp_path).values())


def test_deleted_data_are_gone_from_postgres_tables(
    postgres: PostgresServer, empty_postgres: Callable[[], str], tmp_path: Path
) -> None:
    store = Store(empty_postgres(), tmp_path)
    sha256, marks = secrets_of(store)
    # Random bytes are not compressed by the server: they can be looked for on its disk.
    noise = os.urandom(3_000_000)
    put(store, content=noise)
    postgres.execute("CHECKPOINT")
    base = postgres.data / "base"
    needle = noise[1_000_000:1_000_016]
    assert any(needle in content for content in bytes_below(base).values())
    note = marks[2]
    assert any(note in content for content in bytes_below(base).values())

    assert store.datasets.delete(OWNER, hashlib.sha256(noise).hexdigest()).wiped
    assert store.datasets.delete(OWNER, sha256).wiped

    postgres.execute("CHECKPOINT")  # old files go at the next one
    left = bytes_below(base)
    assert [name for name, content in left.items() if needle in content or note in content] == []
    assert not any(mark in content for content in bytes_below(tmp_path).values() for mark in marks)


def test_wiping_is_made_up_for_when_a_reader_was_in_the_way(
    monkeypatch: pytest.MonkeyPatch, open_store: OPEN
) -> None:
    monkeypatch.setattr("odt_core.storage.database.WAIT_FOR_TABLE", 1)
    store, other = open_store(), open_store("other")
    sha256 = put(store)
    with other.database.read() as reader:
        reader.execute(text("SELECT count(*) FROM chunks")).scalar()
        assert not store.datasets.delete(OWNER, sha256).wiped
    store.tidy()
    assert count(store, ErasureRow) == 0


def test_the_cache_of_another_machine_is_swept(open_store: OPEN) -> None:
    here, there = open_store("here"), open_store("there")
    kept, gone = put(here, content=b"kept"), put(here)
    paths = [there.datasets.path(OWNER, sha256) for sha256 in (kept, gone)]
    half_written = paths[0].with_name("tmpabc")
    half_written.write_bytes(b"half")
    os.utime(half_written, (0, 0))
    growing = paths[0].with_name("tmpdef")
    growing.write_bytes(b"growing")
    here.datasets.delete(OWNER, gone)
    there.datasets.sweep_cache()
    assert paths[0].exists() and growing.exists()
    assert not paths[1].exists() and not half_written.exists()


def age(store: Store, days: float) -> None:
    make_old(store, "datasets.used_at", days)


def test_data_sets_go_when_they_reach_the_age_limit(open_store: OPEN) -> None:
    store = open_store(retention_days=30)
    old = queue_run(store)
    store.runs.cancel(OWNER, old.id)
    waiting = queue_run(store, "patient")
    mine = queue_run(store, "bob")
    store.runs.cancel("bob", mine.id)
    store.set_retention("bob", 60)
    age(store, 40)
    put(store, content=b"fresh")

    store.tidy()

    assert [record.size for record in store.datasets.list(OWNER)] == [len(b"fresh")]
    assert store.runs.list(OWNER).total == 0
    assert store.runs.summary("patient", waiting.id).status is RunStatus.QUEUED
    assert store.runs.list("bob").total == 1
    age(store, 61)
    store.tidy()
    assert [len(store.datasets.list(owner)) for owner in (OWNER, "patient", "bob")] == [0, 1, 0]


def test_without_a_limit_nothing_goes(store: Store) -> None:
    put(store)
    age(store, 10_000)
    assert store.retention(OWNER) is None
    store.tidy()
    assert len(store.datasets.list(OWNER)) == 1


def test_running_on_a_data_set_renews_it(open_store: OPEN) -> None:
    store = open_store(retention_days=30)
    run = queue_run(store)
    store.runs.cancel(OWNER, run.id)
    age(store, 40)
    store.runs.cancel(OWNER, store.runs.rerun(OWNER, run.id).id)
    store.tidy()
    assert len(store.datasets.list(OWNER)) == 1


@pytest.mark.parametrize("days", [0, -1, 40_000])
def test_an_age_limit_must_be_sensible(store: Store, days: int) -> None:
    with pytest.raises(InputError, match="age limit"):
        store.set_retention(OWNER, days)


def test_the_age_limit_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ODT_RETENTION_DAYS", "30")
    assert Store(None, tmp_path).retention(OWNER) == 30
    monkeypatch.setenv("ODT_RETENTION_DAYS", "a month")
    with pytest.raises(InputError, match="ODT_RETENTION_DAYS"):
        Store(None, tmp_path)


def test_choices_are_their_owners_and_go_with_the_data_set(store: Store) -> None:
    sha256, other = put(store), put(store, "bob")
    assert sha256 == other
    assert store.datasets.choices(OWNER, sha256) is None
    store.datasets.keep_choices(OWNER, sha256, {"schema": {"target": "outcome"}})
    store.datasets.keep_choices(OWNER, sha256, {"schema": {"target": "size"}})
    assert store.datasets.choices(OWNER, sha256) == {"schema": {"target": "size"}}
    assert store.datasets.choices("bob", sha256) is None
    with pytest.raises(NotFoundError):
        store.datasets.keep_choices("carol", sha256, {})
    store.datasets.delete(OWNER, sha256)
    with pytest.raises(NotFoundError):
        store.datasets.choices(OWNER, sha256)
    put(store)
    assert store.datasets.choices(OWNER, sha256) is None, "it begins anew"
