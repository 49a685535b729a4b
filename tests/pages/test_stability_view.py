"""The view of stability on the Compare page: the current tree is found again on resamples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.jobs import Batch, JobSpec
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER
from odt_core.studies import ResampleRange, StabilitySpec, gather_stability
from odt_core.studies.stability_words import headline_words, stability_sentences
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from odt_core.words import count_words
from pages.common.server import job_manager, store
from pages.common.session import Place, Work
from pages.common.studies import COMPARE_VIEW, STABILITY
from pages.compare.stability import stability_of
from tests.core.studies.parts import run_stability
from tests.pages.sessions import WORK, said, triage_work
from tests.waiting import wait_until

SECONDS = 120.0
CONTENT = SAMPLES["triage"].csv()
SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("200"),
    topology=Topology.parse("depth-1"),
    engine=Engine.SEARCH,
)


def wait_until_over(found: Batch | None) -> None:
    assert found is not None
    wait_until(lambda: found.is_over)


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The view with a tree of the triage sample that has just been trained."""
    sha256 = store().datasets.put(LOCAL_OWNER, CONTENT, "triage.csv").sha256
    job = job_manager().submit(JobSpec(sha256, "triage.csv", ReadOptions(), SPEC))
    wait_until(lambda: job.is_over)
    app.session_state[WORK] = triage_work("200", job)
    app.session_state[COMPARE_VIEW] = STABILITY
    app.switch_page(Place.COMPARE).run()
    assert not app.exception
    return app


def batch_of(app: AppTest) -> Batch | None:
    found = app.session_state[WORK]
    assert isinstance(found, Work)
    return found.stability


def test_refits_of_the_current_tree_are_asked_for_watched_and_shown(page: AppTest) -> None:
    assert any(element.value == "Nothing is refitted yet" for element in page.header)
    page.number_input(key="stability_resamples").set_value(30).run()
    page.button(key="stability_go").click().run()
    assert not page.exception
    batch = batch_of(page)
    assert batch is not None and all(job.spec.train == SPEC for job in batch.jobs)
    numbers = []
    for job in batch.jobs:
        assert isinstance(job.spec.part, ResampleRange)
        numbers += range(job.spec.part.first, job.spec.part.first + job.spec.part.n)
    assert numbers == list(range(30))
    wait_until_over(batch)
    page.run()
    assert not page.exception and not batch.failure
    table = read_table(CONTENT, ReadOptions(), name="triage.csv")
    expected = gather_stability(run_stability(table, SPEC, StabilitySpec(30)))
    text = said(page)
    assert f"**{headline_words(expected)}**" in text
    for sentence in stability_sentences(expected)[1:]:
        assert sentence in text
    charts = page.get("plotly_chart")
    assert len(charts) == 2 + any(column.cuts for column in expected.columns)
    assert any(element.value == "What to expect of new rows" for element in page.header)
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels[:2] == ["Columns (CSV)", "Rows (CSV)"] and "Figure (SVG)" in labels

    now = page.session_state[WORK]
    other = job_manager().submit(
        replace(now.job.spec, train=replace(SPEC, topology=Topology.parse("depth-2"), max_card=1))
    )
    wait_until(lambda: other.is_over)
    page.session_state[WORK] = replace(now, job=other)
    page.run()
    assert "These refits belong to another tree" in said(page)
    page.session_state["runs_chosen"] = (batch.id,)
    page.switch_page(Place.RUNS).run()
    page.button(key="runs_open").click().run()
    assert not page.exception and f"**{headline_words(expected)}**" in said(page)


def test_without_a_tree_it_says_where_one_is_trained(page: AppTest) -> None:
    page.session_state[WORK] = replace(page.session_state[WORK], job=None)
    page.run()
    assert not page.exception
    assert page.button(key="stability_go").disabled
    assert "train a tree first" in said(page)


def test_what_is_stopped_keeps_what_is_done(page: AppTest) -> None:
    page.number_input(key="stability_resamples").set_value(2000).run()
    page.button(key="stability_go").click().run()
    batch = batch_of(page)
    assert batch is not None
    if not batch.is_over:
        page.button(key="stability_cancel").click().run()
    wait_until_over(batch)
    page.run()
    assert not page.exception
    n = len(stability_of(batch).refits)
    kept = (
        f"triage.csv: {count_words(n, 'resample')} in "
        if n
        else "stopped before the first resample"
    )
    assert kept in said(page)


def test_the_train_page_leads_to_it(page: AppTest) -> None:
    page.switch_page(Place.TRAIN).run()
    page.button(key="train_stability").click().run()
    assert not page.exception
    assert page.session_state[COMPARE_VIEW] == STABILITY
    assert any(element.value == "Nothing is refitted yet" for element in page.header)
