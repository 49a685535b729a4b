"""A busy server is killed again and again, at random moments: nothing is lost or run twice."""

from __future__ import annotations

import random
import time
import uuid
from collections import Counter
from pathlib import Path

import psutil
import pytest

from odt_core.jobs import JobSpec
from odt_core.jobs.job import new_run
from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from tests.core.jobs.helpers import Server, record, sample_job, status
from tests.forks import prepare
from tests.waiting import wait_until

KILLS = 50
"""Per kind of database."""
DEPTH = 40
"""Runs that wait when a server starts; at least `LEAST_DEPTH` still wait when it is killed."""
LEAST_DEPTH = 32
LATEST = 4.0
"""A server is killed at most so many seconds after it is ready."""
MARK = "ODT_SOAK"
"""An environment variable of every process that the servers of this test start."""

pytestmark = pytest.mark.soak


def left_over(mark: str) -> list[psutil.Process]:
    """Processes with the mark that still run. Their parent may have ended."""
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get(MARK) == mark
            ours = marked and process.status() != psutil.STATUS_ZOMBIE
        except (psutil.Error, OSError):
            continue
        if ours:
            found.append(process)
    return found


def test_a_busy_server_that_is_killed_loses_nothing(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare()
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setenv("ODT_COMPILED", "0")  # the compiling process would outlive its server
    rng = random.Random(7)
    folder = tmp_path / "data"
    store = Store(address, folder)
    kinds = [
        sample_job(store, "monks-1", "depth-1"),
        sample_job(store, "monks-1", "depth-2", time_limit=2.0),
        sample_job(store, "tic-tac-toe", "depth-3", time_limit=2.0),
    ]
    accepted: list[str] = []
    started: Counter[str] = Counter()
    results: dict[str, object] = {}
    slowest, busy = 0.0, 0
    depths: list[int] = []

    def waiting() -> int:
        return sum(status(store, run) is RunStatus.QUEUED for run in accepted)

    def choose(n: int) -> list[JobSpec]:
        return rng.choices(kinds, weights=[2, 2, 1], k=n)

    def settle(server: Server) -> None:
        """Read the last messages of a server, and check that earlier results are unchanged."""
        accepted.extend(server.heard("submitted"))
        started.update(server.heard("started"))
        assert all(record(store, run).result == result for run, result in results.items())
        for run in accepted:
            if run not in results and status(store, run) is RunStatus.DONE:
                results[run] = record(store, run).result

    for _ in range(KILLS):
        for spec in choose(max(DEPTH - waiting(), 0)):
            accepted.append(store.runs.create(LOCAL_OWNER, new_run(spec)).id)
        server = Server(address, folder, n_workers=2)
        wait_until(lambda server=server: server.said, seconds=120)  # type: ignore[misc]
        server.ask(choose(rng.randint(1, 4)))
        time.sleep(rng.uniform(0, LATEST))
        busy += len(server.heard("started")) > 0
        server.kill()
        slowest = max(slowest, wait_until(lambda: not left_over(mark), seconds=3))
        settle(server)
        depths.append(waiting())
        assert depths[-1] >= LEAST_DEPTH

    last = Server(address, folder, n_workers=2)
    over = (RunStatus.DONE, RunStatus.INTERRUPTED)
    wait_until(lambda: all(status(store, run) in over for run in accepted), seconds=900)
    last.kill()
    settle(last)
    ends = Counter(status(store, run).value for run in accepted)
    assert len(set(accepted)) == len(accepted) and started.keys() <= set(every_run(store))
    assert max(started.values()) == 1, "no run was given to workers twice"
    print(
        f"{KILLS} kills ({busy} after a run had been started), {min(depths)} to {max(depths)} runs "
        f"waiting; {len(accepted)} accepted runs: {dict(ends)}; "
        f"all processes gone after at most {slowest:.2f} s"
    )
    store.close()


def every_run(store: Store) -> list[str]:
    """The ids of all runs in a store, even of those that a killed server did not announce."""
    from sqlalchemy import text

    with store.database.read() as connection:
        return list(connection.execute(text("SELECT id FROM runs")).scalars())
