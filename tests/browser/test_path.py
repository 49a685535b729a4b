"""The view Path by size in a real browser: find it, see its trees by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.actions import SOLVED, open_at
from tests.browser.window import Window
from tests.examples import some
from tests.runs import WARD, ward

Opener = Callable[..., Window]


def find_path(window: Window) -> None:
    """Find the path of a ward's patients up to three questions, with two folds."""
    open_at(window, "compare", ward(), WARD)
    page = window.page
    page.get_by_role("radio", name="Path by size").or_(
        page.get_by_role("button", name="Path by size", exact=True)
    ).first.click()
    for name, value in (("Most questions", "3"), ("Folds", "2")):
        box = page.get_by_role("spinbutton", name=name)
        expect(box).to_be_visible()
        box.fill(value)
        page.keyboard.press("Enter")
        window.settle()
    expect(page.get_by_text("and on 2 folds of them")).to_be_visible()
    page.get_by_role("button", name="Find the path").click()
    expect(
        page.get_by_text(re.compile("^Least errors on unseen rows, over 2 folds"))
    ).to_be_visible(timeout=SOLVED)
    window.settle()


@pytest.mark.parametrize("theme", some(["light", "dark"], always=1))
def test_a_click_and_the_keyboard_draw_the_tree(open_window: Opener, theme: str) -> None:
    window = open_window(theme=theme, width=1440)
    find_path(window)
    page = window.page
    line = page.locator(".js-plotly-plot .trace.scatter").filter(has=page.locator("path.js-line"))
    line.locator(".points path").last.click(force=True)
    expect(page.get_by_text("At most 3 questions:")).to_be_visible()
    window.settle()
    slider = page.get_by_role("slider", name="Most questions")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("At most 2 questions:")).to_be_visible()
    window.settle()
    page.locator(".st-key-path_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    assert_it_looks_right(window, theme)


def is_beside(window: Window) -> bool:
    """Whether the tree stands to the right of the figure, and not below it."""
    figure, tree = (
        window.page.locator(part).bounding_box()
        for part in (".st-key-path_sides .js-plotly-plot", ".st-key-path_tree")
    )
    assert figure is not None and tree is not None
    return tree["x"] >= figure["x"] + figure["width"] and tree["y"] < figure["y"] + figure["height"]


def assert_it_looks_right(window: Window, theme: str) -> None:
    for width in (1440, 1024, 390):
        window.widen(width)
        assert window.legend_overlap() < 1
        assert window.overhang() == 0, "the page scrolls sideways"
        assert is_beside(window) == (width == 1440), "tree and figure"
        window.shoot(f"path-{theme}-{width}")
