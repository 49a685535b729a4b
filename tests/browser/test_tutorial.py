"""docs/tutorial.md, step by step: the pages show what it says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.actions import SOLVED, choose_shape, drawing
from tests.browser.window import SHOTS, Window

Opener = Callable[..., Window]

WIDTH = 1280


def test_from_the_sample_to_the_rule_card(
    open_window: Opener, browser: Browser, tmp_path: Path
) -> None:
    window = open_window(width=WIDTH)
    page = window.page
    page.emulate_media(reduced_motion="no-preference")  # as most users see it
    window.go()
    page.locator(".st-key-data_sample_breast-cancer").get_by_role("button").click()
    expect(page.get_by_text("569 rows read → 455 train, 114 test")).to_be_visible()
    window.settle()
    window.shoot("tutorial-data", whole=False)

    page.get_by_role("button", name="Choose the tree's shape").click()
    page.wait_for_url("**/train*")
    window.settle()
    choose_shape(window, "Depth-2")
    page.get_by_role("button", name="Train", exact=True).click()
    drawing(page).wait_for(timeout=SOLVED)
    expect(page.get_by_role("button", name="Sheets")).to_be_visible(timeout=SOLVED)
    window.settle()
    result = page.get_by_test_id("stMain")
    expect(result).to_contain_text("93.9%")
    expect(result).to_contain_text("87.9% to 97.0%")
    for question in ("worst_smoothness", "worst_radius"):
        expect(page.locator(".st-key-train_tree")).to_contain_text(question)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    window.shoot("tutorial-train", whole=False)

    page.get_by_role("button", name="Sheets").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Rule card (HTML)").click()
    card = tmp_path / "card.html"
    download.value.save_as(card)

    page.get_by_role("link", name="Sensitivity").first.click()
    page.wait_for_url("**/sensitivity*")
    window.settle()
    expect(page.locator(".js-plotly-plot:visible").first).to_be_visible(timeout=SOLVED)
    window.settle()
    window.shoot("tutorial-sensitivity", whole=False)

    page.get_by_role("link", name="Predict").first.click()
    page.wait_for_url("**/predict*")
    window.settle()
    expect(page.locator("svg:visible g.node").first).to_be_visible(timeout=SOLVED)
    window.shoot("tutorial-predict", whole=False)

    context = browser.new_context(offline=True, viewport={"width": 900, "height": 900})
    sheet = context.new_page()
    sheet.goto(card.as_uri())
    expect(sheet.locator("body")).to_contain_text("worst_radius")
    expect(sheet.locator("body")).to_contain_text("malignant")
    if os.environ.get("ODT_SHOTS"):
        sheet.screenshot(path=SHOTS / "tutorial-card.png")
    context.close()
