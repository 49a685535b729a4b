"""The Sensitivity page in a real browser: slider, click on a point, comparison, adoption, files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from odt_core import MADE_BY
from odt_core.data import SAMPLES
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, RunQuery, Store
from odt_core.topology import Topology
from tests.browser.actions import SOLVED, open_at, patients, press, tick
from tests.browser.window import LOOKS, Look, Window, contrast
from tests.runs import Maker, ward

Opener = Callable[..., Window]

TIME_STEP = """() => {
  const shown = () => [...document.querySelectorAll("td")]
    .find((cell) => cell.innerText.includes("true positives"))?.innerText
  const old = shown()
  window.stepped = new Promise((done) => {
    document.addEventListener("keydown", () => {
      const began = performance.now()
      const look = () => {
        const now = shown()
        if (now === undefined || now === old) return
        seen.disconnect()
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
      }
      const seen = new MutationObserver(look)
      seen.observe(document.body, { subtree: true, childList: true, characterData: true })
    }, { once: true, capture: true })
  })
}"""
"""Takes the milliseconds from the next key to the paint of other numbers.

In the page, since a test looks only after 0, 0.1, 0.35 and 0.85 s.
"""


def find_frontier(window: Window) -> None:
    """Wait for the frontier of a small data set, which the page finds as it opens."""
    drawn_tree(window.page)
    window.until_still()


def drawn_tree(page: Page, key: str = "sens_tree") -> None:
    """Wait until a tree is drawn."""
    page.locator(f".st-key-{key} svg g.node:visible").first.wait_for(timeout=SOLVED)


def shown(page: Page) -> list[int]:
    """The counts of the 2x2 tables: tp, fp, fn, tn of training, then of test."""
    cells = page.locator("td:has-text('positives'), td:has-text('negatives')").all_inner_texts()
    return [int(re.findall(r"[\d,]+", cell)[0].replace(",", "")) for cell in cells]


def step(page: Page, key: str) -> float:
    """Press a key on the slider; the seconds until the training table shows other numbers."""
    training = page.locator("td:has-text('true positives')").first
    old = training.inner_text()
    page.evaluate(TIME_STEP)
    page.keyboard.press(key)
    expect(training).not_to_have_text(old, use_inner_text=True)
    return float(page.evaluate("window.stepped")) / 1000


@pytest.mark.parametrize("look", LOOKS)
def test_files_slider_click_and_comparison(open_window: Opener, look: Look) -> None:
    width = dict(look)["light"]
    window = open_window(width=width)
    open_at(window, "sensitivity", SAMPLES["breast-cancer"].csv(), "breast-cancer.csv")
    find_frontier(window)
    page = window.page
    assert_it_looks_right(window, f"sensitivity-light-{width}")
    expect(page.get_by_text(re.compile("best trade-offs in .* no other exists"))).to_be_visible()
    before = shown(page)
    assert sum(before[:4]) == 455 and sum(before[4:]) == 114
    check_files(window)
    window.settle()

    page.get_by_role("slider").focus()
    seconds = [step(page, key) for key in ("ArrowRight", "ArrowLeft", "ArrowRight")]
    print("steps of the slider to new numbers:", ", ".join(f"{s:.2f} s" for s in seconds))
    window.settle()
    stepped = shown(page)
    assert stepped[0] > before[0] and stepped[1] >= before[1], "sensitivity rises to the right"

    page.get_by_text("Leaves", exact=True).click()
    leaves = page.get_by_role("table", name=re.compile("^The leaves"))
    expect(leaves).to_be_visible()
    old = leaves.inner_text()
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(leaves).not_to_have_text(old, use_inner_text=True)
    expect(leaves).to_be_visible()
    window.settle()

    window.click(page.locator(".js-plotly-plot .points path").nth(0), force=True)
    assert shown(page)[2] == 0, "the first point misses no one"
    floor = page.get_by_role("textbox", name="Floor, in %")
    expect(floor).to_have_value("95")
    window.click(page.get_by_role("button", name="Back to the floor"))
    assert shown(page)[2] > 0
    window.click(page.locator(".js-plotly-plot .points path").nth(2), force=True)

    window.click(page.get_by_role("button", name="Compare", exact=True))
    floor.fill("97,5")
    page.keyboard.press("Enter")
    window.settle()
    expect(page.get_by_text("Compared", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("instead of")).first).to_be_visible()
    chosen = shown(page)[:4]
    assert chosen[0] >= 0.975 * (chosen[0] + chosen[2])
    expect(page.get_by_role("rowheader", name="Sensitivity at least 97.5%")).to_be_visible()


def test_adopting_comes_back_when_a_run_has_ended(open_window: Opener) -> None:
    window = open_window()
    store = Store(folder=window.server.data_dir, lease=600)
    maker = Maker(store, content=ward(80))
    depth_2 = Topology.parse("depth-2")
    run, server, best = maker.with_a_tree(topology=depth_2, engine=Engine.SEARCH)
    window.go(f"sensitivity?run={run.id}")
    drawn_tree(window.page)
    adopt = window.page.get_by_role("button", name="Make current")
    expect(adopt).to_be_disabled()
    maker.stop(run, server, best)
    store.close()
    expect(adopt).to_be_enabled(timeout=SOLVED)
    adopt.click()
    expect(window.page.get_by_text("This is the current tree")).to_be_visible(timeout=SOLVED)


def assert_it_looks_right(window: Window, picture: str) -> None:
    page = window.page
    expect(page.get_by_text("before you changed")).to_have_count(0)
    for words in (
        page.get_by_text("Frontier and trees", exact=True),
        page.get_by_text("Curves over many splits", exact=True),
        page.get_by_text("ROC plane", exact=True),
        page.get_by_test_id("stSliderThumbValue").get_by_text("sensitivity"),
        page.get_by_role("button", name="Make current").get_by_text("Make current"),
        page.get_by_text("no other exists"),
    ):
        found = contrast(words.first)
        assert found >= 4.5, f"{words}: {found:.2f}"
    window.shoot(picture)
    assert window.overhang() == 0, "the page scrolls sideways"
    assert window.legend_overlap() < 1


@pytest.mark.parametrize("look", LOOKS)
def test_frontier_and_curves_are_found_again_and_a_click_draws_the_tree_of_its_shape_and_floor(
    open_window: Opener, look: Look
) -> None:
    (_, light), (_, dark) = look
    window = open_window(theme="dark", width=dark)
    open_at(window, "sensitivity", patients(160), "curves.csv")
    find_frontier(window)
    assert_it_looks_right(window, f"sensitivity-dark-{dark}")
    page = window.page
    page.wait_for_url("**/sensitivity?data=*&frontier=*")
    window.click(page.get_by_text("Curves over many splits"))
    page.get_by_role("spinbutton", name="Splits").fill("2")
    page.get_by_role("textbox", name="Floors, in %").fill("90, 95, 99")
    page.keyboard.press("Enter")
    window.settle()
    window.count_charts()
    page.get_by_role("button", name="Run the curves").click()
    done = page.get_by_text(re.compile("2 splits in"))
    expect(done).to_be_visible(timeout=SOLVED)
    window.settle()
    assert window.most_charts() == 1, "a chart stands beside its old self"
    page.wait_for_url("**/sensitivity?data=*&frontier=*&curve=*")
    drawn_tree(page, "sens_curve_tree")
    window.shoot(f"curves-dark-{dark}")
    assert window.legend_overlap() < 1
    assert n_runs(window) == 2, "the tree beside the curves is of the known frontier"
    open_on_the_runs_page(window)

    window.reopen("light", light)
    drawn_tree(page)
    expect(page.get_by_text("before you changed")).to_have_count(0)
    window.click(page.get_by_text("Curves over many splits"))
    expect(done).to_be_visible()
    window.shoot(f"curves-light-{light}")
    assert window.legend_overlap() < 1
    drawn_tree(page, "sens_curve_tree")
    window.settle()
    expect(page.get_by_text(re.compile("floor 95%")).first).to_be_visible()
    # points are drawn by rising training rate: the first of each shape has the lowest floor
    page.locator(".js-plotly-plot .points path").nth(3).click(force=True)
    expect(page.get_by_text(re.compile("floor 90%")).first).to_be_visible(timeout=SOLVED)
    expect(page.get_by_role("combobox", name="Shape of the tree")).to_have_value("Depth-3")
    drawn_tree(page, "sens_curve_tree")
    expect(page.get_by_role("button", name="Make current")).to_be_enabled()


def n_runs(window: Window) -> int:
    """How many runs the data set in the address has."""
    dataset = window.page.url.split("data=")[1].split("&")[0]
    store = Store(folder=window.server.data_dir)
    total = store.runs.list(LOCAL_OWNER, RunQuery(dataset=dataset)).total
    store.close()
    return total


def open_on_the_runs_page(window: Window) -> None:
    """Open the last run, the curves, from the list of runs."""
    page = window.page
    page.get_by_role("link", name="Runs").first.click()
    page.wait_for_url("**/runs*")
    window.settle()
    tick(window, 0)
    expect(page.get_by_text("2 of 2 splits are done.")).to_be_visible()
    window.shoot("runs-study")
    press(window, "runs_open")
    expect(page.get_by_text(re.compile("2 splits in"))).to_be_visible()


def check_files(window: Window) -> None:
    """Each file of the frontier is what its name says; the table also says who wrote it."""
    page = window.page
    expect(page.get_by_text("Keep text that begins like a formula")).to_be_hidden()
    page.get_by_role("button", name="Download").first.click()
    window.click(page.get_by_text("Keep text that begins like a formula"))
    for label, start in (
        ("Points (CSV)", b"fn,fp,"),
        ("Figure (SVG)", b"<?xml"),
        ("Figure (PNG)", b"\x89PNG"),
        ("Figure (HTML)", b"<!DOCTYPE html>"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(start), label
        if label == "Points (CSV)":
            rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
            assert rows and {row["software"] for row in rows} == {MADE_BY}
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Points (CSV)")).to_have_count(0)
