"""A disk fills up under a running server: the pages say so, and store everything later."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from odt_core.data import SAMPLES
from odt_core.storage import LOCAL_OWNER, RunStatus, RunSummary, Store
from tests.browser.actions import SOLVED, begin_long_run, open_train
from tests.browser.server import run_dashboard
from tests.browser.window import Window
from tests.core.storage.helpers import fill
from tests.waiting import wait_until

UNSTORED = re.compile("^This result is not stored yet.*no room left")


def test_what_a_full_disk_keeps_out_says_so_by_itself_and_is_stored_once_there_is_room(
    open_window: Callable[..., Window], small_disk: Path, tmp_path: Path
) -> None:
    with run_dashboard(tmp_path, ODT_DATA_DIR=str(small_disk)) as server:
        window = open_window(at=server, width=1440)
        page = window.page
        said = page.get_by_text(UNSTORED)
        open_train(window, SAMPLES["tic-tac-toe"].csv(), "games.csv")
        begin_long_run(window)
        filler = fill(small_disk)
        page.locator(".st-key-train_cancel").get_by_role("button").click()
        expect(said).to_be_visible(timeout=SOLVED)
        window.settle()
        window.shoot("full-disk-train")

        page.get_by_role("link", name="Sensitivity").first.click()
        page.wait_for_url("**/sensitivity*")
        page.locator(".st-key-sens_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
        expect(said).to_be_visible()

        window.settle()
        window.click(page.get_by_text("Curves over many splits"))
        page.get_by_role("spinbutton", name="Splits").fill("2")
        window.until_asked(lambda: page.keyboard.press("Enter"))
        window.settle()
        page.get_by_role("button", name="Run the curves").click()
        expect(page.get_by_text(re.compile("2 splits in"))).to_be_visible(timeout=SOLVED)
        expect(said).to_be_visible()
        window.settle()
        window.shoot("full-disk-curves")

        filler.unlink()
        expect(said).to_have_count(0, timeout=SOLVED)
        with_room = Store(folder=small_disk)
        kinds = {"train", "frontier", "curve"}
        wait_until(lambda: {run.kind for run in done(with_room)} == kinds)
        with_room.close()


def done(store: Store) -> list[RunSummary]:
    runs = store.runs.list(LOCAL_OWNER).runs
    return [run for run in runs if run.status is RunStatus.DONE]
