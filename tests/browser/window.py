"""A page of a dashboard in the browser."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.server import Server
from tests.examples import some

SHOTS = Path(__file__).parent / "shots"
STEP_MILLISECONDS = 60_000
LAYOUT_MILLISECONDS = 20_000
OVERHANG = """Math.max(...[document.scrollingElement, ...document.querySelectorAll(
  "[data-testid=stMain]")].map((element) => element.scrollWidth - element.clientWidth))"""
LEGEND_OVERLAP = """Math.max(0, ...[...document.querySelectorAll(".js-plotly-plot")]
  .filter((chart) => chart.offsetParent !== null && chart.querySelector(".legend"))
  .map((chart) => chart.querySelector(".legend").getBoundingClientRect().bottom
    - chart.querySelector(".gridlayer").getBoundingClientRect().top))"""
COUNT_CHARTS = """() => {
  window.mostCharts = 0
  setInterval(() => {
    const charts = [...document.querySelectorAll(".js-plotly-plot")]
    const seen = charts.filter((chart) => chart.offsetParent !== null).length
    window.mostCharts = Math.max(window.mostCharts, seen)
  }, 15)
}"""
"""Keeps the largest number of charts that were on the page at one moment."""


CONTRAST = """element => {
  const rgb = (color) => color.match(/[0-9.]+/g).map(Number)
  const light = (color) => {
    const part = color.slice(0, 3).map((c) => c / 255)
    const [r, g, b] = part.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  let ground = rgb(getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor)
  const grounds = []
  for (let at = element; at; at = at.parentElement) {
    // the slider's value stands beside its thumb, though it lies within
    if (!at.closest("[data-testid=stSlider]")) {
      grounds.unshift(rgb(getComputedStyle(at).backgroundColor))
    }
  }
  for (const [r, g, b, share = 1] of grounds) {
    ground = ground.map((c, i) => c + ([r, g, b][i] - c) * share)
  }
  const both = [light(ground), light(rgb(getComputedStyle(element).color))]
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)
}"""
"""The contrast of an element's words to what lies behind them (WCAG 2.2)."""

WATCH_FOR_REFUSAL = """
window.refused = false
window.watch = new MutationObserver(() => {
  window.refused ||= document.body?.innerText.includes("Page not found") ?? false
})
window.watch.observe(document, {childList: true, subtree: true})
"""
"""Remembers whether the page said at any moment that it does not exist."""
DRAWN = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))
})"""
"""Is over when the browser has drawn twice: React sends what a click changes after a drawing."""
Look = tuple[tuple[str, int], ...]
LOOKS = some([(("light", 1024), ("dark", 1440)), (("light", 1440), ("dark", 1024))], always=1)
"""Each theme with one of two widths in every run, and with the other in a soak."""
BOTH_WIDTHS = [
    pytest.param("light", (1024, 1440)),
    pytest.param("dark", (1440, 1024), marks=pytest.mark.soak),
]
"""Each theme, the second in a soak, with the window's first width and its second."""


def contrast(words: Locator) -> float:
    """The contrast of an element's words to what lies behind them (WCAG 2.2)."""
    return float(words.evaluate(CONTRAST))


