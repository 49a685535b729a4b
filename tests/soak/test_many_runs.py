"""Hundreds of runs in a row leave no memory and no process behind."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from odt_core.processes import MIB
from odt_core.storage import RunStatus, Store
from tests.core.jobs.helpers import address_of, sample_job, servers, status
from tests.waiting import wait_until

RUNS = 300
WARM = 50
"""Runs after which everything that is ever loaded has been loaded."""
MOST_GROWTH = 40 * MIB

pytestmark = pytest.mark.soak


def held(server: psutil.Process) -> tuple[int, int, int]:
    """Bytes of a server, bytes of its workers, and how many processes there are."""
    family = server.children(recursive=True)
    workers = sum(process.memory_info().rss for process in family)
    return server.memory_info().rss, workers, len(family)


def test_many_runs_in_a_row_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODT_COMPILED", "0")  # the compiling process would be counted
    folder = tmp_path / "data"
    store = Store(None, folder)
    easy = sample_job(store, "monks-1", "depth-1")
    with servers(address_of(folder), folder) as (server,):
        process = psutil.Process(server.process.pid)
        for number in range(1, RUNS + 1):
            run = server.submit(easy)
            wait_until(lambda run=run: status(store, run) is RunStatus.DONE, 60)  # type: ignore[misc]
            if number == WARM:
                before = held(process)
        after = held(process)
    print(
        f"{RUNS} runs; server {before[0] // MIB} to {after[0] // MIB} MiB and workers "
        f"{before[1] // MIB} to {after[1] // MIB} MiB from run {WARM} to run {RUNS}; "
        f"{before[2]} and {after[2]} processes"
    )
    assert after[2] <= before[2]
    assert after[0] - before[0] < MOST_GROWTH and after[1] - before[1] < MOST_GROWTH
    store.close()
