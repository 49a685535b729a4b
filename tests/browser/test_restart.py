"""The server is killed while a run goes on: after the restart its best tree is there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from odt_core.data import SAMPLES
from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from tests.browser.actions import begin_long_run, open_at, tick
from tests.browser.server import run_dashboard
from tests.browser.window import Window
from tests.ports import free_port
from tests.waiting import wait_until


def test_a_killed_server_keeps_the_best_tree(
    open_window: Callable[..., Window], tmp_path: Path
) -> None:
    port = free_port()
    with run_dashboard(tmp_path, port=port) as server:
        window = open_window(at=server, width=1440)
        open_at(window, "train", SAMPLES["tic-tac-toe"].csv(), "tic-tac-toe.csv")
        page = window.page
        begin_long_run(window)
        page.wait_for_url("**/train?data=*&run=*")
        run_id = page.url.split("run=")[1]
        store = Store(folder=server.data_dir)
        wait_until(lambda: store.runs.get(LOCAL_OWNER, run_id).best is not None)
        page.close()  # this does not stop the run
        os.kill(server.pid, signal.SIGKILL)

    with run_dashboard(tmp_path, port=port) as server:
        # before anybody visits: the server itself sees what the old one left
        wait_until(lambda: store.runs.summary(LOCAL_OWNER, run_id).status is RunStatus.INTERRUPTED)
        # a page that asks for news while there is no server says so on the console
        window.errors[:] = [error for error in window.errors if "disconnected" not in error]
        window = open_window(at=server, width=1440)
        page = window.page
        window.go("runs")
        tick(window, 0)
        chosen = page.locator(".st-key-runs_chosen_ones")
        expect(chosen.get_by_text("interrupted", exact=True)).to_be_visible()
        expect(chosen.get_by_text("Its best tree so far is below")).to_be_visible()
        expect(chosen.locator("svg g.node:visible").first).to_be_visible()
        window.shoot("runs-after-restart")
    store.close()
