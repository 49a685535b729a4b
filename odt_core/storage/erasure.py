"""Deleted means gone from the disk, also when the program is killed in between."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select

from odt_core.storage.database import Database
from odt_core.storage.tables import ChunkRow, DatasetRow, DocumentRow, ErasureRow, RunRow

WIPED = tuple(table.__tablename__ for table in (ChunkRow, DocumentRow, RunRow, DatasetRow))
"""Tables that hold content of data sets: bytes, categories in trees, names."""


def note_erasure(database: Database, connection: Connection) -> None:
    """Remember, in the transaction that deletes, that disk space is to be wiped."""
    connection.execute(database.insert(ErasureRow).values(asked_at=database.now(connection)))


def wipe(database: Database) -> bool:
    """Wipe what was deleted; false if some reader was in the way and it must be tried again.

    Raises
    ------
    StorageError
        If the database cannot be reached or written.
    """
    with database.read() as connection:
        last = connection.scalar(select(func.max(ErasureRow.id)))
    if last is None:
        database.cut_log()
        return True
    if not database.wipe_deleted(WIPED):
        return False
    with database.write() as connection:
        connection.execute(delete(ErasureRow).where(ErasureRow.id <= last))
    return True
