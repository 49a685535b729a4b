"""Stability in a real browser: from the tree to its refits, reload, and back in the history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.actions import SOLVED, open_trained
from tests.browser.window import Window
from tests.runs import ward

Opener = Callable[..., Window]


def choose_view(window: Window, name: str) -> None:
    page = window.page
    page.get_by_role("radio", name=name).or_(
        page.get_by_role("button", name=name, exact=True)
    ).first.click()
    window.settle()


def test_a_tree_is_refitted_and_its_refits_are_found_again(open_window: Opener) -> None:
    window = open_window(width=1440)
    open_trained(window, "compare", ward())
    page = window.page
    choose_view(window, "Stability")
    resamples = page.get_by_role("spinbutton", name="Resamples")
    resamples.fill("40")
    page.keyboard.press("Enter")
    window.settle()
    page.get_by_role("button", name="Refit on resamples").click()
    verdict = page.locator(".st-key-stability_verdict")
    stop = page.locator(".st-key-stability_cancel")
    expect(stop.or_(verdict).first).to_be_visible(timeout=SOLVED)
    expect(stop).to_have_count(0, timeout=SOLVED)  # until then the verdict so far is there as well
    expect(verdict).to_contain_text("In 40 resamples the first question", timeout=SOLVED)
    window.settle()
    expect(page.locator(".js-plotly-plot:visible").nth(1)).to_be_visible()
    page.wait_for_url("**/compare?data=*&run=*&stability=*")
    window.shoot("stability-light")

    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Rows (CSV)").click()
    assert Path(download.value.path()).read_bytes().startswith(b"row,leaf,answer_positive,changed")
    page.keyboard.press("Escape")

    window.reopen("dark", 1024)
    expect(verdict).to_contain_text("In 40 resamples the first question")
    expect(page.locator(".js-plotly-plot:visible").nth(1)).to_be_visible()
    assert window.overhang() == 0, "the page scrolls sideways"
    window.shoot("stability-dark")

    choose_view(window, "Candidates")
    page.wait_for_url("**/compare?data=*&run=*&stability=*&view=compare")
    window.settle()
    page.reload()  # shows the same view again, not that of the latest study
    expect(page.get_by_role("button", name="Compare the candidates")).to_be_visible()
    window.settle()
    page.go_back()
    page.wait_for_url("**/compare?data=*&run=*&stability=*&view=stability")
    expect(verdict).to_contain_text("In 40 resamples the first question")
