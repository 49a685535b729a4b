"""The jobs of a study command, in this process or in several, with progress."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from odt_core.cli.inputs import read_options
from odt_core.cli.output import Pace
from odt_core.data import Table
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobSpec, temporary_manager
from odt_core.storage import LOCAL_OWNER
from odt_core.training import Hooks, TrainSpec
from odt_core.words import count_words, seconds_words
from odt_core.worker.kinds import run_job
from odt_core.worker.messages import Part

POLL = 0.05


class Stopwatch:
    """The time since a study began, by the clock and of the processor."""

    def __init__(self) -> None:
        self._began, self._cpu_before = time.monotonic(), _cpu_seconds()

    @property
    def seconds(self) -> float:
        """Seconds by the clock."""
        return time.monotonic() - self._began

    def study_json(self, table: Table, spec: TrainSpec, stop: threading.Event) -> dict[str, Any]:
        """Write how a study ended, its times, its data and its settings."""
        return {
            "status": "cancelled" if stop.is_set() else "done",
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(_cpu_seconds() - self._cpu_before, 3),
            "data": {"name": table.name, "sha256": table.sha256},
            "settings": spec.to_json(),
        }


def _cpu_seconds() -> float:
    """CPU time of this process and of its finished workers."""
    return sum(os.times()[:4])


def run_jobs(
    options: argparse.Namespace,
    table: Table,
    spec: TrainSpec,
    kind: JobKind,
    parts: Sequence[Part],
    stop: threading.Event,
    printer: ProgressPrinter,
    size: Callable[[Any], int] = lambda part: 1,
) -> list[dict[str, Any]]:
    """Run a study's parts as jobs, and return their results.

    One job at a time runs in this process, and its progress counts the parts' sizes. More than one
    at a time are jobs of ``options.jobs`` workers.

    Raises
    ------
    InputError
        If a part fails, with the first reason.
    """
    read = read_options(options)
    jobs = [JobSpec(table.sha256, table.name, read, spec, kind, part) for part in parts]
    if options.jobs == 1:
        return _run_here(table, jobs, stop, printer, [size(part) for part in parts])
    with temporary_manager(n_workers=min(options.jobs, len(parts))) as manager:
        manager.store.datasets.put(LOCAL_OWNER, Path(options.file).read_bytes(), table.name)
        batch = manager.submit_study(jobs)
        while not batch.is_over:
            time.sleep(POLL)
            if not (stop.is_set() or batch.failure):
                # the batch's estimate, which excludes the start of the workers
                printer.say(batch.n_done, len(batch.jobs), batch.seconds_left)
            elif not batch.was_cancelled:  # stopped jobs are not progress
                manager.cancel_study(batch)
    if batch.failure:
        raise InputError(batch.failure)
    return batch.results


def _run_here(
    table: Table,
    jobs: Sequence[JobSpec],
    stop: threading.Event,
    printer: ProgressPrinter,
    sizes: Sequence[int],
) -> list[dict[str, Any]]:
    """Run jobs one after the other. A job that is stopped gives what it has."""
    began = time.monotonic()
    hooks, done = Hooks(should_stop=stop.is_set), 0
    results: list[dict[str, Any]] = []
    for job, size in zip(jobs, sizes, strict=True):
        if stop.is_set():
            break
        results.append(run_job(table, job, hooks).result)
        done += size
        if not stop.is_set():
            left = sum(sizes) - done
            printer.say(done, sum(sizes), (time.monotonic() - began) / done * left)
    return results


class ProgressPrinter:
    """Prints new progress, at most one line a second.

    Parameters
    ----------
    unit : str
        The noun for a part of the study, such as ``split``.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._pace = Pace()
        self._done = 0

    def say(self, done: int, total: int, seconds_left: float | None) -> None:
        """Print the progress of a study with several parts if it changed."""
        if total == 1 or done == self._done or not self._pace.is_due():
            return
        self._done = done
        rest = f", about {seconds_words(seconds_left)} left" if seconds_left else ""
        print(f"{done} of {count_words(total, self._unit)}{rest}", file=sys.stderr)
