"""Every test runs on both databases unless it says otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from odt_core.storage import Store
from tests.core.storage.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres_address(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with tables, which the tests use one after the other."""
    postgres.execute("CREATE DATABASE odt_tests")
    address = postgres.url("odt_tests")
    Store(address, tmp_path_factory.mktemp("first")).close()
    return address


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with tables, of which each test gets a copy."""
    folder = tmp_path_factory.mktemp("first")
    Store(None, folder).close()
    return folder / "odt.sqlite3"


@pytest.fixture
def empty_postgres(
    postgres: PostgresServer, request: pytest.FixtureRequest
) -> Iterator[Callable[[], str]]:
    """Makes empty databases, gone after the test."""
    made: list[str] = []

    def make() -> str:
        name = f"t{abs(hash(request.node.nodeid)) % 10**12}_{len(made)}"
        postgres.execute(f"CREATE DATABASE {name}")
        made.append(name)
        return postgres.url(name)

    yield make
    for name in made:
        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database is, with tables in it."""
    if request.param == "sqlite":
        path = tmp_path / "data" / "odt.sqlite3"
        path.parent.mkdir(mode=0o700)
        shutil.copy(request.getfixturevalue("sqlite_file"), path)
        return f"sqlite:///{path}"
    postgres: PostgresServer = request.getfixturevalue("postgres")
    url: str = request.getfixturevalue("postgres_address")
    postgres.execute(
        "TRUNCATE owners, blobs, chunks, servers, erasures, sign_ins RESTART IDENTITY CASCADE", url
    )
    return url


@pytest.fixture
def open_store(address: str, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Opens stores on one database, each with a data folder: servers on one or two machines."""
    opened: list[Store] = []

    def open_one(folder: str = "data", **options: float) -> Store:
        store = Store(address, tmp_path / folder, **options)  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()
