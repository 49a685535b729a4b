"""Killed processes, full and read-only disks: nothing half written, nothing lost."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from odt_core.storage import (
    Ending,
    NotFoundError,
    Recorder,
    RunQuery,
    RunStatus,
    StorageError,
    Store,
)
from odt_core.storage.queue import Queue
from odt_core.storage.tables import BlobRow, ChunkRow, DocumentRow, ErasureRow, RunRow
from tests.core.storage.children import upload, write
from tests.core.storage.helpers import (
    CSV,
    METRICS,
    OWNER,
    bytes_below,
    count,
    fill,
    interrupted,
    put,
    queue_run,
)
from tests.core.storage.postgres import PostgresServer
from tests.forks import Fork
from tests.waiting import wait_until

DONE = Ending(RunStatus.DONE, {"tree": "an hour's work"}, {"model": 1}, METRICS)


def start_run(store: Store) -> tuple[str, str]:
    """A server and the run it holds."""
    run = queue_run(store)
    server = store.queue.register()
    assert store.queue.claim(server) is not None
    return server, run.id


@pytest.mark.parametrize("delay", [0.0, 0.013, 0.1])
def test_a_process_killed_while_it_writes_leaves_a_whole_database(
    store: Store, address: str, tmp_path: Path, delay: float
) -> None:
    writer = Fork(write, address, str(tmp_path / "data"))
    assert writer.next_line() == "ready"
    writer.say()
    said = [writer.next_line().split() for _ in range(2)]
    time.sleep(delay)
    writer.kill()
    said += [line.split() for line in writer.lines()]

    for number, run_id in said:
        record = store.runs.get(OWNER, run_id)
        assert record.result == {"number": int(number)} and record.model is not None
    for dataset in store.datasets.list(OWNER):
        # Every data set that is there has all its bytes (`path` checks the hash) and all or none
        # of its runs.
        assert store.datasets.path(OWNER, dataset.sha256).stat().st_size == 3_000_000
        assert dataset.n_runs in (0, 20)
    with store.database.read() as connection:
        n_runs = connection.scalar(select(func.count()).select_from(RunRow))
        assert connection.scalar(select(func.count()).select_from(DocumentRow)) == n_runs
        if store.database.is_sqlite:
            assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    store.tidy()
    running = store.runs.list(OWNER, RunQuery(statuses=(RunStatus.RUNNING,)))
    assert len(interrupted(store)) <= 1 and running.total == 0


def test_an_upload_killed_on_the_way_leaves_no_bytes_once_restarted(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'odt.sqlite3'}"
    uploader = Fork(upload, address, str(tmp_path))
    assert uploader.next_line() == "ready"
    uploader.kill()
    assert any(b"secret" in content for content in bytes_below(tmp_path).values())
    store = Store(address, tmp_path)
    assert not any(b"secret" in content for content in bytes_below(tmp_path).values())
    assert store.datasets.list(OWNER) == ()


def test_an_upload_that_failed_leaves_no_bytes_once_tidied(tmp_path: Path) -> None:
    store = Store(None, tmp_path)
    with pytest.raises(RuntimeError, match="on the way"), store.database.write() as connection:
        content = b"a secret category," * 1_000_000
        connection.exec_driver_sql("INSERT INTO chunks VALUES (1, 0, ?)", (content,))
        raise RuntimeError("on the way")
    assert any(b"secret" in content for content in bytes_below(tmp_path).values())
    store.tidy()
    assert not any(b"secret" in content for content in bytes_below(tmp_path).values())


def test_a_deletion_killed_before_wiping_is_made_up_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row that requests the wiping is written in the transaction that deletes."""
    sha256, kept = put(store), put(store, content=b"kept")
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr("odt_core.storage.datasets.wipe", sys.exit)
        store.datasets.delete(OWNER, sha256)
    put(store, "bob")  # on another server, somebody uploads the same file again

    tables = ErasureRow, BlobRow, ChunkRow
    assert [count(store, table) for table in tables] == [1, 2, 3]
    store.tidy()
    assert [count(store, table) for table in tables] == [0, 2, 2]
    assert store.datasets.read("bob", sha256) == CSV
    assert store.datasets.read(OWNER, kept) == b"kept"


