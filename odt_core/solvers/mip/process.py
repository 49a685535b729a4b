"""The solving process, seen from the calling process: start, orders, messages, end.

python-mip cannot be interrupted, can crash, and takes some hundred milliseconds to import. So a
child process solves programs, and one idle child is kept for the next solve.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO

from odt_core.processes import apart, end_with_all, ending_words, with_this_package
from odt_core.solvers.mip.messages import END_OF_LOG, Message, SolveOrder, WriteOrder

KEPT_LINES = 5
LARGE = 1_000_000
"""After a program with more entries the child is ended, because it would keep the memory."""


@dataclass(frozen=True)
class LogLine:
    """A line of the solver's log."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The child's channels are closed: the process has ended."""


Event = Message | LogLine | Ended


class Child:
    """A solving process.

    Attributes
    ----------
    events : Queue of Event
        Its messages and log lines, in order on each of the two channels.
    key : object
        A later solve reuses the child only with an equal key.
    is_clean : bool
        Whether it is idle and ready for the next order.
    """

    def __init__(self, key: object) -> None:
        self.key = key
        self.owner = os.getpid()
        self.events: queue.Queue[Event] = queue.Queue()
        self.is_clean = True
        self._last_lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._process = _spawner(self.owner).submit(_start).result()
        assert self._process.stdout is not None and self._process.stderr is not None
        for target, channel in (
            (self._read_messages, self._process.stdout),
            (self._read_log, self._process.stderr),
        ):
            threading.Thread(target=target, args=(channel,), daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, order: SolveOrder | WriteOrder) -> None:
        """Send an order, without waiting for the process to start and read it.

        If the process has ended, `Ended` arrives instead of an answer.
        """
        self.is_clean = False
        threading.Thread(target=self._write_order, args=(order,), daemon=True).start()

    def _write_order(self, order: SolveOrder | WriteOrder) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # the process has ended, or its channel is closed
            pickle.dump(order, self._process.stdin)
            self._process.stdin.flush()

    def kill(self) -> None:
        """End the process and its children."""
        if self.is_alive:
            end_with_all(self._process)
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # part of an order may still be waiting to be written
            self._process.stdin.close()

    def how_it_ended(self) -> str:
        """Describe how the process ended, with its last lines of output if no signal ended it."""
        code = self._process.wait()
        if code < 0:
            return f"was {ending_words(code)}"
        said = " | ".join(line for line in self._last_lines if line.strip())
        return f"left with status {code} (last words: {said or 'none'})"

    def _read_messages(self, channel: BinaryIO) -> None:
        with channel:
            while True:
                try:
                    self.events.put(pickle.load(channel))
                except (EOFError, pickle.UnpicklingError):  # closed, perhaps within a message
                    self.events.put(Ended())
                    return

    def _read_log(self, channel: BinaryIO) -> None:
        with channel:
            for raw in channel:
                line = raw.decode("utf-8", errors="replace").rstrip("\n")
                if line != END_OF_LOG:
                    self._last_lines.append(line.strip())
                self.events.put(LogLine(line))


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file called mip.py in the current folder must not be imported
        [sys.executable, "-P", "-m", "odt_core.solvers.mip.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**with_this_package(), "OPENBLAS_NUM_THREADS": "1"},
        **apart(),  # the calling process handles Ctrl-C
    )


@cache
def _spawner(pid: int) -> ThreadPoolExecutor:
    """A thread that starts children and lives as long as the process.

    On Linux a child is killed when the *thread* that started it ends, and the threads that call
    `solve` do end. The cache key is the process id, because a forked process lacks the thread.
    """
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="mip-spawner")


_lock = threading.Lock()
_idle: list[Child] = []


@contextmanager
def borrowed_child(key: object) -> Iterator[Child]:
    """Borrow the idle child, or start a new child. A clean child is kept afterwards.

    Parameters
    ----------
    key : object
        A child is reused only for a solve with an equal key.
    """
    child = _take(key) or Child(key)
    try:
        yield child
    finally:
        with _lock:
            keep = child.is_clean and child.is_alive and not _idle
            if keep:
                _idle.append(child)
        if not keep:
            child.kill()


def _take(key: object) -> Child | None:
    with _lock:
        found, _idle[:] = _idle[:], []
    for child in found:
        if child.owner != os.getpid():
            continue  # the child of another process, copied by a fork
        if child.key == key and child.is_alive:
            return child
        child.kill()
    return None


def end_idle_child() -> None:
    """End the idle child, if there is one."""
    _take(None)


atexit.register(end_idle_child)
