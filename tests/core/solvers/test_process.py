"""The solving process: kept warm, killed when asked, replaced after a crash, never left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial

import psutil
import pytest

from odt_core.errors import SolverError
from odt_core.solution import Engine, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip import process
from tests.core.solvers.problems import easy_problem, hard_problem
from tests.waiting import wait_until

BRIEFLY = 20.0
"""Seconds to wait for something that happens at once on an idle machine."""
AT_WORK = 0.5
"""Seconds of work after which a solving process has started and begun a hard problem."""


@pytest.fixture(autouse=True)
def _no_child_before_or_after() -> Iterator[None]:
    process.end_idle_child()
    yield
    process.end_idle_child()
    wait_until(lambda: not children(), BRIEFLY)


def children(of: int | None = None) -> list[psutil.Process]:
    """The solving processes that a process has started."""
    found = []
    for child in psutil.Process(of).children():
        try:
            if child.status() != psutil.STATUS_ZOMBIE and any(
                "odt_core.solvers.mip.child" in part for part in child.cmdline()
            ):
                found.append(child)
        except psutil.NoSuchProcess:
            pass
    return found


def has_ended(thread: threading.Thread) -> bool:
    """Whether the system has ended a thread, too."""
    return thread.native_id not in {each.id for each in psutil.Process().threads()}


def is_at_work(child: psutil.Process) -> bool:
    times = child.cpu_times()
    return float(times.user + times.system) > AT_WORK


@pytest.mark.parametrize("engine", [Engine.CBC, Engine.HIGHS])
def test_one_child_is_kept_warm_and_used_again(engine: Engine) -> None:
    solve(easy_problem(), engine=engine)
    (first,) = children()
    solve(easy_problem(), engine=engine)
    assert children() == [first]


def test_highs_gets_a_new_child_for_another_number_of_threads() -> None:
    solve(easy_problem(), engine=Engine.HIGHS, control=Control(threads=1))
    (first,) = children()
    solve(easy_problem(), engine=Engine.HIGHS, control=Control(threads=2))
    (second,) = children()
    assert second != first


def test_a_stopped_child_is_gone() -> None:
    asked_at = time.perf_counter() + 0.5
    solve(
        hard_problem(),
        engine=Engine.CBC,
        control=Control(should_stop=lambda: time.perf_counter() > asked_at),
    )
    assert children() == []


def test_a_child_serves_threads_that_come_and_go() -> None:
    statuses = []
    for _ in range(2):
        thread = threading.Thread(
            target=lambda: statuses.append(solve(easy_problem(), engine=Engine.CBC).status)
        )
        thread.start()
        thread.join()
        wait_until(partial(has_ended, thread), BRIEFLY)
    assert statuses == [Status.OPTIMAL] * 2
    assert len(children()) == 1


def test_two_solves_at_once() -> None:
    statuses = []
    threads = [
        threading.Thread(
            target=lambda: statuses.append(solve(easy_problem(), engine=Engine.CBC).status)
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [Status.OPTIMAL] * 3
    assert len(children()) <= 1


# CBC's handlers of SIGSEGV and SIGABRT ask for a stack trace, which may wait for ever for a lock
@pytest.mark.parametrize("number", [signal.SIGBUS, signal.SIGKILL])
def test_a_crash_is_an_error_that_names_the_exit_and_the_next_solve_works(
    number: signal.Signals,
) -> None:
    def crash() -> None:
        wait_until(lambda: len(children()) == 1, BRIEFLY)
        (child,) = children()
        wait_until(lambda: is_at_work(child), BRIEFLY)
        child.send_signal(number)

    thread = threading.Thread(target=crash)
    thread.start()
    with pytest.raises(SolverError, match=f"CBC was killed by {number.name}"):
        solve(hard_problem(), engine=Engine.CBC, control=Control(30))
    thread.join()
    assert solve(easy_problem(), engine=Engine.CBC).status is Status.OPTIMAL


def test_a_warm_child_that_has_died_is_replaced() -> None:
    solve(easy_problem(), engine=Engine.CBC)
    (child,) = children()
    child.kill()
    child.wait()
    assert solve(easy_problem(), engine=Engine.CBC).status is Status.OPTIMAL


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_dies_with_its_parent_while_it_solves(how: int) -> None:
    code = """
from odt_core.solution import Engine
from odt_core.solvers import solve
from tests.core.solvers.problems import hard_problem
solve(hard_problem(), engine=Engine.CBC)
"""
    parent = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_until(lambda: len(children(parent.pid)) == 1, BRIEFLY)
        (child,) = children(parent.pid)
        wait_until(lambda: is_at_work(child), BRIEFLY)
        assert child.is_running()
    finally:
        parent.send_signal(how)
        parent.wait()
    wait_until(lambda: not child.is_running(), BRIEFLY)


def test_a_file_called_mip_in_the_current_folder_is_not_imported(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mip.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert solve(easy_problem(), engine=Engine.CBC).status is Status.OPTIMAL