def test_an_upload_and_a_deletion_of_the_same_bytes_never_part_row_and_bytes(
    open_store: Callable[..., Store],
) -> None:
    """Two machines, many rounds: in every order, an owner with the row has the bytes."""
    stores = [open_store("one"), open_store("two")]
    for _ in range(15):
        put(stores[0], "alice")
        start = threading.Barrier(2)

        def delete(start: threading.Barrier = start) -> None:
            start.wait()
            stores[0].datasets.delete("alice", put(stores[0], "alice"))

        def upload(start: threading.Barrier = start) -> None:
            start.wait()
            put(stores[1], "bob")

        threads = [threading.Thread(target=delete), threading.Thread(target=upload)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (record,) = stores[0].datasets.list("bob")
        assert len(stores[0].datasets.read("bob", record.sha256)) == record.size
        stores[0].datasets.delete("bob", record.sha256)
        with stores[0].database.read() as connection:
            for table in (BlobRow, ChunkRow):
                assert connection.scalar(select(func.count()).select_from(table)) == 0


def test_what_cannot_be_written_waits_in_memory(
    postgres: PostgresServer, empty_postgres: Callable[[], str], tmp_path: Path
) -> None:
    store = Store(empty_postgres(), tmp_path)
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server, retry_every=0.05)
    recorder.progress(run_id, best={"tree": "so far"})
    assert recorder.flush(10) and recorder.problem == ""

    postgres.stop()
    recorder.progress(run_id, best={"tree": "better"})
    recorder.end(run_id, DONE)
    assert not recorder.flush(30)
    assert "cannot be reached" in recorder.problem
    assert recorder.waiting == {run_id: DONE}, "the result is still there to be shown"

    postgres.start()
    wait_until(lambda: not recorder.waiting)  # nobody has to ask for it
    assert recorder.close() and recorder.problem == "" and recorder.waiting == {}
    assert store.runs.get(OWNER, run_id).result == DONE.result


