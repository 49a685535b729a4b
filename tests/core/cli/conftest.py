"""Files for the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from odt_core.data import SAMPLES


@pytest.fixture(scope="session")
def monks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All 432 robots of monks-1, as a CSV file."""
    path = tmp_path_factory.mktemp("cli") / "monks-1.csv"
    SAMPLES["monks-1"].load().frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def triage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated triage set, as a CSV file."""
    path = tmp_path_factory.mktemp("cli") / "triage.csv"
    path.write_bytes(SAMPLES["triage"].csv())
    return path


@pytest.fixture(autouse=True)
def _no_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command reads or writes the data of this computer's user."""
    path = tmp_path_factory.mktemp("store") / "odt.sqlite3"
    monkeypatch.setenv("ODT_DATABASE_URL", f"sqlite:///{path}")
