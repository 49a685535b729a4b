"""The records of runs: create, list, open, rename, run again, delete.

Every call names an owner and sees that owner's runs only: another's id is as good as none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, update

from odt_core.errors import InputError
from odt_core.storage.database import Database
from odt_core.storage.datasets import touch_dataset
from odt_core.storage.erasure import note_erasure
from odt_core.storage.errors import NotFoundError
from odt_core.storage.records import (
    Deleted,
    Headline,
    KeyMetrics,
    NewRun,
    RunPage,
    RunQuery,
    RunRecord,
    RunStatus,
    RunSummary,
    SortKey,
    new_id,
)
from odt_core.storage.tables import DocumentRow, RunRow
from odt_core.storage.text import (
    check_owner,
    cut_line,
    like_patterns,
    many_lines,
    one_line,
    searchable,
)

LONGEST_PAGE = 1000
"""Runs in one answer, at most."""
MOST_AT_ONCE = 10_000
"""Runs queued by one call, at most."""

_HEADLINE = tuple(field.name for field in dataclasses.fields(Headline))
_METRICS = tuple(field.name for field in dataclasses.fields(KeyMetrics))
_PLAIN = tuple(
    field.name
    for field in dataclasses.fields(RunSummary)
    if field.name not in ("headline", "metrics", "status")
)
_COLUMNS = tuple(
    getattr(RunRow, name) for name in ("seq", "searched", "status", *_PLAIN, *_HEADLINE, *_METRICS)
)


class Runs:
    """The runs of all owners.

    Parameters
    ----------
    database : Database
        Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, owner: str, run: NewRun) -> RunSummary:
        """Queue a run.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        StorageError
            If the database cannot be written.
        """
        return self.create_many(owner, [run])[0]

    def create_many(self, owner: str, runs: Sequence[NewRun]) -> tuple[RunSummary, ...]:
        """Queue several runs in one transaction: all of them, or none.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        InputError
            If there are more than `MOST_AT_ONCE`.
        StorageError
            If the database cannot be written.
        """
        if len(runs) > MOST_AT_ONCE:
            raise InputError(
                f"{len(runs):,} runs are too many at once: choose fewer levels, shapes or repeats "
                f"(at most {MOST_AT_ONCE:,} runs)."
            )
        if not runs:
            return ()
        with self._database.write() as connection:
            now = self._database.now(connection)
            for dataset in sorted({run.dataset for run in runs}):
                touch_dataset(connection, owner, dataset, now)
            ids = enter_runs(self._database, connection, owner, runs, now)
            return read_summaries(connection, owner, ids)

    def rerun(self, owner: str, run_id: str, lane: str = "") -> RunSummary:
        """Queue a run again, from its record alone. (With changes: `create` with `rerun_of`.)

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        record = self.get(owner, run_id)
        old = record.summary
        again = NewRun(
            dataset=old.dataset,
            table_name=old.table_name,
            spec=record.spec,
            headline=old.headline,
            kind=old.kind,
            name=old.name,
            lane=lane,
            rerun_of=old.id,
        )
        return self.create(owner, again)

    def summary(self, owner: str, run_id: str) -> RunSummary:
        """A run as lists show it, and how far it is: what a page asks while it waits.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        with self._database.read() as connection:
            return read_summary(connection, owner, run_id)

    def summaries(self, owner: str, run_ids: Sequence[str]) -> tuple[RunSummary, ...]:
        """The same for several runs at once, in the order asked for.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them.
        """
        with self._database.read() as connection:
            return read_summaries(connection, owner, run_ids)

    def get(self, owner: str, run_id: str) -> RunRecord:
        """A run with everything that is known of it.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        return self.get_many(owner, [run_id])[0]

    def get_many(self, owner: str, run_ids: Sequence[str]) -> tuple[RunRecord, ...]:
        """Several runs, in the order asked for, to be compared.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them.
        """
        with self._database.read() as connection:
            return tuple(read_record(connection, owner, run_id) for run_id in run_ids)

    def list(self, owner: str, query: RunQuery | None = None) -> RunPage:
        """A page of an owner's runs, searched and sorted."""
        query = query or RunQuery()
        conditions = _conditions(owner, query)
        limit = min(max(query.limit, 0), LONGEST_PAGE)
        with self._database.read() as connection:
            total = connection.scalar(select(func.count()).select_from(RunRow).where(*conditions))
            rows = connection.execute(
                select(*_COLUMNS)
                .where(*conditions)
                .order_by(*_order(query))
                .limit(limit)
                .offset(max(query.offset, 0))
            ).all()
        return RunPage(tuple(_summary(row) for row in rows), total or 0)

    def rename(self, owner: str, run_id: str, name: str) -> RunSummary:
        """Give a run a name; an empty one takes it away.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        InputError
            If the name is too long.
        """
        return self._change(owner, run_id, name=one_line(name, "The run's name"))

    def annotate(self, owner: str, run_id: str, note: str) -> RunSummary:
        """Write a run's note.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        InputError
            If the note is too long.
        """
        return self._change(owner, run_id, note=many_lines(note, "The note"))

    def cancel(self, owner: str, run_id: str) -> RunSummary:
        """Ask a run to stop: one that waits is cancelled now, one that runs hears of it soon.

        A run that is over stays as it is.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        with self._database.write() as connection:
            row = _find(connection, owner, run_id, lock=True)
            now = self._database.now(connection)
            change: dict[str, Any] = {}
            if row.status == RunStatus.QUEUED:
                change = {
                    "status": RunStatus.CANCELLED.value,
                    "ended_at": now,
                    "cancel_at": now,
                    "message": "Cancelled before it started.",
                }
            elif row.status == RunStatus.RUNNING and row.cancel_at is None:
                change = {"cancel_at": now}
            if change:
                connection.execute(update(RunRow).where(RunRow.seq == row.seq).values(**change))
            return read_summary(connection, owner, run_id)

    def delete(self, owner: str, run_ids: Sequence[str]) -> Deleted:
        """Delete runs; those that are running are stopped by their server soon.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them; then none is deleted.
        """
        with self._database.write() as connection:
            rows = [_find(connection, owner, run_id, lock=True) for run_id in sorted(run_ids)]
            for row in rows:
                connection.execute(delete(RunRow).where(RunRow.seq == row.seq))
            if rows:
                note_erasure(self._database, connection)
        running = tuple(row.id for row in rows if row.status == RunStatus.RUNNING)
        return Deleted(len(rows), running, wiped=not rows)

    def _change(self, owner: str, run_id: str, **values: str) -> RunSummary:
        with self._database.write() as connection:
            row = _find(connection, owner, run_id, lock=True)
            values["searched"] = _searched(row._asdict() | values)
            connection.execute(update(RunRow).where(RunRow.seq == row.seq).values(**values))
            return read_summary(connection, owner, run_id)


def enter_runs(
    database: Database,
    connection: Connection,
    owner: str,
    runs: Sequence[NewRun],
    now: datetime,
    columns: Mapping[str, Any] | None = None,
    documents: Mapping[str, Any] | None = None,
) -> list[str]:
    """Enter runs in a transaction and return their new ids.

    They are queued, unless `columns` and `documents` of a run that has already been say otherwise.
    """
    check_owner(owner)
    rows = [_new_row(owner, run, now) | dict(columns or {}) for run in runs]
    connection.execute(database.insert(RunRow), rows)
    ids = [row["id"] for row in rows]
    numbers = connection.execute(select(RunRow.id, RunRow.seq).where(RunRow.id.in_(ids)))
    seqs = {row.id: row.seq for row in numbers}
    entries = [
        {"run": seqs[run_id], "spec": run.spec, **(documents or {})}
        for run_id, run in zip(ids, runs, strict=True)
    ]
    connection.execute(database.insert(DocumentRow), entries)
    return ids


def _new_row(owner: str, run: NewRun, now: datetime) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": new_id(),
        "owner": owner,
        "dataset": run.dataset,
        "lane": cut_line(run.lane, 255),
        "kind": one_line(run.kind, "The kind of a run", 40),
        "name": one_line(run.name, "The run's name"),
        "note": many_lines(run.note, "The note"),
        "table_name": cut_line(run.table_name),
        "rerun_of": run.rerun_of,
        **_words_of(run.headline),
        "status": RunStatus.QUEUED.value,
        "stage": "",
        "message": "",
        "queued_at": now,
    }
    values["searched"] = _searched(values)
    return values


def read_record(connection: Connection, owner: str, run_id: str) -> RunRecord:
    """A run with its documents, in a transaction."""
    row = _find(connection, owner, run_id)
    documents = connection.execute(
        select(
            DocumentRow.spec,
            DocumentRow.versions,
            DocumentRow.best,
            DocumentRow.trace,
            DocumentRow.result,
            DocumentRow.model,
        ).where(DocumentRow.run == row.seq)
    ).one()
    return RunRecord(summary=_summary(row), **documents._mapping)


def read_summaries(
    connection: Connection, owner: str, run_ids: Sequence[str]
) -> tuple[RunSummary, ...]:
    """Runs as lists show them, in the order of their ids, in a transaction."""
    rows = connection.execute(
        select(*_COLUMNS).where(RunRow.owner == owner, RunRow.id.in_(run_ids))
    ).all()
    found = {row.id: _summary(row) for row in rows}
    if len(found) < len(set(run_ids)):
        raise no_run()
    return tuple(found[run_id] for run_id in run_ids)


def read_summary(connection: Connection, owner: str, run_id: str) -> RunSummary:
    """A run as lists show it, in a transaction."""
    return _summary(_find(connection, owner, run_id))


def no_run() -> NotFoundError:
    """What is said of a run that is not there, or is somebody else's."""
    return NotFoundError("There is no such run here: choose one on the Runs page.")


