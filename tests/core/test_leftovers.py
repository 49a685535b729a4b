"""A run of the tests that is interrupted or killed leaves no process behind."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from tests.leftovers import ROOT
from tests.waiting import wait_until

CODE = """
import subprocess, sys
from odt_core.processes import apart
from tests.leftovers import dismiss, watch

watcher = watch()
sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
print(subprocess.Popen(sleeper, stdout=subprocess.DEVNULL, **apart()).pid, flush=True)
sys.stdin.readline()
dismiss(watcher)
"""


def start() -> tuple[subprocess.Popen[str], psutil.Process]:
    """A process that is watched, and what it has started apart from itself."""
    parent = subprocess.Popen(
        [sys.executable, "-c", CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    assert parent.stdout is not None
    return parent, psutil.Process(int(parent.stdout.readline()))


def is_alive(process: psutil.Process) -> bool:
    """Whether a process runs. An ended process may wait long for its new parent to notice."""
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_what_a_killed_run_has_started_ends(end: str) -> None:
    parent, left = start()
    getattr(parent, end)()
    parent.wait()
    wait_until(lambda: not is_alive(left))


def test_a_run_that_ends_by_itself_is_not_watched_any_more() -> None:
    parent, left = start()
    parent.communicate("\n")
    assert parent.returncode == 0 and is_alive(left)
    left.kill()
