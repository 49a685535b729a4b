"""Launches the dashboard without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


@pytest.fixture
def launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    """Starts sessions of the dashboard, with a data folder of the test's own."""
    from pages.common.server import upload_store

    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(ROOT)
    upload_store.clear()

    def start() -> AppTest:
        session = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).run()
        assert not session.exception
        return session

    return start


@pytest.fixture
def app(launch: Callable[[], AppTest]) -> AppTest:
    """A session that has just been opened: the Data page without a data set."""
    return launch()
