"""The Data page in a real browser: what it draws, and what keyboard and mouse can do."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import (
    FAST_TYPIST,
    edit_kind,
    kind_cell,
    open_at,
    patients,
    select_kind,
)
from tests.browser.server import Server
from tests.browser.window import LOOKS, Look, Window
from tests.waiting import wait_until

Opener = Callable[..., Window]


def assert_all_are_named(page: Page) -> None:
    """Every table and chart has a name."""
    for name in ("The first 200 rows of the table", "The columns and how each is used"):
        expect(page.get_by_role("region", name=re.compile(name))).to_have_count(1)
    unnamed: list[Any] = page.locator("[data-testid=stMain] table").evaluate_all(
        "tables => tables.filter(t => !t.caption && !t.ariaLabel && t.role !== 'grid')"
        ".map(t => t.outerHTML.slice(0, 200))"
    )
    assert unnamed == []


def assert_no_file_is_offered(page: Page) -> None:
    """Streamlit's own CSV files would hold cells that a spreadsheet takes for formulas."""
    page.get_by_test_id("stDataFrame").last.hover()
    toolbar = page.get_by_test_id("stElementToolbar").last
    expect(toolbar.get_by_role("button", name="Search")).to_be_visible()
    expect(toolbar.get_by_role("button", name="Download as CSV")).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
def test_from_an_upload_to_the_train_page_all_looks_right(open_window: Opener, look: Look) -> None:
    window = open_window()
    window.go()
    for theme, width in look:
        window.dress(theme, width)
        window.settle()
        window.shoot(f"welcome-{theme}-{width}")
    window.upload("patients.csv", patients())
    page = window.page
    expect(page.get_by_text("240 rows and 5 columns, read as UTF-8")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("positive rows of 240"))).to_be_visible()
    expect(page.get_by_text("2 categorical features and 2 numerical features.")).to_be_visible()
    expect(page.get_by_text("240 rows read → 192 train, 48 test")).to_be_visible()
    assert_all_are_named(page)
    assert_no_file_is_offered(page)
    for theme, width in look:
        window.dress(theme, width)
        window.settle()
        expect(page.get_by_role("heading", name="patients.csv")).to_be_visible()
        window.shoot(f"data-{theme}-{width}")
        background = page.get_by_test_id("stApp").evaluate(
            "element => getComputedStyle(element).backgroundColor"
        )
        assert background == ("rgb(17, 24, 29)" if theme == "dark" else "rgb(255, 255, 255)")
        assert window.overhang() == 0, "the page scrolls sideways"
    page.get_by_role("button", name="Choose the tree's shape").click()
    page.wait_for_url("**/train*")
    window.settle()
    current = page.get_by_role("status", name="Current data set and tree")
    expect(current).to_contain_text("patients.csv")


def test_the_table_of_columns_is_edited_by_keyboard_even_in_quick_succession(
    open_window: Opener,
) -> None:
    window = open_window()
    rows = "".join(f"{20 + n % 70},{'fm'[n % 2]},{n % 4},{'yn'[n % 3 == 0]}\n" for n in range(90))
    open_at(window, "", f"age,sex,stage,outcome\n{rows}".encode())
    page = window.page
    select_kind(window, 0)
    editor = page.locator("[id^=gdg-overlay]")
    for row in range(3):  # Enter closes the cell and goes one down
        expect(kind_cell(window, row)).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Enter")
        expect(editor).to_have_count(1)
        page.keyboard.type("ignore", delay=FAST_TYPIST)
        page.keyboard.press("Enter")
        expect(editor).to_have_count(0)
    expect(page.get_by_text("No feature; 3 columns ignored.")).to_be_visible()
    window.settle()
    expect(page.get_by_text("Not ready:")).to_be_visible()
    expect(page.get_by_role("button", name="Choose the tree's shape")).to_be_disabled()
    edit_kind(window, 0, "numerical")
    expect(page.get_by_text("1 numerical feature; 2 columns ignored.")).to_be_visible()
    window.click(page.get_by_role("button", name="Propose all again"))
    expect(page.get_by_text("2 categorical features and 1 numerical feature.")).to_be_visible()


def test_the_detail_names_the_column_of_the_new_table(open_window: Opener) -> None:
    window = open_window()
    open_at(window, "", patients())
    expander = window.page.locator(".st-key-data_detail_expander")
    expander.locator("summary").click()
    table = b"".join(b"%d,%d,%d\n" % (50 + i % 40, i % 3, i % 2) for i in range(60))
    window.upload("other.csv", b"first,second,ill\n" + table)
    expect(expander.get_by_role("rowheader", name="50")).to_be_visible()
    expect(expander.get_by_label("Column", exact=True)).to_have_value("first")


def test_another_file_with_another_delimiter_is_read_as_detected(open_window: Opener) -> None:
    """The boxes of the first file's reading are folded away while the second file comes."""
    window = open_window()
    page = window.page
    open_at(window, "", patients())
    rows = b"".join(b"%d,5;%d;%d\n" % (50 + i % 40, i % 3, i % 2) for i in range(60))
    window.upload("other.csv", b"first;second;ill\n" + rows)
    expect(page.get_by_text("semicolon between cells, decimal comma")).to_be_visible()
    window.click(page.get_by_role("radio", name="Every value"))
    expect(page.get_by_role("radio", name="Every value")).to_be_checked()
    window.settle()
    expect(page.get_by_text("semicolon between cells, decimal comma")).to_be_visible()
    page.get_by_text("Change how it is read").click()
    expect(page.get_by_label("Delimiter")).to_have_value("semicolon ; (found)")