class SlowQueue:
    """A queue whose database answers only when the test allows it."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self.may_answer = threading.Event()

    def record_progress(self, *arguments: Any, **values: Any) -> object:
        assert self.may_answer.wait(60)
        return self._queue.record_progress(*arguments, **values)

    def end(self, *arguments: Any) -> bool:
        assert self.may_answer.wait(60)
        return self._queue.end(*arguments)


def test_nobody_waits_for_a_database_that_is_slow(store: Store) -> None:
    server, run_id = start_run(store)
    slow = SlowQueue(store.queue)
    recorder = Recorder(slow, server)  # type: ignore[arg-type]
    recorder.progress(run_id, best={"tree": "so far"})
    recorder.end(run_id, DONE)  # that this returns is what is tested
    assert recorder.waiting == {run_id: DONE}
    assert store.runs.summary(OWNER, run_id).status is RunStatus.RUNNING
    slow.may_answer.set()
    assert recorder.close()
    assert store.runs.get(OWNER, run_id).result == DONE.result


def test_points_that_come_fast_are_written_as_one(store: Store) -> None:
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server)
    for number in range(200):
        recorder.progress(run_id, progress={"n": number})
        if number % 50 == 0:
            recorder.progress(run_id, stage="solving", best={"tree": number})
    recorder.end(run_id, Ending(RunStatus.FAILED, message="Out of memory."))
    assert recorder.close()
    record = store.runs.get(OWNER, run_id)
    assert record.summary.progress == {"n": 199} and record.best == {"tree": 150}
    assert record.summary.status is RunStatus.FAILED


def test_a_result_that_is_no_json_fails_its_run_and_no_other(store: Store) -> None:
    server, run_id = start_run(store)
    other = queue_run(store)
    assert store.queue.claim(server) is not None
    recorder = Recorder(store.queue, server)
    recorder.end(run_id, Ending(RunStatus.DONE, {"tree": float("nan")}))
    recorder.end(other.id, DONE)
    assert recorder.close()
    failed = store.runs.summary(OWNER, run_id)
    assert failed.status is RunStatus.FAILED and "cannot be recorded" in failed.message
    assert store.runs.summary(OWNER, other.id).status is RunStatus.DONE


def test_the_end_of_a_deleted_run_waits_for_nothing(store: Store) -> None:
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server)
    store.runs.delete(OWNER, [run_id])
    recorder.end(run_id, DONE)
    assert recorder.close()
    assert recorder.waiting == {} and recorder.problem == ""


def test_a_read_only_folder_is_reported(read_only: Path) -> None:
    with pytest.raises(StorageError, match=r"readonly.*writable.*ODT_DATA_DIR"):
        Store(None, read_only)
    with pytest.raises(StorageError, match=r"cannot be made \(Permission denied\)"):
        Store(None, read_only / "below")


def test_a_folder_that_turns_read_only_costs_no_result(tmp_path: Path) -> None:
    store = Store(None, tmp_path)
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server)
    with store.database.bare() as connection:
        connection.execute(text("PRAGMA query_only = ON"))  # what a remount looks like to SQLite
    recorder.end(run_id, DONE)
    assert not recorder.flush(30)
    assert "cannot be opened for writing" in recorder.problem
    with store.database.bare() as connection:
        connection.execute(text("PRAGMA query_only = OFF"))
    assert recorder.flush(30)
    assert store.runs.get(OWNER, run_id).result == DONE.result


def test_a_full_disk_is_reported_and_loses_no_result(small_disk: Path) -> None:
    store = Store(None, small_disk)
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server)
    filler = fill(small_disk)
    large = Ending(RunStatus.DONE, {"tree": "x" * 500_000}, None, METRICS)
    recorder.end(run_id, large)
    assert not recorder.flush(30)
    assert "disk" in recorder.problem and str(small_disk) in recorder.problem
    assert store.runs.summary(OWNER, run_id).status is RunStatus.RUNNING, "reading goes on"
    with pytest.raises(StorageError):
        store.datasets.path(OWNER, store.datasets.list(OWNER)[0].sha256)

    filler.unlink()
    assert recorder.flush(30)
    assert store.runs.get(OWNER, run_id).result == large.result
    with pytest.raises(StorageError, match="no room left on the disk"):
        put(store, content=os.urandom(4_000_000))
    assert len(store.datasets.list(OWNER)) == 1
    with store.database.read() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"


def test_a_database_at_its_limit_is_reported_and_whole(tmp_path: Path) -> None:
    """SQLite's limit of pages gives the error of a full disk, without a disk of its own."""
    store = Store(None, tmp_path)
    server, run_id = start_run(store)
    recorder = Recorder(store.queue, server)
    with store.database.bare() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar()
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))
    large = Ending(RunStatus.DONE, {"tree": "x" * 500_000}, None, METRICS)
    recorder.end(run_id, large)
    assert not recorder.flush(30)
    assert "no room left on the disk" in recorder.problem
    with store.database.bare() as connection:
        connection.execute(text("PRAGMA max_page_count = 1000000"))
    assert recorder.flush(30)
    assert store.runs.get(OWNER, run_id).result == large.result


def test_a_cached_file_that_cannot_be_written_is_reported(read_only: Path) -> None:
    store = Store("sqlite://", read_only)
    sha256 = put(store)
    with pytest.raises(StorageError, match=r"cannot be put into .*Permission denied"):
        store.datasets.path(OWNER, sha256)
    with pytest.raises(StorageError, match=r"cannot be written .*Permission denied"):
        store.queue.register()


def test_damaged_bytes_are_noticed(store: Store, tmp_path: Path) -> None:
    sha256 = put(store)
    with store.database.write() as connection:
        connection.execute(ChunkRow.__table__.update().values(content=b"other"))  # type: ignore[attr-defined]
    with pytest.raises(StorageError, match="damaged"):
        store.datasets.path(OWNER, sha256)
    assert bytes_below(tmp_path / "data" / "cache") == {}, "no half file stays behind"
    with store.database.write() as connection:
        connection.execute(ChunkRow.__table__.delete())  # type: ignore[attr-defined]
    with pytest.raises(NotFoundError):
        store.datasets.read(OWNER, sha256)
