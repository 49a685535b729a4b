"""The Train page: what a user asks for there, and what comes back."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import psutil
import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from odt_core.confusion import Confusion
from odt_core.data import (
    SAMPLES,
    BinMethod,
    Binning,
    ColumnKind,
    ReadOptions,
    Schema,
    SplitSpec,
    infer_schema,
    read_table,
)
from odt_core.evaluation import metrics, predictive_values
from odt_core.export import tree_from_json
from odt_core.jobs import Job
from odt_core.problem import Goal, LeafCount, SmallestLeaf
from odt_core.render import tree_alt_text
from odt_core.solution import Engine
from odt_core.solvers.mip.options import MipOptions
from odt_core.storage import LOCAL_OWNER, RunStatus, StorageError
from odt_core.training import FeatureSelection, NodeRuleSpec, TrainSpec
from odt_core.words import ENGINE_WORDS, percent_words
from pages.common import current_run, session
from pages.common.markup import plain
from pages.common.server import job_manager, store
from pages.common.session import Dataset, Place, Work
from pages.common.tables import ReadyData, forget_tables, prepared_rows
from pages.train import controls
from pages.train.controls import MOST_SECONDS, AskedTraining, draw_train_button
from tests.pages.sessions import run_until, work
from tests.runs import coin_tosses
from tests.waiting import wait_until

WORK = "odt_work"
SECONDS = 60.0

WARD = """age,pain,ill
30,none,yes
40,some,no
50,much,no
60,none,no
70,some,yes
80,much,yes
35,none,yes
45,some,no
55,much,yes
65,none,no
75,some,yes
85,none,no
"""


@pytest.fixture
def open_page(app: AppTest) -> Callable[..., AppTest]:
    """Opens the Train page with a table, and with CBC, which is ready on any machine."""

    def start(
        content: bytes = WARD.encode(),
        *,
        target: str = "ill",
        positive: str = "yes",
        split: SplitSpec | None = None,
        name: str = "ward.csv",
        engine: Engine | None = Engine.CBC,
        change: Callable[[Schema], Schema] = lambda schema: schema,
    ) -> AppTest:
        table = read_table(content, ReadOptions(), name=name)
        sha256 = store().datasets.put(LOCAL_OWNER, content, name).sha256
        app.session_state[WORK] = Work(
            dataset=Dataset(table, sha256, ReadOptions()),
            schema=change(infer_schema(table, target, positive)),
            split=split or SplitSpec("all"),
        )
        if engine is not None:
            app.session_state["train_engine"] = engine
        app.switch_page(Place.TRAIN).run()
        assert not app.exception
        return app

    return start


@pytest.fixture
def page(open_page: Callable[..., AppTest]) -> AppTest:
    """The Train page with a ward's twelve patients, all of them training rows."""
    return open_page()


def job_of(app: AppTest) -> Job:
    job = work(app).job
    assert job is not None
    return job


def press(app: AppTest) -> AppTest:
    app.button(key="train_go").click().run()
    assert not app.exception
    return app


def train(app: AppTest, seconds: float = 60.0) -> AppTest:
    """Press Train and look again until the run is over."""
    press(app)
    wait_until(lambda: work(app).job is None or job_of(app).is_over, seconds)
    app.run()
    assert not app.exception
    return app


def show_other_data(app: AppTest, job: Job) -> None:
    """Make another table current, beside the tree of a run."""
    content = WARD.replace("age", "years").encode()
    table = read_table(content, ReadOptions(), name="other.csv")
    sha256 = store().datasets.put(LOCAL_OWNER, content, "other.csv").sha256
    app.session_state[WORK] = Work(
        dataset=Dataset(table, sha256, ReadOptions()),
        schema=infer_schema(table, "ill", "yes"),
        split=SplitSpec("all"),
        job=job,
    )
    app.run()


def trained_on_monks(
    open_page: Callable[..., AppTest], *, seed: int, content: bytes | None = None
) -> tuple[AppTest, dict[str, Any]]:
    """The Train page with a tree of three quarters of monks-1, and the tree's result."""
    sample = SAMPLES["monks-1"]
    page = open_page(
        content or sample.csv(),
        target=sample.target,
        positive=sample.positive,
        split=SplitSpec(Fraction(3, 4), seed=seed),
        engine=Engine.SEARCH,
    )
    train(page)
    result = job_of(page).result
    assert result is not None
    return page, result


