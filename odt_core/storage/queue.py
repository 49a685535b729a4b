"""The queue of runs: servers claim runs, keep them by a lease, and hand in results.

A server registers, claims runs, and sends a heartbeat every few seconds. If its heartbeats stop,
its runs become ``interrupted`` and keep their best tree so far. If the server was only asleep (a
closed laptop), its next heartbeat takes the runs back.
"""

from __future__ import annotations

import dataclasses
import os
import socket
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Unpack

from sqlalchemy import Connection, Row, Update, and_, delete, func, select, update

from odt_core.storage.database import Database
from odt_core.storage.datasets import use_datasets
from odt_core.storage.presence import Presence
from odt_core.storage.records import (
    ClaimedRun,
    Ending,
    Heartbeat,
    NewRun,
    Progress,
    RunStatus,
    new_id,
)
from odt_core.storage.rows import enter_runs, enter_study, find_run
from odt_core.storage.study_status import update_open_studies, update_studies
from odt_core.storage.tables import DocumentRow, RunRow, ServerRow
from odt_core.storage.turns import NEVER, Lane, Share, count_ahead, in_turn

LEASE = 20.0
"""Seconds after its last heartbeat for which a server keeps its runs."""

QUEUED, RUNNING, INTERRUPTED = (
    RunStatus.QUEUED.value,
    RunStatus.RUNNING.value,
    RunStatus.INTERRUPTED.value,
)
WAITING = and_(RunRow.status == QUEUED, RunRow.is_study.is_(False))
INTERRUPTED_WORDS = "The server ended while this run was running; run it again."


