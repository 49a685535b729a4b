"""The view Change a question in a real browser: the drawing, by mouse and by keyboard; undo."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.actions import SOLVED, open_trained
from tests.browser.window import Window
from tests.examples import some
from tests.runs import ward

Opener = Callable[..., Window]


def open_view(window: Window, content: bytes) -> None:
    """Open the view on the tree of a table."""
    open_trained(window, "alternatives", content)
    page = window.page
    page.get_by_role("radio", name="Change a question").or_(
        page.get_by_role("button", name="Change a question", exact=True)
    ).first.click()
    wait_for_ranking(window)


def wards() -> bytes:
    """A table whose tree asks first about wards with long names, and then about age and turn."""
    names = [f"a ward with a long name, {letter}" for letter in "abcdefghijklmn"]
    rows = []
    for i in range(280):
        ward, age, turn = i % 14, i % 50, i // 14 % 2
        is_ill = turn == 0 if ward % 3 else age > 25
        rows.append(f'"{names[ward]}",{age},turn {turn},{"yes" if is_ill else "no"}')
    return "\n".join(["ward,age,turn,ill", *rows]).encode()


def wait_for_ranking(window: Window) -> None:
    """Wait until the columns at the chosen question are ranked."""
    expect(window.page.get_by_text(re.compile(r"^It is about .* now:"))).to_be_visible(
        timeout=SOLVED
    )
    window.settle()


def questions(window: Window) -> Locator:
    """The questions in the drawing."""
    return window.page.locator(".st-key-question_tree svg g.node[role=button]:visible")


def heading(window: Window, question: int) -> Locator:
    return window.page.get_by_role("heading", name=f"What could question {question} be about?")


@pytest.mark.parametrize("theme", some(["light", "dark"], always=1))
def test_a_question_is_chosen_in_the_drawing_by_mouse_and_by_keyboard(
    open_window: Opener, theme: str
) -> None:
    window = open_window(theme=theme, width=1440)
    open_view(window, wards())
    page = window.page
    first, second = questions(window).nth(0), questions(window).nth(1)
    name = re.compile("^ward is in list 1.*: ward is .*a ward with a long name, a")
    expect(first).to_have_attribute("aria-label", name)
    expect(heading(window, 1)).to_be_visible()
    expect(first).to_have_attribute("aria-pressed", "true")
    second.click()
    expect(heading(window, 2)).to_be_visible()
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(first).to_have_attribute("aria-pressed", "false")
    wait_for_ranking(window)
    expect(page.get_by_role("combobox", name="Question", exact=True)).to_have_value(
        re.compile("^2: ")
    )

    second.focus()
    page.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(heading(window, 1)).to_be_visible()
    wait_for_ranking(window)
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-pressed", "true")
    for width in (1440, 1024, 390):
        window.widen(width)
        assert window.overhang() == 0, "the page scrolls sideways"
        assert window.legend_overlap() < 1
        window.shoot(f"question-{theme}-{width}")


def test_a_bar_and_then_two_changes_are_one_step_each_that_the_keyboard_takes_back(
    open_window: Opener,
) -> None:
    window = open_window(width=1440)
    open_view(window, ward(200))
    page = window.page
    before = page.url
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    page.locator(".st-key-question_chart .barlayer .trace").last.locator(".point path").last.click(
        force=True
    )
    expect(page.get_by_text(re.compile("^Rules: question 1: only about "))).to_be_visible(
        timeout=SOLVED
    )
    expect(page.get_by_text(re.compile("^The rules cost "))).to_be_visible()
    wait_for_ranking(window)
    assert page.url != before, "the step is a run of its own"
    expect(undo).to_be_enabled()
    undo.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This tree has no rules.")).to_be_visible()
    expect(undo).to_be_disabled()
    wait_for_ranking(window)
    change_two_questions(window)


def change_two_questions(window: Window) -> None:
    """Change two questions in one step, take it back, and make it again."""
    page = window.page
    page.get_by_role("radio", name="Ask about another column").focus()
    for words in ("Ask exactly this question", "Never ask about its column here"):
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("radio", name=words)).to_be_checked()
        window.settle()
    page.get_by_role("button", name="Add, and change another question").click()
    expect(page.get_by_text("1 change to solve")).to_be_visible()
    window.settle()
    questions(window).nth(1).click()
    wait_for_ranking(window)
    page.get_by_role("radio", name="Make it a leaf").check(force=True)
    window.settle()
    page.get_by_role("button", name="Add this change").click()
    expect(page.get_by_text("2 changes to solve")).to_be_visible()
    window.settle()
    page.get_by_role("button", name="Solve again").focus()
    page.keyboard.press("Enter")
    rules = page.get_by_text(re.compile("^Rules: question 1: not about .*; at most 2 questions"))
    expect(rules).to_be_visible(timeout=SOLVED)
    expect(page.get_by_text("Step 1 of 1")).to_be_visible()
    wait_for_ranking(window)
    leaves = page.locator(".st-key-question_tree svg g.node[role=img]:visible")
    expect(leaves.first).to_be_visible()
    expect(page.locator("g.node[role=img][aria-pressed]")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Before the changes")).to_be_visible()
    wait_for_ranking(window)
    page.keyboard.press("Control+Shift+z")
    expect(rules).to_be_visible()
    wait_for_ranking(window)
