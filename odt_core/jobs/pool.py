"""The interface between the manager and its workers, wherever they run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class WorkerLoss:
    """The loss of a job's worker before the job ended, or of the job's place at a pool.

    Attributes
    ----------
    how : str
        How the process ended, in a few words.
    memory_limit : int or None
        The limit in bytes, if the worker was ended because it took more.
    begun : bool
        Whether a worker had started the job. If not, the job can wait for another worker.
    """

    how: str
    memory_limit: int | None = None
    begun: bool = True


class Listener(Protocol):
    """Receives the events of a pool. The pool's threads call it."""

    def on_free(self) -> None:
        """React to a worker that may be free."""

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """Handle a worker's message about its job: see `odt_core.worker.messages`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the message cannot be understood; the pool then ends the worker.
        """

    def on_restart(self, job: str) -> None:
        """Reset a job that starts again because the machine that ran it was lost."""

    def on_lost(self, job: str, loss: WorkerLoss) -> None:
        """Handle a job that has lost its worker or its place at the pool."""

    def on_no_worker(self, reason: str) -> None:
        """Handle a pool in which several workers in a row could not be started."""


class Pool(Protocol):
    """Workers, each of which runs one job at a time.

    Attributes
    ----------
    problem : str
        One sentence for the user on why there are no workers; empty if all is well.
    """

    problem: str

    def start(self, listener: Listener) -> None:
        """Start the pool. It makes its workers now."""

    def n_free(self) -> int:
        """Count the jobs that could be started now."""

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Start a job on a free worker; false if no worker is free.

        Parameters
        ----------
        job : str
            Its id.
        spec : dict
            `odt_core.jobs.JobSpec` as JSON.
        path : Path
            A file on this machine with the data set's bytes.
        hurry : bool
            Whether others wait. A proved tree then skips a second engine's confirmation.
        """

    def stop(self, job: str) -> None:
        """Ask a job to end and return its best tree."""

    def kill(self, job: str) -> None:
        """End a job's worker and every process that it started."""

    def close(self) -> None:
        """End all workers."""
