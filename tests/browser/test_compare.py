"""The Compare page in a real browser: compare, choose a point, train it, reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.actions import SOLVED, open_at
from tests.browser.window import LOOKS, Look, Window, contrast
from tests.runs import WARD, ward

Opener = Callable[..., Window]


def compare(window: Window) -> None:
    """Compare three shapes on a ward's patients, with two folds and with the keyboard alone."""
    open_at(window, "compare", ward(), WARD)
    page = window.page
    page.get_by_text("Folds and time").click()
    folds = page.get_by_role("spinbutton", name="Folds")
    expect(folds).to_be_visible()
    folds.fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("on 2 folds;")).to_be_visible()
    window.settle()
    button = page.get_by_role("button", name="Compare the candidates")
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 folds of the training rows in")).to_be_visible(timeout=SOLVED)
    window.settle()


def assert_it_looks_right(window: Window, theme: str, *widths: int) -> None:
    page = window.page
    for words in ("no cap", "all"):  # chosen pills
        assert contrast(page.get_by_text(words, exact=True).first) >= 4.5, (theme, words)
    for width in widths:
        window.widen(width)
        for shown in ("Against questions", "With intervals"):
            page.get_by_role("radio", name=shown).or_(
                page.get_by_role("button", name=shown, exact=True)
            ).first.click()
            window.settle()
            assert window.legend_overlap() < 1, shown
            assert window.overhang() == 0, "the page scrolls sideways"
        window.shoot(f"compare-{theme}-{width}")


@pytest.mark.parametrize("look", LOOKS)
def test_a_point_is_chosen_trained_and_found_again(open_window: Opener, look: Look) -> None:
    window = open_window(width=1440)
    compare(window)
    page = window.page
    chosen = page.get_by_role("combobox", name="Candidate")
    others = page.locator(".js-plotly-plot .trace.scatter").filter(has=page.locator("path.point"))
    name = chosen.input_value()
    for place in range(others.count()):
        for point in others.nth(place).locator(".points path").all():
            point.click(force=True)
            window.settle()  # the server is not asked again about a point behind another
            if chosen.input_value() != name:
                break
        if chosen.input_value() != name:
            break
    assert re.fullmatch("depth-[123]", chosen.input_value()) and chosen.input_value() != name
    name = chosen.input_value()
    train = page.get_by_role("button", name="Train this on all training rows")
    train.focus()
    page.keyboard.press("Enter")
    page.locator(".st-key-compare_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    window.settle()
    page.wait_for_url("**/compare?data=*&run=*&comparison=*")
    expect(page.get_by_role("status", name="Current data set and tree")).to_contain_text(name)

    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Table (CSV)").click()
    assert Path(download.value.path()).read_bytes().startswith(b"candidate,topology,")
    page.keyboard.press("Escape")

    (_, light), (_, dark) = look
    assert_it_looks_right(window, "light", light)
    window.reopen("dark", dark)
    expect(page.get_by_text(re.compile("^Best: "))).to_be_visible()
    assert_it_looks_right(window, "dark", dark, 390)