def spec_of(app: AppTest) -> TrainSpec:
    return job_of(app).spec.train


def markdown(app: AppTest) -> list[str]:
    """The page's Markdown."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.success, app.info)
    return [str(element.value) for kind in kinds for element in kind]


def html(app: AppTest) -> list[str]:
    """The page's HTML."""
    return [element.proto.body for element in app.get("html")]


def texts(app: AppTest) -> str:
    """The page's Markdown and HTML."""
    return "\n".join([*markdown(app), *html(app)])


def test_without_data_the_page_says_what_to_do(app: AppTest) -> None:
    app.switch_page(Place.TRAIN).run()
    assert not app.exception
    assert "needs a data set" in texts(app)
    assert app.get("page_link"), "a way to the Data page"
    assert "train_go" not in {button.key for button in app.button}


def test_a_press_on_a_page_left_at_once_is_reported_and_never_begins_later(
    page: AppTest,
) -> None:
    page.button(key="train_go").click()
    page.switch_page(Place.RUNS).run()
    assert not page.exception
    assert [said.value for said in page.info] == [
        "You left the page before **Train** took effect: press it there again."
    ]
    page.switch_page(Place.TRAIN).run()
    assert work(page).job is None and not page.info
    assert not page.button(key="train_go").disabled


def test_a_run_is_current_though_the_script_ended_as_it_was_queued(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = store().runs.list(LOCAL_OWNER).total

    def ended(**_: object) -> Work:
        raise StopException

    with monkeypatch.context() as patch:
        patch.setattr(session, "update", ended)
        press(page)
        assert work(page).job is None
    page.switch_page(Place.RUNS).run()
    assert not page.exception and not page.info
    assert job_of(page).id == store().runs.list(LOCAL_OWNER).runs[0].id
    page.switch_page(Place.TRAIN).run()
    assert store().runs.list(LOCAL_OWNER).total == before + 1, "queued once"


def test_before_training_the_page_says_what_will_happen(page: AppTest) -> None:
    said = texts(page)
    assert "**12 training rows**" in said
    assert "every row is a training row" in said
    assert "3 questions, 4 leaves" in said
    assert work(page).job is None, "nothing is trained without pressing Train"


def test_data_that_cannot_be_used_are_sent_back(open_page: Callable[..., AppTest]) -> None:
    page = open_page(split=SplitSpec(500))
    assert "The data cannot be used yet" in texts(page)
    assert "only 12 rows" in texts(page)
    assert page.get("page_link")


def test_train_proves_a_tree_and_shows_it(page: AppTest) -> None:
    train(page)
    title = page.info[0].proto.title
    assert "there are no test rows" in title and "accuracy" in title
    assert any("No tree of this shape does better" in said.value for said in page.caption)
    drawing = page.get("graphviz_chart")[0].proto
    assert "pain" in drawing.spec and "digraph" in drawing.spec
    assert drawing.alt.startswith("Decision tree for ill, positive class yes")
    said = texts(page)
    assert "true positives" in said and "Sensitivity (TPR)" in said
    assert "tree says" in said
    assert "no rows" in said, "there are no test rows, and the page says so"


def test_the_tree_stands_in_words_once_they_are_opened(page: AppTest) -> None:
    train(page)
    assert not page.code
    page.session_state["train_words"] = True
    assert not page.run().exception
    result = job_of(page).result
    assert result is not None
    assert [said.value for said in page.code] == [tree_alt_text(tree_from_json(result["tree"]))]


def test_training_and_test_stand_side_by_side(open_page: Callable[..., AppTest]) -> None:
    page, result = trained_on_monks(open_page, seed=3)
    said = texts(page)
    for rows, name in (("324", "Training"), ("108", "Test")):
        assert f"**{name}** · {rows} rows" in said
    for counts in (result["train"], result["test"]):
        for name in ("tp", "fp", "tn", "fn"):
            assert f">{counts[name]}</b>" in said
        sensitivity = f"{counts['tp']}/{counts['tp'] + counts['fn']}"
        assert sensitivity in said


def test_predictive_values_follow_the_user_s_own_prevalence(
    open_page: Callable[..., AppTest],
) -> None:
    sample = SAMPLES["monks-1"]
    page = open_page(sample.csv(), target=sample.target, positive=sample.positive)
    page.radio(key="train_shape").set_value("depth-1").run()
    train(page)
    result = job_of(page).result
    assert result is not None
    counts = Confusion(**result["train"])
    prevalence = next(box for box in page.text_input if str(box.key).startswith("train_prevalence"))
    at_first = [estimate.value for estimate in predictive_values(counts, 0.5)]
    table = next(said for said in html(page) if "Predictive values where 50.0%" in said)
    assert all(f">{percent_words(value)}</b>" in table for value in at_first if value is not None)
    assert prevalence.value == "50.0", "as in the training rows, at first"
    prevalence.set_value("2.5").run()
    for estimate in predictive_values(counts, 0.025):
        assert estimate.value is not None
        assert f">{percent_words(estimate.value)}</b>" in texts(page)
    page.text_input(key=prevalence.key).set_value("0").run()
    assert not page.exception and "prevalence is 0" in page.error[0].value


def test_predictive_values_begin_at_the_exact_share_and_a_difference_is_explained(
    open_page: Callable[..., AppTest],
) -> None:
    content = SAMPLES["monks-1"].csv()[:-1].rsplit(b"\n", 5)[0]  # no rounded share is the exact one
    page, result = trained_on_monks(open_page, seed=1, content=content)
    counts = metrics(Confusion(**result["train"]))
    table = next(said for said in html(page) if "Predictive values where" in said)
    for rate in (counts.ppv, counts.npv):
        assert rate.value is not None and f">{percent_words(rate.value)}</b>" in table
    said = next(text.value for text in page.caption if "Both columns use the share" in text.value)
    assert f"({counts.prevalence.successes:,} of {counts.prevalence.n:,})" in said


def test_cart_of_the_same_depth_stands_beside(open_page: Callable[..., AppTest]) -> None:
    page, result = trained_on_monks(open_page, seed=1)
    cart = result["cart"]
    assert result["errors"] <= cart["train"]["fp"] + cart["train"]["fn"]
    table = next(said for said in html(page) if "CART, test" in said)
    for counts in (cart["train"], cart["test"]):
        assert f">{counts['fp'] + counts['fn']}</b>" in table
    assert len(page.get("graphviz_chart")) == 1
    page.toggle(key="train_show_cart").set_value(True).run()
    assert len(page.get("graphviz_chart")) == 2


def test_each_leaf_is_listed_with_training_and_test(open_page: Callable[..., AppTest]) -> None:
    page = open_page(split=SplitSpec(Fraction(3, 4), seed=1))
    train(page)
    result = job_of(page).result
    assert result is not None
    table = next(said for said in html(page) if "The leaves:" in said)
    leaves = tree_from_json(result["tree"]).leaves
    assert table.count("<tr") == 1 + len(leaves)
    for leaf in leaves:
        assert f"{leaf.n_positive}/{leaf.n}" in table
    assert "few rows" in table, "nine training rows make small leaves"


@pytest.mark.parametrize(("goal", "rate"), [(Goal.MAX_TPR, "min_tnr"), (Goal.MAX_TNR, "min_tpr")])
def test_a_floor_is_kept_exactly_as_written(page: AppTest, goal: Goal, rate: str) -> None:
    page.selectbox(key="train_goal").set_value(goal).run()
    page.text_input(key=f"train_floor_{goal.value}").set_value("66.7").run()
    train(page)
    assert getattr(spec_of(page).objective, rate) == Fraction(667, 1000)
    said = texts(page)
    assert "Floors and the rates reached" in said and "at least 66.7%" in said


@pytest.mark.parametrize("text", ["", "abc", "101", "-1"])
def test_a_wrong_floor_is_reported_and_nothing_can_be_trained(page: AppTest, text: str) -> None:
    page.selectbox(key="train_goal").set_value(Goal.MAX_TPR).run()
    page.text_input(key="train_floor_max-tpr").set_value(text).run()
    assert not page.exception
    assert len(page.error) == 1 and "percentage from 0 to 100" in page.error[0].value
    assert page.button(key="train_go").disabled
    page.text_input(key="train_floor_max-tpr").set_value("50").run()
    assert not page.error and not page.button(key="train_go").disabled


def test_a_floor_out_of_reach_says_so_and_what_to_do(page: AppTest) -> None:
    page.radio(key="train_shape").set_value("depth-1").run()
    page.selectbox(key="train_goal").set_value(Goal.MAX_TPR).run()
    page.text_input(key="train_further_tpr").set_value("100").run()
    page.text_input(key="train_floor_max-tpr").set_value("100").run()
    train(page)
    assert "Proved impossible" in page.error[0].value
    assert "Lower the floor" in page.error[0].value
    assert work(page).job is None


def test_a_run_without_a_tree_never_brings_back_a_tree_of_a_deleted_data_set(
    page: AppTest, open_page: Callable[..., AppTest]
) -> None:
    page.radio(key="train_shape").set_value("depth-1").run()
    train(train(page))
    deleted = job_of(page).spec.dataset
    store().datasets.delete(LOCAL_OWNER, deleted)
    page.run()
    assert work(page).job is None
    open_page(WARD.replace("age", "years").encode())
    page.number_input(key="train_min_leaf").set_value(6)
    page.selectbox(key="train_goal").set_value(Goal.MAX_TPR).run()
    page.text_input(key="train_further_tpr").set_value("100").run()
    page.text_input(key="train_floor_max-tpr").set_value("100").run()
    train(page)
    assert "Proved impossible" in page.error[0].value
    assert work(page).job is None


def test_a_tree_of_another_data_set_is_forgotten_when_that_is_deleted_elsewhere(
    page: AppTest,
) -> None:
    train(page)
    job = job_of(page)
    show_other_data(page, job)
    assert not page.exception and not page.header
    store().datasets.delete(LOCAL_OWNER, job.spec.dataset)
    forget_tables()
    page.run()
    assert not page.exception and page.header[0].value == "Nothing is trained yet"


def test_a_tree_whose_data_set_was_deleted_during_the_next_run_does_not_come_back(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(page)
    earlier = job_of(page)
    show_other_data(page, earlier)
    page.selectbox(key="train_goal").set_value(Goal.MAX_TPR).run()
    page.text_input(key="train_further_tpr").set_value("100").run()
    page.text_input(key="train_floor_max-tpr").set_value("100").run()
    page.radio(key="train_shape").set_value("depth-1").run()
    monkeypatch.setattr(current_run, "QUICK", 0.0)
    press(page)
    running = job_of(page)
    assert running is not earlier
    wait_until(lambda: running.is_over)
    store().datasets.delete(LOCAL_OWNER, earlier.spec.dataset)
    forget_tables()
    page.run()
    assert not page.exception and work(page).job is None
    assert "Proved impossible" in page.error[0].value


def test_every_engine_can_be_chosen(open_page: Callable[..., AppTest]) -> None:
    page = open_page(engine=None)
    engine = page.radio(key="train_engine")
    assert len(engine.options) == len(Engine)
    assert engine.value == Engine.HYBRID
    assert list(engine.proto.captions) == [ENGINE_WORDS[name] for name in Engine]


def test_every_setting_reaches_the_run(page: AppTest) -> None:
    page.radio(key="train_shape").set_value("cues-3").run()
    page.number_input(key="train_max_card").set_value(2)
    page.number_input(key="train_seconds").set_value(30)
    page.text_input(key="train_weight").set_value("3/2")
    page.text_input(key="train_further_tpr").set_value("50")
    page.radio(key="train_engine").set_value(Engine.HIGHS)
    page.number_input(key="train_seed").set_value(5)
    page.checkbox(key="train_selection").check().run()
    page.number_input(key="train_least_features").set_value(3)
    page.checkbox(key="train_no_empty").check()
    page.checkbox(key="train_mip_anchor").uncheck()
    page.multiselect(key="train_forbidden").set_value(["age"])
    page.run()
    press(page)
    spec = spec_of(page)
    assert spec.topology.name == "cues-3"
    assert (spec.max_card, spec.time_limit, spec.seed) == (2, 30.0, 5)
    assert spec.objective.class_weight == Fraction(3, 2)
    assert spec.objective.min_tpr == Fraction(1, 2)
    assert spec.engine is Engine.HIGHS
    assert spec.feature_selection is FeatureSelection.CART and spec.least_features == 3
    assert spec.forbid_empty_branches and not spec.mip.anchor and spec.mip.relax
    assert spec.rules.forbidden == ("age",)


def test_the_columns_that_cart_uses_are_listed(page: AppTest) -> None:
    page.checkbox(key="train_selection").check().run()
    train(page)
    result = job_of(page).result
    assert result is not None
    names = result["selected_features"]
    said = next(text for text in markdown(page) if "that CART uses:" in text)
    assert names and all(plain(name) in said for name in names)


def test_the_paper_s_configurations_set_the_switches(page: AppTest) -> None:
    page.get_by_key("train_configuration").set_value("Nothing").run()
    switches = {box.key: box.value for box in page.checkbox if str(box.key).startswith("train_mip")}
    assert not any(switches[f"train_mip_{name}"] for name in ("strengthen", "anchor", "relax"))
    assert switches["train_mip_delete"]
    page.checkbox(key="train_mip_strengthen").check().run()
    assert page.get_by_key("train_configuration").value is None
    page.checkbox(key="train_mip_anchor").check().run()
    assert page.get_by_key("train_configuration").value == "No Relax"


def test_confirmation_at_any_length_is_asked_for(page: AppTest) -> None:
    page.radio(key="train_engine").set_value(Engine.HYBRID).run()
    train(page)
    assert not spec_of(page).mip.confirm_always
    page.checkbox(key="train_mip_confirm_always").check().run()
    train(page)
    assert spec_of(page).mip == MipOptions(confirm_always=True)
    page.radio(key="train_engine").set_value(Engine.CBC).run()
    assert page.checkbox(key="train_mip_confirm_always").disabled


def test_a_shape_of_one_s_own(page: AppTest) -> None:
    page.radio(key="train_shape").set_value("own").run()
    page.text_input(key="train_own_shape").set_value("((. .) .").run()
    assert "cannot be read" in page.error[0].value
    assert page.button(key="train_go").disabled
    page.text_input(key="train_own_shape").set_value("((. .) .)").run()
    assert not page.error
    press(page)
    assert spec_of(page).topology.text == "((. .) .)"


def test_cbc_confirms_the_tree_of_the_search(open_page: Callable[..., AppTest]) -> None:
    page = open_page(engine=None)
    page.radio(key="train_shape").set_value("depth-1").run()
    train(page)
    assert any("and CBC on the integer program" in said.value for said in page.caption)


def test_a_tree_of_any_shape_is_trained(open_page: Callable[..., AppTest]) -> None:
    page = open_page(engine=None)
    page.radio(key="train_shape").set_value("any").run()
    page.number_input(key="train_most_questions").set_value(3).run()
    assert "at most 3 questions per case" in texts(page)
    train(page)
    assert any("No tree of any shape with at most 3" in said.value for said in page.caption)


@pytest.mark.parametrize("seconds", [0, -5, 10**9])
def test_a_time_limit_out_of_range_never_reaches_a_run(page: AppTest, seconds: int) -> None:
    page.number_input(key="train_seconds").set_value(seconds).run()
    assert not page.exception
    if not page.button(key="train_go").disabled:
        train(page)
        assert 1 <= spec_of(page).time_limit <= MOST_SECONDS


def test_rules_for_single_questions(open_page: Callable[..., AppTest]) -> None:
    page = open_page()
    page.selectbox(key="train_rule_node").set_value(2).run()
    page.multiselect(key="train_rule_allowed").set_value(["pain"]).run()
    page.button(key="train_rule_add").click().run()
    page.selectbox(key="train_rule_node").set_value(1).run()
    page.get_by_key("train_rule_kind").set_value("Exactly this question").run()
    page.selectbox(key="train_rule_column").set_value(1).run()
    page.multiselect(key="train_rule_left").set_value(["none"]).run()
    page.button(key="train_rule_add").click().run()
    assert not page.exception
    said = texts(page).replace("\\", "")
    assert "Question 1: pain is none?" in said and "Question 2: only about pain" in said
    train(page)
    rules = spec_of(page).rules.nodes
    assert rules == (
        NodeRuleSpec(1, feature="pain", categories=("none",)),
        NodeRuleSpec(2, features=("pain",)),
    )
    page.button(key="train_rule_remove_0").click().run()
    assert "pain is none?" not in texts(page).replace("\\", "")
    assert "before you changed the expert rules" in page.warning[0].value


def test_a_rule_that_no_longer_fits_is_reported(page: AppTest) -> None:
    page.session_state["train_rules"] = (NodeRuleSpec(3, features=("pain",)),)
    page.run()
    assert not page.error
    page.radio(key="train_shape").set_value("depth-1").run()
    assert "names decision node 3" in page.error[0].value
    assert page.button(key="train_go").disabled


def test_changes_since_the_training_are_listed(page: AppTest) -> None:
    train(page)
    assert not page.warning
    page.radio(key="train_shape").set_value("depth-1").run()
    assert "before you changed the shape." in page.warning[0].value
    page.radio(key="train_shape").set_value("depth-2").run()
    assert not page.warning
    now = work(page)
    page.session_state[WORK] = Work(now.dataset, now.schema, SplitSpec("paper"), now.job)
    page.run()
    assert "before you changed the split." in page.warning[0].value
    assert page.get("graphviz_chart"), "the tree is still there"


def test_a_run_that_fails_loses_nothing(open_page: Callable[..., AppTest]) -> None:
    sample = SAMPLES["tic-tac-toe"]
    page = open_page(sample.csv(), target=sample.target, positive=sample.positive)
    page.radio(key="train_shape").set_value("depth-1").run()
    train(page)
    before = job_of(page)
    page.radio(key="train_shape").set_value("depth-3").run()
    press(page)
    lost = job_of(page)
    assert lost is not before and not lost.is_over
    for process in psutil.Process().children():
        if "odt_core.worker" in process.cmdline():
            process.kill()
    wait_until(lambda: lost.is_over)
    page.run()
    assert not page.exception
    assert plain("ended unexpectedly (killed by SIGKILL): start it again") in page.error[0].value
    assert job_of(page) is before
    assert page.get("graphviz_chart"), "the tree before is still there"
    page.radio(key="train_shape").set_value("depth-1").run()
    train(page)
    assert not page.error and job_of(page).status is RunStatus.DONE


def test_settings_survive_a_change_of_page(page: AppTest) -> None:
    page.radio(key="train_shape").set_value("imbalanced").run()
    page.selectbox(key="train_goal").set_value(Goal.MAX_TNR).run()
    page.text_input(key="train_floor_max-tnr").set_value("98.5").run()
    page.number_input(key="train_max_card").set_value(3).run()
    page.switch_page(Place.DATA).run()
    page.switch_page(Place.TRAIN).run()
    assert not page.exception
    assert page.radio(key="train_shape").value == "imbalanced"
    assert page.selectbox(key="train_goal").value is Goal.MAX_TNR
    assert page.text_input(key="train_floor_max-tnr").value == "98.5"
    assert page.number_input(key="train_max_card").value == 3


def test_a_running_run_can_be_watched_and_stopped(open_page: Callable[..., AppTest]) -> None:
    page = open_page(coin_tosses(), target="outcome", positive="yes")
    page.radio(key="train_shape").set_value("depth-3").run()
    press(page)
    job = job_of(page)
    wait_until(lambda: any(point.incumbent is not None for point in job.progress))
    page.run()
    assert "Best tree so far" in texts(page) and "of 100 training rows right" in texts(page)
    assert page.button(key="train_go").disabled
    assert page.get("plotly_chart")
    assert page.get("progress")[0].proto.text.endswith(" of at most 60 s")
    page.button(key="train_cancel").click().run()
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    page.run()
    assert not page.exception
    assert any(said.value.startswith("**Stopped after") for said in page.markdown)
    assert page.get("graphviz_chart")


def test_the_position_in_the_queue_is_shown_and_can_be_given_up(
    open_page: Callable[..., AppTest],
) -> None:
    page = open_page(coin_tosses(), target="outcome", positive="yes")
    page.radio(key="train_shape").set_value("depth-3").run()
    press(page)
    manager, mine = job_manager(), job_of(page)
    n_others = (os.cpu_count() or 1) + 1
    others = [manager.submit(mine.spec, lane=f"another {n}") for n in range(n_others)]
    manager.cancel(mine)
    wait_until(lambda: mine.is_over)
    page.run()
    press(page)
    waiting = job_of(page)
    assert waiting.status is RunStatus.QUEUED
    ahead = manager.position(waiting)
    assert ahead >= 1
    assert f"Waiting: {ahead} run" in page.header[0].value
    page.button(key="train_cancel").click().run()
    page.run()
    assert not page.exception
    assert waiting.status is RunStatus.CANCELLED
    assert plain("Cancelled before it started.") in page.error[0].value
    for job in others:
        manager.cancel(job)


@pytest.mark.parametrize("ends_well", [True, False])
def test_a_run_that_ends_while_the_page_is_drawn_leaves_the_button_ready(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, ends_well: bool
) -> None:
    """The run ends after the button was drawn, and before the rest of the page is drawn."""

    def draw_and_wait(asked: AskedTraining, data: ReadyData) -> object:
        drawn = draw_train_button(asked, data)
        job = session.work().job
        if job is not None and not job.is_over:
            if not ends_well:
                job_manager().cancel(job)
            current_run.wait_for(job, 60.0)
        return drawn

    monkeypatch.setattr(current_run, "QUICK", 0.0)  # the button is drawn while the run goes on
    monkeypatch.setattr(controls, "draw_train_button", draw_and_wait)
    if not ends_well:
        monkeypatch.setattr(current_run, "has_tree", lambda job: False)
    press(page)
    button = page.button(key="train_go")
    assert (button.label, button.disabled) == ("Train", False)
    assert (work(page).job is not None) == ends_well


def test_a_result_drawn_before_it_could_not_be_stored_is_looked_after(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that does not answer takes seconds to fail, and the tree is drawn at once."""
    looks: list[float] = []
    tried = threading.Event()

    def away(*_: object, **__: object) -> None:
        assert tried.wait(SECONDS)
        raise StorageError("The database does not answer.")

    def said() -> bool:
        return any("is not stored yet" in box.value for box in page.warning)

    def noted(function: Callable[..., None], run_every: float) -> Callable[..., None]:
        looks.append(run_every)
        return function

    with monkeypatch.context() as patch:
        patch.setattr(store().queue, "end", away)
        train(page)
        with monkeypatch.context() as watched:
            watched.setattr(current_run.st, "fragment", noted)
            page.run()
        assert not said() and page.get("graphviz_chart")
        assert looks == [current_run.LOOK_EVERY], "the page goes on looking by itself"
        tried.set()
        run_until(page, said, "it is not said that this is not stored")
    is_stored = job_manager().is_stored
    run_until(page, lambda: is_stored(job_of(page)) and not said(), "it was not stored")


def test_names_from_the_file_are_shown_as_they_are(open_page: Callable[..., AppTest]) -> None:
    names = {
        "pain": '![x](http://evil.example/a.png)<img src=x onerror="alert(1)">',
        "none": "<b>*none*</b>",
        "ill": "# $ill$ :red[x]",
        "yes": "[yes](javascript:alert(1)) <script>",
    }
    lines = WARD.strip().splitlines()
    content = "\n".join(
        ",".join(
            f'"{names.get(cell, cell)}"'.replace('""', '"') if cell in names else cell
            for cell in line.split(",")
        )
        for line in lines
    ).replace('onerror="alert(1)"', 'onerror=""alert(1)""')
    page = open_page(content.encode(), target=names["ill"], positive=names["yes"])
    train(page)
    page.toggle(key="train_show_cart").set_value(True).run()
    assert not page.exception
    for said in html(page):
        assert not re.search("<(script|img|b>[*])", said), said
    escaped = r"(?<!\\)"
    for said in markdown(page):
        assert not re.search(escaped + r"<(script|img|b)", said), said
        assert not re.search(escaped + r"\]\((http|javascript)", said), said
        assert not re.search(r"(?<!\\):red", said), said


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_sample_can_be_asked_about(open_page: Callable[..., AppTest], name: str) -> None:
    sample = SAMPLES[name]
    page = open_page(
        sample.csv(),
        target=sample.target,
        positive=sample.positive,
        split=SplitSpec(Fraction(4, 5)),
        change=lambda schema: sample.schema(),
    )
    assert "training rows**" in texts(page)
    assert not page.button(key="train_go").disabled


# ---- cut points ----


def test_deciles_are_offered_to_cbc_where_every_value_may_be_a_cut_point(
    open_page: Callable[..., AppTest],
) -> None:
    rows = "".join(f"{age * 37 % 151 / 4},{'yes' if age % 3 else 'no'}\n" for age in range(150))

    def every(schema: Schema) -> Schema:
        return schema.with_kind("age", ColumnKind.NUMERICAL).with_binning(
            "age", Binning(BinMethod.EVERY)
        )

    page = open_page(f"age,ill\n{rows}".encode(), change=every)
    assert "each question has 150 variables in the integer program" in page.info[0].value
    page.button(key="train_deciles").click().run()
    assert not page.exception
    assert work(page).schema.column("age").binning == Binning.deciles()  # type: ignore[union-attr]
    assert not page.info
    page.session_state["train_engine"] = Engine.HYBRID
    page.run()
    assert not page.info


def test_a_question_about_the_outcome_is_answered_before_anything_is_trained(
    open_page: Callable[..., AppTest],
) -> None:
    content = WARD.replace("80,much,yes", "80,much,Yes").encode()
    page = open_page(content)
    assert "labels that differ only in how they are written" in texts(page)
    assert not any(button.key == "train_go" for button in page.button)
    assert not page.get("selectbox")
    joined = open_page(content, change=lambda schema: schema.with_joined("ill", (("Yes", "yes"),)))
    assert "labels that differ" not in texts(joined)


def test_a_column_that_tells_the_outcome_is_named_where_the_tree_asks_about_it(
    open_page: Callable[..., AppTest],
) -> None:
    lines = ["pain,twin,ill", *(f"{i % 3},{'ab'[i % 2]},{('no', 'yes')[i % 2]}" for i in range(24))]
    page = open_page("\n".join(lines).encode())
    train(page)
    assert "The tree asks about it: Column 'twin' alone determines the outcome" in texts(page)


def test_the_same_file_read_otherwise_has_other_rows() -> None:
    whole, fewer = (read_table(WARD.encode(), ReadOptions(comment=mark)) for mark in (None, "4"))
    counts = [
        prepared_rows(table, infer_schema(table, "ill", "yes"), SplitSpec("all")).train.n_rows
        for table in (whole, fewer)
    ]
    assert counts[0] > counts[1]


# ---- the check of a proof ----


def test_a_proof_is_checked_by_trying_every_tree(page: AppTest) -> None:
    train(page)
    page.button(key="train_check").click().run()
    assert not page.exception
    _, check = page.session_state["train_checked"]
    wait_until(lambda: check.is_over)
    page.run()
    assert not page.exception
    assert check.result["holds"] is True
    assert any(c.value.startswith("✓ Checked. No tree of this shape") for c in page.caption)


# ---- the smallest leaf ----


def test_leaves_hold_as_many_rows_as_asked(page: AppTest) -> None:
    assert page.number_input(key="train_min_leaf").value is None
    assert "train_min_leaf_of" not in [box.key for box in page.selectbox]
    page.number_input(key="train_min_leaf").set_value(4).run()
    train(page)
    asked = job_of(page).spec.train
    assert asked.smallest_leaf == SmallestLeaf(4)
    result = job_of(page).result
    assert result is not None
    assert min(leaf.n for leaf in tree_from_json(result["tree"]).leaves) >= 4
    page.selectbox(key="train_min_leaf_of").set_value(LeafCount.RARER_CLASS).run()
    assert not page.exception


def test_a_leaf_larger_than_the_training_set_is_refused_at_once(page: AppTest) -> None:
    page.number_input(key="train_min_leaf").set_value(13).run()
    assert "there are only 12 training rows" in page.error[0].value
