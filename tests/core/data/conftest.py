"""Helpers of the data room's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from odt_core.data import Table, read_table

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture
def shared() -> Callable[[str], Table]:
    """Read one of the paper's data sets, which lie beside the repository on some machines."""

    def read(name: str) -> Table:
        path = SHARED / name
        if not path.is_file():
            pytest.skip(f"the paper's data set {name} is not on this machine")
        return read_table(path)

    return read
