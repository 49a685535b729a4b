"""The Runs page in a real browser: tick, open, compare, rename, repeat, export, import, delete."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from odt_core.storage import LOCAL_OWNER, Ending, RunQuery, RunStatus, Store
from odt_core.topology import Topology
from tests.browser.actions import SOLVED, click_cell, open_menu, press, tick
from tests.browser.server import Server, run_dashboard
from tests.browser.window import BOTH_WIDTHS, Window
from tests.runs import Maker
from tests.waiting import wait_until

Opener = Callable[..., Window]

EVIL = '<img src=x onerror="alert(1)"> **bold** ![x](http://evil.example/x.png) $x$ :red[r]'


@pytest.fixture(scope="module")
def history(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[tuple[Server, Maker]]:
    """A server whose store has runs from before it started, and which somebody has opened."""
    folder = tmp_path_factory.mktemp("history")
    store = Store(folder=folder / "data")
    maker = Maker(store)
    maker.interrupted(name="Night run")
    maker.failed("The solver's process ended unexpectedly: train again.", name="Broken")
    maker.done(name="Shallow", note="the first")
    maker.done(name="Deeper", topology=Topology.parse("depth-2"), max_card=1, time_limit=33.0)
    maker.done(name=EVIL, note=EVIL, topology=Topology.parse("((. .) .)"))
    with run_dashboard(folder) as server:
        page = browser.new_page()
        page.goto(server.url)
        page.get_by_text("Which data should the tree learn from?").wait_for()
        page.close()
        yield server, maker


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


def test_opening_a_run_brings_its_data_settings_and_tree_and_so_does_a_reload(
    runs: Window, history: tuple[Server, Maker], open_window: Opener
) -> None:
    page = runs.page
    search(runs, "deeper")
    click_cell(runs, 0, 214)  # Open, the column after the name
    page.wait_for_url("**/train?data=*&run=*")
    drawn = page.locator(".st-key-train_tree svg g.node:visible")
    drawn.first.wait_for()
    expect(page.get_by_role("radio", name="Depth-2", exact=True)).to_be_checked()
    expect(page.get_by_role("spinbutton", name="Largest set of categories")).to_have_value("1")
    expect(page.get_by_role("spinbutton", name=re.compile("Time limit"))).to_have_value("33")
    expect(page.get_by_text("was trained before you changed")).to_have_count(0)

    page.reload()
    runs.settle()
    drawn.first.wait_for()
    expect(page.get_by_role("spinbutton", name=re.compile("Time limit"))).to_have_value("33")
    expect(page.get_by_text("was trained before you changed")).to_have_count(0)
    address = page.url

    page.get_by_role("link", name="Sensitivity").first.click()
    page.wait_for_url("**/sensitivity?data=*&run=*")
    # a frontier that the page finds on opening is named after what goes along
    assert page.url.split("?")[1].startswith(address.split("?")[1]), "the address goes along"

    other = open_window(at=history[0], theme="dark")
    other.page.goto(address)
    other.settle()
    other.page.locator(".st-key-train_tree svg g.node:visible").first.wait_for()
    expect(other.page.get_by_text("ward.csv").first).to_be_visible()


def test_columns_and_split_survive_a_reload(
    history: tuple[Server, Maker], open_window: Opener
) -> None:
    window = open_window(at=history[0])
    window.go()
    page = window.page
    window.click(page.get_by_role("button", name="Use this sample").nth(3))
    expect(page.get_by_text(re.compile("345 training rows"))).to_be_visible()
    window.click(page.get_by_text("All rows train"))
    expect(page.get_by_text(re.compile("432 training rows"))).to_be_visible()
    page.wait_for_url("**/?data=*")
    page.reload()
    window.settle()
    expect(page.get_by_text(re.compile("432 training rows"))).to_be_visible()


@pytest.mark.parametrize("address", ["?run=", "train?data=", "sensitivity?frontier="])
def test_an_unknown_id_shows_nothing_and_a_way_on(
    history: tuple[Server, Maker], open_window: Opener, address: str
) -> None:
    window = open_window(at=history[0])
    window.go(address + "f" * 32)
    said = window.page.get_by_text(re.compile("There is no such (run|data set) here"))
    expect(said).to_be_visible()
    window.page.get_by_role("link", name="See your runs").click()
    window.page.wait_for_url("**/runs*")
    expect(window.page.get_by_text("There is no such")).to_have_count(0)


def test_an_interrupted_run_shows_its_best_tree_and_runs_again_with_one_click(
    runs: Window, history: tuple[Server, Maker]
) -> None:
    page, (_, maker) = runs.page, history
    search(runs, "night")
    tick(runs, 0)
    expect(page.get_by_text("Its best tree so far is below")).to_be_visible()
    page.locator("[class*=st-key-runs_tree_] svg g.node:visible").first.wait_for()
    press(runs, "runs_again")
    chosen = page.locator(".st-key-runs_chosen_ones")  # the table holds the words out of sight
    expect(chosen.get_by_text("proved optimal").first).to_be_visible(timeout=SOLVED)
    repeated, *_, first = maker.store.runs.list(LOCAL_OWNER, RunQuery(search="night")).runs
    assert repeated.rerun_of == first.id and repeated.status is RunStatus.DONE


def test_up_to_four_runs_side_by_side(runs: Window) -> None:
    page = runs.page
    search(runs, "ward")
    page.get_by_role("combobox", name="What").click()  # leaves out frontiers: they have no tree
    runs.until_asked(page.get_by_role("option", name="Tree", exact=True).click)
    page.keyboard.press("Escape")
    runs.click(page.get_by_test_id("stButtonGroup").get_by_text("Done"))
    for row in range(3):  # the effect of each tick is seen before the next
        tick(runs, row)
        trees = page.locator("[class*=st-key-runs_tree_] .stGraphVizChart")
        expect(trees).to_have_count(row + 1)
    expect(page.get_by_text("Settings", exact=True)).to_be_visible()
    table = page.get_by_role("table", name=re.compile("Metrics with 95% intervals"))
    expect(table.get_by_role("row").first.get_by_role("columnheader")).to_have_count(3)
    expect(page.get_by_role("img", name="x")).to_have_count(0)
    assert page.evaluate("document.querySelectorAll('img[src*=evil], img[src=x]').length") == 0
    for theme_width in (1440, 1024):
        page.set_viewport_size({"width": theme_width, "height": 900})
        runs.settle()
        assert page.evaluate("document.body.scrollWidth") <= theme_width, "nothing sticks out"


def test_the_table_is_still_the_same_when_nothing_runs_any_more(
    runs: Window, history: tuple[Server, Maker]
) -> None:
    """A table that is made again loses a tick that the browser has not sent yet."""
    page, (_, maker) = runs.page, history
    run, server = maker.running(name="Almost over")
    runs.go("runs")
    table = page.get_by_test_id("stDataFrame").first
    running = table.get_by_text("running", exact=True)
    expect(running).to_have_count(1)
    table.evaluate("table => { window.tableBefore = table }")
    maker.store.queue.end(server, run.id, Ending(RunStatus.CANCELLED))
    maker.store.queue.leave(server)
    expect(running).to_have_count(0)
    runs.settle()
    assert table.evaluate("table => table === window.tableBefore")
    maker.store.runs.delete(maker.owner, [run.id])


def test_name_and_note_are_kept_and_found(runs: Window) -> None:
    page = runs.page
    search(runs, "shallow")
    tick(runs, 0)
    press(runs, "runs_rename")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Renamed *one*")
    dialog.get_by_role("textbox", name="Note").fill("line one\nxyzzy")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    runs.settle()
    chosen = page.locator(".st-key-runs_chosen_ones")
    expect(chosen.get_by_text("Renamed *one*").first).to_be_visible()
    search(runs, "XYZZY")
    expect(page.get_by_text("1 run", exact=True)).to_be_visible()


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
    page.set_input_files(
        ".st-key-runs_import_0 [data-testid=stFileUploaderDropzoneInput]",
        {"name": "bad.json", "mimeType": "application/json", "buffer": b"{}"},
    )
    expect(page.get_by_text("not an exported run")).to_be_visible()
    page.set_input_files(".st-key-runs_import_0 [data-testid=stFileUploaderDropzoneInput]", file)
    expect(page.get_by_text("Imported Deeper")).to_be_visible()
    assert maker.store.runs.list(LOCAL_OWNER).total == before + 1


def test_deleting_runs_asks_first(runs: Window, history: tuple[Server, Maker]) -> None:
    page, (_, maker) = runs.page, history
    search(runs, "broken")
    tick(runs, 0)
    expect(page.get_by_text("ended unexpectedly").first).to_be_visible()
    press(runs, "runs_delete")
    runs.click(page.get_by_role("dialog").get_by_role("button", name="Keep"))
    assert "Broken" in {run.name for run in maker.store.runs.list(LOCAL_OWNER).runs}
    press(runs, "runs_delete")
    runs.click(page.get_by_role("dialog").get_by_role("button", name="Delete 1 run"))
    expect(page.get_by_text("No run matches")).to_be_visible()
    assert "Broken" not in {run.name for run in maker.store.runs.list(LOCAL_OWNER).runs}


def test_a_data_set_goes_with_everything_made_from_it_and_off_the_disk(
    history: tuple[Server, Maker], open_window: Opener
) -> None:
    server, maker = history
    secret = "Zzyzx-Quarantaine"
    content = f"pain,ill\n{secret},yes\nnone,no\n".encode() + b"mild,yes\nnone,no\n" * 20
    run = Maker(maker.store, content=content, name="secret.csv").done()
    window = open_window(at=server)
    window.go(f"train?data={run.dataset}&run={run.id}")
    page = window.page
    page.locator(".st-key-train_tree svg g.node:visible").first.wait_for()
    assert secret.encode() in _everything(server.data_dir)
    window.click(page.get_by_role("link", name="Data", exact=True).first)
    open_menu(window, "data_remove")
    expect(page.get_by_text(re.compile("1 run.* made from it"))).to_be_visible()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Which data should the tree learn from?")).to_be_visible()
    window.settle()
    assert "secret.csv" not in {record.name for record in maker.store.datasets.list(LOCAL_OWNER)}
    wait_until(lambda: secret.encode() not in _everything(server.data_dir))
    assert "data=" not in page.url and "run=" not in page.url


def _everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_retention_is_set_in_words(runs: Window, history: tuple[Server, Maker]) -> None:
    page, (_, maker) = runs.page, history
    press(runs, "runs_stored")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Nothing is deleted unless you delete it.")).to_be_visible()
    dialog.get_by_role("combobox").first.click()
    page.get_by_role("option", name="90 days").click()
    expect(dialog.get_by_text(re.compile("not used for 90 days is deleted"))).to_be_visible()
    assert maker.store.retention(LOCAL_OWNER) == 90
    maker.store.set_retention(LOCAL_OWNER, None)


@pytest.mark.parametrize(("theme", "widths"), BOTH_WIDTHS)
def test_it_looks_right(
    history: tuple[Server, Maker], open_window: Opener, theme: str, widths: tuple[int, int]
) -> None:
    window = open_window(at=history[0], theme=theme, width=widths[0])
    window.go("runs")

    def shoot(name: str) -> None:
        for width in widths:
            window.widen(width)
            assert window.overhang() == 0, "the page scrolls sideways"
            window.shoot(f"{name}-{theme}-{width}")

    shoot("runs")
    tick(window, 0)
    shoot("runs-one")
    tick(window, 1, 2, 3)
    shoot("runs-four")
    press(window, "runs_stored")
    for width in widths[::-1]:
        window.widen(width)
        assert window.overhang() == 0, "the page scrolls sideways"
        window.shoot(f"stored-{theme}-{width}", whole=False)
