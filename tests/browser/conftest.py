"""A real server, a real Chromium: what every browser test starts from.

The browser is the one named by ``ODT_CHROMIUM``, else the first Chromium or Chrome on the path;
without one the tests are skipped. Chromium's headless shell takes half the work of a whole browser.
The browser finds no other machine than this one, and requests to any other address than the
server's are counted.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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

from tests.browser.window import STEP_MILLISECONDS, Server, Window

ROOT = Path(__file__).resolve().parents[2]
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
START_SECONDS = 60
expect.set_options(timeout=STEP_MILLISECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not start:\n{log.read_text()}")


@contextmanager
def run_dashboard(
    folder: Path,
    *,
    port: int | None = None,
    below: str = "",
    command: Sequence[str] = (sys.executable, "-m", "streamlit", "run", "app.py"),
    cwd: Path = ROOT,
    **settings: str,
) -> Iterator[Server]:
    """The dashboard on a port of its own, with its data in a folder.

    Parameters
    ----------
    folder : Path
        For its data and its log.
    port : int, optional
        A free one by default.
    below : str
        The path of its address, such as ``/trees``.
    command : sequence of str
        What starts it; Streamlit's options follow.
    cwd : Path
        Where it is started.
    settings
        Environment variables.
    """
    log = folder / "server.log"
    port = port or free_port()
    url = f"http://localhost:{port}{below}"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, "--server.port", str(port), "--server.headless", "true"]
            + ["--server.fileWatcherType", "none"],
            cwd=cwd,
            env={
                **os.environ,
                "ODT_DATA_DIR": str(folder / "data"),
                "STREAMLIT_SERVER_BASE_URL_PATH": below,
                **settings,
            },
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_up(url, process, log)
            yield Server(url, folder / "data", log, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


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
    """The tests open their first windows in the first, their second in the second, and so on."""
    return []


def _new_context(browser: Browser, server: Server) -> BrowserContext:
    """A context with a small page that keeps its process, and thereby the compiled scripts.

    It asks for less motion: a slow machine would draw sixty pictures a second of what moves.
    """
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    context.set_default_timeout(STEP_MILLISECONDS)
    context.new_page().goto(f"{server.url}/_stcore/health")
    return context


def _clear(window: Window) -> None:
    """Leave nothing of a window in its context but the cache and the process."""
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

    ``at`` is another server than the shared one, ``known`` the address of the identity provider,
    which may be asked, too. Each window has cookies of its own.
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
    is_outside = "ERR_NAME_NOT_RESOLVED" in message.text  # which is noted as such
    if message.type == "error" and not is_outside and not is_probe:
        window.errors.append(message.text)
