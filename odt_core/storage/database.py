"""The connection to SQLite or PostgreSQL: transactions, one clock, and errors in words.

SQLite is one file in WAL mode: readers never wait, and one writer at a time takes its turn by
``BEGIN IMMEDIATE``. Freed pages are overwritten with zeros and given back to the disk.
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
from odt_core.folders import data_folder
from odt_core.storage.errors import StorageError, storage_error
from odt_core.storage.private import make_private

FILE_NAME = "odt.sqlite3"
WAIT_FOR_FILE = 30.0
"""Seconds a transaction waits for another process's write to the SQLite file."""
WAIT_FOR_SERVER = 5
"""Seconds until a PostgreSQL server that does not answer is called unreachable."""
WAIT_FOR_TABLE = 3
"""Seconds that wiping deleted rows may wait for readers."""

LOG_LIMIT = 16 * 1024 * 1024
"""Bytes to which SQLite's write-ahead log is cut after a large write."""

_PRAGMAS = (
    f"PRAGMA busy_timeout = {int(WAIT_FOR_FILE * 1000)}",
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
"""What SQLite's three ways to begin are on PostgreSQL."""


def locate(address: str | None = None, folder: Path | None = None) -> URL:
    """Where the database is.

    Parameters
    ----------
    address : str, optional
        Like ``postgresql://user:password@host/name`` or ``sqlite:///path``; the environment's
        ``ODT_DATABASE_URL`` by default, else a file in the data folder.
    folder : Path, optional
        The data folder, see `odt_core.folders.data_folder`.

    Raises
    ------
    InputError
        If it is no address of SQLite or PostgreSQL.
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
    # The address itself is not repeated: it may hold a password.
    return (
        "ODT_DATABASE_URL is not the address of a PostgreSQL or SQLite database: write it like "
        "postgresql://user:password@host/name, or leave it out to keep everything in a file."
    )


class Database:
    """A database and the only ways to talk to it.

    Parameters
    ----------
    url : URL
        See `locate`. ``sqlite://`` lives in memory, for what cannot be written anywhere.
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
        """A transaction that sees one state of the database and writes nothing.

        Raises
        ------
        StorageError
            If the database cannot be reached or read.
        """
        return self._transaction("BEGIN", self._turn if self._in_memory else nullcontext())

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction that is stored as a whole when the block ends, or not at all.

        Threads of this process take turns here rather than in SQLite, whose waiting is not fair.

        Raises
        ------
        StorageError
            If the database cannot be reached or written.
        """
        self._check_file()
        return self._transaction("BEGIN IMMEDIATE", self._writers_turn())

    def bare(self) -> AbstractContextManager[Connection]:
        """A connection on which every statement stands alone (for pragmas and ``VACUUM``)."""
        return self._transaction("", self._writers_turn())

    def now(self, connection: Connection) -> datetime:
        """The time, in UTC, by the one clock that all servers on this database share."""
        if self.is_sqlite:
            return datetime.now(UTC)
        return connection.execute(select(func.clock_timestamp())).scalar_one().astimezone(UTC)

    def insert(self, table: Any) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that can say what happens on conflict."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def take_turns(self, connection: Connection, matter: str) -> None:
        """Let one write transaction at a time, over all servers, deal with a matter.

        On SQLite a write transaction is alone anyway.
        """
        if not self.is_sqlite:
            digest = hashlib.sha256(f"odt {matter}".encode()).digest()
            number = int.from_bytes(digest[:8], "big", signed=True)
            connection.execute(select(func.pg_advisory_xact_lock(number)))

    def prepare_file(self) -> None:
        """Make SQLite's file and folder if they are not there, for this user only."""
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
        """Refuse to write into a file that nobody will find again.

        SQLite goes on with a file that has been deleted under it, and everything is lost at the
        end of the process.
        """
        if self.path is not None and self._file not in (None, _identity(self.path)):
            raise StorageError(
                f"The database {self.place} was deleted, moved or replaced while the program runs: "
                "put it back, or start the program anew."
            )

    def _switch_to_wal(self) -> None:
        """Set what is kept in the file itself; SQLite does not wait for a lock here, so we do."""
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
        """Take what deleted rows leave behind off the disk; false if it must be tried again.

        SQLite has overwritten the rows with zeros already: what is left is the write-ahead log,
        and giving back the space. PostgreSQL leaves old row versions in a table's file until the
        table is written anew. (Its write-ahead log and its backups are the administrator's.)
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
        """Empty SQLite's log, where failed writes leave bytes, if no reader is in the way."""
        if self.path is not None:
            with self.bare() as connection:
                self._cut_log(connection, wait=0)

    def _wipe_file(self) -> bool:
        with self.bare() as connection:
            file = connection.connection.driver_connection
            assert isinstance(file, sqlite3.Connection)
            # Each step gives back one page; only a script goes through all of them.
            file.executescript("PRAGMA incremental_vacuum")
            return self._cut_log(connection, wait=WAIT_FOR_TABLE)

    def _cut_log(self, connection: Connection, wait: int) -> bool:
        """Empty SQLite's write-ahead log; false if a reader was in the way for `wait` seconds."""
        connection.execute(text(f"PRAGMA busy_timeout = {wait * 1000}"))
        busy, _, _ = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()
        connection.execute(text(_PRAGMAS[0]))
        return not busy

    def close(self) -> None:
        """Close the connections that nobody uses."""
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
        # Python's driver must not begin transactions of its own accord: `begin` below does.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get(_BEGIN, "BEGIN")
        if statement:
            connection.exec_driver_sql(statement)

    return engine


def dump_json(value: Any) -> str:
    """JSON that every reader accepts: no NaN, and plain ASCII."""
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
    """Tells a file from another one of the same name; None if there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _is_busy(error: StorageError) -> bool:
    cause = error.__cause__
    orig = cause.orig if isinstance(cause, DBAPIError) else cause
    return getattr(orig, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
