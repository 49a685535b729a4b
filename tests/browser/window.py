"""A running dashboard and a page of it in the browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

SHOTS = Path(__file__).parent / "shots"
STEP_MILLISECONDS = 20_000
COUNT_CHARTS = """() => {
  window.mostCharts = 0
  setInterval(() => {
    const charts = [...document.querySelectorAll(".js-plotly-plot")]
    const seen = charts.filter((chart) => chart.offsetParent !== null).length
    window.mostCharts = Math.max(window.mostCharts, seen)
  }, 15)
}"""
"""Keeps the largest number of charts that were on the page at one moment."""


BOTH_WIDTHS = [("light", (1024, 1440)), ("dark", (1440, 1024))]
"""Each theme, with the width that a page is opened in and the one that it is then given."""


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    url: str
    data_dir: Path
    log: Path
    pid: int


@dataclass
class Window:
    """A page in the browser, with what it did behind the scenes."""

    page: Page
    url: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _asked: int = 0
    _is_waiting: bool = False

    def __post_init__(self) -> None:
        self.page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self._is_waiting = False
        socket.on("framesent", self._note_request)
        socket.on("framereceived", self._note_answer)

    def _note_request(self, frame: bytes | str) -> None:
        assert isinstance(frame, bytes)
        if BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self._asked += 1
            self._is_waiting = True

    def _note_answer(self, frame: bytes | str) -> None:
        assert isinstance(frame, bytes)
        if ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
            self._is_waiting = False

    def settle(self) -> None:
        """Wait until the script has run and everything is drawn.

        A busy server begins to run long after it was asked to, and till then the page looks as if
        nothing were to come. So the questions to the server and its answers are followed, too.
        """
        self.page.wait_for_timeout(100)  # what is pressed now is asked for now
        self._wait_for(lambda: not self._is_waiting, "the server did not answer")
        self.page.wait_for_selector(
            "[data-testid=stApp][data-test-script-state=notRunning]", state="attached"
        )
        self.page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
        self.page.wait_for_timeout(150)

    def _wait_for(self, is_so: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + STEP_MILLISECONDS / 1000
        while not is_so():
            assert time.monotonic() < deadline, complaint
            self.page.wait_for_timeout(20)

    def go(self, path: str = "") -> None:
        """Open one of the dashboard's pages."""
        self.page.goto(f"{self.url}/{path}")
        self.page.wait_for_selector("[data-testid=stMain]")
        self.settle()

    def upload(self, name: str, content: bytes) -> None:
        """Give a file to the page's uploader, and wait until it is read."""
        self.hand_in(name, content)
        self.settle()

    def hand_in(self, name: str, content: bytes) -> None:
        """Give a file to the page's uploader, and wait until the server is asked to read it."""
        asked = self._asked
        self.page.set_input_files(
            "[data-testid=stFileUploaderDropzoneInput]",
            {"name": name, "mimeType": "text/csv", "buffer": content},
        )
        self._wait_for(lambda: self._asked > asked, "the page did not say that a file is there")

    def widen(self, width: int) -> None:
        """Make the window wider or narrower."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.settle()

    def overhang(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(
            self.page.evaluate(
                "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
            )
        )

    def legend_overlap(self) -> float:
        """How many pixels of a figure's legend lie on its plot, at most."""
        return float(
            self.page.evaluate(
                """() => Math.max(0, ...[...document.querySelectorAll(".js-plotly-plot")]
                .filter((chart) => chart.offsetParent !== null && chart.querySelector(".legend"))
                .map((chart) => chart.querySelector(".legend").getBoundingClientRect().bottom
                    - chart.querySelector(".gridlayer").getBoundingClientRect().top))"""
            )
        )

    def count_charts(self) -> None:
        """Begin to count the charts that are seen at one moment."""
        self.page.evaluate(COUNT_CHARTS)

    def most_charts(self) -> int:
        """The most that were seen at one moment since the counting began."""
        return int(self.page.evaluate("window.mostCharts"))

    def shoot(self, name: str) -> None:
        """Keep a picture of the whole page for people to look at."""
        SHOTS.mkdir(exist_ok=True)
        main = self.page.locator("[data-testid=stMain]")
        size = self.page.viewport_size or {"width": 1280, "height": 900}
        needed = main.evaluate("element => element.scrollHeight")
        self.page.set_viewport_size(
            {"width": size["width"], "height": max(int(needed) + 8, size["height"])}
        )
        self.page.wait_for_timeout(400)
        self.page.screenshot(path=SHOTS / f"{name}.png")
        self.page.set_viewport_size(size)
