"""The view Path by size of the Compare page: what a user asks for there, and what comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.solution import Status
from odt_core.studies import PathPoint, PathView
from odt_core.studies.path import UnseenError
from odt_core.topology import AnyShape
from pages.common.session import Place
from pages.common.studies import PATH
from pages.compare import path
from pages.compare.path_result import CHOSEN, verdict_sentences
from tests.pages.sessions import WORK, said, triage_work, wait_for, work

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The view with 200 training rows of the triage sample, set to a quick path."""
    app.session_state[WORK] = triage_work("200")
    app.session_state["compare_view"] = PATH
    app.session_state[path.MOST] = 3
    app.session_state[path.FOLDS] = 2
    app.switch_page(Place.COMPARE).run()
    assert not app.exception
    return app


def test_a_path_is_found_and_each_of_its_trees_can_be_seen_and_trained(page: AppTest) -> None:
    assert "No path yet" in " ".join(str(e.value) for e in page.header)
    page.button(key="path_go").click().run()
    wait_for(page, lambda now: now.path)
    batch = work(page).path
    assert batch is not None and len(batch.jobs) == 3 and not batch.failure
    view = path.view_of(batch)
    assert view is not None and view.n_folds == 2 and len(view.points) == 4
    assert page.slider(key=CHOSEN).value == view.elbow
    assert f"At most {view.elbow} question" in said(page)

    page.slider(key=CHOSEN).set_value(2).run()
    assert not page.exception
    point = view.points[2]
    assert point.train is not None
    text = said(page)
    assert "At most 2 questions:" in text and f"{point.train.errors} of 200 training rows" in text
    (table,) = [each.proto.body for each in page.get("html") if "per case" in each.proto.body]
    assert re.findall(r"yes</td><td[^>]*>(\d)</td>", table) == ["0", "1", "2", "3"]

    assert page.query_params["path"] == batch.id
    again = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)
    again.query_params["path"] = str(batch.id)
    again.run()
    again.switch_page(Place.COMPARE).run()
    assert not again.exception and "Least errors on unseen rows" in said(again)

    page.button(key="path_train").click().run()
    assert not page.exception
    wait_for(page, lambda now: now.job)
    job = work(page).job
    assert job is not None and job.result is not None
    assert job.spec.train.topology == AnyShape(2)
    assert job.result["errors"] == point.train.errors
    page.switch_page(Place.TRAIN).run()
    assert not page.exception
    assert page.radio(key="train_shape").value == "any"
    assert page.number_input(key="train_most_questions").value == 2


def test_a_single_fold_is_refused(page: AppTest) -> None:
    page.number_input(key=path.FOLDS).set_value(1).run()
    assert not page.exception
    assert "One fold leaves no rows to train on" in said(page)
    assert page.button(key="path_go").disabled


def test_the_verdict_gives_the_rate_of_the_number_it_names() -> None:
    """Under two floors no tree has 0 questions, so the rows not seen begin with 1."""
    unseen = (UnseenError(1, 20, 100, 0.2, 0.01), UnseenError(2, 10, 100, 0.1, 0.01))
    point = PathPoint(2, ".", Status.OPTIMAL, "Proved", None, None, None)
    first, *_ = verdict_sentences(PathView((point,), unseen, 2))
    assert "10.0% with at most 2 questions" in first
