"""Every test runs on both databases unless it says otherwise."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from odt_core.storage import Store
from tests.core.storage.helpers import queue_run
from tests.core.storage.postgres import PostgresServer, find_binaries, run_server


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ODT_DATABASE_URL", "ODT_DATA_DIR", "ODT_RETENTION_DAYS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    if find_binaries() is None:
        pytest.skip("no PostgreSQL server here: install one, or name its folder in ODT_POSTGRES")
    yield from run_server()


@pytest.fixture(scope="session")
def postgres_address(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with tables, which the tests use one after the other."""
    postgres.execute("CREATE DATABASE odt_tests")
    address = postgres.url("odt_tests")
    Store(address, tmp_path_factory.mktemp("first")).close()
    return address


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
    """Where a database is, with tables in it on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'data' / 'odt.sqlite3'}"
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


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A data folder with a run in it that this process may read, but not write."""
    # Not below `tmp_path`, whose upper folders nobody but their owner may enter.
    above = Path(tempfile.mkdtemp(prefix="odt-"))
    folder = above / "readonly"
    store = Store(None, folder)
    queue_run(store)
    store.close()
    for path in (above, folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if os.geteuid() == 0:  # root may write everywhere: become somebody else for a while
            os.setegid(65534)
            os.seteuid(65534)
        yield folder
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
            os.setegid(0)
        for path in (above, folder):
            path.chmod(0o700)
        shutil.rmtree(above)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = shutil.which("mount")
    if command is None or os.geteuid() != 0:
        pytest.skip("only root can mount the small disk that this test fills")
    mounted = subprocess.run(
        [command, "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
