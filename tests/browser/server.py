"""A dashboard that runs for a test, on a port of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    url: str
    data_dir: Path
    log: Path
    pid: int


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    def is_up() -> bool:
        assert process.poll() is None, f"the dashboard did not start:\n{log.read_text()}"
        with suppress(OSError):
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
            return True
        return False

    wait_until(is_up, complaint="the dashboard did not start")


@contextmanager
def run_dashboard(
    folder: Path,
    *,
    port: int | None = None,
    below: str = "",
    command: Sequence[str] = (sys.executable, "-m", "streamlit", "run", "app.py"),
    cwd: Path = ROOT,
    **settings: str,
) -> Iterator[Server]:
    """The dashboard on a port of its own, with its data in a folder.

    Parameters
    ----------
    folder : Path
        For its data and its log.
    port : int, optional
        A free one by default.
    below : str
        The path of its address, such as ``/trees``.
    command : sequence of str
        What starts it; Streamlit's options follow.
    cwd : Path
        Where it is started.
    settings
        Environment variables.
    """
    log = folder / "server.log"
    port = port or free_port()
    url = f"http://localhost:{port}{below}"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, "--server.port", str(port), "--server.headless", "true"]
            + ["--server.fileWatcherType", "none"],
            cwd=cwd,
            env={
                **os.environ,
                "ODT_DATA_DIR": str(folder / "data"),
                "STREAMLIT_SERVER_BASE_URL_PATH": below,
                **settings,
            },
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_up(url, process, log)
            yield Server(url, folder / "data", log, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
