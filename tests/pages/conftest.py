"""Launches the dashboard without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from odt_core.storage import LOCAL_OWNER
from pages.common.server import freeze_loaded_objects, store
from tests.runs import Maker
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


@pytest.fixture(scope="session", autouse=True)
def server() -> Iterator[None]:
    """What a server does before its first visitor; see `pages.common.server.warm_up`.

    A server looks once through all installed packages for components, and compiles each page once.
    ``AppTest`` would look again for each session, and compile again for each run. It would also ask
    a thousand times a second whether a script has ended, and read all its messages each time.
    """
    freeze_loaded_objects()
    with pytest.MonkeyPatch.context() as patch:
        scan = "scan_component_manifests"
        patch.setattr(manifest_scanner, scan, cache(getattr(manifest_scanner, scan)))
        compiled = cache(ScriptCache)
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_script)
        yield


def wait_for_script(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait until a script has ended, and stop it if it takes too long."""
    try:
        wait_until(runner.script_stopped, timeout, "the script did not end")
    except AssertionError:
        runner.request_stop()
        raise


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the one server that all sessions of the tests share."""
    return tmp_path_factory.mktemp("server") / "data"


@pytest.fixture
def launch(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    """Starts sessions of the dashboard."""
    monkeypatch.setenv("ODT_DATA_DIR", str(data_folder))
    monkeypatch.chdir(ROOT)

    def start() -> AppTest:
        session = AppTest.from_file(
            str(ROOT / "pages" / "dashboard.py"), default_timeout=SECONDS
        ).run()
        assert not session.exception
        return session

    return start


@pytest.fixture
def maker(launch: Callable[[], AppTest]) -> Maker:
    """Puts runs into the store that the pages read, emptied first."""
    launch()
    for record in store().datasets.list(LOCAL_OWNER):
        store().datasets.delete(LOCAL_OWNER, record.sha256)
    return Maker(store())


@pytest.fixture
def app(launch: Callable[[], AppTest]) -> AppTest:
    """A session that has just been opened: the Data page without a data set."""
    return launch()
