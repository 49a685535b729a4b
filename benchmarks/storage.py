"""How fast the store is: ``python -m benchmarks.storage [--address URL] [--runs 10000]``.

Without an address it measures SQLite in a temporary folder; an address must name an empty
PostgreSQL database, which is left with tables and no rows. Times are wall-clock, one thread.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from odt_core.storage import (
    Ending,
    Headline,
    KeyMetrics,
    NewRun,
    RunQuery,
    RunStatus,
    SortKey,
    Store,
    software_versions,
)

OWNER = "benchmark"
SPEC = {"train": {"columns": {f"column {i}": "categorical" for i in range(30)}}}
RESULT = {"tree": ["a category's name"] * 400, "trace": [[i / 10, i, 900 - i] for i in range(100)]}
HEADLINE = Headline(target="outcome", topology="depth-2", engine="hybrid")


def once(what: str, call: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    answer = call()
    print(f"{what:48} {time.perf_counter() - began:8.2f} s")
    return answer


def each(what: str, call: Callable[[int], Any], repeats: int) -> list[Any]:
    answers, times = [], []
    for number in range(repeats):
        began = time.perf_counter()
        answers.append(call(number))
        times.append(1000 * (time.perf_counter() - began))
    times.sort()
    middle, late = times[repeats // 2], times[int(repeats * 0.95)]
    print(f"{what:48} {middle:8.2f} ms median, {late:8.2f} ms p95")
    return answers


def measure_data(store: Store) -> None:
    content = os.urandom(200 * 2**20)
    sha256 = once("store 200 MB", lambda: store.datasets.put(OWNER, content, "large.csv")).sha256
    once("make the file for a worker, 200 MB", lambda: store.datasets.path(OWNER, sha256))
    once("find that file again", lambda: store.datasets.path(OWNER, sha256))
    once("delete 200 MB and wipe them off the disk", lambda: store.datasets.delete(OWNER, sha256))


def measure_one_run(store: Store, dataset: str, repeats: int) -> None:
    queue, server = store.queue, store.queue.register()
    new = NewRun(dataset, "small.csv", SPEC, HEADLINE)
    ids = [run.id for run in each("queue", lambda _: store.runs.create(OWNER, new), repeats)]
    each("claim", lambda _: queue.claim(server, software_versions()), repeats)
    each(
        "record progress with a tree",
        lambda i: queue.record_progress(server, ids[i], progress={"n": i}, best=RESULT),
        repeats,
    )
    each("heartbeat", lambda _: queue.heartbeat(server, ids[:4]), repeats)
    each("ask for cancels", lambda _: queue.requests(server, ids[:4]), repeats)
    ending = Ending(RunStatus.DONE, RESULT, RESULT, KeyMetrics(errors=3))
    each("end with a result", lambda i: queue.end(server, ids[i], ending), repeats)
    each("ask how far it is", lambda i: store.runs.summary(OWNER, ids[i]), repeats)
    each("open", lambda i: store.runs.get(OWNER, ids[i]), repeats)


def measure_many_runs(store: Store, dataset: str, n_runs: int) -> None:
    new = [
        NewRun(dataset, "small.csv", SPEC, HEADLINE, name=f"Run {number}")
        for number in range(n_runs)
    ]
    once(f"queue {n_runs:,} at once", lambda: store.runs.create_many(OWNER, new))
    last = store.runs.list(OWNER, RunQuery(limit=1)).runs[0].id
    server = store.queue.register()
    each(f"claim, {n_runs:,} waiting", lambda _: store.queue.claim(server), 50)
    each("position of the last", lambda _: store.queue.position(OWNER, last), 20)
    queries = {
        "newest 50": RunQuery(),
        "last page": RunQuery(offset=n_runs - 50),
        "50 by fewest errors": RunQuery(sort=SortKey.ERRORS, descending=False),
        "50 by name with two words searched": RunQuery(search="run 77", sort=SortKey.NAME),
    }
    for what, query in queries.items():
        each(f"list {what}", partial(_list, store, query), 20)
    once("delete their data set with all of them", lambda: store.datasets.delete(OWNER, dataset))


def _list(store: Store, query: RunQuery, _: int) -> None:
    store.runs.list(OWNER, query)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="odt-") as folder:
        store = once("open an empty database", lambda: Store(options.address, Path(folder)))
        once("open it again", lambda: Store(options.address, Path(folder)))
        measure_data(store)
        dataset = store.datasets.put(OWNER, b"a,b\n1,2\n" * 10_000, "small.csv").sha256
        measure_one_run(store, dataset, options.repeats)
        measure_many_runs(store, dataset, options.runs)
        for record in store.datasets.list(OWNER):
            store.datasets.delete(OWNER, record.sha256)
        store.close()


if __name__ == "__main__":
    main()