class Queue:
    """The queue of all owners' runs, from the servers' point of view.

    Parameters
    ----------
    presence : Presence
        Knows which servers of this machine are alive.
    lease : float
        See `LEASE`.
    """

    def __init__(self, database: Database, presence: Presence, lease: float = LEASE) -> None:
        self._database = database
        self._presence = presence
        self._lease = timedelta(seconds=lease)

    def register(self) -> str:
        """Register this process as a server that will claim runs; return its id.

        Raises
        ------
        StorageError
            If the database or the data folder cannot be written.
        """
        server = new_id()
        self._presence.hold(server)
        try:
            with self._database.write() as connection:
                self._renew(connection, server, self._database.now(connection))
        except BaseException:
            self._presence.release(server)
            raise
        return server

    def claim(self, server: str, versions: Mapping[str, str] | None = None) -> ClaimedRun | None:
        """Claim the next run in turn; None if no run waits.

        Two servers never get the same run, because claims take turns on all servers.

        Parameters
        ----------
        versions : dict, optional
            Versions by name of the software that will run it.
        """
        if not self.n_waiting():
            return None
        with self._database.write() as connection:
            self._database.take_turns(connection, "claims")
            now = self._database.now(connection)
            heads = (_first_waiting(connection, lane) for lane in in_turn(_lanes(connection)))
            head = next((head for head in heads if head is not None), None)
            if head is None:
                return None
            self._renew(connection, server, now)
            connection.execute(
                _of(head.seq).values(status=RUNNING, server=server, started_at=now, stage="")
            )
            documents = update(DocumentRow).where(DocumentRow.run == head.seq)
            connection.execute(documents.values(versions=versions))
        update_studies(self._database, [head.parent])
        return _claimed(head)

    def adopt(
        self, server: str, owner: str, runs: Sequence[NewRun], study: NewRun | None = None
    ) -> str | None:
        """Enter runs that a server started while the database could not be written; all or none.

        Parameters
        ----------
        server : str
            From `register`. It keeps the runs as if it had claimed them.
        runs : sequence of NewRun
            The runs, with their own ids and times.
        study : NewRun, optional
            The study that they belong to.

        Returns
        -------
        str or None
            The study's id.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        StorageError
            If the database cannot be written.
        """
        columns: dict[str, Any] = {"status": RUNNING, "server": server}
        study_id = None
        with self._database.write() as connection:
            now = self._database.now(connection)
            use_datasets(connection, owner, (run.dataset for run in runs), now)
            if study is not None:
                study_id, number = enter_study(self._database, connection, owner, study, now)
                columns["parent"] = number
            enter_runs(self._database, connection, owner, runs, now, columns)
            self._renew(connection, server, now)
        update_studies(self._database, [columns.get("parent")])
        return study_id

    def position(self, owner: str, run_id: str) -> int:
        """Count the runs that will start before a waiting run; 0 if the run does not wait.

        Raises
        ------
        NotFoundError
            If the owner has no such run.
        """
        with self._database.read() as connection:
            row = find_run(connection, owner, run_id)
            if row.status != QUEUED or row.is_study:
                return 0
            lanes = _lanes(connection)
            here = [lane for lane in lanes if (lane.owner, lane.name) == (owner, row.lane)]
            place = connection.scalar(
                select(func.count()).where(
                    WAITING,
                    RunRow.owner == owner,
                    RunRow.lane == row.lane,
                    RunRow.seq < row.seq,
                )
            )
        return count_ahead(lanes, here[0], place or 0) if here else 0

    def n_waiting(self) -> int:
        """Count the waiting runs of all owners."""
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).where(WAITING)) or 0

    def heartbeat(self, server: str, holding: Collection[str]) -> Heartbeat:
        """Report that a server is alive and which runs it has; return the requests of their owners.

        Call it every few seconds, far more often than the lease. `requests` is a cheaper call for
        the time in between.

        Parameters
        ----------
        holding : collection of str
            Ids of the runs that the server has now.
        """
        with self._database.write() as connection:
            now = self._database.now(connection)
            self._renew(connection, server, now)
            mine = (RunRow.server == server, RunRow.id.in_(holding))
            connection.execute(
                update(RunRow)
                .where(*mine, RunRow.status == INTERRUPTED)
                .values(status=RUNNING, ended_at=None, message="")
            )
            self._interrupt_unreceived(connection, server, holding, now)
            return _requests(connection, server, holding)

    def say_alive(self, server: str) -> None:
        """Note on this machine that a server is alive; cheap enough for twice a second."""
        self._presence.touch(server)

    def requests(self, server: str, holding: Collection[str]) -> Heartbeat:
        """Return the requests of the runs' owners without writing. Call it twice a second."""
        with self._database.read() as connection:
            return _requests(connection, server, holding)

    def record_progress(
        self,
        server: str,
        run_id: str,
        **changes: Unpack[Progress],
    ) -> bool:
        """Write changes of a run's progress; false if the run is not the server's."""
        documents = {name: changes.pop(name) for name in ("best", "trace") if name in changes}
        columns: dict[str, Any] = dict(changes)
        with self._database.write() as connection:
            if "progress" in columns or "best" in documents:
                columns["improved_at"] = self._database.now(connection)
            run = _own_run(connection, server, run_id)
            if run is None:
                return False
            if columns:
                connection.execute(_of(run.seq).values(**columns))
            if documents:
                connection.execute(
                    update(DocumentRow).where(DocumentRow.run == run.seq).values(**documents)
                )
        return True

    def end(self, server: str, run_id: str, ending: Ending) -> bool:
        """Write how a run ended; false if the run is not the server's, for example deleted.

        A run that was marked as interrupted in the meantime is still the server's, so that its
        result is not lost.

        Raises
        ------
        StorageError
            If the database cannot be written. The ending can be handed in again later.
        """
        documents: dict[str, Any] = {"result": ending.result, "model": ending.model}
        if ending.result is not None:  # it holds its own tree and trace
            documents |= {"best": None, "trace": None}
        with self._database.write() as connection:
            now = self._database.now(connection)
            run = _own_run(connection, server, run_id)
            if run is None:
                return False
            connection.execute(
                _of(run.seq).values(
                    status=ending.status.value,
                    message=ending.message,
                    stage="",
                    ended_at=ending.ended_at or now,
                    **dataclasses.asdict(ending.metrics),
                )
            )
            connection.execute(
                update(DocumentRow).where(DocumentRow.run == run.seq).values(**documents)
            )
        update_studies(self._database, [run.parent])
        return True

    def put_back(self, server: str, run_id: str) -> bool:
        """Let a claimed run that has not started wait again, at its old place in its lane.

        False if the run is not the server's, for example deleted.

        Raises
        ------
        StorageError
            If the database cannot be written.
        """
        with self._database.write() as connection:
            run = _own_run(connection, server, run_id)
            if run is None:
                return False
            connection.execute(
                _of(run.seq).values(
                    status=QUEUED, server=None, started_at=None, ended_at=None, message=""
                )
            )
        update_studies(self._database, [run.parent])
        return True

    def interrupt_lost(self) -> None:
        """Mark runs of servers that no longer live as interrupted.

        Call it at the start and from time to time.
        """
        with self._database.read() as connection:
            servers = list(connection.scalars(select(ServerRow.id)))
        gone = self._presence.gone(servers)
        with self._database.write() as connection:
            now = self._database.now(connection)
            expired = connection.scalars(select(ServerRow.id).where(ServerRow.lease_until < now))
            dead = sorted({*gone, *expired, *_unknown_servers(connection)})
            for server in dead:
                self._interrupt(connection, server, gone.get(server), now)
            connection.execute(delete(ServerRow).where(ServerRow.id.in_(dead)))
        for server in gone:
            self._presence.forget(server)
        update_open_studies(self._database)

    def leave(self, server: str) -> None:
        """Note that the server ends in an orderly way; its runs become interrupted."""
        with self._database.write() as connection:
            now = self._database.now(connection)
            self._interrupt(connection, server, now, now)
            connection.execute(delete(ServerRow).where(ServerRow.id == server))
        self._presence.release(server)
        update_open_studies(self._database)

    def _renew(self, connection: Connection, server: str, now: datetime) -> None:
        values = {"seen_at": now, "lease_until": now + self._lease}
        entry = self._database.insert(ServerRow).values(
            id=server, host=socket.gethostname()[:255], pid=os.getpid(), started_at=now, **values
        )
        connection.execute(entry.on_conflict_do_update(index_elements=["id"], set_=values))

    def _interrupt_unreceived(
        self, connection: Connection, server: str, holding: Collection[str], now: datetime
    ) -> None:
        """Interrupt claimed runs whose claim never reached the server.

        This happens when the connection breaks after the commit. A claim that is younger than a
        lease may still be on its way.
        """
        connection.execute(
            update(RunRow)
            .where(
                RunRow.server == server,
                RunRow.status == RUNNING,
                RunRow.id.not_in(holding),
                RunRow.started_at < now - self._lease,
            )
            .values(status=INTERRUPTED, ended_at=now, message=INTERRUPTED_WORDS)
        )

    def _interrupt(
        self, connection: Connection, server: str, ended: datetime | None, now: datetime
    ) -> None:
        """Mark the runs of a server that has ended.

        If nobody knows when it ended, the time of its last heartbeat counts.
        """
        seen = select(ServerRow.seen_at).where(ServerRow.id == server).scalar_subquery()
        end = ended or func.coalesce(seen, now)
        connection.execute(
            update(RunRow)
            .where(RunRow.server == server, RunRow.status == RUNNING)
            .values(status=INTERRUPTED, ended_at=end, message=INTERRUPTED_WORDS)
        )


