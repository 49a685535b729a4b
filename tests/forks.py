"""Other processes of a test: each runs a function, and exchanges lines with the test.

Where the system can, they are forked from a process that has imported what they need. A new
interpreter takes a second of processor time until it has imported the store.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context("forkserver" if CAN_FORK else "spawn")
NEEDED = ["tests.core.jobs.server", "tests.core.storage.children"]
"""The modules that are imported before the first process is forked."""

if CAN_FORK:
    CONTEXT.set_forkserver_preload(NEEDED)


def prepare() -> None:
    """Start the process from which others are forked, if it does not run, with this environment."""
    if CAN_FORK:
        multiprocessing.forkserver.ensure_running()
        multiprocessing.resource_tracker.ensure_running()


class Fork:
    """A process that runs a function with its end of a connection and some arguments.

    Attributes
    ----------
    pid : int
        Its process id.
    """

    def __init__(self, run: Callable[..., None], *arguments: str) -> None:
        self._connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(
            target=_run, args=(run, theirs, dict(os.environ), arguments), daemon=True
        )
        self._process.start()
        theirs.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def say(self, line: str = "") -> None:
        """Send a line to it."""
        self._connection.send(line)

    def next_line(self) -> str:
        """The next line that it says.

        Raises
        ------
        EOFError
            If it has ended. Its own complaint is on standard error.
        """
        return str(self._connection.recv())

    def lines(self) -> Iterator[str]:
        """The lines that it writes until it ends."""
        with suppress(EOFError, OSError):  # OSError: it was killed while it said something
            while True:
                yield self.next_line()

    def wait(self) -> int | None:
        """Wait until it has ended; its exit code."""
        self._process.join()
        return self._process.exitcode

    def kill(self) -> None:
        """Kill it, as the system does if memory runs out."""
        self._process.kill()
        self.wait()


def _run(
    run: Callable[..., None],
    test: Connection,
    environment: dict[str, str],
    arguments: tuple[str, ...],
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    run(test, *arguments)
