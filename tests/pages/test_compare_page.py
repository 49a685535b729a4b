"""The Compare page: what a user asks for there, and what comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES
from odt_core.data.splitting import SplitSpec
from odt_core.jobs import Batch
from odt_core.problem import Goal
from odt_core.studies import ComparisonFold, CutPoints, FoldRun, TreeCandidate, compare_runs
from odt_core.training import FeatureSelection
from pages.common.session import Place
from pages.compare import plan
from pages.compare.figure import CHOSEN
from tests.pages.sessions import WORK, said, triage_work, wait_for, work

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page with 200 training rows of the triage sample, set to a quick comparison."""
    app.session_state[WORK] = triage_work("200")
    app.session_state[plan.FOLDS] = 2
    app.session_state[plan.SHAPES] = ["depth-1", "depth-2"]
    app.switch_page(Place.COMPARE).run()
    assert not app.exception
    return app


@pytest.fixture
def compared(page: AppTest) -> AppTest:
    """The page with a finished comparison."""
    page.button(key="compare_go").click().run()
    assert not page.exception
    wait_for(page, lambda now: now.comparison)
    return page


def batch_of(app: AppTest) -> Batch:
    batch = work(app).comparison
    assert batch is not None
    return batch


def test_without_data_it_links_to_where_data_are_chosen(app: AppTest) -> None:
    app.switch_page(Place.COMPARE).run()
    assert not app.exception
    assert "needs a data set" in said(app)


def test_it_says_what_will_be_compared_and_on_which_rows(page: AppTest) -> None:
    n_test = SAMPLES["triage"].load().n_rows - 200
    assert "2 candidates and 3 baselines on 2 folds" in said(page)
    assert f"The folds are of the 200 training rows; the {n_test:,} test rows take no part" in said(
        page
    )
    assert any(element.value == "Nothing is compared yet" for element in page.header)
    page.toggle(key=plan.ALL_ROWS).set_value(True).run()
    assert "no rows are left for an honest test" in said(page)


def test_every_setting_reaches_the_folds(page: AppTest) -> None:
    page.selectbox(key="train_goal").set_value(Goal.MAX_TNR).run()
    page.text_input(key="train_floor_max-tnr").set_value("80")
    page.get_by_key(plan.CUTS).set_value([CutPoints.DECILES, CutPoints.EVERY])
    page.get_by_key(plan.CAPS).set_value([1, None])
    page.get_by_key(plan.SELECTIONS).set_value([FeatureSelection.CART])
    page.get_by_key(plan.METHOD).set_value(plan.Method.HOLD_OUT).run()
    page.text_input(key=plan.SIZE).set_value("0.6")
    page.number_input(key=plan.REPEATS).set_value(3)
    page.number_input(key=plan.SECONDS).set_value(7).run()
    page.button(key="compare_go").click().run()
    assert not page.exception
    batch = batch_of(page)
    assert len(batch.jobs) == 3
    for number, job in enumerate(batch.jobs):
        part, train = job.spec.part, job.spec.train
        assert isinstance(part, ComparisonFold)
        trees = [c for c in part.candidates if isinstance(c, TreeCandidate)]
        assert len(trees) == 8 and {tree.max_card for tree in trees} == {1, None}
        assert {tree.cuts for tree in trees} == {CutPoints.DECILES, CutPoints.EVERY}
        assert all(tree.feature_selection is FeatureSelection.CART for tree in trees)
        assert (part.fold.repeat, part.fold.parts) == (number, None)
        assert float(part.fold.train_size or 0) == 0.6
        assert train.objective.goal is Goal.MAX_TNR and train.objective.min_tpr == Fraction(4, 5)
        assert (train.time_limit, train.split) == (7.0, SplitSpec.parse("200"))
    wait_for(page, lambda now: now.comparison)
    assert "(the floor of 80% held in" in said(page)
    table = next(e.proto.body for e in page.get("html") if "Candidates with" in e.proto.body)
    assert "Folds below the sensitivity floor" in table


