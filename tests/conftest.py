"""How the tests are shared out among processes: ``pytest -n 2``.

Tests that use the same servers, workers or databases stay in one process, where these are started
once. What takes longest begins first, so that at the end no process waits long for another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False)
settings.load_profile("repeatable")  # ``--hypothesis-profile random`` looks for new examples

UNITS = {
    "tests/browser/": "browser",
    "tests/core/jobs/": "workers and databases",
    "tests/core/storage/": "workers and databases",
    "tests/pages/": "pages",
}
"""Folders whose tests stay together, in the order in which they begin."""
THEN = ("tests/properties/", "tests/core/solvers/", "tests/core/search/")
"""Folders with long tests, each of which may go to any process."""


def _unit_of(test: str) -> str:
    """What goes to one process as a whole: a unit, or a test by itself."""
    return next((unit for folder, unit in UNITS.items() if test.startswith(folder)), test)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests into their order, of which that of the units follows."""
    order = (*UNITS, *THEN)

    def place(item: pytest.Item) -> int:
        at = (n for n, folder in enumerate(order) if item.nodeid.startswith(folder))
        return next(at, len(order))

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
