"""A worker sends progress often enough, never too often, and never loses the last."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solution import TracePoint
from odt_core.topology import Topology
from odt_core.worker import worker
from odt_core.worker.worker import _ProgressSender

PAUSE = 1.0
"""Seconds between two messages here: however busy the machine, what follows at once is within."""


@pytest.fixture(autouse=True)
def longer_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PROGRESS_EVERY", PAUSE)


def small_problem() -> Problem:
    feature = Feature("colour", FeatureKind.CATEGORICAL, ("red", "blue"))
    data = EncodedData(
        codes=np.array([[0], [1], [1]], dtype=np.int32),
        y=np.array([True, False, True]),
        weight=np.ones(3, dtype=np.int64),
        features=(feature,),
    )
    return Problem(data, Topology.parse("depth-1"))


def test_points_in_quick_succession_are_thinned_but_the_last_arrives() -> None:
    said: list[dict[str, Any]] = []
    sender = _ProgressSender("job", said.append)
    problem = small_problem()
    for bound in range(50, 2, -1):
        sender.send(problem, TracePoint(0.0, 2, bound))
    deadline = time.monotonic() + 20 * PAUSE
    while len(said) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [message["bound"] for message in said] == [50, 3]


def test_a_point_that_says_nothing_new_is_not_sent() -> None:
    said: list[dict[str, Any]] = []
    sender = _ProgressSender("job", said.append)
    for seconds in range(3):
        sender.send(small_problem(), TracePoint(float(seconds), 2, 3))
    time.sleep(1.5 * PAUSE)
    assert len(said) == 1


def test_nothing_is_sent_after_the_end() -> None:
    said: list[dict[str, Any]] = []
    sender = _ProgressSender("job", said.append)
    sender.send(small_problem(), TracePoint(0.0, None, 3))
    sender.send(small_problem(), TracePoint(0.0, 2, 3))
    sender.close()
    time.sleep(1.5 * PAUSE)
    assert [message["incumbent"] for message in said] == [None]


def test_a_worker_knows_nothing_of_databases() -> None:
    """Half a second and 20 MiB of each worker."""
    code = (
        "import sys, odt_core.worker.worker as worker; worker.warm_up();"
        "print([name for name in ('sqlalchemy', 'alembic', 'distributed') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