def test_the_best_and_the_simplest_are_reported_with_every_candidate(compared: AppTest) -> None:
    batch = batch_of(compared)
    assert not batch.failure
    runs = [FoldRun.from_json(run) for result in batch.results for run in result["runs"]]
    found = compare_runs(runs, batch.jobs[0].spec.train.objective)
    assert found.best is not None
    assert f"Best: {found.rows[found.best].words}." in said(compared)
    assert "weaker by construction" in said(compared) and "Nadeau and Bengio" in said(compared)
    table = next(e.proto.body for e in compared.get("html") if "Candidates with" in e.proto.body)
    for row in found.rows:
        assert f">{row.words}</b>" in table
    figure = json.loads(compared.get("plotly_chart")[0].proto.spec)
    drawn = [x for trace in figure["data"][1:] for x in trace["x"]]
    means = [row.score.mean for row in found.rows if row.score is not None]
    assert sorted(drawn) == pytest.approx(sorted(means))
    compared.get_by_key("compare_figure_shown").set_value("Against questions").run()
    figure = json.loads(compared.get("plotly_chart")[0].proto.spec)
    asked = [x for trace in figure["data"] for x in trace["x"]]
    assert sorted(asked) == pytest.approx(sorted(row.questions or 0 for row in found.rows))


def test_the_chosen_one_is_trained_on_all_training_rows_in_one_click(compared: AppTest) -> None:
    compared.selectbox(key=CHOSEN).set_value("depth-2").run()
    compared.button(key="compare_train").click().run()
    assert not compared.exception
    wait_for(compared, lambda now: now.job)
    job = work(compared).job
    assert job is not None and job.result is not None
    assert job.spec.train.split == SplitSpec.parse("200") and job.result["n_train"] == 200
    assert job.spec.train.topology.name == "depth-2"
    assert compared.get("graphviz_chart")
    compared.switch_page(Place.TRAIN).run()
    assert not compared.exception and compared.get("graphviz_chart")
    assert "was trained before you changed" not in said(compared)


def test_what_cannot_be_compared_is_reported_in_place(page: AppTest) -> None:
    page.number_input(key=plan.FOLDS).set_value(100).run()
    assert "of the rarer class, fewer than the 100 folds" in said(page)
    assert page.button(key="compare_go").disabled
    page.number_input(key=plan.FOLDS).set_value(2)
    page.multiselect(key=plan.SHAPES).set_value([]).run()
    assert "No shape is chosen" in said(page) and page.button(key="compare_go").disabled


def test_columns_that_changed_since_make_the_comparison_old(compared: AppTest) -> None:
    now = work(compared)
    assert now.schema is not None
    schema = CutPoints.EVERY.apply(now.schema)
    compared.session_state[WORK] = replace(now, schema=schema)
    compared.run()
    assert "made before you changed the columns" in said(compared)
    assert not [button for button in compared.button if button.key == "compare_train"]


def test_another_split_makes_the_comparison_old(compared: AppTest) -> None:
    """Rows that test the tree now may have taken part in the choice."""
    now = work(compared)
    compared.session_state[WORK] = replace(now, split=SplitSpec.parse("200", seed=5))
    compared.run()
    assert "made before you changed the split" in said(compared)


def test_a_comparison_is_found_again_by_its_address_and_on_the_runs_page(
    compared: AppTest,
) -> None:
    batch = batch_of(compared)
    assert batch.id
    assert compared.query_params["comparison"] == batch.id
    other = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)
    other.query_params["comparison"] = batch.id
    other.run()
    other.switch_page(Place.COMPARE).run()
    assert not other.exception
    assert batch_of(other).id == batch.id and "Best: " in said(other)
    assert other.multiselect(key=plan.SHAPES).value == ["depth-1", "depth-2"]
    assert other.number_input(key=plan.FOLDS).value == 2
    other.session_state["runs_chosen"] = (batch.id,)
    other.switch_page(Place.RUNS).run()
    assert "2 of 2 folds are done." in said(other)
    other.session_state[WORK] = replace(work(other), comparison=None)
    other.button(key="runs_open").click().run()
    assert not other.exception and "Best: " in said(other)
    assert batch_of(other).id == batch.id and other.query_params["comparison"] == batch.id
