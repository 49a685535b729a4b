"""The Alternatives page: what a user asks for there, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.alternatives import AlternativesView
from odt_core.data import prepare
from odt_core.evaluation import tree_changes
from odt_core.problem import SmallestLeaf
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from pages.alternatives import gallery, keys
from pages.common.server import job_manager
from pages.common.session import Place
from tests.pages.sessions import WORK, said, triage_work, wait_for, work

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def open_page(app: AppTest) -> Callable[..., AppTest]:
    """Opens the page with 200 training rows of the triage sample, and a trained tree if asked."""

    def start(*, trained: bool = True, **conditions: Any) -> AppTest:
        now = triage_work("200")
        assert now.dataset is not None and now.schema is not None and now.split is not None
        app.session_state[WORK] = now
        if trained:
            depth_2 = Topology.parse("depth-2")
            spec = TrainSpec(now.schema, now.split, depth_2, engine=Engine.SEARCH, **conditions)
            job = job_manager().submit(now.dataset.job(spec))
            app.session_state[WORK] = replace(now, job=job)
            wait_for(app, lambda now: now.job)
        app.switch_page(Place.ALTERNATIVES).run()
        assert not app.exception
        return app

    return start


def test_without_a_tree_the_page_says_what_to_do(open_page: Callable[..., AppTest]) -> None:
    assert "starts from a trained tree" in said(open_page(trained=False))


def test_the_current_tree_is_drawn(open_page: Callable[..., AppTest]) -> None:
    page = open_page()
    assert "Which other trees are as good?" in " ".join(str(each.value) for each in page.header)
    assert "The current tree" in said(page)
    assert "digraph" in str(page.get("graphviz_chart")[0].proto.spec)


def test_the_conditions_of_the_list_are_named(open_page: Callable[..., AppTest]) -> None:
    page = open_page(max_card=2, smallest_leaf=SmallestLeaf(5))
    conditions = "depth-2, sets of at most 2 categories, leaves of at least 5 rows"
    words = f"The conditions are those of the tree: {conditions}; highest accuracy."
    assert words in said(page)


@pytest.fixture
def listed(open_page: Callable[..., AppTest]) -> AppTest:
    """The page with a list of twelve trees."""
    page = open_page()
    page.number_input(key=keys.NUMBER).set_value(12)
    page.button(key=keys.LIST).click().run()
    wait_for(page, lambda now: now.alternatives)
    return page


def view_of(page: AppTest) -> AlternativesView:
    batch = work(page).alternatives
    assert batch is not None and batch.jobs[0].result is not None
    return AlternativesView(batch.jobs[0].result)


def test_trees_are_listed_with_what_is_proved(listed: AppTest) -> None:
    view = view_of(listed)
    text = said(listed)
    assert len(view.trees) == 12 and view.proof_words() in text
    assert "This holds for the 200 training rows" in text
    for tree in view.trees[: gallery.A_PAGE]:
        assert f"**No. {tree.place + 1}** · {tree.train.errors} wrong" in text
    table = listed.dataframe[0].value
    assert list(table["no"]) == list(range(1, 13))
    assert list(table["wrong"]) == [tree.train.errors for tree in view.trees]
    assert [round(rate, 6) for rate in table["test_tpr"]] == [
        round(100 * tree.test.tp / tree.test.n_positive, 6) for tree in view.trees
    ]
    assert "loss" not in table, "it is the number of wrong rows"


def test_a_chosen_tree_stands_beside_the_best_and_becomes_current(listed: AppTest) -> None:
    view = view_of(listed)
    listed.button(key=f"{keys.SHOW}3").click().run()
    assert not listed.exception
    changes = tree_changes(view.tree(0), view.tree(3))
    text = said(listed)
    assert "The best tree" in text and "Differences have a thick outline" in text
    assert all(sentence.split("“")[0] in text for sentence in changes.sentences)
    listed.button(key=keys.MAKE).click().run()
    assert not listed.exception
    wait_for(listed, lambda now: now.job)
    job = work(listed).job
    assert job is not None and job.trained is not None and job.trained.train is not None
    assert job.trained.train.confusion == view.trees[3].train
    assert "This is the current tree" in said(listed)
    assert "List again" not in said(listed)
    assert "**The current tree**" not in said(listed), "the list of differences is above"
    listed.selectbox(key=keys.CHOSEN).set_value(0).run()
    text = said(listed)
    assert f"**The current tree** has {view.trees[3].train.errors} of 200 training rows" in text
    assert all(sentence.split("“")[0] in text for sentence in changes.sentences)
    listed.switch_page(Place.TRAIN).run()
    assert not listed.exception
    assert "chosen on the Alternatives page" in said(listed)


def test_a_list_that_ended_before_columns_were_left_out_has_no_empty_figure(
    listed: AppTest,
) -> None:
    batch = work(listed).alternatives
    assert batch is not None and batch.jobs[0].result is not None
    assert len(listed.get("plotly_chart")) == 1
    batch.jobs[0].result["columns"] = []  # like a list from a running job
    listed.run()
    assert not listed.exception
    assert not listed.get("plotly_chart")
    assert "ended before the search without each column began" in said(listed)
    assert "**No. 1** · " in said(listed)


def test_drawings_count_the_test_rows_of_their_trees(listed: AppTest) -> None:
    """A tree of the list has the columns that it asks, and the test rows have all of the file."""
    view, now = view_of(listed), work(listed)
    assert now.dataset is not None and now.schema is not None
    test = prepare(now.dataset.table, now.schema, now.split).test
    assert test is not None
    for place in (1, 3, 7, 11):
        listed.selectbox(key=keys.CHOSEN).set_value(place).run()
        assert not listed.exception
        drawn = listed.get("graphviz_chart")[-1].proto.spec
        counts = view.trees[place].over(test.features).leaf_counts(test)
        rows = [int(n) for n in re.findall(r">test (?:[\d.]+% of )?(\d+)", drawn)]
        assert rows == [negative + positive for negative, positive in counts]


def test_filters_and_costs_leave_fewer_trees(listed: AppTest) -> None:
    view = view_of(listed)
    name = view.trees[0].columns[0]
    listed.multiselect(key=keys.WITHOUT).select(name).run()
    left = view.chosen(without=[name])
    assert f"{len(left)} of 12 listed trees" in said(listed)
    listed.multiselect(key=keys.WITHOUT).unselect(name).run()
    listed.multiselect(key=keys.COSTLY).select(name).run()
    listed.text_input(key=keys.COST + name).set_value("10").run()
    listed.text_input(key=keys.MOST_COST).set_value("9").run()
    assert not listed.exception
    cheap = view.chosen(most_cost=Fraction(9), costs={name: Fraction(10)})
    assert len(cheap) < 12 and f"{len(cheap)} of 12 listed trees" in said(listed)
    listed.text_input(key=keys.MOST_COST).set_value("dear").run()
    assert "give a number of at least 0" in said(listed)


def test_the_best_trees_without_a_column_are_searched_for(listed: AppTest) -> None:
    view = view_of(listed)
    column = next(column for column in view.columns if column.n_trees and column.least_without)
    listed.multiselect(key=keys.WITHOUT).select(column.name).run()
    listed.button(key=keys.LIST_LIMITED).click().run()
    wait_for(listed, lambda now: now.alternatives)
    assert not listed.exception
    limited = view_of(listed)
    assert limited.trees and not any(column.name in tree.columns for tree in limited.trees)
    assert limited.least == column.least_without, "as the whole list says it"
    assert f"This list has only trees that do not ask about {column.name}." in said(listed)
    assert limited.free_words() in said(listed)
    assert keys.LIST_LIMITED not in {button.key for button in listed.button}


def test_columns_may_cost_no_more_together(listed: AppTest) -> None:
    listed.text_input(key=keys.MOST_TOTAL_COST).set_value("1").run()
    listed.button(key=keys.LIST).click().run()
    wait_for(listed, lambda now: now.alternatives)
    assert not listed.exception
    assert all(len(tree.columns) <= 1 for tree in view_of(listed).trees)
    assert "cost at most 1 for all columns" in said(listed)


def test_a_list_is_found_again_by_its_address_without_a_tree(listed: AppTest) -> None:
    batch = work(listed).alternatives
    assert batch is not None and batch.id is not None
    assert listed.query_params["alternatives"] == batch.id
    other = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)
    other.query_params["alternatives"] = batch.id
    other.run()
    other.switch_page(Place.ALTERNATIVES).run()
    assert not other.exception
    assert work(other).job is None
    assert view_of(other).proof_words() in said(other)
    assert other.number_input(key=keys.NUMBER).value == 12


def test_numbers_that_cannot_be_used_are_reported(open_page: Callable[..., AppTest]) -> None:
    page = open_page()
    page.text_input(key=keys.WITHIN).set_value("some").run()
    assert "'some' is not a number of at least 0" in said(page)
    assert page.button(key=keys.LIST).disabled
