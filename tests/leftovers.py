"""Ends the processes that an interrupted or killed run of the tests leaves behind.

``python -m tests.leftovers MARK`` waits beside a pytest process until pytest says that it ends, or
until its standard input closes because pytest was killed. All processes that pytest has started
have the mark in their environment, so they are found even if they have another parent.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from odt_core.processes import apart

ROOT = Path(__file__).resolve().parents[1]
MARK = "ODT_TEST_RUN"
DONE = b"done"
MOST_TO_END = 5.0
"""Seconds that a process may take to end by itself before it is killed."""
COMPILING = "import warm_up"
"""In the command of the process that compiles the search. It ends by itself when it is done."""


def watch() -> subprocess.Popen[bytes]:
    """Mark all processes that this process starts from now on, and start the watcher."""
    mark = secrets.token_hex(8)
    watcher = subprocess.Popen(
        [sys.executable, "-m", "tests.leftovers", mark],
        stdin=subprocess.PIPE,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != MARK},
        **apart(),
    )
    os.environ[MARK] = mark
    return watcher


def dismiss(watcher: subprocess.Popen[bytes]) -> None:
    """Tell the watcher that this process has ended everything that it started."""
    watcher.communicate(DONE)


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            is_ours = process.environ().get(MARK) == mark
            if is_ours and COMPILING not in " ".join(process.cmdline()):
                found.append(process)
    return found


def main(mark: str) -> None:
    if sys.stdin.buffer.read() == DONE:
        return
    processes = _marked(mark)
    for process in processes:
        with suppress(psutil.Error):
            process.terminate()
    psutil.wait_procs(processes, timeout=MOST_TO_END)
    for process in _marked(mark):
        with suppress(psutil.Error):
            process.kill()


if __name__ == "__main__":
    main(sys.argv[1])
