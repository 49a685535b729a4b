"""Threads of a server, each of which repeats one task until the server ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

from odt_core.jobs.server_jobs import ServerJobs
from odt_core.storage import StorageError

RETRY_EVERY = 2.0
"""Seconds until a task that failed is tried again."""
LAST_ROUND = 5.0
"""Seconds that a task may still take once the server ends."""


class ServiceThreads:
    """The manager's threads.

    If the store fails, or this program makes a mistake, the task is tried again later and the
    thread lives on. Without the thread, all runs would stand still, and nobody would know why.

    Parameters
    ----------
    jobs : ServerJobs
        Its `problem` says what failed.
    closed : threading.Event
        Set when the server ends.
    """

    def __init__(self, jobs: ServerJobs, closed: threading.Event) -> None:
        self._jobs = jobs
        self._closed = closed
        self._threads: list[threading.Thread] = []

    def start(
        self, name: str, work: Callable[[], object], pause: Callable[[], object] | float
    ) -> None:
        """Start a thread.

        Parameters
        ----------
        name : str
            What the thread does, in one word.
        work : callable
            The task.
        pause : callable or float
            Waits until the task is due again; or the seconds between two repetitions.
        """
        seconds = pause if isinstance(pause, float) else None
        wait = pause if callable(pause) else lambda: self._closed.wait(seconds)
        thread = threading.Thread(
            target=self._repeat, args=(work, wait), daemon=True, name=f"odt-{name}"
        )
        self._threads.append(thread)
        thread.start()

    def join(self) -> None:
        """Wait until all tasks have ended."""
        for thread in self._threads:
            thread.join(LAST_ROUND)

    def _repeat(self, work: Callable[[], object], wait: Callable[[], object]) -> None:
        while not self._closed.is_set():
            try:
                work()
            except StorageError as error:
                self._jobs.note_problem(error)
                self._closed.wait(RETRY_EVERY)
            except Exception as error:
                self._jobs.note_unexpected(error)
                self._closed.wait(RETRY_EVERY)
            wait()
