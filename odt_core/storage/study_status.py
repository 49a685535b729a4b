"""The status of studies: runs, such as curves and cross-validations, that consist of many runs.

Lists show a study like a run, but no server claims it. Its status follows from its members'.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, func, select, update

from odt_core.storage.database import Database
from odt_core.storage.errors import StorageError
from odt_core.storage.records import MemberCounts, RunStatus
from odt_core.storage.tables import RunRow

log = logging.getLogger("odt_core.storage.studies")

_WORST_FIRST = (RunStatus.INTERRUPTED, RunStatus.FAILED, RunStatus.CANCELLED)


def study_status(members: MemberCounts) -> RunStatus:
    """A study's status: waiting or running while a member is, then the worst status of a member."""
    if members.running or (members.queued and members.n_over):
        return RunStatus.RUNNING
    if members.queued:
        return RunStatus.QUEUED
    return next((status for status in _WORST_FIRST if members.of(status)), RunStatus.DONE)


def count_members(connection: Connection, studies: Collection[int]) -> dict[int, MemberCounts]:
    """Count members of studies by status, in a transaction; keyed by the studies' numbers."""
    counts: dict[int, dict[str, int]] = {study: {} for study in studies}
    rows = connection.execute(
        select(RunRow.parent, RunRow.status, func.count())
        .where(RunRow.parent.in_(studies))
        .group_by(RunRow.parent, RunRow.status)
    )
    for parent, status, count in rows:
        assert parent is not None
        counts[parent][status] = count
    return {study: MemberCounts(**found) for study, found in counts.items()}


def update_studies(database: Database, studies: Collection[int | None]) -> None:
    """Update the records of studies from their members.

    This has a transaction of its own, after the members' transaction. If two servers end a study's
    last two runs at once, the later one sees both. If it fails now, `update_open_studies`
    does it later.
    """
    numbers = sorted({study for study in studies if study is not None})
    if not numbers:
        return
    try:
        with database.write() as connection:
            for number in numbers:
                _update_study(connection, number)
    except StorageError:
        log.exception("studies are not brought up to date yet")


def update_open_studies(database: Database) -> None:
    """Update every study that is not over."""
    with database.read() as connection:
        live = (RunStatus.QUEUED.value, RunStatus.RUNNING.value)
        query = select(RunRow.seq).where(RunRow.is_study.is_(True), RunRow.status.in_(live))
        numbers = connection.scalars(query).all()
    update_studies(database, numbers)


def _update_study(connection: Connection, number: int) -> None:
    this = RunRow.seq == number
    found = connection.execute(select(RunRow.status).where(this).with_for_update()).first()
    if found is None:
        return
    members = count_members(connection, [number])[number]
    status = study_status(members)
    started, ended = connection.execute(
        select(func.min(RunRow.started_at), func.max(RunRow.ended_at)).where(
            RunRow.parent == number
        )
    ).one()
    values: Mapping[str, Any] = {
        "status": status.value,
        "started_at": started,
        "ended_at": ended if status.is_over else None,
        "message": _message(status, members),
    }
    connection.execute(update(RunRow).where(this).values(**values))


def _message(status: RunStatus, members: MemberCounts) -> str:
    if not status.is_over or status is RunStatus.DONE:
        return ""
    return f"{members.of(status):,} of {members.n:,} runs {_WORDS[status]}."


_WORDS = {
    RunStatus.INTERRUPTED: "were interrupted when their server ended",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "were cancelled",
}
