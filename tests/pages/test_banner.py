"""The line on top of every page: which data set and which tree are current."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SplitSpec
from odt_core.jobs import Job, JobSpec
from odt_core.storage import RunStatus
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from pages.common.session import Work

RESULT = {
    "status": "optimal",
    "train": {"tp": 100, "fp": 9, "tn": 226, "fn": 10},
    "test": {"tp": 40, "fp": 5, "tn": 95, "fn": 10},
}


def with_job(app: AppTest, state: RunStatus, result: dict[str, Any] | None = None) -> Work:
    """The session after a run was started on its present data set."""
    now: Work = app.session_state["odt_work"]
    assert now.dataset is not None and now.schema is not None and now.split is not None
    train = TrainSpec(now.schema, now.split, Topology.parse("depth-2"))
    spec = JobSpec(now.dataset.sha256, now.dataset.name, now.dataset.read, train)
    return dataclasses.replace(now, job=Job(spec, status=state, result=result))


def banner(app: AppTest, now: Work) -> str:
    app.session_state["odt_work"] = now
    app.run()
    assert not app.exception
    return str(app.html[0].value)


@pytest.fixture
def monks(app: AppTest) -> AppTest:
    return app.button(key="data_sample_monks-1").click().run()


@pytest.mark.parametrize(
    ("state", "result", "words"),
    [
        (RunStatus.QUEUED, None, "waiting for its turn"),
        (RunStatus.RUNNING, None, "training now"),
        (RunStatus.FAILED, None, "failed"),
        (RunStatus.CANCELLED, None, "stopped before a tree was found"),
        (RunStatus.DONE, RESULT, "test accuracy 90.0% · proved optimal in training"),
        (
            RunStatus.DONE,
            {**RESULT, "status": "feasible", "test": None},
            "no test rows; training accuracy 94.5% · best found, not proved",
        ),
        (
            RunStatus.DONE,
            {**RESULT, "status": "infeasible", "train": None, "test": None},
            "no tree meets the floors",
        ),
    ],
)
def test_it_says_how_far_the_run_is(
    monks: AppTest, state: RunStatus, result: dict[str, Any] | None, words: str
) -> None:
    assert f"<b>depth-2</b> · {words}" in banner(monks, with_job(monks, state, result))


def test_it_says_when_the_tree_is_older_than_the_choices(monks: AppTest) -> None:
    now = with_job(monks, RunStatus.DONE, RESULT)
    assert "before the last changes" not in banner(monks, now)
    changed = dataclasses.replace(now, split=SplitSpec.parse("all"))
    assert "made before the last changes on the Data page" in banner(monks, changed)


def test_it_says_when_the_tree_is_of_another_table(monks: AppTest) -> None:
    banner(monks, with_job(monks, RunStatus.DONE, RESULT))
    monks.button(key="data_sample_tic-tac-toe").click().run()
    assert "<b>tic-tac-toe.csv</b>" in monks.html[0].value
    assert "made from monks-1.csv" in monks.html[0].value
