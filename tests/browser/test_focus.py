"""A user of the keyboard never has to start again at the top of the page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.actions import open_at
from tests.browser.window import Window


def test_the_focus_goes_on_when_the_button_that_had_it_is_gone(
    open_window: Callable[..., Window],
) -> None:
    window = open_window()
    page = window.page
    rows = [f"{20 + n},{n % 7},{'no' if n % 3 else 'yes'}" for n in range(60)]
    open_at(window, "", "\n".join(["age,score,fell", *rows]).encode(), "guessed.csv")
    answer = page.get_by_role("button", name="It is the outcome")
    answer.focus()
    page.keyboard.press("Enter")
    expect(answer).to_have_count(0)
    expect(page.get_by_role("heading", name="Outcome")).to_be_focused()
    undo = page.get_by_role("button", name="Undo")
    undo.focus()
    page.keyboard.press("Enter")
    expect(undo).to_have_count(0)
    expect(page.get_by_role("heading").and_(page.locator(":focus"))).to_have_count(1)
