"""What a user does on the pages, and the tables that tests upload."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from playwright.sync_api import Locator, Page, expect

from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, Store
from odt_core.topology import Topology
from tests.browser.window import Window
from tests.runs import WARD, Maker

SOLVED = 90_000
"""Milliseconds that a run, a study or a search of these tests may take on a busy machine."""
HEADER, ROW = 36, 36
"""Of the table of runs, in pixels."""
FAST_TYPIST = 40
"""Milliseconds between two keys."""


def patients(n_rows: int = 240) -> bytes:
    """A table with words, codes, numbers, missing values and an outcome that depends on them."""
    draw = random.Random(7)
    lines = ["age,sex,stage,marker,outcome"]
    for _ in range(n_rows):
        age, sex, stage = draw.randrange(30, 90), draw.choice("fm"), draw.randrange(1, 5)
        marker = "" if draw.random() < 0.1 else f"{draw.gauss(stage, 1):.2f}"
        ill = draw.random() < 0.1 + 0.15 * stage + (0.2 if age > 65 else 0)
        lines.append(f"{age},{sex},{stage},{marker},{'relapse' if ill else 'free'}")
    return "\n".join(lines).encode()


def kind_cell(window: Window, row: int) -> Locator:
    """The kind of a column in the table of columns, as a screen reader finds it."""
    return window.page.get_by_test_id("stDataFrame").last.get_by_test_id(f"glide-cell-1-{row}")


def select_kind(window: Window, row: int) -> None:
    """Click the kind of a column in the table of columns, and see that it is selected."""
    grid = window.page.get_by_test_id("stDataFrame").last.locator("canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box is not None
    row_height = 33
    window.page.mouse.click(box["x"] + 170, box["y"] + row_height * (row + 1.5))
    expect(kind_cell(window, row)).to_have_attribute("aria-selected", "true")


def edit_kind(window: Window, row: int, word: str) -> None:
    """Choose a kind in the table of columns with the keyboard, like a user who sees the table."""
    select_kind(window, row)
    window.page.keyboard.press("Enter")
    expect(window.page.locator("[id^=gdg-overlay]")).to_have_count(1)
    window.page.keyboard.type(word, delay=FAST_TYPIST)
    window.until_asked(lambda: window.page.keyboard.press("Enter"))
    window.settle()


def tick(window: Window, *rows: int) -> None:
    """Tick rows of the table, counted from 0."""
    for row in rows:
        click_cell(window, row, 18)


def click_cell(window: Window, row: int, x: int) -> None:
    """Click a cell of the table: its row, counted from 0, and its distance from the left edge."""
    box = window.page.get_by_test_id("stDataFrame").first.bounding_box()
    assert box is not None
    at = (box["x"] + x, box["y"] + HEADER + ROW * (row + 0.5))
    window.until_asked(partial(window.page.mouse.click, *at))
    window.settle()


def press(window: Window, key: str) -> None:
    window.click(window.page.locator(f".st-key-{key}").get_by_role("button").first)


def open_menu(window: Window, key: str) -> None:
    """Open a menu, and see that it is open."""
    window.page.locator(f".st-key-{key}").get_by_role("button").first.click()
    expect(window.page.get_by_test_id("stPopoverBody").last).to_be_visible()


def open_train(window: Window, content: bytes, name: str) -> None:
    """Upload a table and go on to the Train page, as a user would."""
    window.go()
    window.upload(name, content)
    window.page.get_by_role("button", name="Choose the tree's shape").click()
    window.page.wait_for_url("**/train*")
    window.settle()


def open_at(window: Window, place: str, content: bytes, name: str = "patients.csv") -> None:
    """Open a page by its address, with a stored table that nobody has worked with.

    Only a test of uploads needs to draw the Data page and read the file.
    """
    store = Store(folder=window.server.data_dir)
    sha256 = store.datasets.put(LOCAL_OWNER, content, name).sha256
    if store.datasets.choices(LOCAL_OWNER, sha256) is not None:  # another test's
        store.datasets.delete(LOCAL_OWNER, sha256)
        store.datasets.put(LOCAL_OWNER, content, name)
    store.close()
    window.go(f"{place}?data={sha256}")


def open_trained(
    window: Window,
    place: str,
    content: bytes,
    name: str = WARD,
    *,
    target: str = "ill",
    positive: str = "yes",
    **changes: Any,
) -> None:
    """Open a page by its address, with a tree that was trained before.

    Only a test of training needs to press Train, and to wait while the page is drawn again.
    `changes` are of the run's `TrainSpec`.
    """
    store = Store(folder=window.server.data_dir)
    maker = Maker(store, content=content, name=name, target=target, positive=positive)
    run = maker.done(**{"topology": Topology.parse("depth-2"), "engine": Engine.SEARCH} | changes)
    store.close()
    window.go(f"{place}?run={run.id}")


def choose_shape(window: Window, name: str) -> None:
    window.page.get_by_role("radio", name=name, exact=True).check(force=True)
    window.settle()


def choose_engine(window: Window, name: str) -> None:
    """Choose with the keyboard: a press of the mouse may miss what moves as the part unfolds."""
    page = window.page
    page.get_by_text("More settings").click()
    engine = page.get_by_role("radiogroup", name="Engine").get_by_role(
        "radio", name=name, exact=True
    )
    engine.press("Space")
    expect(engine).to_be_checked()
    window.settle()
    expect(engine).to_be_checked()  # also once the server has answered
    page.get_by_text("More settings").click()
    window.settle()  # what is below moves up; a press on the way would be lost


def drawing(page: Page) -> Locator:
    return page.locator(".st-key-train_tree svg g.node:visible").first
