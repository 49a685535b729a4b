"""Bring a database's tables up to this program's, at start."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from odt_core.errors import InputError
from odt_core.storage.database import Database

REVISIONS = ("0001", "0002", "0003", "0004")
"""All revisions of the tables, oldest first; their scripts are in `migrations/versions`."""
HEAD = REVISIONS[-1]


def migrate(database: Database, to: str = HEAD) -> None:
    """Make the tables, or change them to this program's form.

    All steps are one transaction: a server that is killed on the way leaves the tables as they
    were. Two servers that start at once take turns, and the second finds nothing left to do.

    Raises
    ------
    StorageError
        If the database cannot be reached or written.
    InputError
        If a newer version of the program has written it.
    """
    with database.read() as connection:
        found = current_revision(connection)
    if found == to:
        return
    _refuse_newer(found, database)
    if database.is_sqlite:
        _migrate_file(database, to)
        return
    with database.write() as connection:
        database.take_turns(connection, "migrations")
        _upgrade(connection, database, to)


def current_revision(connection: Connection) -> str | None:
    """The tables' revision; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _migrate_file(database: Database, to: str) -> None:
    """SQLite changes some things only by writing a table anew, which must not follow cascades."""
    with database.bare() as connection:
        connection.execute(text("PRAGMA foreign_keys = OFF"))
        try:
            connection.execute(text("BEGIN IMMEDIATE"))
            _upgrade(connection, database, to)
            broken = connection.execute(text("PRAGMA foreign_key_check")).fetchall()
            if broken:
                raise RuntimeError(f"the new tables break references: {broken[:5]}")
            connection.execute(text("COMMIT"))
        except BaseException:
            connection.invalidate()  # rolls back, and no later user gets it without foreign keys
            raise
        connection.execute(text("PRAGMA foreign_keys = ON"))


def _upgrade(connection: Connection, database: Database, to: str) -> None:
    found = current_revision(connection)  # again: another server may just have been here
    if found == to:
        return
    _refuse_newer(found, database)
    # Half a second of imports that a start with nothing to do does without.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    command.upgrade(config, to)


def _refuse_newer(found: str | None, database: Database) -> None:
    if found is not None and found not in REVISIONS:
        raise InputError(
            f"The database {database.place} was written by a newer version of this program: "
            "update the program, or name another database with ODT_DATABASE_URL."
        )
