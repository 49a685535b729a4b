"""What the manager needs of the processes that work, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Loss:
    """A job lost its worker before it ended, or its place with those that may run it.

    Attributes
    ----------
    how : str
        How its process ended, in a word or two.
    memory_limit : int or None
        Bytes, if the worker was ended because it took more.
    begun : bool
        False if no worker has begun the job, so that it may wait for another one.
    """

    how: str
    memory_limit: int | None = None
    begun: bool = True


class Listener(Protocol):
    """Who hears of what happens in a pool; called from the pool's threads."""

    def on_free(self) -> None:
        """A worker may be free."""

    def on_message(self, job: str, message: dict[str, Any]) -> None:
        """A worker says something of its job: see `odt_core.worker.messages`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the message cannot be understood; the worker is then ended.
        """

    def on_restart(self, job: str) -> None:
        """A job begins anew, since the machine that ran it was lost."""

    def on_lost(self, job: str, loss: Loss) -> None:
        """A job's worker has ended before the job, or none has begun it."""

    def on_no_worker(self, reason: str) -> None:
        """Several workers in a row could not be started."""


class Pool(Protocol):
    """Workers that run jobs, one each.

    Attributes
    ----------
    problem : str
        Why there are no workers, in a sentence for the user; empty if all is well.
    """

    problem: str

    def start(self, listener: Listener) -> None:
        """Begin; workers are made now."""

    def n_free(self) -> int:
        """How many jobs could be started now."""

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Start a job on a free worker; false if there is none after all.

        Parameters
        ----------
        job : str
            Its id.
        spec : dict
            `odt_core.jobs.JobSpec` as JSON.
        path : Path
            The data set's bytes in a file of this machine.
        hurry : bool
            Others wait: a proved tree needs no second engine's confirmation.
        """

    def stop(self, job: str) -> None:
        """Ask a job to end with its best tree."""

    def kill(self, job: str) -> None:
        """End a job's worker and whatever it has started."""

    def close(self) -> None:
        """End all workers."""