def _find(connection: Connection, owner: str, run_id: str, *, lock: bool = False) -> Row[Any]:
    query = select(*_COLUMNS).where(RunRow.owner == owner, RunRow.id == run_id)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise no_run()
    return row


def _summary(row: Row[Any]) -> RunSummary:
    values = row._mapping
    return RunSummary(
        **{name: values[name] for name in _PLAIN},
        status=RunStatus(values["status"]),
        headline=Headline(**{name: values[name] for name in _HEADLINE}),
        metrics=KeyMetrics(**{name: values[name] for name in _METRICS}),
    )


def metric_values(metrics: KeyMetrics) -> dict[str, Any]:
    """Metrics by column."""
    return dataclasses.asdict(metrics)


def _words_of(headline: Headline) -> dict[str, Any]:
    values = dataclasses.asdict(headline)
    return {
        name: cut_line(value) if isinstance(value, str) else value for name, value in values.items()
    }


def _searched(values: dict[str, Any]) -> str:
    names = "name", "note", "table_name", "target", "positive", "topology", "goal", "engine", "id"
    return searchable(*(values[name] for name in names))


def _conditions(owner: str, query: RunQuery) -> list[ColumnElement[bool]]:
    conditions = [RunRow.owner == owner]
    conditions += [
        RunRow.searched.like(pattern, escape="!") for pattern in like_patterns(query.search)
    ]
    if query.statuses:
        conditions.append(RunRow.status.in_(query.statuses))
    if query.kinds:
        conditions.append(RunRow.kind.in_(query.kinds))
    if query.dataset is not None:
        conditions.append(RunRow.dataset == query.dataset)
    return conditions


def _order(query: RunQuery) -> list[ColumnElement[Any]]:
    key: ColumnElement[Any]
    if query.sort is SortKey.GAP:
        key = RunRow.bound - RunRow.objective
    else:
        key = getattr(RunRow, query.sort.value)
        if query.sort in (SortKey.NAME, SortKey.TABLE, SortKey.TARGET):
            # An empty name is no value; "a" and "B" stand as a reader expects.
            key = func.nullif(func.lower(key), "")
    return [(key.desc() if query.descending else key.asc()).nulls_last(), RunRow.seq.desc()]
