"""Many people at once: ``python -m benchmarks.load [--sessions 20] [--seconds 300]``.

A real server of the dashboard, and sessions that speak to it as browsers do: each opens the page,
takes a sample, goes to the Train page and presses Train again and again. It looks at the progress
as often as the page asks for it, and pauses for a few seconds between two runs. At the end, the
store tells whether every press became a run and every run ended well.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from odt_core.storage import LOCAL_OWNER, RunQuery, RunStatus, RunSummary, Store

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("breast-cancer", "triage", "tic-tac-toe", "monks-1")
THINK = (1.0, 4.0)
"""Seconds between a tree and the next press, at random."""
PATIENCE = 180.0
"""Seconds until a session gives up."""
MIB = 2**20


@dataclass
class Figures:
    """The measurements of one session.

    Attributes
    ----------
    drawn : list of float
        Seconds from each press of Train to the drawn tree.
    complaint : str
        Why it gave up; empty if it did not.
    """

    drawn: list[float] = field(default_factory=list)
    complaint: str = ""


class Session:
    """A browser without a screen.

    Parameters
    ----------
    port : int
        Of the server.
    """

    def __init__(self, port: int) -> None:
        self._socket = connect(
            f"ws://localhost:{port}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(f"http://localhost:{port}"),
            max_size=None,
            legacy=True,
        )
        self._kept: dict[str, ForwardMsg] = {}
        self._timers: dict[str, tuple[float, float]] = {}
        self._page = self._hash = ""
        self.buttons: dict[str, tuple[str, bool]] = {}
        self.has_tree = False

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def open(self, page: str) -> None:
        """Go to a page."""
        self._page, self._hash = page, ""
        self._run()

    def press(self, key: str) -> None:
        """Press a button, which must exist and be enabled."""
        name, disabled = self.buttons[key]
        assert not disabled, f"the button {key} is disabled"
        self._run(WidgetStates(widgets=[WidgetState(id=name, trigger_value=True)]))

    def watch(self) -> None:
        """Run the fragments that are due, as the page asked for."""
        now = time.monotonic()
        due = [name for name, (_, at) in self._timers.items() if at <= now]
        for name in due:
            if name in self._timers:
                self._timers[name] = (self._timers[name][0], now + self._timers[name][0])
                self._run(fragment=name)

    @property
    def is_watching(self) -> bool:
        """Whether a fragment still asks for updates."""
        return bool(self._timers)

    def _run(self, widgets: WidgetStates | None = None, fragment: str = "") -> None:
        state = ClientState(
            page_name="" if self._hash else self._page,
            page_script_hash=self._hash,
            widget_states=widgets or WidgetStates(),
            fragment_id=fragment,
            is_auto_rerun=bool(fragment),
        )
        self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        deadline = time.monotonic() + PATIENCE
        while True:
            content = self._socket.recv(timeout=max(deadline - time.monotonic(), 0.01))
            assert isinstance(content, bytes)
            if self._take_in(ForwardMsg.FromString(content)):
                return

    def _take_in(self, message: ForwardMsg) -> bool:
        """Read a message. Returns whether the script has ended for good."""
        if message.WhichOneof("type") == "ref_hash":
            message = self._kept[message.ref_hash]
        elif message.metadata.cacheable:
            self._kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._timers, self.buttons, self.has_tree = {}, {}, False
        elif kind == "auto_rerun":
            every = message.auto_rerun.interval
            self._timers[message.auto_rerun.fragment_id] = (every, time.monotonic() + every)
        elif kind == "stop_auto_rerun":
            for name in message.stop_auto_rerun.fragment_ids:
                self._timers.pop(name, None)
        elif kind == "navigation":
            self._hash = message.navigation.page_script_hash
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._see(message.delta.new_element)
        elif kind == "script_finished":
            ended = ForwardMsg.ScriptFinishedStatus
            return message.script_finished in (
                ended.FINISHED_SUCCESSFULLY,
                ended.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
            )
        return False

    def _see(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "button":
            key = element.button.id.split("-", 2)[-1]
            self.buttons[key] = (element.button.id, element.button.disabled)
        elif kind == "graphviz_chart":
            self.has_tree = True
        elif kind == "exception":
            raise AssertionError(f"the page shows an error: {element.exception.message}")


def warm_up(port: int) -> None:
    """Make a first run, which is not counted. Workers start, and modules of pages are imported."""
    session = Session(port)
    session.open("data")
    session.press(f"data_sample_{SAMPLES[-1]}")
    session.open("train")
    _train(session)
    while session.is_watching:
        time.sleep(0.1)
        session.watch()
    session.close()


def use(port: int, number: int, until: float, figures: Figures) -> None:
    """Do one person's work."""
    chance = random.Random(number)
    try:
        session = Session(port)
        session.open("data")
        session.press(f"data_sample_{SAMPLES[number % len(SAMPLES)]}")
        session.open("train")
        while time.monotonic() < until:
            time.sleep(chance.uniform(*THINK) * (0.3 if not figures.drawn else 1.0))
            figures.drawn.append(_train(session))
        while session.is_watching:
            time.sleep(0.1)
            session.watch()
        session.close()
    except Exception as error:
        figures.complaint = f"{type(error).__name__}: {error}"


