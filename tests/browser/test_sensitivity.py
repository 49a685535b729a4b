"""The Sensitivity page in a real browser: slider, click on a point, comparison, adoption, files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from odt_core.data import SAMPLES
from tests.browser.actions import SOLVED, choose_engine, choose_shape, open_at, tick
from tests.browser.window import LOOKS, Look, Window, contrast

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


def open_page(window: Window) -> None:
    open_at(window, "sensitivity", SAMPLES["breast-cancer"].csv(), "breast-cancer.csv")


def find_frontier(window: Window) -> None:
    """Wait for the frontier of a small data set, which the page finds as it opens."""
    window.page.locator(".st-key-sens_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    window.until_still()


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


def test_files_slider_click_comparison_and_adoption(open_window: Opener) -> None:
    window = open_window()
    open_page(window)
    find_frontier(window)
    page = window.page
    expect(page.get_by_text(re.compile("best trade-offs in .* no other exists"))).to_be_visible()
    before = shown(page)
    assert sum(before[:4]) == 455 and sum(before[4:]) == 114
    check_files(page)
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

    page.get_by_role("button", name="Make current").click()
    expect(page.get_by_text("This is the current tree")).to_be_visible(timeout=SOLVED)
    banner = page.get_by_role("status", name="Current data set and tree")
    expect(banner).to_contain_text("at a sensitivity of")
    page.get_by_role("link", name="Train").first.click()
    page.wait_for_url("**/train*")
    window.settle()
    expect(page.get_by_text("taken from the frontier")).to_be_visible()
    assert shown(page)[:4] == chosen


def test_adopting_comes_back_when_a_run_has_ended(open_window: Opener) -> None:
    window = open_window()
    open_page(window)
    find_frontier(window)
    page = window.page
    page.get_by_role("link", name="Train").first.click()
    page.wait_for_url("**/train*")
    window.settle()
    choose_shape(window, "Depth-3")
    choose_engine(window, "CBC")  # CBC needs minutes
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name=re.compile("^Stop")).first.wait_for(timeout=SOLVED)
    page.get_by_role("link", name="Sensitivity").first.click()
    page.wait_for_url("**/sensitivity*")
    window.settle()
    adopt = page.get_by_role("button", name="Make current")
    expect(adopt).to_be_disabled()

    elsewhere = open_window()
    elsewhere.go("runs")
    tick(elsewhere, 0)
    chosen = elsewhere.page.locator(".st-key-runs_chosen_ones")
    elsewhere.until_asked(chosen.get_by_role("button", name="Stop").click)
    expect(adopt).to_be_enabled(timeout=SOLVED)
    adopt.click()
    expect(page.get_by_text("This is the current tree")).to_be_visible(timeout=SOLVED)


def assert_words_can_be_read(page: Page) -> None:
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


@pytest.mark.parametrize("look", LOOKS)
def test_curves_look_right_and_a_click_draws_the_tree_of_its_shape_and_floor(
    open_window: Opener, look: Look
) -> None:
    (_, light), (_, dark) = look
    window = open_window(theme="dark", width=dark)
    open_page(window)
    page = window.page
    window.click(page.get_by_text("Curves over many splits"))
    page.get_by_role("spinbutton", name="Splits").fill("2")
    page.get_by_role("textbox", name="Floors, in %").fill("90, 95, 99")
    page.keyboard.press("Enter")
    window.settle()
    window.count_charts()
    page.get_by_role("button", name="Run the curves").click()
    expect(page.get_by_text(re.compile("2 splits in"))).to_be_visible(timeout=SOLVED)
    window.settle()
    assert window.most_charts() == 1, "a chart stands beside its old self"
    page.wait_for_url("**/sensitivity?data=*&curve=*")
    window.shoot(f"curves-dark-{dark}")
    assert window.legend_overlap() < 1
    window.reopen("light", light)
    window.click(page.get_by_text("Curves over many splits"))
    expect(page.get_by_text(re.compile("2 splits in"))).to_be_visible()
    window.shoot(f"curves-light-{light}")
    assert window.legend_overlap() < 1
    tree = page.locator(".st-key-sens_curve_tree svg g.node:visible").first
    tree.wait_for(timeout=SOLVED)
    window.settle()
    expect(page.get_by_text(re.compile("floor 95%")).first).to_be_visible()
    # points are drawn by rising training rate: the first of each shape has the lowest floor
    page.locator(".js-plotly-plot .points path").nth(3).click(force=True)
    expect(page.get_by_text(re.compile("floor 90%")).first).to_be_visible(timeout=SOLVED)
    expect(page.get_by_role("combobox", name="Shape of the tree")).to_have_value("Depth-3")
    tree.wait_for(timeout=SOLVED)
    window.settle()
    page.get_by_role("button", name="Make current").click()
    expect(page.get_by_text("This is the current tree")).to_be_visible(timeout=SOLVED)


def check_files(page: Page) -> None:
    """Each file of the frontier is what its name says."""
    page.get_by_role("button", name="Download").click()
    for label, start in (
        ("Points (CSV)", b"fn,fp,"),
        ("Figure (SVG)", b"<?xml"),
        ("Figure (PNG)", b"\x89PNG"),
        ("Figure (HTML)", b"<!DOCTYPE html>"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        assert Path(download.value.path()).read_bytes().startswith(start), label
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Points (CSV)")).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
def test_it_looks_right(open_window: Opener, look: Look) -> None:
    window = open_window(width=look[0][1])
    open_page(window)
    page = window.page
    for theme, width in look:
        if theme == "dark":
            window.reopen(theme, width)
        find_frontier(window)
        expect(page.get_by_text("before you changed")).to_have_count(0)
        assert_words_can_be_read(page)
        window.shoot(f"sensitivity-{theme}-{width}")
        assert window.overhang() == 0, "the page scrolls sideways"
        assert window.legend_overlap() < 1
