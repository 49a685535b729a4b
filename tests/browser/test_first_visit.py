"""A bookmark is the first thing that a freshly started server is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import run_dashboard

WATCH = """
window.refused = false
new MutationObserver(() => {
  window.refused ||= document.body?.innerText.includes("Page not found") ?? false
}).observe(document, {childList: true, subtree: true})
"""
"""Remembers whether the page was ever said not to exist."""


@pytest.mark.parametrize(
    ("place", "text"),
    [("runs", "No runs yet"), ("train", "This page needs a data set")],
)
def test_a_deep_link_is_understood_by_a_server_that_has_just_started(
    place: str, text: str, tmp_path: Path, browser: Browser
) -> None:
    with run_dashboard(tmp_path) as server:
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(f"{server.url}/{place}")
        page.wait_for_url(f"**/{place}*")
        expect(page.get_by_text(text)).to_be_visible(timeout=30_000)
        assert not page.evaluate("window.refused"), "not even for a moment"
        page.close()
