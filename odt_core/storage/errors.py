"""Errors of the database, each in one sentence for the user."""

from __future__ import annotations

import re
import sqlite3

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from odt_core.errors import InputError
from odt_core.storage.tables import Base


class StorageError(InputError):
    """The database cannot be reached, read or written now, and nothing of the call was stored.

    The same call can be made again later, as `odt_core.storage.recorder.Recorder` does.
    """


class NotFoundError(InputError):
    """The owner has no such record. A record of another owner counts as none."""


def storage_error(
    error: DBAPIError | PoolTimeoutError | sqlite3.Error, place: str
) -> StorageError | None:
    """Explain a driver's error to the user; None if it is a mistake of this program.

    Parameters
    ----------
    error : DBAPIError, sqlalchemy.exc.TimeoutError or sqlite3.Error
        As raised by SQLAlchemy or the driver.
    place : str
        The database's name, without a password.
    """
    if isinstance(error, PoolTimeoutError):
        return StorageError(f"The database {place} is too busy to answer: try again in a moment.")
    if isinstance(error, sqlite3.Error):
        return _sqlite_error(error, place)
    if isinstance(error.orig, sqlite3.Error):
        return _sqlite_error(error.orig, place)
    return _postgres_error(error, place)


def _sqlite_error(error: sqlite3.Error, place: str) -> StorageError | None:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return StorageError(
            f"There is no room left on the disk for the database {place}: free some space and try "
            "again."
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StorageError(
            f"The database {place} cannot be opened for writing: make the file and its folder "
            "writable, or name another folder with ODT_DATA_DIR."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StorageError(
            f"The database {place} is in use by another program: close that program or try again."
        )
    if name.startswith(("SQLITE_IOERR", "SQLITE_NOMEM", "SQLITE_PROTOCOL")):
        return StorageError(
            f"The disk of the database {place} cannot be read or written ({error}): check the disk "
            "and the space on it, then try again."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StorageError(
            f"The file {place} is damaged or not a database ({error}): restore it from a "
            "backup, or move it away to start with an empty database."
        )
    return _lost_table(str(error), place)


def _postgres_error(error: DBAPIError, place: str) -> StorageError | None:
    state = getattr(error.orig, "sqlstate", None) or ""
    reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason"
    if state == "53100":
        return StorageError(
            f"There is no room left on the disk of the database server {place}: free some space "
            "there and try again."
        )
    if state in ("25006", "42501"):
        return StorageError(
            f"The database {place} cannot be written ({reason}): use a user that may write, or a "
            "server that is not read-only."
        )
    # A failed connection has no SQLSTATE. If the server answered, its message says FATAL.
    if state.startswith("28") or state == "3D000" or (not state and "FATAL" in reason):
        return StorageError(
            f"The database server refuses {place} ({reason}): check the user, password and "
            "database name in ODT_DATABASE_URL."
        )
    if state.startswith(("40", "55", "53", "57")):
        return StorageError(
            f"The database {place} is busy or going down ({reason}): try again in a moment."
        )
    if state.startswith(("08", "58")) or (not state and error.connection_invalidated):
        return StorageError(_unreachable(place, reason))
    if not state and type(error.orig).__name__ in ("OperationalError", "ConnectionTimeout"):
        return StorageError(_unreachable(place, reason))
    return _lost_table(reason, place)


def _lost_table(reason: str, place: str) -> StorageError | None:
    """Explain that one of our tables is missing; None if the table was never ours."""
    missing = re.match(r'no such table: (\w+)|relation "(\w+)" does not exist', reason)
    if missing is None or (missing[1] or missing[2]) not in Base.metadata.tables:
        return None
    return StorageError(
        f"The database {place} lacks some of its tables ({reason}): restore it from a "
        "backup, or name another one with ODT_DATABASE_URL."
    )


def _unreachable(place: str, reason: str) -> str:
    return (
        f"The database {place} cannot be reached ({reason}): check that its server runs and that "
        "ODT_DATABASE_URL is right."
    )
