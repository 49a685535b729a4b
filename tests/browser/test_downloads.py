"""The files of a tree, downloaded in a real browser and opened."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Download, Page, expect

from odt_core import MADE_BY
from odt_core.storage import RunSummary, Store
from odt_core.topology import Topology
from tests.browser.server import Server
from tests.browser.window import Window
from tests.core.reports.sheets import ReadPage, assert_self_contained
from tests.runs import Maker, ward

Opener = Callable[..., Window]


@pytest.fixture(scope="module")
def run(server: Server) -> RunSummary:
    """A run with a tree of two questions in the store of the server that all share."""
    store = Store(folder=server.data_dir)
    maker = Maker(store, content=ward(160), name="long ward.csv")
    made = maker.done(name="Tree to take away", topology=Topology.parse("depth-2"))
    store.close()
    return made


def opened(window: Window, run: RunSummary, page: str) -> Page:
    window.go(f"{page}?run={run.id}")
    return window.page


def saved(page: Page, button: str) -> Download:
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return download.value


def content_of(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


def pictures(sheet: ReadPage) -> list[str]:
    return [str(attributes["alt"]) for tag, attributes in sheet.tags if tag == "img"]


def test_the_sheets_have_a_validation_and_what_is_quickly_found_and_need_no_network(
    run: RunSummary, open_window: Opener, browser: Browser, tmp_path: Path
) -> None:
    window = open_window(width=1440)
    page = opened(window, run, "predict")
    page.get_by_text("Validation", exact=True).click()
    expect(page.get_by_text("The unchanged tree on rows that did not train it")).to_be_visible()
    window.upload("another ward.csv", ward(90))
    page.locator(".st-key-predict_validate").get_by_role("button").click()
    expect(page.get_by_text("Do the leaves' risks hold?")).to_be_visible()
    opened(window, run, "train")
    page.get_by_role("button", name="Sheets").click()
    report = content_of(saved(page, "Report (HTML)"))
    sheet = assert_self_contained(report)
    assert "Rows of another ward.csv" in sheet.text and "90 validation rows" in sheet.text
    alts = pictures(sheet)
    for beginning in ("ROC plane: the frontier has", "Decision curve", "Rates by", "Expected and"):
        assert any(alt.startswith(beginning) for alt in alts), beginning
    summary = content_of(saved(page, "One-page summary (SVG)")).decode()
    assert "training, frontier" in summary and "this tree, test" in summary
    card = content_of(saved(page, "Rule card (HTML)")).decode()
    assert "Validation" in card
    path = tmp_path / "report.html"
    path.write_bytes(report)
    assert_shown_without_a_network(browser, path)


def assert_shown_without_a_network(browser: Browser, path: Path) -> None:
    """A report that is opened from disk shows its pictures, and asks for nothing but itself."""
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 800})
    asked: list[str] = []
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(path.as_uri())
    sizes = alone.evaluate("[...document.images].map((image) => image.naturalWidth)")
    width = alone.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert len(sizes) >= 3 and min(sizes) > 100
    assert width <= 390
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]


def test_a_model_waits_for_a_slow_browser_and_the_integer_program_is_both_kinds_of_file(
    run: RunSummary, open_window: Opener
) -> None:
    window, other = open_window(), open_window()
    page = opened(window, run, "train")
    page.get_by_role("button", name="Download").click()
    model = saved(page, "Model (JSON)")
    for _ in range(2):  # Streamlit deletes files that no session has when any scripts end
        other.go("compare")
    with urllib.request.urlopen(model.url) as answer:
        assert answer.read() == content_of(model)
    lp, mps = saved(page, "Integer program (LP)"), saved(page, "Integer program (MPS)")
    assert lp.suggested_filename.endswith("-depth-2.lp")
    assert content_of(lp).startswith(f"\\ {MADE_BY}".encode())
    assert b"Subject To" in content_of(lp) or b"subject to" in content_of(lp).lower()
    assert content_of(mps).startswith(f"* {MADE_BY}".encode()) and b"ROWS" in content_of(mps)
