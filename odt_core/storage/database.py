"""The connection to SQLite or PostgreSQL: transactions, one clock, and errors in plain words.

SQLite is one file in WAL mode. Readers never wait, and writers take turns by ``BEGIN IMMEDIATE``.
Freed pages are overwritten with zeros and given back to the disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    StaticPool,
    create_engine,
    event,
    func,
    make_url,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from odt_core.errors import InputError
from odt_core.folders import data_folder, make_private
from odt_core.storage.errors import StorageError, storage_error

FILE_NAME = "odt.sqlite3"
WAIT_FOR_FILE = 30.0
"""Seconds for which a transaction waits until another process has written to the SQLite file."""
WAIT_FOR_SERVER = 5
"""Seconds after which a PostgreSQL server that does not answer counts as unreachable."""
WAIT_FOR_TABLE = 3
"""Seconds for which the wiping of deleted rows may wait until readers finish."""

LOG_LIMIT = 16 * 1024 * 1024
"""Size in bytes to which SQLite's write-ahead log is cut after a large write."""

_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",  # a commit survives a power cut, not only a killed process
    "PRAGMA secure_delete = ON",  # deleted content is overwritten with zeros
    "PRAGMA temp_store = MEMORY",  # no names or categories in temporary files
    f"PRAGMA journal_size_limit = {LOG_LIMIT}",
)
_BEGIN = "odt_begin"
_POSTGRES_OPTIONS: dict[str, dict[str, Any]] = {
    "BEGIN": {"isolation_level": "REPEATABLE READ"},
    "BEGIN IMMEDIATE": {"isolation_level": "READ COMMITTED"},
    "": {"isolation_level": "AUTOCOMMIT"},
}
"""SQLite's three ways to begin a transaction, in terms of PostgreSQL."""


def locate(address: str | None = None, folder: Path | None = None) -> URL:
    """Find the database's address.

    Parameters
    ----------
    address : str, optional
        Like ``postgresql://user:password@host/name`` or ``sqlite:///path``. By default it is
        ``ODT_DATABASE_URL``, or a file in the data folder.
    folder : Path, optional
        The data folder, see `odt_core.folders.data_folder`.

    Raises
    ------
    InputError
        If it is not an address of SQLite or PostgreSQL.
    """
    address = address or os.environ.get("ODT_DATABASE_URL")
    if not address:
        return URL.create("sqlite", database=str((folder or data_folder()) / FILE_NAME))
    try:
        url = make_url(address)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise InputError(_bad_address()) from error
    if backend == "sqlite":
        return url.set(drivername="sqlite")
    if backend in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    raise InputError(_bad_address())


def _bad_address() -> str:
    # The message does not repeat the address, which may hold a password.
    return (
        "ODT_DATABASE_URL is not the address of a PostgreSQL or SQLite database: write it like "
        "postgresql://user:password@host/name, or leave it out to keep everything in a file."
    )