def _train(session: Session) -> float:
    """Press Train. Returns the seconds until the tree is drawn."""
    began = time.monotonic()
    session.press("train_go")
    while not session.has_tree:
        assert time.monotonic() - began < PATIENCE, "no tree came"
        time.sleep(0.05)
        session.watch()
    return time.monotonic() - began


def start_server(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start the dashboard on a port of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        + ["--server.headless", "true", "--server.fileWatcherType", "none"],
        cwd=ROOT,
        env={**os.environ, "ODT_DATA_DIR": str(folder)},
        stdout=(folder / "server.log").open("wb"),
        stderr=subprocess.STDOUT,
    )
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2).close()
            return process, port
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise SystemExit(f"the dashboard did not start: {(folder / 'server.log').read_text()}")


def weigh(process: psutil.Process, stop: threading.Event, peaks: dict[str, int]) -> None:
    """Keep the most memory that the server and all of its processes have taken."""
    while not stop.wait(1.0):
        try:
            family = [process, *process.children(recursive=True)]
            sizes = [p.memory_info().rss for p in family]
        except psutil.Error:
            continue
        peaks["server"] = max(peaks["server"], sizes[0])
        peaks["all"] = max(peaks["all"], sum(sizes))


def all_runs(folder: Path) -> list[RunSummary]:
    """Every run in the server's store."""
    store = Store(None, folder)
    runs: list[RunSummary] = []
    while True:
        page = store.runs.list(LOCAL_OWNER, RunQuery(limit=1000, offset=len(runs)))
        runs += page.runs
        if len(runs) >= page.total or not page.runs:
            store.close()
            return runs


def report(sessions: list[Figures], runs: list[RunSummary], seconds: float, peaks: Any) -> bool:
    """Print the figures. Returns whether nothing was lost."""
    drawn = [value for figures in sessions for value in figures.drawn]
    waits = [(r.started_at - r.queued_at).total_seconds() for r in runs if r.started_at]
    done = sum(run.status is RunStatus.DONE and run.metrics.solved == "optimal" for run in runs)
    print(f"{len(sessions)} sessions, {seconds:.0f} s, {os.cpu_count()} cores")
    print(f"runs: {len(runs)}, proved optimal {done}; {60 * done / seconds:.1f} a minute")
    print(f"press to drawn tree: {_spread(drawn)}")
    print(f"wait in the queue:   {_spread(waits)}")
    print(f"memory at most: server {peaks['server'] / MIB:,.0f} MiB, with workers and solvers "
          f"{peaks['all'] / MIB:,.0f} MiB")  # fmt: skip
    for number, figures in enumerate(sessions):
        if figures.complaint:
            print(f"session {number} gave up: {figures.complaint}")
    whole = len(runs) == len(drawn) == done and not any(s.complaint for s in sessions)
    print("nothing lost" if whole else f"LOST: {len(drawn)} trees drawn, {len(runs)} runs")
    return whole


def _spread(values: list[float]) -> str:
    if len(values) < 2:
        return "too few"
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return f"median {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s, most {max(values):.2f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process, port = start_server(folder)
        warm_up(port)
        stop, peaks = threading.Event(), {"server": 0, "all": 0}
        threading.Thread(target=weigh, args=(psutil.Process(process.pid), stop, peaks)).start()
        began = time.monotonic()
        sessions = [Figures() for _ in range(options.sessions)]
        threads = [
            threading.Thread(target=use, args=(port, number, began + options.seconds, figures))
            for number, figures in enumerate(sessions)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - began
        time.sleep(1.0)  # the last record may be on its way
        stop.set()
        process.terminate()
        process.wait(20)
        runs = all_runs(folder)[:-1]  # the newest come first: without the warm-up
        return 0 if report(sessions, runs, seconds, peaks) else 1


if __name__ == "__main__":
    sys.exit(main())