def _requests(connection: Connection, server: str, holding: Collection[str]) -> Heartbeat:
    rows = connection.execute(
        select(RunRow.id, RunRow.cancel_at)
        .where(RunRow.server == server, RunRow.id.in_(holding))
        .where(RunRow.status.in_((RUNNING, INTERRUPTED)))
    ).all()
    return Heartbeat(
        cancel=frozenset(row.id for row in rows if row.cancel_at is not None),
        lost=frozenset(holding) - {row.id for row in rows},
    )


def _unknown_servers(connection: Connection) -> list[str]:
    """List the servers that have runs but are not registered."""
    query = (
        select(RunRow.server)
        .distinct()
        .where(RunRow.status == RUNNING, RunRow.server.not_in(select(ServerRow.id)))
    )
    return [server for server in connection.scalars(query) if server is not None]


def _of(seq: int) -> Update:
    return update(RunRow).where(RunRow.seq == seq)


def _own_run(connection: Connection, server: str, run_id: str) -> Row[int, int | None] | None:
    """Number and study of a server's run, if the server may still write to it."""
    return connection.execute(
        select(RunRow.seq, RunRow.parent)
        .where(RunRow.id == run_id, RunRow.server == server)
        .where(RunRow.status.in_((RUNNING, INTERRUPTED)))
        .with_for_update()
    ).one_or_none()


def _first_waiting(connection: Connection, lane: Lane) -> Row[Any] | None:
    """The lane's first run that no other transaction is cancelling or deleting."""
    return connection.execute(
        select(
            RunRow.seq,
            RunRow.parent,
            RunRow.id,
            RunRow.owner,
            RunRow.lane,
            RunRow.kind,
            RunRow.dataset,
            RunRow.table_name,
            DocumentRow.spec,
        )
        .join(DocumentRow, DocumentRow.run == RunRow.seq)
        .where(WAITING, RunRow.owner == lane.owner, RunRow.lane == lane.name)
        .order_by(RunRow.seq)
        .limit(1)
        .with_for_update(of=RunRow, skip_locked=True)
    ).one_or_none()


def _claimed(row: Row[Any]) -> ClaimedRun:
    fields = (field.name for field in dataclasses.fields(ClaimedRun))
    return ClaimedRun(**{name: row._mapping[name] for name in fields})


def _lanes(connection: Connection) -> list[Lane]:
    """List all lanes with waiting runs."""
    waiting = connection.execute(
        select(RunRow.owner, RunRow.lane, func.count(), func.min(RunRow.seq))
        .where(WAITING)
        .group_by(RunRow.owner, RunRow.lane)
    ).all()
    running = connection.execute(
        select(RunRow.owner, RunRow.lane, func.count())
        .where(RunRow.status == RUNNING, RunRow.is_study.is_(False))
        .group_by(RunRow.owner, RunRow.lane)
    ).all()
    shares = {
        (owner, lane): Share(
            n_waiting=count,
            n_running=sum(n for o, name, n in running if (o, name) == (owner, lane)),
            started_at=_last_start(connection, owner, lane),
            first=first,
        )
        for owner, lane, count, first in waiting
    }
    owners = {
        owner: Share(
            n_waiting=sum(share.n_waiting for (o, _), share in shares.items() if o == owner),
            n_running=sum(n for o, _, n in running if o == owner),
            started_at=_last_start(connection, owner),
            first=min(share.first for (o, _), share in shares.items() if o == owner),
        )
        for owner in {owner for owner, _ in shares}
    }
    return [Lane(owner, lane, share, owners[owner]) for (owner, lane), share in shares.items()]


def _last_start(connection: Connection, owner: str, lane: str | None = None) -> datetime:
    query = select(func.max(RunRow.started_at)).where(RunRow.owner == owner)
    if lane is not None:
        query = query.where(RunRow.lane == lane)
    return connection.scalar(query) or NEVER
