"""The server is killed while a run goes on: after the restart its best tree is there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from tests.browser.actions import tick
from tests.browser.server import run_dashboard
from tests.browser.window import Window
from tests.runs import queue_long_run
from tests.waiting import wait_until


def test_a_killed_server_keeps_the_best_tree(
    open_window: Callable[..., Window], tmp_path: Path
) -> None:
    with run_dashboard(tmp_path) as server:
        store = Store(folder=server.data_dir)
        run = queue_long_run(store)
        wait_until(lambda: store.runs.get(LOCAL_OWNER, run.id).best is not None)
        os.kill(server.pid, signal.SIGKILL)

    with run_dashboard(tmp_path) as server:
        # before anybody visits: the server itself sees what the old one left
        wait_until(lambda: store.runs.summary(LOCAL_OWNER, run.id).status is RunStatus.INTERRUPTED)
        window = open_window(at=server, width=1440)
        window.go("runs")
        tick(window, 0)
        chosen = window.page.locator(".st-key-runs_chosen_ones")
        expect(chosen.get_by_text("interrupted", exact=True)).to_be_visible()
        expect(chosen.get_by_text("Its best tree so far is below")).to_be_visible()
        expect(chosen.locator("svg g.node:visible").first).to_be_visible()
        window.shoot("runs-after-restart")
    store.close()
