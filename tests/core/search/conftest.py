"""What tests of the search share: the compiled primitives."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from odt_core.solvers.search import twins
from odt_core.solvers.search.loader import loader, warm_up


@pytest.fixture(scope="session")
def kernels() -> SimpleNamespace:
    """The compiled primitives. They are compiled here if nothing has done so yet."""
    warm_up()
    assert not loader.waiting
    return loader.primitives()


@pytest.fixture(scope="session")
def plain() -> SimpleNamespace:
    """The twins, without the primitives that have none."""
    return SimpleNamespace(**vars(twins))
