"""Wiping deleted data off the disk, even if the program is killed in the middle.

The transaction that deletes a data set also notes that space must be wiped. The bytes are deleted
later, piece by piece. So the deletion of a large file does not hold up other writers, and does not
need as much free space as the file has. Any server that finds the note continues the work.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select

from odt_core.storage.database import Database
from odt_core.storage.tables import (
    BlobRow,
    ChunkRow,
    DatasetRow,
    DocumentRow,
    ErasureRow,
    RunRow,
)

WIPED = tuple(table.__tablename__ for table in (ChunkRow, DocumentRow, RunRow, DatasetRow))
"""Tables with content of data sets: bytes, categories in trees, names."""


def note_erasure(database: Database, connection: Connection) -> None:
    """Note that disk space must be wiped, in the transaction that deletes."""
    connection.execute(database.insert(ErasureRow).values(asked_at=database.now(connection)))


def wipe(database: Database) -> bool:
    """Wipe deleted data; false if a reader was in the way, so that it must be tried again.

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
    while _delete_piece(database):
        database.cut_log()
    if not database.wipe_deleted(WIPED):
        return False
    with database.write() as connection:
        connection.execute(delete(ErasureRow).where(ErasureRow.id <= last))
    return True


def _delete_piece(database: Database) -> bool:
    """Delete one piece of a deleted file; false if none was found."""
    waste = (
        select(ChunkRow.blob, ChunkRow.position)
        .where(ChunkRow.blob.not_in(select(BlobRow.number)))
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    with database.write() as connection:
        piece = connection.execute(waste).first()
        if piece is not None:
            connection.execute(
                delete(ChunkRow).where(
                    ChunkRow.blob == piece.blob, ChunkRow.position == piece.position
                )
            )
    return piece is not None
