"""Studies: many runs that are queued, watched and resumed together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, update

from odt_core.errors import InputError
from odt_core.storage.database import Database
from odt_core.storage.datasets import use_datasets
from odt_core.storage.records import NewRun, RunRecord, RunStatus, RunSummary
from odt_core.storage.rows import (
    check_number,
    enter_runs,
    enter_study,
    find_run,
    no_run,
    read_members,
    read_records,
    read_summary,
    repeat,
)
from odt_core.storage.study_status import update_studies
from odt_core.storage.tables import RunRow

RESUMABLE = tuple(
    status.value for status in (RunStatus.INTERRUPTED, RunStatus.FAILED, RunStatus.CANCELLED)
)


class Studies:
    """The studies of all owners. `Runs` also lists, opens, renames, cancels and deletes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, owner: str, study: NewRun, members: Sequence[NewRun]) -> RunSummary:
        """Queue a study's members and enter the study itself, in one transaction.

        Parameters
        ----------
        study : NewRun
            The study's own name, settings and specification.
        members : sequence of NewRun
            The runs; at least one. Members without a lane get a lane of their own, so that they
            do not hold up the owner's other runs.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        StorageError
            If the database cannot be written.
        """
        if not members:
            raise InputError("The study has no runs: choose at least one level, shape or repeat.")
        check_number(members)
        with self._database.write() as connection:
            now = self._database.now(connection)
            use_datasets(connection, owner, (run.dataset for run in (study, *members)), now)
            study_id, number = enter_study(self._database, connection, owner, study, now)
            in_lane = [dataclasses.replace(run, lane=run.lane or study_id) for run in members]
            enter_runs(self._database, connection, owner, in_lane, now, {"parent": number})
            return read_summary(connection, owner, study_id)

    def members(self, owner: str, study_id: str) -> tuple[RunRecord, ...]:
        """Return the whole records of a study's runs, in the order in which they were queued.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        with self._database.read() as connection:
            study = _find_study(connection, owner, study_id)
            return read_members(connection, owner, study.seq)

    def rerun(self, owner: str, study_id: str) -> RunSummary:
        """Queue a study again with all its runs, from its records alone.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        with self._database.read() as connection:
            _find_study(connection, owner, study_id)
            (study,) = read_records(connection, owner, [study_id])
        members = [repeat(member) for member in self.members(owner, study_id)]
        return self.create(owner, repeat(study), members)

    def resume(self, owner: str, study_id: str) -> RunSummary:
        """Queue again the runs of a study that were interrupted, cancelled or failed.

        Raises
        ------
        NotFoundError
            If the owner has no such study.
        """
        with self._database.write() as connection:
            study = _find_study(connection, owner, study_id, lock=True)
            now = self._database.now(connection)
            use_datasets(connection, owner, [study.dataset], now)
            connection.execute(
                update(RunRow)
                .where(RunRow.parent == study.seq, RunRow.status.in_(RESUMABLE))
                .values(
                    status=RunStatus.QUEUED.value,
                    message="",
                    server=None,
                    started_at=None,
                    cancel_at=None,
                    ended_at=None,
                )
            )
            connection.execute(update(RunRow).where(RunRow.seq == study.seq).values(cancel_at=None))
        update_studies(self._database, [study.seq])
        with self._database.read() as connection:
            return read_summary(connection, owner, study_id)


def _find_study(
    connection: Connection, owner: str, study_id: str, *, lock: bool = False
) -> Row[Any]:
    row = find_run(connection, owner, study_id, lock=lock)
    if not row.is_study:
        raise no_run()
    return row
