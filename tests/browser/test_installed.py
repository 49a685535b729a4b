"""The dashboard of an installed package, started in somebody else's Streamlit project."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from odt_core import MADE_BY
from odt_core.data import SAMPLES
from tests.browser.actions import SOLVED, open_at
from tests.browser.server import run_dashboard
from tests.browser.window import Window
from tests.installing import install


def test_it_has_its_own_pages_theme_and_workers(
    tmp_path: Path, open_window: Callable[..., Window]
) -> None:
    installed = install(tmp_path)
    with run_dashboard(
        tmp_path,
        command=(installed.command, "app", "--"),
        cwd=installed.elsewhere,
        **installed.environment,
    ) as server:
        with urllib.request.urlopen(f"{server.url}/api/health", timeout=10) as answer:
            assert answer.status == 200
        window = open_window(at=server)
        window.go_first("train", "This page needs a data set")
        open_at(window, "train", SAMPLES["monks-1"].csv(), "monks-1.csv")
        title = window.page.get_by_role("heading", level=1)
        fonts = title.evaluate("(heading) => getComputedStyle(heading).fontFamily")
        assert "serif" in fonts.split(",")[0].lower()  # the theme's own headings
        window.page.get_by_test_id("stMainMenu").get_by_role("button").click()
        window.page.get_by_text("About", exact=True).click()
        about = window.page.get_by_role("dialog")
        expect(about).to_contain_text(MADE_BY)
        about.get_by_role("button", name="Close").click()
        expect(about).to_be_hidden()
        window.page.get_by_role("button", name="Train", exact=True).click()
        expect(window.page.get_by_text("Proved optimal").first).to_be_visible(timeout=SOLVED)
