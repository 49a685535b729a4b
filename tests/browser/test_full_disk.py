"""A disk fills up under a running server: the pages say so, and store everything later."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from tests.browser.actions import SOLVED
from tests.browser.server import run_dashboard
from tests.browser.window import Window
from tests.core.storage.helpers import fill
from tests.runs import queue_long_run
from tests.waiting import wait_until

UNSTORED = re.compile("^This result is not stored yet.*no room left")


def test_what_a_full_disk_keeps_out_says_so_by_itself_and_is_stored_once_there_is_room(
    open_window: Callable[..., Window], small_disk: Path, tmp_path: Path
) -> None:
    with run_dashboard(tmp_path, ODT_DATA_DIR=str(small_disk)) as server:
        store = Store(folder=small_disk)
        run = queue_long_run(store)
        window = open_window(at=server, width=1440)
        window.go(f"train?run={run.id}")
        page = window.page
        said = page.get_by_text(UNSTORED)
        expect(page.get_by_text(re.compile("^Best tree so far"))).to_be_visible(timeout=SOLVED)
        filler = fill(small_disk)
        page.locator(".st-key-train_cancel").get_by_role("button").click()
        expect(said).to_be_visible(timeout=SOLVED)
        window.settle()
        window.shoot("full-disk-train")

        filler.unlink()
        expect(said).to_have_count(0, timeout=SOLVED)
        page.close()  # it would ask for the server after the end
        wait_until(lambda: store.runs.summary(LOCAL_OWNER, run.id).status is RunStatus.DONE)
        store.close()
