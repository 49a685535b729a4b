"""The records of runs: create, list, open, rename, cancel, run again, delete.

Every call names an owner and sees only that owner's runs. A run of another owner counts as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, or_, select, update

from odt_core.storage.database import Database
from odt_core.storage.datasets import count_deleted, use_datasets
from odt_core.storage.erasure import note_erasure
from odt_core.storage.records import (
    Deleted,
    NewRun,
    RunPage,
    RunQuery,
    RunRecord,
    RunStatus,
    RunSummary,
    SortKey,
)
from odt_core.storage.rows import (
    COLUMNS,
    check_number,
    enter_runs,
    find_run,
    find_summaries,
    read_records,
    read_summaries,
    read_summary,
    repeat,
    searched_text,
    summaries,
)
from odt_core.storage.study_status import update_studies
from odt_core.storage.tables import RunRow
from odt_core.storage.text import is_id, many_lines, one_line, search_words

LONGEST_PAGE = 1000
"""Largest number of runs in one answer."""


class Runs:
    """The runs and studies of all owners."""

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
        """Queue several runs in one transaction: all or none.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        InputError
            If there are too many.
        StorageError
            If the database cannot be written.
        """
        if not runs:
            return ()
        check_number(runs)
        with self._database.write() as connection:
            now = self._database.now(connection)
            use_datasets(connection, owner, (run.dataset for run in runs), now)
            ids = enter_runs(self._database, connection, owner, runs, now)
            return read_summaries(connection, owner, ids)

    def rerun(self, owner: str, run_id: str, lane: str = "") -> RunSummary:
        """Queue a run again, from its record alone.

        For changed settings, use `create` with `rerun_of`. For a study, use `Studies.rerun`.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        return self.create(owner, repeat(self.get(owner, run_id), lane))

    def summary(self, owner: str, run_id: str) -> RunSummary:
        """Return a run as lists show it, with its progress, for a page that waits for it.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        return self.summaries(owner, [run_id])[0]

    def summaries(self, owner: str, run_ids: Sequence[str]) -> tuple[RunSummary, ...]:
        """Return several runs as lists show them, in the order of the ids.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them.
        """
        with self._database.read() as connection:
            return read_summaries(connection, owner, run_ids)

    def present(self, owner: str, run_ids: Sequence[str]) -> dict[str, RunSummary]:
        """Return those of several runs that still exist, by id."""
        with self._database.read() as connection:
            return find_summaries(connection, owner, [each for each in run_ids if is_id(each)])

    def get(self, owner: str, run_id: str) -> RunRecord:
        """Return a run with everything that is stored of it.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        return self.get_many(owner, [run_id])[0]

    def get_many(self, owner: str, run_ids: Sequence[str]) -> tuple[RunRecord, ...]:
        """Return several whole runs, in the order of the ids, to compare them.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them.
        """
        with self._database.read() as connection:
            return read_records(connection, owner, run_ids)

    def list(self, owner: str, query: RunQuery | None = None) -> RunPage:
        """Return a page of an owner's runs, searched and sorted."""
        query = query or RunQuery()
        limit = min(max(query.limit, 0), LONGEST_PAGE)
        with self._database.read() as connection:
            conditions = _conditions(connection, owner, query)
            total = connection.scalar(select(func.count()).select_from(RunRow).where(*conditions))
            rows = connection.execute(
                select(*COLUMNS)
                .where(*conditions)
                .order_by(*_order(query))
                .limit(limit)
                .offset(max(query.offset, 0))
            ).all()
            return RunPage(tuple(summaries(connection, rows)), total or 0)

    def rename(self, owner: str, run_id: str, name: str) -> RunSummary:
        """Give a run a name; an empty name removes it.

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
        return self._change(owner, run_id, note=many_lines(note))

    def cancel(self, owner: str, run_id: str) -> RunSummary:
        """Ask a run, or all runs of a study, to stop.

        A waiting run is cancelled now. A running run stops soon. An ended run stays as it is.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        with self._database.write() as connection:
            row = find_run(connection, owner, run_id)
            now = self._database.now(connection)
            these = or_(RunRow.seq == row.seq, RunRow.parent == row.seq)
            stopped = {
                "status": RunStatus.CANCELLED.value,
                "message": "Cancelled before it started.",
                "cancel_at": now,
                "ended_at": now,
            }
            waits = RunRow.status == RunStatus.QUEUED.value
            connection.execute(
                update(RunRow).where(these, waits, RunRow.is_study.is_(False)).values(**stopped)
            )
            live = RunRow.status.in_((RunStatus.QUEUED.value, RunStatus.RUNNING.value))
            connection.execute(
                update(RunRow).where(these, live, RunRow.cancel_at.is_(None)).values(cancel_at=now)
            )
        update_studies(self._database, [row.parent, row.seq if row.is_study else None])
        return self.summary(owner, run_id)

    def delete(self, owner: str, run_ids: Sequence[str]) -> Deleted:
        """Delete runs, and the members of studies. Servers soon stop the runs that are running.

        Raises
        ------
        NotFoundError
            If the owner lacks one of them; then none is deleted.
        """
        with self._database.write() as connection:
            rows = [find_run(connection, owner, run_id) for run_id in sorted(set(run_ids))]
            numbers = [row.seq for row in rows]
            these = or_(RunRow.seq.in_(numbers), RunRow.parent.in_(numbers))
            gone = connection.execute(
                select(RunRow.id, RunRow.status, RunRow.parent, RunRow.is_study).where(these)
            ).all()
            connection.execute(delete(RunRow).where(RunRow.seq.in_(numbers)))
            if rows:
                note_erasure(self._database, connection)
        update_studies(self._database, [row.parent for row in rows])
        return count_deleted(gone, wiped=not rows)

    def _change(self, owner: str, run_id: str, **values: str) -> RunSummary:
        with self._database.write() as connection:
            row = find_run(connection, owner, run_id, lock=True)
            values["searched"] = searched_text(row._asdict() | values)
            connection.execute(update(RunRow).where(RunRow.seq == row.seq).values(**values))
            return read_summary(connection, owner, run_id)


def _conditions(connection: Connection, owner: str, query: RunQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [RunRow.owner == owner]
    if query.study is None:
        conditions.append(RunRow.parent.is_(None))
    else:
        study: Row[Any] = find_run(connection, owner, query.study)
        conditions.append(RunRow.parent == study.seq)
    words = search_words(query.search)
    conditions += [RunRow.searched.contains(word, autoescape=True) for word in words]
    if query.statuses:
        conditions.append(RunRow.status.in_([status.value for status in query.statuses]))
    if query.kinds:
        conditions.append(RunRow.kind.in_(query.kinds))
    if query.dataset is not None:
        dataset = query.dataset if is_id(query.dataset) else ""
        conditions.append(RunRow.dataset == dataset)
    return conditions


def _order(query: RunQuery) -> list[ColumnElement[Any]]:
    key: ColumnElement[Any]
    if query.sort is SortKey.GAP:
        key = RunRow.bound - RunRow.objective
    else:
        key = getattr(RunRow, query.sort.value)
        if query.sort in (SortKey.NAME, SortKey.TABLE, SortKey.TARGET):
            # An empty name counts as no value. Sorting ignores case, as readers expect.
            key = func.nullif(func.lower(key), "")
    return [(key.desc() if query.descending else key.asc()).nulls_last(), RunRow.seq.desc()]
