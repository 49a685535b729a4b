"""The fixtures of browser tests: a real server and a real Chromium.

``ODT_CHROMIUM`` names the browser. Otherwise it is the first Chromium or Chrome on the path.
Without a browser the tests are skipped. Chromium's headless shell takes half the work of a whole
browser. The browser can reach only this machine, and requests to any other address than the
server's are counted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Request,
    expect,
    sync_playwright,
)

from tests.browser.server import Server, run_dashboard
from tests.browser.window import STEP_MILLISECONDS, Window

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Playwright's own way to refuse requests turns the browser's cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    # All pages of a context share one process, which has the page's scripts compiled.
    "--process-per-site",
    # The scripts run too shortly for the optimizing compilers to pay.
    "--js-flags=--no-opt,--no-maglev",
)
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
expect.set_options(timeout=STEP_MILLISECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard that most tests share."""
    with run_dashboard(tmp_path_factory.mktemp("dashboard")) as running:
        yield running


def _find_browser() -> str:
    for name in (os.environ.get("ODT_CHROMIUM"), *CHROMIUMS):
        found = shutil.which(name) if name else None
        if found:
            return found
    pytest.skip("no Chromium on this machine: install one, or name it with ODT_CHROMIUM")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium without a screen."""
    executable = _find_browser()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def contexts() -> list[BrowserContext]:
    """The contexts: the tests open first windows in the first, second windows in the second ..."""
    return []


def _new_context(browser: Browser, server: Server) -> BrowserContext:
    """A context with a small page, which keeps the browser process with its compiled scripts.

    It asks for less motion, because a slow machine would draw moving parts sixty times a second.
    """
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    context.set_default_timeout(STEP_MILLISECONDS)
    context.new_page().goto(f"{server.url}/_stcore/health")
    return context


def _clear(window: Window) -> None:
    """Remove everything of a window from its context except the cache and the process."""
    page, context = window.page, window.page.context
    if not page.is_closed():
        session = context.new_cdp_session(page)
        kept = {"origin": window.url, "storageTypes": "local_storage,indexeddb"}
        session.send("Storage.clearDataForOrigin", kept)
    for each in context.pages[1:]:
        each.close()
    context.clear_cookies()


@pytest.fixture
def open_window(
    request: pytest.FixtureRequest, browser: Browser, contexts: list[BrowserContext]
) -> Iterator[Callable[..., Window]]:
    """Opens windows: ``open_window(theme="dark", width=1024)``.

    ``at`` is another server than the shared server. ``known`` is the address of the identity
    provider, which the page may ask, too. Each window has cookies of its own.
    When the test ends, every window must have kept to the server and thrown no script error.
    """
    windows: list[Window] = []
    closing: list[Callable[[], None]] = []

    def open_one(
        *,
        theme: str = "light",
        width: int = 1280,
        height: int = 900,
        at: Server | None = None,
        known: str = "",
    ) -> Window:
        running = at or request.getfixturevalue("server")
        if len(contexts) == len(windows):
            contexts.append(_new_context(browser, running))
        context = contexts[len(windows)]
        window = Window(context.new_page(), running)
        window.dress(theme, width, height)
        hosts = [url.split("//")[1] for url in (running.url, known) if url]

        def note(request: Request) -> None:
            url = request.url
            if not url.startswith(("data:", "blob:")) and not any(host in url for host in hosts):
                window.outside.append(url)

        context.on("request", note)
        closing.append(partial(_clear, window))
        closing.append(partial(context.remove_listener, "request", note))
        window.page.on("pageerror", lambda error: window.errors.append(str(error)))
        window.page.on("console", lambda message: _note_error(window, message))
        windows.append(window)
        return window

    yield open_one
    for close in reversed(closing):
        close()
    for window in windows:
        assert window.outside == [], "the page asked another server"
        assert window.errors == [], "the page threw an error"


@pytest.fixture
def window(open_window: Callable[..., Window]) -> Window:
    """One light window of common size on the Data page."""
    opened = open_window()
    opened.go()
    return opened


def _note_error(window: Window, message: ConsoleMessage) -> None:
    # On a deep link the browser looks for the server below the page's path first. A whole browser
    # also asks for an icon at the root, where nothing is if the dashboard is below a path.
    probes = ("_stcore/health", "_stcore/host-config", "/favicon.ico")
    is_probe = message.location.get("url", "").endswith(probes)
    is_outside = "ERR_NAME_NOT_RESOLVED" in message.text  # counted among the requests
    if message.type == "error" and not is_outside and not is_probe:
        window.errors.append(message.text)
