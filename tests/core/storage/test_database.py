"""Opening a database: tables are made and changed, safely, and errors are sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

import odt_core.storage.revisions as migrations
from odt_core.errors import InputError
from odt_core.storage import RunStatus, StorageError, Store
from odt_core.storage.database import Database, locate
from odt_core.storage.revisions import HEAD, REVISIONS, current_revision, migrate
from odt_core.storage.tables import Base
from tests.core.storage.children import open_store
from tests.core.storage.helpers import (
    CSV,
    OWNER,
    put,
    queue_run,
)
from tests.core.storage.postgres import PostgresServer
from tests.forks import Fork

MAKE = Callable[..., str]


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables; on SQLite without a file or folder."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'folder' / 'odt.sqlite3'}"
    make: MAKE = request.getfixturevalue("empty_postgres")
    return make()


def revision_of(database: Database) -> str | None:
    with database.read() as connection:
        return current_revision(connection)


def test_missing_tables_are_created(empty: str, tmp_path: Path) -> None:
    store = Store(empty, tmp_path)
    put(store)
    assert revision_of(store.database) == HEAD
    assert Store(empty, tmp_path).datasets.read(OWNER, put(store)) == CSV


def test_migrations_and_models_say_the_same(empty: str, tmp_path: Path) -> None:
    store = Store(empty, tmp_path)
    with store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, Base.metadata)
        if store.database.is_sqlite:
            # SQLAlchemy does not see the name and options of a reference that came with a column.
            kinds = [difference[0] for difference in differences]
            assert kinds == ["remove_fk", "add_fk"]
            listed = connection.execute(text("PRAGMA foreign_key_list(runs)")).all()
            assert ("runs", "parent", "seq", "CASCADE") in {
                (row.table, row[3], row.to, row.on_delete) for row in listed
            }
        else:
            assert differences == []


def test_the_list_of_revisions_is_the_folders() -> None:
    config = Config()
    folder = Path(migrations.__file__).with_name("migrations")
    config.set_main_option("script_location", str(folder))
    scripts = ScriptDirectory.from_config(config)
    found = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS


def old_records(database: Database) -> None:
    """What a server of the first revision would have written."""
    moment, xyz = "2030-01-02 03:04:05.000006", "X'78797A'"
    if not database.is_sqlite:
        moment, xyz = f"{moment}+00", "'xyz'"
    statements = [
        f"INSERT INTO owners VALUES ('{OWNER}', '{moment}', NULL)",
        f"INSERT INTO blobs VALUES (7, 'abc', 3, '{moment}')",
        f"INSERT INTO chunks VALUES (7, 0, {xyz})",
        f"INSERT INTO datasets VALUES ('{OWNER}', 'abc', 'old.csv', 3, true,"
        f" '{moment}', '{moment}')",
        "INSERT INTO runs (id, owner, dataset, lane, kind, name, note, table_name, searched,"
        " target, positive, topology, goal, engine, seed, status, stage, message, queued_at)"
        f" VALUES ('run1', '{OWNER}', 'abc', '', 'train', 'Old', '', 'old.csv', 'old', 'y', '1',"
        f" 'depth-2', 'accuracy', 'cbc', 0, 'queued', '', '', '{moment}')",
        """INSERT INTO documents (run, spec) SELECT seq, '{"old":true}' FROM runs""",
    ]
    with database.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def test_an_older_database_is_brought_up_with_everything_in_it(empty: str, tmp_path: Path) -> None:
    database = Database(locate(empty))
    database.prepare_file()
    migrate(database, to="0001")
    assert revision_of(database) == "0001"
    old_records(database)
    database.close()

    store = Store(empty, tmp_path)

    assert revision_of(store.database) == HEAD
    record = store.runs.get(OWNER, "run1")
    assert record.spec == {"old": True} and record.summary.name == "Old"
    assert record.summary.members is None and record.summary.study is None
    assert record.summary.queued_at.isoformat() == "2030-01-02T03:04:05.000006+00:00"
    assert store.datasets.read(OWNER, "abc") == b"xyz"
    claimed = store.queue.claim(store.queue.register())
    assert claimed is not None and claimed.id == "run1"
    if store.database.is_sqlite:
        with store.database.read() as connection:
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_a_newer_database_is_refused_untouched(empty: str, tmp_path: Path) -> None:
    store = Store(empty, tmp_path)
    with store.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match="newer version of this program"):
        Store(empty, tmp_path)
    assert revision_of(store.database) == "9999"


def test_a_migration_that_fails_leaves_the_tables_as_they_were(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(locate(empty))
    database.prepare_file()
    migrate(database, to="0001")
    old_records(database)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr("alembic.op.drop_index", fail)  # in the middle of 0002
        with pytest.raises(RuntimeError, match="the power went"):
            Store(empty, tmp_path)
    assert revision_of(database) == "0001"
    assert Store(empty, tmp_path).runs.summary(OWNER, "run1").status is RunStatus.QUEUED


def test_servers_that_start_at_the_same_moment_agree(empty: str, tmp_path: Path) -> None:
    servers = [Fork(open_store, empty, str(tmp_path / f"machine{n}")) for n in range(3)]
    for server in servers:
        assert server.next_line() == "ready"
    for server in servers:
        server.say()
    assert [list(server.lines()) for server in servers] == [["0"]] * 3
    assert revision_of(Store(empty, tmp_path).database) == HEAD


def test_a_file_of_sqlite_is_set_up_for_safety_and_privacy(tmp_path: Path) -> None:
    store = Store(None, tmp_path / "data")
    put(store)
    expected = {
        "journal_mode": "wal",
        "auto_vacuum": 2,
        "secure_delete": 1,
        "synchronous": 2,
        "foreign_keys": 1,
    }
    with store.database.read() as connection:
        found = {name: connection.execute(text(f"PRAGMA {name}")).scalar() for name in expected}
    assert found == expected
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    for path in (tmp_path / "data").glob("odt.sqlite3*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_store_can_live_in_memory(tmp_path: Path) -> None:
    """A server uses a store in memory if nothing can be written."""
    store = Store("sqlite://", tmp_path)
    run = queue_run(store)
    claimed = store.queue.claim(store.queue.register())
    assert claimed is not None and claimed.id == run.id
    assert Store("sqlite://", tmp_path).runs.list(OWNER).total == 0


@pytest.mark.parametrize(
    "address",
    ["nonsense", "mysql://user:secret@host/db", "postgresql://user:secret@host:port/db", "://"],
)
def test_the_message_about_a_wrong_address_does_not_repeat_it(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODT_DATABASE_URL", address)
    with pytest.raises(InputError, match="ODT_DATABASE_URL is not the address") as refusal:
        Store(None, tmp_path)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_way_to_write_a_postgres_address_works(
    scheme: str, empty_postgres: MAKE, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = empty_postgres().replace("postgresql", scheme, 1)
    monkeypatch.setenv("ODT_DATABASE_URL", url)
    assert put(Store(None, tmp_path))


def test_a_server_that_is_not_there_is_named_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be reached") as refusal:
        Store("postgresql://me:hunter2@127.0.0.1:1/study", tmp_path)
    assert "'study' on 127.0.0.1:1" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


def test_a_wrong_password_or_database_is_reported(postgres: PostgresServer, tmp_path: Path) -> None:
    wrong = postgres.url().replace(postgres.password, "wrong")
    with pytest.raises(StorageError, match="refuses .*user, password") as refusal:
        Store(wrong, tmp_path)
    assert "wrong" not in str(refusal.value)
    with pytest.raises(StorageError, match="refuses .*database name"):
        Store(postgres.url("nowhere"), tmp_path)


def test_a_read_only_server_is_reported_and_still_read(
    postgres: PostgresServer, empty_postgres: MAKE, tmp_path: Path
) -> None:
    url = empty_postgres()
    run = queue_run(Store(url, tmp_path))
    name = url.rsplit("/", 1)[1]
    postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    store = Store(url, tmp_path)
    assert store.runs.summary(OWNER, run.id) == run
    with pytest.raises(StorageError, match="cannot be written"):
        queue_run(store)


def test_a_full_disk_of_the_server_is_reported(empty_postgres: MAKE, tmp_path: Path) -> None:
    store = Store(empty_postgres(), tmp_path)
    with store.database.write() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER full_disk BEFORE INSERT ON chunks "
            "FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )
    with pytest.raises(StorageError, match="no room left on the disk of the database server"):
        put(store)
    assert store.datasets.list(OWNER) == ()


def test_connections_come_back_after_the_server_was_restarted(
    postgres: PostgresServer, empty_postgres: MAKE, tmp_path: Path
) -> None:
    store = Store(empty_postgres(), tmp_path)
    sha256 = put(store)
    postgres.stop()
    with pytest.raises(StorageError, match="cannot be reached"):
        store.datasets.get(OWNER, sha256)
    postgres.start()
    assert store.datasets.read(OWNER, sha256) == CSV


def test_a_statement_cut_off_by_the_server_is_reported(
    postgres: PostgresServer, empty_postgres: MAKE, tmp_path: Path
) -> None:
    store = Store(empty_postgres(), tmp_path)
    put(store)
    with pytest.raises(StorageError, match="going down|cannot be reached"):
        with store.database.read() as connection:
            pid = connection.execute(text("SELECT pg_backend_pid()")).scalar()
            postgres.execute(f"SELECT pg_terminate_backend({pid}, 60000)")  # waits until it is so
            connection.execute(text("SELECT 1"))
    assert len(store.datasets.list(OWNER)) == 1


def test_a_file_that_is_no_database_is_reported_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "odt.sqlite3"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(StorageError, match="damaged or not a database"):
        Store(None, tmp_path)
    assert path.read_bytes() == b"no database " * 1000


def test_a_file_that_another_program_holds_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odt_core.storage.database.WAIT_FOR_FILE", 0.2)
    store = Store(None, tmp_path)
    other = sqlite3.connect(tmp_path / "odt.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another program"):
        put(store)
    other.execute("ROLLBACK")
    assert put(store)
    other.close()


def test_an_error_of_this_program_is_not_blamed_on_the_database(store: Store) -> None:
    with pytest.raises(Exception, match="no_such_table") as failure:
        with store.database.read() as connection:
            connection.execute(text("SELECT * FROM no_such_table"))
    assert not isinstance(failure.value, InputError)


def test_the_server_of_these_tests_is_real(postgres: PostgresServer) -> None:
    with psycopg.connect(postgres.url()) as connection:
        row = connection.execute("SELECT version()").fetchone()
    assert row is not None and row[0].startswith("PostgreSQL")
