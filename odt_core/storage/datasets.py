"""Data sets: bytes stored once under their SHA-256, and the owners who have them.

The bytes are in the database and not in a folder, because servers on several machines share the
database. A row and its bytes are stored and deleted in one transaction.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, select, update

from odt_core.errors import InputError, quoted
from odt_core.storage.cache import FileCache
from odt_core.storage.database import Database
from odt_core.storage.erasure import note_erasure, wipe
from odt_core.storage.errors import NotFoundError, StorageError
from odt_core.storage.records import DatasetRecord, Deleted, Json, RunStatus
from odt_core.storage.tables import BlobRow, ChunkRow, DatasetRow, OwnerRow, RunRow
from odt_core.storage.text import check_owner, cut_line, is_id

LARGEST = 200 * 1024 * 1024
"""Largest size of a data set, in bytes."""
CHUNK = 4 * 1024 * 1024
"""Bytes in one row. The databases could hold more, but a whole row must fit in memory."""
HALF_WRITTEN = 3600.0
"""Seconds after which an unfinished file is removed: no process still writes it."""

GoneRow = Row[str, str, int | None, bool]
"""Id, status, parent and is_study of a deleted run."""

log = logging.getLogger("odt_core.storage.datasets")


class Datasets:
    """The data sets of all owners. Each call sees the data sets of one owner only.

    Parameters
    ----------
    cache : FileCache
        Holds the files that workers read.
    """

    def __init__(self, database: Database, cache: FileCache) -> None:
        self._database = database
        self._cache = cache

    def put(self, owner: str, content: bytes, name: str) -> DatasetRecord:
        """Store a file's bytes. If they are stored already, only the name changes.

        Raises
        ------
        InputError
            If the file is larger than `LARGEST`.
        StorageError
            If the database cannot be written.
        """
        sha256 = hashlib.sha256(content).hexdigest()
        with self._database.write() as connection:
            now = self._database.now(connection)
            self.enter(connection, owner, sha256, content, name, now)
            return _record(connection.execute(_selection(owner, sha256)).one())

    def enter(
        self,
        connection: Connection,
        owner: str,
        sha256: str,
        content: bytes,
        name: str,
        now: datetime,
    ) -> None:
        """Store bytes whose hash is known, within a transaction (see `put`)."""
        if len(content) > LARGEST:
            raise InputError(
                f"The file has {len(content) / 2**20:,.0f} MB: at most {LARGEST // 2**20} MB can "
                "be stored; leave out rows or columns."
            )
        self._database.take_turns(connection, f"content {sha256}")
        self._put_content(connection, sha256, content, now)
        enter_dataset(self._database, connection, owner, sha256, cut_line(name), now)
        connection.execute(
            update(DatasetRow)
            .where(DatasetRow.owner == owner, DatasetRow.sha256 == sha256)
            .values(name=cut_line(name), size=len(content), stored=True)
        )

    def get(self, owner: str, sha256: str) -> DatasetRecord:
        """Return one data set.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        if not is_id(sha256):
            raise no_dataset()
        with self._database.read() as connection:
            row = connection.execute(_selection(owner, sha256)).one_or_none()
        if row is None:
            raise no_dataset()
        return _record(row)

    def list(self, owner: str) -> tuple[DatasetRecord, ...]:
        """List all data sets of an owner, the last used first."""
        with self._database.read() as connection:
            rows = connection.execute(
                _selection(owner).order_by(DatasetRow.used_at.desc(), DatasetRow.sha256)
            ).all()
        return tuple(_record(row) for row in rows)

    def read(self, owner: str, sha256: str) -> bytes:
        """Return a data set's bytes.

        Raises
        ------
        NotFoundError
            If the owner has no such data set, or has only its hash.
        """
        return b"".join(self._pieces(self._require_stored(owner, sha256)))

    def path(self, owner: str, sha256: str) -> Path:
        """Return a file with a data set's bytes, for a worker; it is written now if missing.

        Raises
        ------
        NotFoundError
            If the owner has no such data set, or has only its hash.
        StorageError
            If the file cannot be written.
        """
        record = self._require_stored(owner, sha256)
        found = self._cache.find(sha256, record.size)
        return found or self._cache.put(sha256, self._pieces(record))

    def keep_choices(self, owner: str, sha256: str, choices: Json) -> None:
        """Keep an owner's choices for a data set's columns and rows. They replace earlier ones.

        Parameters
        ----------
        choices : dict
            Stored unchanged, and deleted with the data set.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        this = (DatasetRow.owner == owner, DatasetRow.sha256 == sha256)
        with self._database.write() as connection:
            change = update(DatasetRow).where(*this).values(choices=choices)
            if not is_id(sha256) or not connection.execute(change).rowcount:
                raise no_dataset()

    def choices(self, owner: str, sha256: str) -> Json | None:
        """Return the latest choices from `keep_choices`; None if there are none.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        self.get(owner, sha256)
        this = (DatasetRow.owner == owner, DatasetRow.sha256 == sha256)
        with self._database.read() as connection:
            found: Json | None = connection.scalar(select(DatasetRow.choices).where(*this))
        return found

    def delete(self, owner: str, sha256: str) -> Deleted:
        """Delete a data set and every run made from it, and wipe them off the disk.

        This includes runs that are running; their server learns of it at its next heartbeat.

        Raises
        ------
        NotFoundError
            If the owner has no such data set.
        """
        if not is_id(sha256):
            raise no_dataset()
        with self._database.write() as connection:
            gone = self._delete(connection, owner, [sha256])
        if not gone.found:
            raise no_dataset()
        return self._wipe(gone)

    def delete_unused_since(self, owner: str, moment: datetime) -> None:
        """Delete an owner's data sets not used since a moment, with all their runs.

        An upload or a run counts as use. A data set with a waiting or running run stays.
        """
        live = (
            select(RunRow.seq)
            .where(RunRow.owner == DatasetRow.owner, RunRow.dataset == DatasetRow.sha256)
            .where(RunRow.status.in_((RunStatus.QUEUED, RunStatus.RUNNING)))
        )
        unused = (DatasetRow.used_at < moment, ~live.exists())
        with self._database.write() as connection:
            old = connection.scalars(
                select(DatasetRow.sha256).where(DatasetRow.owner == owner, *unused)
            ).all()
            gone = self._delete(connection, owner, old, *unused)
        if gone.found:
            self._wipe(gone)

    def sweep_cache(self) -> None:
        """Remove files of data sets that are no longer in the database."""
        if not self._cache.names():
            return
        with self._database.read() as connection:
            hashes = connection.scalars(select(BlobRow.sha256)).all()
            before = self._database.now(connection) - timedelta(seconds=HALF_WRITTEN)
        self._cache.keep_only(hashes, before.timestamp())

    def _put_content(
        self, connection: Connection, sha256: str, content: bytes, now: datetime
    ) -> None:
        if connection.scalar(select(BlobRow.sha256).where(BlobRow.sha256 == sha256)) is not None:
            return
        number = connection.execute(
            self._database.insert(BlobRow)
            .values(sha256=sha256, size=len(content), created_at=now)
            .returning(BlobRow.number)
        ).scalar_one()
        view = memoryview(content)
        for position, start in enumerate(range(0, len(content), CHUNK)):
            connection.execute(
                self._database.insert(ChunkRow).values(
                    blob=number, position=position, content=bytes(view[start : start + CHUNK])
                )
            )

    def _require_stored(self, owner: str, sha256: str) -> DatasetRecord:
        record = self.get(owner, sha256)
        if not record.stored:
            raise not_stored(record.name, sha256)
        return record

    def _pieces(self, record: DatasetRecord) -> Iterator[bytes]:
        """Read the content row by row, each in a short transaction of its own."""
        for position in range(-(-record.size // CHUNK)):
            with self._database.read() as connection:
                piece = connection.scalar(
                    select(ChunkRow.content)
                    .join(BlobRow, BlobRow.number == ChunkRow.blob)
                    .where(BlobRow.sha256 == record.sha256, ChunkRow.position == position)
                )
            if piece is None:  # deleted in the meantime
                raise no_dataset()
            yield piece

    def _delete(
        self,
        connection: Connection,
        owner: str,
        hashes: Sequence[str],
        *conditions: ColumnElement[bool],
    ) -> _Deletion:
        """Delete data sets that meet conditions, and any content that no other owner has."""
        gone = _Deletion()
        for sha256 in sorted(hashes):
            self._database.take_turns(connection, f"content {sha256}")
            mine = (RunRow.owner == owner, RunRow.dataset == sha256)
            runs = connection.execute(
                select(RunRow.id, RunRow.status, RunRow.parent, RunRow.is_study).where(*mine)
            ).all()
            this = (DatasetRow.owner == owner, DatasetRow.sha256 == sha256)
            if not connection.execute(delete(DatasetRow).where(*this, *conditions)).rowcount:
                continue
            gone.found += 1
            gone.runs.extend(runs)
            others = select(DatasetRow.owner).where(
                DatasetRow.sha256 == sha256, DatasetRow.stored.is_(True)
            )
            if connection.execute(others.limit(1)).first() is None:
                connection.execute(delete(BlobRow).where(BlobRow.sha256 == sha256))
                gone.contents.append(sha256)
        if gone.found:
            note_erasure(self._database, connection)
        return gone

    def _wipe(self, gone: _Deletion) -> Deleted:
        """Wipe deleted data off the disk. If that fails now, `Store.tidy` does it later."""
        for sha256 in gone.contents:
            self._cache.remove(sha256)
        try:
            wiped = wipe(self._database)
        except StorageError:
            log.exception("deleted data sets are not wiped off the disk yet")
            wiped = False
        return count_deleted(gone.runs, wiped)


@dataclass
class _Deletion:
    """The runs and hashes that a transaction deletes."""

    found: int = 0
    runs: list[GoneRow] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)


def ensure_owner(database: Database, connection: Connection, owner: str, now: datetime) -> None:
    """Enter a person, unless they are entered already."""
    connection.execute(
        database.insert(OwnerRow)
        .values(subject=check_owner(owner), created_at=now)
        .on_conflict_do_nothing()
    )


def enter_dataset(
    database: Database,
    connection: Connection,
    owner: str,
    sha256: str,
    name: str,
    now: datetime,
) -> None:
    """Enter a data set, perhaps with its hash only. An existing entry is renewed.

    A hash does not give access to bytes that somebody else stored: see `Datasets.put`.
    """
    ensure_owner(database, connection, owner, now)
    entry = database.insert(DatasetRow).values(
        owner=owner,
        sha256=sha256,
        name=name,
        size=0,
        stored=False,
        created_at=now,
        used_at=now,
    )
    connection.execute(
        entry.on_conflict_do_update(index_elements=["owner", "sha256"], set_={"used_at": now})
    )


def use_datasets(connection: Connection, owner: str, hashes: Iterable[str], now: datetime) -> None:
    """Note that runs use data sets.

    Raises
    ------
    NotFoundError
        If the owner lacks one of the data sets, or has only its hash.
    """
    for sha256 in sorted(set(hashes)):  # in one order, so that two transactions never block
        if not is_id(sha256):
            raise no_dataset()
        this = (DatasetRow.owner == owner, DatasetRow.sha256 == sha256)
        found = connection.execute(
            select(DatasetRow.name, DatasetRow.stored).where(*this).with_for_update()
        ).one_or_none()
        if found is None:
            raise no_dataset()
        if not found.stored:
            raise not_stored(found.name, sha256)
        connection.execute(update(DatasetRow).where(*this).values(used_at=now))


def count_deleted(runs: Iterable[GoneRow], wiped: bool) -> Deleted:
    """Count the deleted runs, from their id, status, parent and is_study."""
    running = tuple(run.id for run in runs if run.status == RunStatus.RUNNING and not run.is_study)
    return Deleted(sum(run.parent is None for run in runs), running, wiped)


def not_stored(name: str, sha256: str) -> NotFoundError:
    """The error for a data set that came with an imported run as a hash only."""
    return NotFoundError(
        f"The data set {quoted(name)} of this run is not stored here: upload the file whose "
        f"SHA-256 begins with {sha256[:12]}."
    )


def no_dataset() -> NotFoundError:
    """The error for a data set that does not exist or belongs to somebody else."""
    return NotFoundError("There is no such data set here: upload its file on the Data page.")


def _selection(owner: str, sha256: str | None = None) -> Select[Any]:
    n_runs = (
        select(func.count())
        .where(RunRow.owner == DatasetRow.owner, RunRow.dataset == DatasetRow.sha256)
        .where(RunRow.parent.is_(None))
        .scalar_subquery()
    )
    query = select(
        DatasetRow.sha256,
        DatasetRow.name,
        DatasetRow.size,
        DatasetRow.stored,
        DatasetRow.created_at,
        DatasetRow.used_at,
        n_runs.label("n_runs"),
    ).where(DatasetRow.owner == owner)
    return query if sha256 is None else query.where(DatasetRow.sha256 == sha256)


def _record(row: Row[Any]) -> DatasetRecord:
    return DatasetRecord(**row._mapping)
