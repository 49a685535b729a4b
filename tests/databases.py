"""Databases, folders and disks that tests of several rooms use."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from odt_core.storage import Store
from tests.core.storage.helpers import queue_run
from tests.core.storage.postgres import PostgresServer, find_binaries


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server here: install one, or name its folder in ODT_POSTGRES")
    server = PostgresServer(binaries)
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_database(postgres: PostgresServer) -> Iterator[str]:
    """The address of an empty database on a real server."""
    postgres.execute("CREATE DATABASE odt_jobs")
    yield postgres.url("odt_jobs")
    postgres.execute("DROP DATABASE odt_jobs WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database of either kind."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_database"))
    return f"sqlite:///{tmp_path / 'data' / 'odt.sqlite3'}"


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
