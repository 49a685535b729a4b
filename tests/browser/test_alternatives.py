"""Near-optimal trees in a real browser: list them, see one beside the best, make it current."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.actions import SOLVED, open_trained
from tests.browser.window import Window
from tests.runs import ward

Opener = Callable[..., Window]


def list_trees(window: Window) -> None:
    """List the near-optimal trees of a ward's patients."""
    open_trained(window, "alternatives", ward())
    page = window.page
    button = page.get_by_role("button", name="List near-optimal trees")
    expect(button).to_be_enabled()
    window.settle()
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-near_proof")).to_contain_text("Proved", timeout=SOLVED)
    window.settle()


def test_a_tree_is_chosen_by_keyboard_and_becomes_current(open_window: Opener) -> None:
    window = open_window(width=1440)
    list_trees(window)
    page = window.page
    page.locator(".st-key-near_card_0 svg g.node").first.wait_for(timeout=SOLVED)
    show = page.get_by_role("button", name="Show No. 3")
    show.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="No. 3 is shown below")).to_be_disabled()
    window.settle()
    page.locator(".st-key-near_chosen_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    make = page.get_by_role("button", name="Make current")
    make.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is the current tree")).to_be_visible(timeout=SOLVED)
    window.settle()
    page.set_viewport_size({"width": 390, "height": 844})
    window.settle()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert re.search(r"alternatives=\w+", page.url)
