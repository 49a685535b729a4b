"""Frontiers, curves, and runs that go on, in the address and on the Runs page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from odt_core.data import SAMPLES
from tests.browser.actions import SOLVED, begin_long_run, open_at, press, tick
from tests.browser.server import Server, run_dashboard
from tests.browser.window import Window
from tests.runs import WARD, ward

Opener = Callable[..., Window]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that nobody has visited."""
    with run_dashboard(tmp_path_factory.mktemp("studies")) as server:
        yield server


def test_a_frontier_and_curves_are_found_by_their_address_and_open_again(
    quiet: Server, open_window: Opener
) -> None:
    window = open_window(at=quiet, width=1440)
    window.go_first("runs", "No runs yet")
    page = window.page
    open_at(window, "sensitivity", ward(), WARD)
    page.locator(".st-key-sens_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    page.wait_for_url("**/sensitivity?data=*&frontier=*")
    window.until_still()
    window.click(page.get_by_text("Curves over many splits"))
    page.get_by_role("spinbutton", name="Splits").fill("2")
    page.keyboard.press("Enter")
    window.settle()
    page.get_by_role("button", name="Run the curves").click()
    done = page.get_by_text(re.compile("2 splits in"))
    done.wait_for(timeout=SOLVED)
    page.wait_for_url("**/sensitivity?data=*&frontier=*&curve=*")
    page.locator(".st-key-sens_curve_tree svg g.node:visible").first.wait_for(timeout=SOLVED)

    other = open_window(at=quiet, width=1440)
    other.page.goto(page.url)
    other.settle()
    other.page.locator(".st-key-sens_tree svg g.node:visible").first.wait_for()
    expect(other.page.get_by_text("before you changed")).to_have_count(0)
    other.page.get_by_text("Curves over many splits").click()
    other.page.get_by_text(re.compile("2 splits in")).wait_for()

    page.get_by_role("link", name="Runs").first.click()
    page.wait_for_url("**/runs*")
    window.settle()
    expect(page.get_by_text("2 runs", exact=True)).to_be_visible()
    tick(window, 0)
    expect(page.get_by_text("2 of 2 splits are done.")).to_be_visible()
    window.shoot("runs-study")
    press(window, "runs_open")
    done.wait_for()
    page.get_by_role("link", name="Runs").first.click()
    page.wait_for_url("**/runs*")
    window.settle()
    tick(window, 0, 1)
    press(window, "runs_open")
    page.locator(".st-key-sens_tree svg g.node:visible").first.wait_for()


def test_the_page_follows_a_run_that_goes_on_and_can_stop_it(
    quiet: Server, open_window: Opener
) -> None:
    window = open_window(at=quiet, width=1440)
    open_at(window, "train", SAMPLES["tic-tac-toe"].csv(), "tic-tac-toe.csv")
    page = window.page
    begin_long_run(window)
    page.get_by_role("link", name="Runs").first.click()
    page.wait_for_url("**/runs*")
    window.settle()
    tick(window, 0)
    chosen = page.locator(".st-key-runs_chosen_ones")
    expect(chosen.get_by_text("running", exact=True)).to_be_visible(timeout=SOLVED)
    expect(chosen.get_by_text("this is its best tree so far")).to_be_visible(timeout=SOLVED)
    window.until_answered(4)  # the table was drawn again, and the tick stays
    expect(chosen.get_by_text("running", exact=True)).to_be_visible()
    window.shoot("runs-live", whole=False)
    window.until_asked(chosen.get_by_role("button", name="Stop").click)
    expect(chosen.get_by_text("stopped early", exact=True)).to_be_visible(timeout=SOLVED)
    expect(chosen.locator("svg g.node:visible").first).to_be_visible()
