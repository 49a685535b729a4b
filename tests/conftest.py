"""How the tests are divided among processes: ``pytest -n 3``.

Tests that use the same servers, workers or databases run in one process, which starts these once.
The tests of a file also run in one process and share its fixtures. The tests that take longest
start first, and single tests end the run, so that no process waits long for another.
"""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from tests.leftovers import dismiss, watch

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False)
settings.load_profile("repeatable")  # ``--hypothesis-profile random`` looks for new examples

# Most workers of the tests live for seconds. They load what their jobs need, and no more.
os.environ.setdefault("ODT_WARM_WORKERS", "0")
for name in ("ODT_DATABASE_URL", "ODT_DATA_DIR", "ODT_RETENTION_DAYS"):
    os.environ.pop(name, None)  # the tests have stores of their own

pytest_plugins = ("tests.databases",)

OWN_SERVERS = ("runs", "people", "full_disk", "installed", "sheets")
"""Browser tests that start servers of their own, or need none: ``test_<name>*.py``."""
SEVERAL_JOBS = ("compare", "path", "stability")
"""Tests of commands that share two workers: ``test_<name>.py``."""
UNITS = {
    **{f"tests/browser/test_{name}": "browser, servers of their own" for name in OWN_SERVERS},
    "tests/browser/": "browser, one server",
    "tests/core/jobs/": "workers and databases",
    "tests/core/storage/": "workers and databases",
    "tests/pages/": "pages",
    **{f"tests/core/cli/test_{name}": "commands, two workers" for name in SEVERAL_JOBS},
}
"""Folders and files whose tests stay together, in the order in which they begin."""
THEN = ("tests/core/cli/", "tests/core/test_package", "tests/core/")
"""Folders and files whose files stay together."""
LAST = ("tests/properties/", "tests/core/solvers/", "tests/core/search/")
"""Folders with tests that share little, each of which may go to any process."""

WATCHER = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make sure that nothing that this process starts outlives it."""
    config.stash[WATCHER] = watch()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the watcher, unless the run was interrupted: fixtures have ended what they started."""
    if exitstatus != pytest.ExitCode.INTERRUPTED:
        dismiss(session.config.stash[WATCHER])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude modules and tests from garbage collection: they stay for the whole run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_finish() -> None:
    """Give NumPy one thread: a second thread would only wait and use time."""
    threadpool_limits(1, user_api="blas")


def _unit_of(test: str) -> str:
    """The part that runs in one process: a unit, a file, or a single test."""
    alone = test if test.startswith(LAST) else test.partition("::")[0]
    return next((unit for folder, unit in UNITS.items() if test.startswith(folder)), alone)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests. The order of the units follows from this."""
    order = (*UNITS, *LAST, *THEN)

    def place(item: pytest.Item) -> tuple[bool, int]:
        at = (n for n, folder in enumerate(order) if item.nodeid.startswith(folder))
        return item.nodeid.startswith(LAST), next(at, len(order))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(
    config: pytest.Config, log: Callable[..., object]
) -> LoadScopeScheduling:
    """Hand out whole units (pytest's marks of groups are lost between it and xdist)."""
    from xdist.scheduler import LoadScopeScheduling

    class InUnits(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _unit_of(nodeid)

    config.option.loadscopereorder = False
    return InUnits(config, log)
