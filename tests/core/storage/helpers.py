"""Helpers of the tests of the store."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, text

from odt_core.storage import Headline, KeyMetrics, NewRun, RunQuery, RunStatus, RunSummary, Store

OWNER = "alice"
CSV = b"colour,size,outcome\nred,small,yes\nblue,large,no\n"
HEADLINE = Headline("outcome", "yes", "depth-2", "accuracy", "hybrid", 2, 7)
METRICS = KeyMetrics("optimal", 3, 97.0, 97.0, 100, 20, 0.97, 0.9, 0.99, 0.95, 0.8, 1.0, 0.4)
SPEC: dict[str, Any] = {
    "read": {"delimiter": ","},
    "train": {"version": 1, "seed": 7, "zeta": 1, "alpha": [1.5, None, "\0\ud800 ü"]},
}


def put(store: Store, owner: str = OWNER, content: bytes = CSV, name: str = "colours.csv") -> str:
    return store.datasets.put(owner, content, name).sha256


def new_run(dataset: str, **changes: Any) -> NewRun:
    values: dict[str, Any] = {"table_name": "colours.csv", "spec": SPEC, "headline": HEADLINE}
    return NewRun(dataset, **(values | changes))


def queue_run(store: Store, owner: str = OWNER, **changes: Any) -> RunSummary:
    return store.runs.create(owner, new_run(put(store, owner), **changes))


def make_old(store: Store, column: str, days: float) -> None:
    """Let time pass for a column of moments, ``table.column``."""
    table, name = column.split(".")
    with store.database.write() as connection:
        moment: Any = store.database.now(connection) - timedelta(days=days)
        if store.database.is_sqlite:
            moment = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
        connection.execute(text(f"UPDATE {table} SET {name} = :moment"), {"moment": moment})


def interrupted(store: Store) -> list[str]:
    """Ids of the owner's interrupted runs, after a look for servers that have ended."""
    store.queue.interrupt_lost()
    query = RunQuery(statuses=(RunStatus.INTERRUPTED,))
    return [run.id for run in store.runs.list(OWNER, query).runs]


def count(store: Store, table: type) -> int:
    """Number of rows of a table."""
    with store.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Content of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fill(folder: Path) -> Path:
    """Write a file that takes all the free space."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
    return filler
