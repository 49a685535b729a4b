"""Going back and forth in the browser's history: one press for one step of the navigation."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from odt_core.data import SAMPLES
from tests.browser.actions import open_at
from tests.browser.window import Window


def test_one_press_of_back_is_one_step_of_the_navigation(
    open_window: Callable[..., Window],
) -> None:
    window = open_window()
    open_at(window, "", SAMPLES["monks-1"].csv(), "monks-1.csv")
    page = window.page
    steps = ("runs", "train", "runs", "sensitivity")
    for place in steps:
        page.get_by_role("link", name=place.title(), exact=True).first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{place}?data=*")
        window.settle()
    page.wait_for_url("**/sensitivity?data=*&frontier=*")
    window.until_still()
    for place in (*reversed(steps[:-1]), ""):
        window.until_asked(page.go_back)
        page.wait_for_url(f"{window.url}/{place}?data=*")
        window.settle()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    window.until_asked(page.go_forward)
    window.settle()
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()


def test_the_menu_of_a_phone_closes_when_a_page_is_chosen(window: Window) -> None:
    window.widen(390)
    page = window.page
    page.get_by_test_id("stExpandSidebarButton").click()
    compare = page.get_by_role("link", name="Compare", exact=True).first
    expect(compare).to_be_in_viewport()
    window.click(compare)
    page.wait_for_url("**/compare*")
    expect(compare).not_to_be_in_viewport()
    expect(page.get_by_text("This page needs a data set")).to_be_in_viewport()
