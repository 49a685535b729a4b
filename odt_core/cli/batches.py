"""Many jobs of one command in several processes, and how far they are."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from odt_core.cli.inputs import read_options
from odt_core.data import Table
from odt_core.errors import InputError
from odt_core.jobs import Batch, JobKind, JobSpec, unkept_manager
from odt_core.storage import LOCAL_OWNER
from odt_core.studies import StudyProgress
from odt_core.training import TrainSpec
from odt_core.words import count_words, seconds_words
from odt_core.worker.messages import Part

PROGRESS_EVERY = 1.0
POLL = 0.05


def cpu_seconds() -> float:
    """CPU time of this process and of the workers it has waited for."""
    return sum(os.times()[:4])


def run_jobs(
    options: argparse.Namespace,
    table: Table,
    spec: TrainSpec,
    kind: JobKind,
    parts: Sequence[Part],
    stop: threading.Event,
    printer: ProgressPrinter,
) -> list[dict[str, Any]]:
    """The results of a study's parts as jobs of ``options.jobs`` workers, as the app runs them.

    Raises
    ------
    InputError
        If a part fails; the first reason.
    """
    read = read_options(options)
    with unkept_manager(n_workers=min(options.jobs, len(parts))) as manager:
        content = Path(options.file).read_bytes()
        dataset = manager.store.datasets.put(LOCAL_OWNER, content, table.name).sha256
        jobs = [JobSpec(dataset, table.name, read, spec, kind, part) for part in parts]
        batch = Batch.submit(manager, jobs)
        while not batch.is_over:
            time.sleep(POLL)
            if not (stop.is_set() or batch.failure):
                # the batch's own estimate: the workers had to start before its first job did
                printer.say(batch.n_done, len(batch.jobs), batch.seconds_left)
            elif not batch.was_cancelled:  # what is stopped from here on is no progress
                batch.cancel(manager)
    if batch.failure:
        raise InputError(batch.failure)
    return batch.results


class ProgressPrinter:
    """Prints at most one line a second, and only what is new.

    Parameters
    ----------
    unit : str
        What one part of the study is called: ``split``.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._printed_at = time.monotonic()
        self._done = 0

    def __call__(self, progress: StudyProgress) -> None:
        """Print how far a study is, where that is new."""
        self.say(progress.done, progress.total, progress.seconds_left)

    def say(self, done: int, total: int, seconds_left: float | None) -> None:
        """Print how far it is, where that is new."""
        now = time.monotonic()
        if done == self._done or now - self._printed_at < PROGRESS_EVERY:
            return
        self._done, self._printed_at = done, now
        rest = f", about {seconds_words(seconds_left)} left" if seconds_left else ""
        print(f"{done} of {count_words(total, self._unit)}{rest}", file=sys.stderr)
