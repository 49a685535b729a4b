"""Ctrl-C during a command: the command stops and keeps its result so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from odt_core.cli.inputs import note

EXIT_INTERRUPTED = 130


@contextmanager
def stop_on_interrupt(what: str = "the best tree so far") -> Iterator[threading.Event]:
    """Set an event on the first Ctrl-C. The second Ctrl-C ends the program."""
    stop = threading.Event()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        note(f"Stopping with {what} ...")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