@dataclass
class Window:
    """A page in the browser, with its errors and requests."""

    page: Page
    server: Server
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _asked: int = 0
    _answered: int = 0
    _is_waiting: bool = False
    _has_begun: bool = False
    _is_watching: bool = False

    @property
    def url(self) -> str:
        """The server's address."""
        return self.server.url

    def __post_init__(self) -> None:
        self.page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self._is_waiting = False
        socket.on("framesent", self._note_request)
        socket.on("framereceived", self._note_answer)

    def _note_request(self, frame: bytes | str) -> None:
        assert isinstance(frame, bytes)
        message = BackMsg.FromString(frame)
        if message.WhichOneof("type") == "rerun_script":
            self._asked += not message.rerun_script.is_auto_rerun
            self._is_waiting, self._has_begun = True, False

    def _note_answer(self, frame: bytes | str) -> None:
        assert isinstance(frame, bytes)
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        self._answered += kind == "script_finished"
        if kind == "auto_rerun":
            self._is_watching = True
        elif kind == "new_session":
            self._has_begun = True
            self._is_watching &= bool(message.metadata.run.fragment_ids)
        elif kind == "script_finished" and self._has_begun:  # else it is an earlier question's end
            self._is_waiting = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def settle(self) -> None:
        """Wait until the script has run and everything is drawn.

        A busy server begins late, and until then the page looks finished. So this method also
        follows the questions to the server and the answers. A part of the page may ask once more
        when it is drawn.
        """
        self._let_draw()  # what was pressed is asked for now
        asked = -1
        while asked != self._asked:
            asked = self._asked
            self._wait_for(lambda: not self._is_waiting, "the server did not answer")
            self.page.wait_for_selector(
                "[data-testid=stApp][data-test-script-state=notRunning]", state="attached"
            )
            expect(self.page.locator("[data-testid=stSkeleton]")).to_have_count(0)
            self._let_draw()

    def until_still(self) -> None:
        """Wait until no part of the page watches anything: the page is not drawn again by itself.

        While a whole page is drawn again, its buttons for files may refer to what is gone.
        """
        self._wait_for(lambda: not self._is_watching, "the page goes on watching")
        self.settle()

    def _let_draw(self) -> None:
        """Wait until the browser has handled what was done, and has drawn it."""
        self.page.evaluate(DRAWN)

    def click(self, target: Locator, *, force: bool = False) -> None:
        """Click, wait until the page has asked the server about it, and until all is drawn."""
        self.until_asked(partial(target.click, force=force))
        self.settle()

    def until_asked(self, act: Callable[[], object]) -> None:
        """Do something, and wait until the page has asked the server about it."""
        asked = self._asked
        act()
        self._wait_for(lambda: self._asked > asked, "the page did not ask the server")

    def until_answered(self, times: int) -> None:
        """Wait until the server has drawn the page or a part of it some times more."""
        answered = self._answered
        self._wait_for(lambda: self._answered >= answered + times, "nothing was drawn again")

    def _wait_for(self, is_so: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + STEP_MILLISECONDS / 1000
        while not is_so():
            assert time.monotonic() < deadline, complaint
            self.page.wait_for_timeout(50)

    def go(self, path: str = "") -> None:
        """Open one of the dashboard's pages."""
        self.page.goto(f"{self.url}/{path}")
        self.page.wait_for_selector("[data-testid=stMain]")
        self.settle()

    def go_first(self, path: str, words: str) -> None:
        """Open a page of a new server first, as from a bookmark, and see these words on it."""
        with self.page.add_init_script(WATCH_FOR_REFUSAL):
            self.go(path)
        self.page.wait_for_url(f"**/{path}*")
        expect(self.page.get_by_text(words)).to_be_visible()
        assert not self.page.evaluate("window.watch.disconnect(), window.refused"), "for a moment"

    def upload(self, name: str, content: bytes) -> None:
        """Give a file to the page's uploader, and wait until it is read."""
        self.hand_in({"name": name, "mimeType": "text/csv", "buffer": content})
        self.settle()

    def hand_in(self, file: Path | FilePayload) -> None:
        """Give a file to the page's uploader, and wait until the server is asked to read it.

        The browser reads a path by itself. Several megabytes would take seconds by another way.
        """
        uploader = self.page.get_by_test_id("stFileUploaderDropzoneInput")
        self.until_asked(lambda: uploader.set_input_files(file))

    def widen(self, width: int) -> None:
        """Make the window wider or narrower."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.settle()

    def overhang(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(self._pixels_too_many(OVERHANG))

    def legend_overlap(self) -> float:
        """The most pixels of a figure's legend that lie on its plot."""
        return self._pixels_too_many(LEGEND_OVERLAP)

    def _pixels_too_many(self, measure: str) -> float:
        """Measure until the result is less than 1, since a busy browser takes time for the layout.

        The page's own policy forbids to repeat the measuring inside the page.
        """
        deadline = time.monotonic() + LAYOUT_MILLISECONDS / 1000
        while (pixels := float(self.page.evaluate(measure))) >= 1 and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)
        return pixels

    def count_charts(self) -> None:
        """Begin to count the charts that are visible at one moment."""
        self.page.evaluate(COUNT_CHARTS)

    def most_charts(self) -> int:
        """The most charts that were visible at one moment since the counting began."""
        return int(self.page.evaluate("window.mostCharts"))

    def dress(self, theme: str, width: int, height: int = 900) -> None:
        """Choose the theme and the size."""
        self.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        self.page.set_viewport_size({"width": width, "height": height})

    def reopen(self, theme: str, width: int) -> None:
        """Load the page again, in another theme and width."""
        self.dress(theme, width)
        self.page.reload()
        self.page.wait_for_selector("[data-testid=stMain]")
        self.settle()

    def shoot(self, name: str, *, whole: bool = True) -> None:
        """Keep a picture for people to look at, if ``ODT_SHOTS`` is set.

        It is of the whole page, or of what the window shows of it.
        """
        if not os.environ.get("ODT_SHOTS"):
            return
        SHOTS.mkdir(exist_ok=True)
        if not whole:
            self.page.screenshot(path=SHOTS / f"{name}.png")
            return
        main = self.page.locator("[data-testid=stMain]")
        size = self.page.viewport_size or {"width": 1280, "height": 900}
        needed = main.evaluate("element => element.scrollHeight")
        self.page.set_viewport_size(
            {"width": size["width"], "height": max(int(needed) + 8, size["height"])}
        )
        self._let_draw()
        self.page.screenshot(path=SHOTS / f"{name}.png")
        self.page.set_viewport_size(size)
