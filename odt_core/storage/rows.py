"""Conversion between rows of the database and records, within other modules' transactions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from odt_core.errors import InputError
from odt_core.storage.database import Database
from odt_core.storage.errors import NotFoundError
from odt_core.storage.records import (
    Headline,
    KeyMetrics,
    NewRun,
    RunRecord,
    RunStatus,
    RunSummary,
    new_id,
)
from odt_core.storage.study_status import count_members
from odt_core.storage.tables import DocumentRow, RunRow
from odt_core.storage.text import check_owner, cut_line, is_id, many_lines, one_line, searchable

MOST_AT_ONCE = 10_000
"""Largest number of runs that one call can queue."""

_HEADLINE = tuple(field.name for field in dataclasses.fields(Headline))
_METRICS = tuple(field.name for field in dataclasses.fields(KeyMetrics))
_MADE = ("headline", "metrics", "status", "study", "members")
_PLAIN = tuple(field.name for field in dataclasses.fields(RunSummary) if field.name not in _MADE)
_INNER = ("seq", "parent", "is_study", "searched", "status")
COLUMNS = tuple(getattr(RunRow, name) for name in (*_INNER, *_PLAIN, *_HEADLINE, *_METRICS))
"""The columns that `summaries` needs."""
DOCUMENTS = ("spec", "versions", "best", "trace", "result", "model")


def find_run(connection: Connection, owner: str, run_id: str, *, lock: bool = False) -> Row[Any]:
    """Return an owner's run as a row.

    Raises
    ------
    NotFoundError
        If the owner has no such run.
    """
    if not is_id(run_id):
        raise no_run()
    query = select(*COLUMNS).where(RunRow.owner == owner, RunRow.id == run_id)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise no_run()
    return row


def no_run() -> NotFoundError:
    """The error for a run that does not exist or belongs to somebody else."""
    return NotFoundError("There is no such run here: choose one on the Runs page.")


def summaries(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[RunSummary]:
    """Convert rows to records, and add what they need of their studies and members."""
    studies = [row.seq for row in rows if row.is_study]
    counts = count_members(connection, studies) if studies else {}
    parents = {row.parent for row in rows if row.parent is not None}
    names: dict[int, str] = {}
    if parents:
        found = connection.execute(select(RunRow.seq, RunRow.id).where(RunRow.seq.in_(parents)))
        names = {row.seq: row.id for row in found}
    for row in rows:
        values = row._mapping
        yield RunSummary(
            **{name: values[name] for name in _PLAIN},
            status=RunStatus(values["status"]),
            headline=Headline(**{name: values[name] for name in _HEADLINE}),
            metrics=KeyMetrics(**{name: values[name] for name in _METRICS}),
            study=names.get(row.parent),
            members=counts.get(row.seq),
        )


def read_summaries(
    connection: Connection, owner: str, run_ids: Sequence[str]
) -> tuple[RunSummary, ...]:
    """Read runs as lists show them, in the order of the given ids.

    Raises
    ------
    NotFoundError
        If the owner lacks one of them.
    """
    if not all(map(is_id, run_ids)):
        raise no_run()
    found = find_summaries(connection, owner, run_ids)
    if len(found) < len(set(run_ids)):
        raise no_run()
    return tuple(found[run_id] for run_id in run_ids)


def find_summaries(
    connection: Connection, owner: str, run_ids: Sequence[str]
) -> dict[str, RunSummary]:
    """Read those of several runs that an owner has, by id."""
    rows = connection.execute(
        select(*COLUMNS).where(RunRow.owner == owner, RunRow.id.in_(run_ids))
    ).all()
    return {summary.id: summary for summary in summaries(connection, rows)}


def read_summary(connection: Connection, owner: str, run_id: str) -> RunSummary:
    """Read a run as lists show it; `NotFoundError` if the owner has no such run."""
    return read_summaries(connection, owner, [run_id])[0]


def read_records(
    connection: Connection, owner: str, run_ids: Sequence[str]
) -> tuple[RunRecord, ...]:
    """Read runs with their documents, in the order of the given ids.

    Raises
    ------
    NotFoundError
        If the owner lacks one of them.
    """
    found = read_summaries(connection, owner, run_ids)
    columns = [getattr(DocumentRow, name) for name in DOCUMENTS]
    rows = connection.execute(
        select(RunRow.id, *columns)
        .join(DocumentRow, DocumentRow.run == RunRow.seq)
        .where(RunRow.owner == owner, RunRow.id.in_(run_ids))
    )
    documents = {row.id: {name: row._mapping[name] for name in DOCUMENTS} for row in rows}
    return tuple(RunRecord(summary=summary, **documents[summary.id]) for summary in found)


def read_members(connection: Connection, owner: str, study: int) -> tuple[RunRecord, ...]:
    """Read the runs of an owner's study, by its number, in the order in which they were queued."""
    query = select(RunRow.id).where(RunRow.parent == study).order_by(RunRow.seq)
    return read_records(connection, owner, connection.scalars(query).all())


def enter_runs(
    database: Database,
    connection: Connection,
    owner: str,
    runs: Sequence[NewRun],
    now: datetime,
    columns: Mapping[str, Any] | None = None,
    documents: Mapping[str, Any] | None = None,
) -> list[str]:
    """Enter runs and return their new ids.

    They are queued, unless `columns` and `documents` describe a run that has already started.
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


def enter_study(
    database: Database, connection: Connection, owner: str, study: NewRun, now: datetime
) -> tuple[str, int]:
    """Enter a study itself, without its runs, and return its id and its number."""
    (study_id,) = enter_runs(database, connection, owner, [study], now, {"is_study": True})
    return study_id, find_run(connection, owner, study_id).seq


def check_number(runs: Sequence[NewRun]) -> None:
    """Refuse more than `MOST_AT_ONCE` runs."""
    if len(runs) > MOST_AT_ONCE:
        raise InputError(
            f"{len(runs):,} runs are too many at once: choose fewer levels, shapes or repeats "
            f"(at most {MOST_AT_ONCE:,} runs)."
        )


def repeat(record: RunRecord, lane: str = "") -> NewRun:
    """Make the entry for the same run again, from its record alone."""
    old = record.summary
    return NewRun(
        dataset=old.dataset,
        table_name=old.table_name,
        spec=record.spec,
        headline=old.headline,
        kind=old.kind,
        name=old.name,
        lane=lane,
        rerun_of=old.id,
    )


def searched_text(values: Mapping[str, Any]) -> str:
    """Join the columns of a run that a search looks through."""
    names = "name", "note", "table_name", "target", "positive", "topology", "goal", "engine", "id"
    return searchable(*(values[name] for name in names))


def _new_row(owner: str, run: NewRun, now: datetime) -> dict[str, Any]:
    headline = {
        name: cut_line(value) if isinstance(value, str) else value
        for name, value in dataclasses.asdict(run.headline).items()
    }
    values: dict[str, Any] = {
        "id": run.id or new_id(),
        "owner": owner,
        "dataset": run.dataset,
        "lane": cut_line(run.lane, 255),
        "kind": one_line(run.kind, "The kind of a run", 40),
        "name": one_line(run.name, "The run's name"),
        "note": many_lines(run.note),
        "table_name": cut_line(run.table_name),
        "rerun_of": run.rerun_of,
        **headline,
        "status": RunStatus.QUEUED.value,
        "stage": "",
        "message": "",
        "queued_at": run.queued_at or now,
        "started_at": run.started_at,
    }
    values["searched"] = searched_text(values)
    return values
