"""The files of a tree, downloaded in a real browser and opened."""

from __future__ import annotations

import csv
import io
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


def test_the_report_has_the_validation_of_the_page_and_what_is_quickly_found(
    run: RunSummary, open_window: Opener
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


def test_the_report_shows_its_pictures_without_a_network(
    run: RunSummary, window: Window, browser: Browser, tmp_path: Path
) -> None:
    page = opened(window, run, "train")
    page.get_by_role("button", name="Sheets").click()
    path = tmp_path / "report.html"
    path.write_bytes(content_of(saved(page, "Report (HTML)")))
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


def test_a_file_waits_until_a_slow_browser_asks_for_it(
    run: RunSummary, open_window: Opener
) -> None:
    """Streamlit deletes files that no session has whenever any session's scripts end."""
    window, other = open_window(), open_window()
    page = opened(window, run, "train")
    page.get_by_role("button", name="Download").click()
    model = saved(page, "Model (JSON)")
    for _ in range(2):
        other.go()
    with urllib.request.urlopen(model.url) as answer:
        assert answer.read() == content_of(model)


def test_the_integer_program_is_downloaded_as_both_kinds_of_file(
    run: RunSummary, window: Window
) -> None:
    page = opened(window, run, "train")
    page.get_by_role("button", name="Download").click()
    lp, mps = saved(page, "Integer program (LP)"), saved(page, "Integer program (MPS)")
    assert lp.suggested_filename.endswith("-depth-2.lp")
    assert content_of(lp).startswith(f"\\ {MADE_BY}".encode())
    assert b"Subject To" in content_of(lp) or b"subject to" in content_of(lp).lower()
    assert content_of(mps).startswith(f"* {MADE_BY}".encode()) and b"ROWS" in content_of(mps)


def test_a_csv_file_says_who_wrote_it_and_keeps_formulas_when_asked(
    run: RunSummary, window: Window
) -> None:
    page = opened(window, run, "sensitivity")
    expect(page.get_by_text("Keep text that begins like a formula")).to_be_hidden()
    page.get_by_role("button", name="Download").first.click()
    window.click(page.get_by_text("Keep text that begins like a formula"))
    points = content_of(saved(page, "Points (CSV)")).decode()
    rows = list(csv.DictReader(io.StringIO(points, newline="")))
    assert rows and {row["software"] for row in rows} == {MADE_BY}