class Database:
    """A database, and the transactions by which all other modules use it.

    Parameters
    ----------
    url : URL
        See `locate`. ``sqlite://`` is a database in memory, for use when nothing can be written.
    """

    def __init__(self, url: URL) -> None:
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = _sqlite_path(url) if self.is_sqlite else None
        self.place = _place(url, self.path)
        self.key = hashlib.sha256(url.render_as_string(hide_password=True).encode()).hexdigest()
        self._in_memory = self.is_sqlite and self.path is None
        self._engine = _make_engine(url, self.is_sqlite, self._in_memory)
        self._turn = threading.RLock()
        self._file: tuple[int, int] | None = None

    def read(self) -> AbstractContextManager[Connection]:
        """Open a transaction that sees one state of the database and writes nothing.

        Raises
        ------
        StorageError
            If the database cannot be reached or read.
        """
        return self._transaction("BEGIN", self._turn if self._in_memory else nullcontext())

    def write(self) -> AbstractContextManager[Connection]:
        """Open a transaction that is stored as a whole when the block ends, or not at all.

        Threads of this process take turns here, because SQLite's own waiting is not fair.

        Raises
        ------
        StorageError
            If the database cannot be reached or written.
        """
        self._check_file()
        return self._transaction("BEGIN IMMEDIATE", self._writers_turn())

    def bare(self) -> AbstractContextManager[Connection]:
        """Open a connection without transactions (for pragmas and ``VACUUM``)."""
        return self._transaction("", self._writers_turn())

    def now(self, connection: Connection) -> datetime:
        """Return the time in UTC, by the one clock that all servers on this database share."""
        if self.is_sqlite:
            return datetime.now(UTC)
        return connection.execute(select(func.clock_timestamp())).scalar_one().astimezone(UTC)

    def insert(self, table: Any) -> sqlite.Insert | postgresql.Insert:
        """Make an INSERT that can handle conflicts."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def take_turns(self, connection: Connection, matter: str) -> None:
        """Make write transactions about a matter take turns, on all servers.

        On SQLite only one write transaction runs at a time anyway.
        """
        if not self.is_sqlite:
            digest = hashlib.sha256(f"odt {matter}".encode()).digest()
            number = int.from_bytes(digest[:8], "big", signed=True)
            connection.execute(select(func.pg_advisory_xact_lock(number)))

    def prepare_file(self) -> None:
        """Create SQLite's file and folder if they are missing, for this user only."""
        if self.path is None:
            return
        try:
            make_private(self.path.parent)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StorageError(
                f"The database {self.place} cannot be made ({error.strerror}): name another "
                "folder with ODT_DATA_DIR."
            ) from error
        self._switch_to_wal()
        self._file = _identity(self.path)

    def _check_file(self) -> None:
        """Refuse to write into a file that was deleted or replaced.

        SQLite goes on writing into a deleted file, and everything is lost when the process ends.
        """
        if self.path is not None and self._file not in (None, _identity(self.path)):
            raise StorageError(
                f"The database {self.place} was deleted, moved or replaced while the program runs: "
                "put it back, or restart the program."
            )

    def _switch_to_wal(self) -> None:
        """Set what SQLite keeps in the file. SQLite does not wait for a lock here, so we do."""
        deadline = time.monotonic() + WAIT_FOR_FILE
        while True:
            try:
                with self.bare() as connection:
                    if connection.execute(text("PRAGMA journal_mode")).scalar() != "wal":
                        connection.execute(text("PRAGMA auto_vacuum = INCREMENTAL"))
                        connection.execute(text("PRAGMA journal_mode = WAL"))
                    self._cut_log(connection, wait=0)
                return
            except StorageError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def wipe_deleted(self, tables: tuple[str, ...]) -> bool:
        """Wipe deleted rows off the disk; false if that must be tried again.

        SQLite has already overwritten the rows with zeros. This call empties the write-ahead log
        and gives the space back. PostgreSQL keeps old row versions in a table's file until the
        table is rewritten. (Its write-ahead log and its backups are the administrator's task.)
        """
        if self.is_sqlite:
            return self._wipe_file()
        with self.bare() as connection:
            connection.execute(text(f"SET lock_timeout = '{WAIT_FOR_TABLE}s'"))
            try:
                for table in tables:
                    connection.execute(text(f"VACUUM (FULL) {table}"))
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", "") != "55P03":  # lock not available
                    raise
                return False
            finally:
                connection.execute(text("RESET lock_timeout"))
        return True

    def cut_log(self) -> None:
        """Empty SQLite's log, where failed writes leave bytes, unless a reader uses it."""
        if self.path is not None:
            with self.bare() as connection:
                self._cut_log(connection, wait=0)

    def _wipe_file(self) -> bool:
        with self.bare() as connection:
            file = connection.connection.driver_connection
            assert isinstance(file, sqlite3.Connection)
            # Each step gives back one page. Only `executescript` runs all steps.
            file.executescript("PRAGMA incremental_vacuum")
            return self._cut_log(connection, wait=WAIT_FOR_TABLE)

    def _cut_log(self, connection: Connection, wait: int) -> bool:
        """Empty SQLite's write-ahead log; false if a reader still used it after `wait` seconds."""
        connection.execute(text(_wait_pragma(wait)))
        busy, _, _ = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()
        connection.execute(text(_wait_pragma(WAIT_FOR_FILE)))
        return not busy

    def close(self) -> None:
        """Close the idle connections."""
        self._engine.dispose()

    def _writers_turn(self) -> AbstractContextManager[Any]:
        return self._turn if self.is_sqlite else nullcontext()

    @contextmanager
    def _transaction(self, begin: str, turn: AbstractContextManager[Any]) -> Iterator[Connection]:
        options = {_BEGIN: begin} if self.is_sqlite else dict(_POSTGRES_OPTIONS[begin])
        try:
            with (
                turn,
                self._engine.connect().execution_options(**options) as connection,
                connection.begin(),
            ):
                yield connection
        except (DBAPIError, PoolTimeoutError, sqlite3.Error) as error:
            explained = storage_error(error, self.place)
            if explained is None:
                raise
            raise explained from error


def _make_engine(url: URL, is_sqlite: bool, in_memory: bool) -> Engine:
    if not is_sqlite:
        return create_engine(
            url,
            pool_pre_ping=True,
            pool_timeout=WAIT_FOR_FILE,
            connect_args={"connect_timeout": WAIT_FOR_SERVER},
            json_serializer=dump_json,
        )
    pool: dict[str, Any] = {"poolclass": StaticPool} if in_memory else {}
    arguments = {"check_same_thread": False, "timeout": WAIT_FOR_FILE}
    engine = create_engine(url, connect_args=arguments, json_serializer=dump_json, **pool)

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        # Python's driver must not begin transactions by itself, because `begin` below does it.
        connection.isolation_level = None
        for pragma in (_wait_pragma(WAIT_FOR_FILE), *_PRAGMAS):
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get(_BEGIN, "BEGIN")
        if statement:
            connection.exec_driver_sql(statement)

    return engine


def _wait_pragma(seconds: float) -> str:
    """Write the pragma for the time that a connection waits for the file."""
    return f"PRAGMA busy_timeout = {int(seconds * 1000)}"


def dump_json(value: Any) -> str:
    """Write JSON that every reader accepts: without NaN, and in plain ASCII."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _sqlite_path(url: URL) -> Path | None:
    name = url.database
    return None if not name or name == ":memory:" else Path(name)


def _place(url: URL, path: Path | None) -> str:
    if path is not None:
        return f"'{path}'"
    if url.get_backend_name() == "sqlite":
        return "in memory"
    port = "" if url.port is None else f":{url.port}"
    return f"'{url.database or ''}' on {url.host or 'this machine'}{port}"


def _identity(path: Path) -> tuple[int, int] | None:
    """Identify a file, to notice another one of the same name; None if there is no file."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _is_busy(error: StorageError) -> bool:
    cause = error.__cause__
    orig = cause.orig if isinstance(cause, DBAPIError) else cause
    return getattr(orig, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
