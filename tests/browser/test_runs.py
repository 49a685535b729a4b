"""The Runs page in a real browser: tick, open, compare, rename, export, import, delete."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from odt_core.storage import LOCAL_OWNER, RunQuery, RunStatus, Store
from odt_core.topology import Topology
from tests.browser.actions import click_cell, open_menu, press, tick
from tests.browser.server import Server, run_dashboard
from tests.browser.window import BOTH_WIDTHS, Window
from tests.runs import Maker, queue_long_run
from tests.waiting import wait_until

Opener = Callable[..., Window]

EVIL = '<img src=x onerror="alert(1)"> **bold** ![x](http://evil.example/x.png) $x$ :red[r]'


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Maker]]:
    """A server that starts after another was killed: the last four runs before that have trees."""
    folder = tmp_path_factory.mktemp("history")
    with run_dashboard(folder) as killed:
        store = Store(folder=killed.data_dir, lease=600)
        run = queue_long_run(store, name="Killed")
        wait_until(lambda: store.runs.get(LOCAL_OWNER, run.id).best is not None)
        os.kill(killed.pid, signal.SIGKILL)
    maker = Maker(store)
    maker.failed("The solver's process ended unexpectedly: train again.", name="Broken")
    maker.interrupted(name="Night run")
    maker.done(name="Shallow", note="the first")
    maker.done(name="Deeper", topology=Topology.parse("depth-2"), max_card=1, time_limit=33.0)
    maker.done(name=EVIL, note=EVIL, topology=Topology.parse("((. .) .)"))
    assert store.runs.summary(LOCAL_OWNER, run.id).status is RunStatus.RUNNING
    with run_dashboard(folder) as server:
        # before anybody visits: the server itself sees what the old one left
        wait_until(lambda: store.runs.summary(LOCAL_OWNER, run.id).status is RunStatus.INTERRUPTED)
        yield server, maker
    store.close()


@pytest.fixture
def runs(history: tuple[Server, Maker], open_window: Opener) -> Window:
    window = open_window(at=history[0], width=1440)
    window.go("runs")
    return window


def search(window: Window, words: str) -> None:
    field = window.page.get_by_role("textbox", name="Search")
    field.fill(words)
    window.until_asked(lambda: field.press("Enter"))
    window.settle()


def test_a_killed_server_keeps_the_best_tree(runs: Window) -> None:
    search(runs, "killed")
    tick(runs, 0)
    chosen = runs.page.locator(".st-key-runs_chosen_ones")
    expect(chosen.get_by_text("interrupted", exact=True)).to_be_visible()
    expect(chosen.get_by_text("Its best tree so far is below")).to_be_visible()
    expect(chosen.locator("svg g.node:visible").first).to_be_visible()
    runs.shoot("runs-after-restart")


def test_opening_a_run_brings_its_settings_and_tree_and_so_does_a_reload(runs: Window) -> None:
    page = runs.page
    search(runs, "deeper")
    click_cell(runs, 0, 214)  # Open, the column after the name
    page.wait_for_url("**/train?data=*&run=*")

    def is_there() -> None:
        page.locator(".st-key-train_tree svg g.node:visible").first.wait_for()
        expect(page.get_by_role("radio", name="Depth-2", exact=True)).to_be_checked()
        most = page.get_by_role("spinbutton", name="Largest set of categories")
        expect(most).to_have_value("1")
        limit = page.get_by_role("spinbutton", name=re.compile("Time limit"))
        expect(limit).to_have_value("33")
        expect(page.get_by_text("was trained before you changed")).to_have_count(0)

    is_there()
    page.reload()
    runs.settle()
    is_there()
    asked = page.url.split("?")[1]
    page.get_by_role("link", name="Runs", exact=True).first.click()
    page.wait_for_url("**/runs?data=*&run=*")
    assert page.url.split("?")[1] == asked, "the address goes along"


def test_the_table_is_still_the_same_when_nothing_runs_any_more(
    history: tuple[Server, Maker], open_window: Opener
) -> None:
    """A table that is made again loses a tick that the browser has not sent yet."""
    dashboard, maker = history
    run, server, best = maker.with_a_tree(name="Almost over")
    window = open_window(at=dashboard, width=1440)
    window.go("runs")
    tick(window, 0)
    page = window.page
    table = page.get_by_test_id("stDataFrame").first
    chosen = page.locator(".st-key-runs_chosen_ones")
    for part in (table, chosen):
        expect(part.get_by_text("running", exact=True)).to_have_count(1)
    expect(chosen.get_by_text("this is its best tree so far")).to_be_visible()
    table.evaluate("table => { window.tableBefore = table }")
    window.until_answered(4)  # the table was drawn again, and the tick stays
    expect(chosen.get_by_text("running", exact=True)).to_be_visible()
    window.shoot("runs-live", whole=False)
    window.until_asked(chosen.get_by_role("button", name="Stop").click)
    wait_until(lambda: run.id in maker.store.queue.requests(server, [run.id]).cancel)
    maker.stop(run, server, best)
    for part in (table, chosen):
        expect(part.get_by_text("stopped early", exact=True)).to_have_count(1)
    window.settle()
    expect(chosen.locator("svg g.node:visible").first).to_be_visible()
    assert table.evaluate("table => table === window.tableBefore")
    expect(chosen.get_by_text("Almost over").first).to_be_visible()
    maker.store.runs.delete(maker.owner, [run.id])


def test_a_run_is_renamed_and_deleting_it_asks_first(
    runs: Window, history: tuple[Server, Maker]
) -> None:
    page, (_, maker) = runs.page, history
    search(runs, "broken")
    tick(runs, 0)
    chosen = page.locator(".st-key-runs_chosen_ones")
    expect(chosen.get_by_text("ended unexpectedly").first).to_be_visible()
    press(runs, "runs_rename")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Renamed *one*")
    dialog.get_by_role("textbox", name="Note").fill("still broken\nxyzzy")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    runs.settle()
    expect(chosen.get_by_text("Renamed *one*").first).to_be_visible()

    def renamed() -> list[str]:
        return [run.name for run in maker.store.runs.list(LOCAL_OWNER, RunQuery("XYZZY")).runs]

    press(runs, "runs_delete")
    runs.click(dialog.get_by_role("button", name="Keep"))
    assert renamed() == ["Renamed *one*"]
    press(runs, "runs_delete")
    runs.click(dialog.get_by_role("button", name="Delete 1 run"))
    expect(page.get_by_text("No run matches")).to_be_visible()
    assert renamed() == []


def test_a_run_goes_out_as_a_file_and_comes_in_again(
    runs: Window, history: tuple[Server, Maker], tmp_path: Path
) -> None:
    page, (_, maker) = runs.page, history
    search(runs, "deeper")
    tick(runs, 0)
    open_menu(runs, "runs_export")
    with page.expect_download() as download:
        page.get_by_role("button", name="With the data", exact=True).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert json.loads(file.read_text())["format"] == "odt-run"
    page.keyboard.press("Escape")
    before = maker.store.runs.list(LOCAL_OWNER).total
    open_menu(runs, "runs_import")
    page.set_input_files(".st-key-runs_import_0 [data-testid=stFileUploaderDropzoneInput]", file)
    expect(page.get_by_text("Imported Deeper")).to_be_visible()
    assert maker.store.runs.list(LOCAL_OWNER).total == before + 1


@pytest.mark.parametrize(("theme", "widths"), BOTH_WIDTHS)
def test_up_to_four_runs_side_by_side_look_right(
    history: tuple[Server, Maker], open_window: Opener, theme: str, widths: tuple[int, int]
) -> None:
    window = open_window(at=history[0], theme=theme, width=widths[0])
    window.go("runs")
    page = window.page
    now = list(widths)

    def shoot(name: str, *, whole: bool = True) -> None:
        for width in now:
            window.widen(width)
            assert window.overhang() == 0, "the page scrolls sideways"
            window.shoot(f"{name}-{theme}-{width}", whole=whole)
        now.reverse()

    shoot("runs")
    trees = page.locator("[class*=st-key-runs_tree_] .stGraphVizChart")
    for row in range(4):  # the effect of each tick is seen before the next
        tick(window, row)
        expect(trees).to_have_count(row + 1)
        if row == 0:
            shoot("runs-one")
    expect(page.get_by_text("Settings", exact=True)).to_be_visible()
    table = page.get_by_role("table", name=re.compile("Metrics with 95% intervals"))
    expect(table.get_by_role("row").first.get_by_role("columnheader")).to_have_count(4)
    expect(page.get_by_role("img", name="x")).to_have_count(0)
    assert page.evaluate("document.querySelectorAll('img[src*=evil], img[src=x]').length") == 0
    shoot("runs-four")
    press(window, "runs_stored")
    shoot("stored", whole=False)
