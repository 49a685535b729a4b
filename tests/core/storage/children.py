"""Other processes of the tests: ``python -m tests.core.storage.children WHAT ADDRESS FOLDER``.

Each says ``ready`` and waits for a line, so that several begin at the same moment.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from odt_core.storage import Ending, Recorder, RunStatus, Store
from tests.core.storage.helpers import OWNER, new_run, put


def wait() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def open_store(address: str, folder: Path) -> None:
    """Open a database for the first time, together with others."""
    wait()
    store = Store(address, folder)
    print(len(store.datasets.list(OWNER)))


def claim_all(address: str, folder: Path) -> None:
    """Claim until nothing waits, and say what was got."""
    store = Store(address, folder)
    server = store.queue.register()
    wait()
    while (run := store.queue.claim(server)) is not None:
        print(run.id)
        time.sleep(0.005)  # as one who has work to do: the others get their turn


def serve(address: str, folder: Path) -> None:
    """Claim a run, make some progress, and go on until killed; the lease outlasts every test."""
    store = Store(address, folder, lease=3600.0)
    server = store.queue.register()
    run = store.queue.claim(server, {"odt-studio": "1"})
    assert run is not None
    store.queue.record_progress(
        server, run.id, stage="solving", progress={"incumbent": 5}, best={"tree": "best so far"}
    )
    wait()
    while True:
        store.queue.heartbeat(server, [run.id])
        time.sleep(0.05)


def write(address: str, folder: Path) -> None:
    """Write without end: data sets with runs, each finished; say what is stored, once it is."""
    store = Store(address, folder)
    server = store.queue.register()
    recorder = Recorder(store.queue, server)
    wait()
    for number in range(10**6):
        dataset = put(store, content=os.urandom(3_000_000), name=f"{number}.csv")
        store.runs.create_many(OWNER, [new_run(dataset, name=str(number))] * 20)
        run = store.queue.claim(server)
        assert run is not None
        recorder.end(run.id, Ending(RunStatus.DONE, {"number": number}, {"tree": "x" * 100_000}))
        assert recorder.flush(30)
        print(number, run.id, flush=True)


def upload(address: str, folder: Path) -> None:
    """Be in the middle of storing a data set until killed."""
    database = Store(address, folder)._database
    with database.write() as connection:
        content = b"a secret category," * 1_000_000
        connection.exec_driver_sql("INSERT INTO chunks VALUES (1, 0, ?)", (content,))
        wait()


if __name__ == "__main__":
    what, address, folder = sys.argv[1:]
    calls = {
        "open": open_store,
        "claim": claim_all,
        "serve": serve,
        "write": write,
        "upload": upload,
    }
    calls[what](address, Path(folder))
