"""What a manager makes of its workers' messages."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from odt_core.jobs import Batch, Job, JobSpec
from odt_core.jobs.hearing import Hearing
from odt_core.jobs.held import Held, Running
from odt_core.training import Stage


def test_a_jobs_wait_for_the_search_is_known_apart(
    quick: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, job, other = Held(), Job(quick), Job(quick)
    held.running[job.id] = Running(job, Path())
    hearing = Hearing(held, Mock(), Mock(), threading.Event())
    clock = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    for stage, seconds in (
        (Stage.PREPARING, 1.0),
        (Stage.COMPILING, 40.0),
        (Stage.SOLVING, 2.0),
        (Stage.FINISHING, 3.0),
    ):
        hearing.on_message(job.id, {"type": "stage", "stage": stage.value})
        clock += seconds
    assert job.waited == pytest.approx(40.0)
    assert Batch((job, other)).waited == job.waited
    hearing.on_restart(job.id)
    assert job.waited == 0.0
