"""The functions that other processes of the tests run (see `tests.forks`).

Each says ``ready`` and waits for a line, so that several begin at the same moment.
"""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path

from odt_core.storage import Ending, Recorder, RunStatus, Store
from tests.core.storage.helpers import OWNER, new_run, put


def wait(test: Connection) -> None:
    test.send("ready")
    test.recv()


def open_store(test: Connection, address: str, folder: str) -> None:
    """Open a database for the first time, together with others."""
    wait(test)
    store = Store(address, Path(folder))
    test.send(str(len(store.datasets.list(OWNER))))


def claim_all(test: Connection, address: str, folder: str) -> None:
    """Claim until nothing waits, and send the ids of the claimed runs."""
    store = Store(address, Path(folder))
    server = store.queue.register()
    wait(test)
    while (run := store.queue.claim(server)) is not None:
        test.send(run.id)
        time.sleep(0.005)  # its work, during which the others get their turn


def serve(test: Connection, address: str, folder: str) -> None:
    """Claim a run, make some progress, and go on until killed; the lease outlasts every test."""
    store = Store(address, Path(folder), lease=3600.0)
    server = store.queue.register()
    run = store.queue.claim(server, {"odt-studio": "1"})
    assert run is not None
    store.queue.record_progress(
        server, run.id, stage="solving", progress={"incumbent": 5}, best={"tree": "best so far"}
    )
    wait(test)
    while True:
        store.queue.heartbeat(server, [run.id])
        time.sleep(0.05)


def write(test: Connection, address: str, folder: str) -> None:
    """Write data sets with finished runs without end, and send what is stored."""
    store = Store(address, Path(folder))
    server = store.queue.register()
    recorder = Recorder(store.queue, server)
    wait(test)
    for number in range(10**6):
        dataset = put(store, content=os.urandom(3_000_000), name=f"{number}.csv")
        store.runs.create_many(OWNER, [new_run(dataset, name=str(number))] * 20)
        run = store.queue.claim(server)
        assert run is not None
        recorder.end(run.id, Ending(RunStatus.DONE, {"number": number}, {"tree": "x" * 100_000}))
        assert recorder.flush(30)
        test.send(f"{number} {run.id}")


def upload(test: Connection, address: str, folder: str) -> None:
    """Store half of a data set, and wait to be killed."""
    database = Store(address, Path(folder)).database
    with database.write() as connection:
        content = b"a secret category," * 1_000_000
        connection.exec_driver_sql("INSERT INTO chunks VALUES (1, 0, ?)", (content,))
        wait(test)
