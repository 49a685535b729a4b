"""A real PostgreSQL server for the tests: made, run and removed by them."""

from __future__ import annotations

import functools
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.ports import free_port
from tests.waiting import wait_until


@functools.cache
def find_binaries() -> Path | None:
    """The folder that holds both initdb and postgres; `ODT_POSTGRES` names one."""
    candidates = [os.environ.get("ODT_POSTGRES", "")]
    found = shutil.which("initdb")
    candidates.append(str(Path(found).resolve().parent) if found else "")
    config = shutil.which("pg_config")
    if config:
        answer = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        candidates.append(answer.stdout.strip())
    candidates += sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    for folder in filter(None, candidates):
        if all(os.access(Path(folder) / name, os.X_OK) for name in ("initdb", "postgres")):
            return Path(folder)
    return None


class PostgresServer:
    """A cluster in a temporary folder, on loopback, with a password of its own."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="odt-pg-"))
        self.data = self.folder / "data"
        self.port = free_port()
        self.password = secrets.token_hex(8)
        # PostgreSQL refuses to run as root.
        self._user = _plain_user() if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        self._make()
        self.start()

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://odt:{self.password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [
                *(str(self._binaries / "postgres"), "-D", str(self.data)),
                *("-p", str(self.port), "-c", "listen_addresses=127.0.0.1"),
                *("-c", f"unix_socket_directories={self.folder}"),
                # These tests check the crash safety of the clients, not of the server itself.
                *("-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=60"),
            ],
            stdout=log,
            stderr=log,
            user=self._user,
            cwd=self.folder,
        )
        wait_until(self._is_up, complaint="the server did not start")

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.url(), connect_timeout=2).close()
            return True
        return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # "fast": clients are disconnected
            self._process.wait(30)
            self._process = None

    def execute(self, statement: str, url: str | None = None) -> None:
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _make(self) -> None:
        if self._user is not None:
            os.chown(self.folder, self._user, -1)
        secret = self.folder / "password"
        secret.write_text(self.password)
        if self._user is not None:
            os.chown(secret, self._user, -1)
        subprocess.run(
            [
                *(str(self._binaries / "initdb"), "-D", str(self.data), "-U", "odt"),
                *("--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"),
                *("-E", "UTF8", "--locale=C"),
            ],
            check=True,
            capture_output=True,
            user=self._user,
            cwd=self.folder,
        )


def _plain_user() -> int:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    return 65534
