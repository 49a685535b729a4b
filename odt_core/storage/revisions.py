"""Revisions of the database's tables, and the migration to this program's revision at the start."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from odt_core.errors import InputError
from odt_core.storage.database import Database

REVISIONS = ("0001", "0002", "0003", "0004")
"""All revisions of the tables, oldest first; their scripts are in `migrations/versions`."""
HEAD = REVISIONS[-1]


def migrate(database: Database, to: str = HEAD) -> None:
    """Create the tables, or change them to this program's version.

    All steps are one transaction, so a server that is killed in the middle changes nothing. Two
    servers that start at once take turns, and the second one finds nothing left to do.

    Raises
    ------
    StorageError
        If the database cannot be reached or written.
    InputError
        If a newer version of the program has written the database.
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
    """Return the tables' revision; None if there are no tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _migrate_file(database: Database, to: str) -> None:
    """Migrate SQLite. It makes some changes by rewriting a table, which must not cascade."""
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
            connection.invalidate()  # rolls back, and discards a connection without foreign keys
            raise
        connection.execute(text("PRAGMA foreign_keys = ON"))


def _upgrade(connection: Connection, database: Database, to: str) -> None:
    found = current_revision(connection)  # read it again: another server may have migrated
    if found == to:
        return
    _refuse_newer(found, database)
    # Half a second of imports, which a start without migration does not need.
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
