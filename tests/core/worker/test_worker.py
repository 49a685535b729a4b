"""A worker sends progress often enough, never too often, and always the last point."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solution import TracePoint
from odt_core.topology import Topology
from odt_core.worker import worker
from odt_core.worker.worker import ProgressSender


@pytest.fixture(autouse=True)
def longer_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points in quick succession come within the pause, however busy the machine."""
    monkeypatch.setattr(worker, "PROGRESS_EVERY", 1.0)


def wait_for_timers() -> None:
    """Wait until no timer will send anything more."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()


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
    sender = ProgressSender("job", said.append)
    problem = small_problem()
    for bound in range(50, 2, -1):
        sender.send(problem, TracePoint(0.0, 2, bound))
    wait_for_timers()
    assert [message["bound"] for message in said] == [50, 3]


def test_a_point_that_says_nothing_new_is_not_sent() -> None:
    said: list[dict[str, Any]] = []
    sender = ProgressSender("job", said.append)
    for seconds in range(3):
        sender.send(small_problem(), TracePoint(float(seconds), 2, 3))
    wait_for_timers()
    assert len(said) == 1


def test_nothing_is_sent_after_the_end() -> None:
    said: list[dict[str, Any]] = []
    sender = ProgressSender("job", said.append)
    sender.send(small_problem(), TracePoint(0.0, None, 3))
    sender.send(small_problem(), TracePoint(0.0, 2, 3))
    sender.close()
    wait_for_timers()
    assert [message["incumbent"] for message in said] == [None]
