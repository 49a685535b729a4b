"""The Alternatives page: what a user asks for there, and what comes back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES, ReadOptions, read_table
from odt_core.data.splitting import SplitSpec
from odt_core.jobs import JobSpec
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from pages.common.places import Place
from pages.common.server import job_manager, store
from pages.common.state import Dataset, Work
from tests.pages.sessions import WORK, said, wait_for


@pytest.fixture
def open_page(app: AppTest) -> Callable[..., AppTest]:
    """Opens the page with 200 training rows of the triage sample, and a trained tree if asked."""

    def start(*, trained: bool = True) -> AppTest:
        content = SAMPLES["triage"].csv()
        table = read_table(content, ReadOptions(), name="triage.csv")
        sha256 = store().datasets.put(LOCAL_OWNER, content, "triage.csv").sha256
        schema, split = SAMPLES["triage"].schema(), SplitSpec.parse("200")
        spec = TrainSpec(
            schema=schema, split=split, topology=Topology.parse("depth-2"), engine=Engine.SEARCH
        )
        job = None
        if trained:
            job = job_manager().submit(JobSpec(sha256, "triage.csv", ReadOptions(), spec))
        app.session_state[WORK] = Work(
            Dataset(table, sha256, ReadOptions()), schema=schema, split=split, job=job
        )
        if trained:
            wait_for(app, lambda now: now.job)
        app.switch_page(Place.ALTERNATIVES).run()
        assert not app.exception
        return app

    return start


def test_without_a_tree_the_page_says_what_to_do(open_page: Callable[..., AppTest]) -> None:
    assert "starts from a trained tree" in said(open_page(trained=False))


def test_the_current_tree_is_drawn(open_page: Callable[..., AppTest]) -> None:
    page = open_page()
    assert "The current tree" in " ".join(str(header.value) for header in page.header)
    assert "digraph" in str(page.get("graphviz_chart")[0].proto.spec)
