"""A user of the keyboard never has to start again at the top of the page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from odt_core.data import SAMPLES
from tests.browser.actions import SOLVED, choose_engine, drawing, open_at, patients
from tests.browser.window import Window


def test_the_focus_stays_with_the_button_and_goes_to_the_title_of_another_page(
    window: Window,
) -> None:
    page = window.page
    window.upload("patients.csv", patients(80))
    page.get_by_role("button", name="Choose the tree's shape").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/train*")
    expect(page.get_by_role("heading", name="Train", level=1)).to_be_focused()
    window.settle()
    choose_engine(window, "CBC")  # CBC takes longer than a quick run
    button = page.get_by_role("button", name="Train", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    drawing(page).wait_for(timeout=SOLVED)
    expect(button).to_be_focused()
    page.locator("h1").click()
    window.settle()
    expect(button).not_to_be_focused()


def test_the_focus_goes_on_when_the_button_that_had_it_is_gone(window: Window) -> None:
    page = window.page
    rows = [f"{20 + n},{n % 7},{'no' if n % 3 else 'yes'}" for n in range(60)]
    window.upload("guessed.csv", "\n".join(["age,score,fell", *rows]).encode())
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


def test_an_expander_stays_open_when_another_setting_changes(
    open_window: Callable[..., Window],
) -> None:
    window = open_window()
    page = window.page
    open_at(window, "train", SAMPLES["monks-1"].csv(), "monks-1.csv")
    page.get_by_text("More settings").click()
    engine = page.get_by_role("radiogroup", name="Engine")
    expect(engine).to_be_visible()
    page.get_by_role("combobox", name="Goal").click()
    page.get_by_role("option", name="Sensitivity (TPR)").click()
    floor = page.get_by_role("textbox", name="Floor on specificity (TNR), in %")
    expect(floor).to_be_visible()
    for text in ("much", "80"):
        floor.fill(text)
        page.keyboard.press("Enter")
        window.settle()
        expect(engine).to_be_visible()


def test_no_heading_skips_a_level(window: Window) -> None:
    page = window.page
    window.upload("monks-1.csv", SAMPLES["monks-1"].csv())
    for name in ("Data", "Train", "Sensitivity", "Compare", "Alternatives", "Runs"):
        page.get_by_role("link", name=name, exact=True).first.click()
        page.get_by_role("heading", level=1).wait_for()
        window.settle()
        headings = page.get_by_role("heading").all()
        levels = [int(heading.evaluate("h => h.tagName[1]")) for heading in headings]
        steps = [after - before for before, after in zip(levels, levels[1:], strict=False)]
        assert levels[0] == 1 and all(step <= 1 for step in steps), (name, levels)