def test_the_positive_class_stays_chosen_when_spellings_are_joined(open_window: Opener) -> None:
    """Labels that look alike are offered in a list, and others side by side."""
    labels = ("yes", "no", "no\u200b")
    rows = "".join(f"{20 + i % 40},{labels[i % 3]}\n" for i in range(90))
    window = open_window()
    open_at(window, "", f"age,class\n{rows}".encode(), "labels.csv")
    window.page.get_by_role("button", name="Join them").click()
    expect(window.page.get_by_role("radio", name="yes", exact=True)).to_be_checked()


def test_long_names_fit_a_narrow_page(open_window: Opener) -> None:
    labels = [f"{words} episode of musculoskeletal pain" for words in ("Some", "No reported")]
    rows = "".join(f"{20 + i % 40},{labels[i % 2]}\n" for i in range(60))
    window = open_window(width=390)
    content = f"age,Outcome in the last twelve months\n{rows}"
    open_at(window, "", content.encode(), "labels.csv")
    expect(window.page.get_by_role("button", name="It is the outcome")).to_be_visible()
    assert window.overhang() == 0


def test_a_sample_and_the_way_on_need_no_mouse(window: Window) -> None:
    page = window.page
    _tab_to(window, "Use this sample")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="breast-cancer.csv")).to_be_visible()
    window.settle()
    _tab_to(window, "Choose the tree's shape →")
    page.keyboard.press("Enter")
    page.wait_for_url("**/train*")


def _tab_to(window: Window, label: str) -> None:
    for _ in range(80):
        window.page.keyboard.press("Tab")
        if window.page.evaluate("document.activeElement.innerText.trim()") == label:
            return
    raise AssertionError(f"no Tab leads to {label!r}")


def test_text_from_files_stays_text(open_window: Opener) -> None:
    names = [
        "![x](http://outside.invalid/a.png)",
        "<img src=http://outside.invalid/b.png>",
        ":material/home:",
        "http://outside.invalid/c",
        "www.outside.invalid",
        "a@outside.invalid",
    ]
    draw = random.Random(3)
    rows = [[draw.choice(names) for _ in names] + [draw.choice(names[:2])] for _ in range(40)]
    header = [*names, names[0] + "y"]
    content = "\n".join(",".join(f'"{cell}"' for cell in row) for row in [header, *rows])
    window = open_window()
    name = ":material/home: ![x](http://outside.invalid/d.png).csv"
    open_at(window, "", content.encode(), name)
    page = window.page
    for fold in ("Missing values", "One column in detail", "Change how it is read"):
        page.get_by_text(fold).first.click()
        expect(page.locator("details[open]").filter(has_text=fold).first).to_be_visible()
    page.get_by_label("Column to predict").click()
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    main = page.get_by_test_id("stMain")
    expect(main.locator("a")).to_have_count(0)
    expect(main.locator("img")).to_have_count(0)
    window.shoot("data-hostile")  # and the window's own check: nothing outside was asked for


def pipes(folder: Path, column: str) -> Path:
    """A file that a separate process reads, row by row because of the quotes within its cells."""
    rows = "".join(f'{n % 50}" pipe of the usual kind,{"yn"[n % 2]}\n' for n in range(80_000))
    table = folder / "pipes.csv"
    table.write_text(f"{column},outcome\n{rows}", encoding="utf-8")
    return table


def readers(server: Server) -> set[psutil.Process]:
    """The processes of a server that read tables."""
    found = set()
    for child in psutil.Process(server.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            if "odt_core.worker.table_reader" in child.cmdline():
                found.add(child)
    return found


def paused_reader(server: Server) -> psutil.Process:
    """The process that reads a table, which waits for the test."""
    wait_until(lambda: readers(server))
    (reader,) = readers(server)
    reader.suspend()
    return reader


def test_a_file_is_read_on_while_the_page_is_left(
    window: Window, server: Server, tmp_path: Path
) -> None:
    page = window.page
    window.hand_in(pipes(tmp_path, "copper"))
    reader = paused_reader(server)
    expect(page.get_by_role("button", name="Stop reading")).to_be_visible()
    page.get_by_role("link", name="Train").first.click()
    page.wait_for_url("**/train*")
    expect(page.get_by_role("button", name="Stop reading")).to_be_visible()
    reader.resume()
    taken, seen = page.get_by_role("status").get_by_text("80,000 rows"), {reader}

    def is_taken() -> bool:
        seen.update(readers(server))
        return taken.is_visible()

    wait_until(is_taken)
    assert seen == {reader}, "it was begun again"
    window.settle()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()


def test_reading_a_large_file_can_be_stopped(
    window: Window, server: Server, tmp_path: Path
) -> None:
    page = window.page
    window.hand_in(pipes(tmp_path, "lead"))
    paused_reader(server)
    stop = page.get_by_role("button", name="Stop reading")
    stop.click()
    expect(stop).to_have_count(0)
    window.settle()
    expect(page.get_by_text("Or a sample to try")).to_be_visible()
    expect(page.get_by_role("status").get_by_text("none yet").first).to_be_visible()
    wait_until(lambda: not readers(server))
