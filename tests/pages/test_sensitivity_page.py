"""The Sensitivity page: what a user asks for there, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES, ColumnKind, ReadOptions, SplitSpec, read_table
from odt_core.evaluation import CostRange, net_benefit
from odt_core.figures import roc_chart
from odt_core.jobs import Batch, Job, JobKind
from odt_core.problem import Goal, Objective
from odt_core.render import tree_dot
from odt_core.storage import LOCAL_OWNER, RunQuery, RunStatus, StorageError
from odt_core.studies import (
    CurveRun,
    FrontierView,
    LowerBound,
    Sweep,
    curve_table,
    frontier_csv,
    run_frontier,
)
from odt_core.topology import Topology
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec
from pages.common.server import job_manager, store
from pages.common.session import Place, Work
from pages.common.settings import rules_that_apply
from pages.common.studies import CURVES, FRONTIER
from pages.sensitivity.chosen_point import ChosenPoint, range_words
from pages.sensitivity.frontier import KeptPoint, frontier_view
from pages.sensitivity.frontier_search import asked_words
from pages.sensitivity.point import unproved_words
from tests.pages.sessions import WORK, run_until, said, triage_work, wait_for, work

SECONDS = 90.0


@pytest.fixture
def open_page(app: AppTest) -> Callable[[], AppTest]:
    """Opens the page with 300 training rows of the triage sample."""

    def start() -> AppTest:
        app.session_state[WORK] = triage_work("300")
        app.switch_page(Place.SENSITIVITY).run()
        assert not app.exception
        return app

    return start


def plain_text(markdown: str) -> str:
    return markdown.replace("\\", "")


@pytest.fixture
def page(open_page: Callable[[], AppTest]) -> AppTest:
    """The page with a frontier of depth 2."""
    app = open_page()
    wait_for(app, lambda now: now.frontier)
    app.number_input(key="sens_max_card").set_value(1)
    app.button(key="sens_go").click().run()
    wait_for(app, lambda now: now.frontier)
    return app


def frontier_job(app: AppTest) -> Job:
    job = work(app).frontier
    assert job is not None and job.result is not None
    return job


def view_of(app: AppTest) -> FrontierView:
    view = frontier_view(frontier_job(app))
    assert view is not None
    return view


def index_of(app: AppTest) -> int:
    return int(app.session_state[f"sens_point_{frontier_job(app).id}"])


def test_without_data_it_links_to_where_data_are_chosen(app: AppTest) -> None:
    app.switch_page(Place.SENSITIVITY).run()
    assert not app.exception
    assert any("needs a data set" in str(element.value) for element in app.markdown)


def test_the_page_opens_with_the_frontier_of_the_current_shape(
    open_page: Callable[[], AppTest],
) -> None:
    app = open_page()
    wait_for(app, lambda now: now.frontier)
    spec = frontier_job(app).spec.train
    assert spec.topology == Topology.parse("depth-2") and spec.max_card is None
    assert app.get("graphviz_chart") and app.get("plotly_chart")


def test_a_frontier_that_would_take_long_is_not_begun_unasked(app: AppTest) -> None:
    app.session_state["sens_shape"] = "depth-4"
    app.session_state[WORK] = triage_work("300")
    app.switch_page(Place.SENSITIVITY).run()
    assert not app.exception and work(app).frontier is None
    assert any(element.value == "No frontier yet" for element in app.header)


@pytest.mark.parametrize(
    ("view", "key", "words"),
    [
        (FRONTIER, "sens_go", "Find the frontier"),
        (CURVES, "sens_curve_go", "Run the curves"),
        (FRONTIER, "sens_adopt", "Make current"),
    ],
)
def test_a_press_on_a_page_left_at_once_is_reported_and_never_begins_later(
    page: AppTest, view: str, key: str, words: str
) -> None:
    page.segmented_control(key="sens_view").set_value(view).run()
    before = work(page)
    page.button(key=key).click()
    page.switch_page(Place.RUNS).run()
    assert not page.exception
    assert [said.value for said in page.info] == [
        f"You left the page before **{words}** took effect: press it there again."
    ]
    page.switch_page(Place.SENSITIVITY).run()
    assert not page.exception and not page.info
    assert work(page) is before


def net_benefit_table(app: AppTest) -> str:
    (table,) = [e.value for e in app.html if "Net benefit in training and test" in e.value]
    return str(table)


def said_number(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def test_net_benefit_follows_the_prevalence_that_is_typed(page: AppTest) -> None:
    page.text_input(key="sens_cost_fn").set_value("1").run()
    counts = view_of(page).points[index_of(page)].train
    assert said_number(net_benefit(counts, 0.5)) in net_benefit_table(page)
    assert any("prevalence of the rows" in caption.value for caption in page.caption)
    (share,) = [e for e in page.text_input if "where the tree will be used" in e.label]
    share.set_value("2,5").run()
    assert not page.exception
    assert said_number(net_benefit(counts, 0.5, 0.025)) in net_benefit_table(page)
    assert any(caption.value.startswith("Where 2\\.5% are") for caption in page.caption)


def test_net_benefit_begins_with_costs_for_which_the_tree_is_the_cheapest(page: AppTest) -> None:
    view, job = view_of(page), frontier_job(page)
    hull = [i for i, point in enumerate(view.points) if point.cost is not None]
    for index in (hull[0], hull[-1]):
        page.select_slider(key=f"sens_point_{job.id}").set_value(index).run()
        cost = view.points[index].cost
        assert cost is not None and cost.inside in cost
        threshold = float(1 / (1 + cost.inside))
        counts = view.points[index].train
        assert said_number(net_benefit(counts, threshold)) in net_benefit_table(page)
        assert any("no costs are set" in caption.value for caption in page.caption)
    never = next((i for i, point in enumerate(view.points) if point.cost is None), None)
    assert never is not None, "some point is not a corner of the frontier"
    page.select_slider(key=f"sens_point_{job.id}").set_value(never).run()
    assert not any("Net benefit in training" in e.value for e in page.html)
    assert any("Net benefit needs costs" in caption.value for caption in page.caption)


def test_a_floor_chooses_the_point_that_keeps_it(page: AppTest) -> None:
    view = view_of(page)
    key = f"sens_floor_{frontier_job(page).id}"
    page.text_input(key=key).set_value("90,5").run()
    assert not page.exception
    point = view.points[index_of(page)]
    assert point.train.tpr >= Fraction(905, 1000)
    if index_of(page) + 1 < len(view.points):
        assert view.points[index_of(page) + 1].train.tpr < Fraction(905, 1000)
    page.text_input(key=key).set_value("many").run()
    assert any("percentage from 0 to 100" in str(error.value) for error in page.error)


def test_the_slider_leaves_the_floor_that_was_asked_for(page: AppTest) -> None:
    view, job = view_of(page), frontier_job(page)
    chosen, last = index_of(page), len(view.points) - 1
    page.select_slider(key=f"sens_point_{job.id}").set_value(last).run()
    assert not page.exception and index_of(page) == last
    assert page.text_input(key=f"sens_floor_{job.id}").value == "95"
    (table,) = [e.value for e in page.html if "Floors and the rates reached" in e.value]
    assert "Sensitivity at least 95%" in table
    assert any("does not reach the floor of 95%" in said.value for said in page.caption)
    page.button(key="sens_back").click().run()
    assert index_of(page) == chosen
    assert not any("the floor of 95%" in said.value for said in page.caption)
    page.select_slider(key=f"sens_point_{job.id}").set_value(0).run()
    assert any("Another tree keeps the floor of 95%" in said.value for said in page.caption)


def test_a_tree_beside_the_floor_is_adopted_under_a_floor_that_it_keeps(page: AppTest) -> None:
    view, job = view_of(page), frontier_job(page)
    last = len(view.points) - 1
    page.select_slider(key=f"sens_point_{job.id}").set_value(last).run()
    page.button(key="sens_adopt").click().run()
    wait_for(page, lambda now: now.job)
    adopted = work(page).job
    assert adopted is not None and adopted.result is not None
    floor = adopted.spec.train.objective.min_tpr
    assert floor is not None and view.at_level(floor) == last
    assert floor <= view.points[last].train.tpr < Fraction(95, 100)


def test_each_tree_is_drawn_under_a_name_of_its_own(page: AppTest) -> None:
    job = frontier_job(page)
    names = []
    for index in (0, 1, 0):
        page.select_slider(key=f"sens_point_{job.id}").set_value(index).run()
        names.append(page.get("graphviz_chart")[0].proto.spec.split(" {")[0])
    assert names[0] != names[1], "the browser would prepare a morph from one to the other"
    assert names[0] == names[2]


def test_costs_choose_the_cheapest_point(page: AppTest) -> None:
    view = view_of(page)
    page.text_input(key="sens_cost_fn").set_value("8").run()
    assert not page.exception
    costs = [8 * fn + fp for fn, fp in view.pairs]
    assert costs[index_of(page)] == min(costs)


def test_adopting_makes_the_point_the_current_result(page: AppTest) -> None:
    view = view_of(page)
    page.button(key="sens_adopt").click().run()
    wait_for(page, lambda now: now.job)
    job = work(page).job
    assert job is not None and job.result is not None and job.model is not None
    point = view.points[index_of(page)]
    assert job.spec.kind is JobKind.ADOPT
    assert job.spec.train.objective == Objective(Goal.MAX_TNR, min_tpr=Fraction(95, 100))
    assert job.result["train"] == {
        "tp": point.train.tp, "fp": point.train.fp, "tn": point.train.tn, "fn": point.train.fn,
    }  # fmt: skip
    assert job.result["status"] == "optimal"
    assert "at a sensitivity of" in str(page.html[0].value), "the banner names the floor"
    page.switch_page(Place.TRAIN).run()
    assert not page.exception
    assert "taken from the frontier" in said(page)
    counts = " ".join(str(element.proto.body) for element in page.get("html"))
    for name in ("tp", "fp", "tn", "fn"):
        assert f">{job.result['train'][name]}</b>" in counts


def test_a_tree_of_another_split_is_not_the_current_one(page: AppTest) -> None:
    page.button(key="sens_adopt").click().run()
    wait_for(page, lambda now: now.job)
    assert any("is the current tree" in str(said.value) for said in page.markdown)
    now = work(page)
    assert now.job is not None
    other = replace(now.job.spec.train, split=SplitSpec.parse("300", seed=1))
    job = replace(now.job, spec=replace(now.job.spec, train=other))
    page.session_state[WORK] = replace(now, job=job)
    page.run()
    assert not page.button(key="sens_adopt").disabled


def test_adopting_waits_for_a_run_that_goes_on_and_says_so(page: AppTest) -> None:
    now, frontier = work(page), frontier_job(page)
    going = replace(frontier, status=RunStatus.RUNNING, result=None)
    page.session_state[WORK] = replace(now, job=going)
    page.run()
    assert page.button(key="sens_adopt_later").disabled
    page.session_state[WORK] = replace(now, job=replace(going, status=RunStatus.FAILED))
    page.run()
    assert not page.button(key="sens_adopt").disabled


def test_its_points_as_csv_are_those_of_the_command_line(page: AppTest) -> None:
    job = frontier_job(page)
    table = read_table(SAMPLES["triage"].csv(), ReadOptions(), name="triage.csv")
    found = run_frontier(table, job.spec.train)
    assert frontier_csv(view_of(page).points) == frontier_csv(found.points)
    head, first, *_ = frontier_csv(found.points).decode().splitlines()
    assert head.startswith("fn,fp,train_tp") and first.split(",")[3] != ""


def test_a_frontier_that_an_address_names_brings_its_settings(
    page: AppTest, launch: Callable[[], AppTest]
) -> None:
    now = work(page)
    assert now.frontier is not None
    spec = replace(now.frontier.spec.train, topology=Topology.parse("depth-3"), time_limit=7.0)
    other = launch()
    other.session_state[WORK] = replace(
        now, frontier=replace(now.frontier, spec=replace(now.frontier.spec, train=spec))
    )
    other.switch_page(Place.SENSITIVITY).run()
    assert not other.exception
    assert other.selectbox(key="sens_shape").value == "depth-3"
    assert other.number_input(key="sens_max_card").value == 1
    assert other.number_input(key="sens_seconds").value == 7
    assert any(
        "Depth-3, sets of at most 1 category: " in str(said.value).replace("\\", "")
        for said in other.caption
    )


def test_a_frontier_is_opened_on_the_runs_page(
    page: AppTest, launch: Callable[[], AppTest]
) -> None:
    found = frontier_job(page)
    other = launch()
    other.session_state["sens_view"] = CURVES
    other.session_state["runs_chosen"] = (found.id,)
    other.switch_page(Place.RUNS).run()
    other.button(key="runs_open").click().run()
    assert not other.exception and other.get("graphviz_chart")
    assert frontier_job(other).id == found.id and other.session_state["sens_view"] == FRONTIER


@pytest.mark.parametrize(
    ("shapes", "kept"), [(["depth-2"], 1), (["depth-2", "depth-3"], 0), (["depth-3"], 0)]
)
def test_rules_of_nodes_go_with_their_shape_only(shapes: list[str], kept: int) -> None:
    rules = RulesSpec(("age",), (NodeRuleSpec(2, features=("heart_rate",)),))
    then = TrainSpec(
        SAMPLES["triage"].schema(), SplitSpec.parse("300"), Topology.parse("depth-2"), rules=rules
    )
    found = rules_that_apply(then, [Topology.parse(shape) for shape in shapes])
    assert found.forbidden == ("age",) and len(found.nodes) == kept
    assert "expert rules" in asked_words(replace(then, rules=found))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, None, "whatever a miss costs"),
        (2, None, "costs 2 false alarms or more"),
        (1, None, "costs 1 false alarm or more"),
        (0, 1, "costs at most 1 false alarm"),
        (0, 3, "costs at most 3 false alarms"),
        (Fraction(1, 2), Fraction(1, 2), "costs exactly 0.5 false alarms"),
        (Fraction(1, 2), 4, "costs 0.5 to 4 false alarms"),
    ],
)
def test_costs_are_reported_as_a_range(low: int, high: int | None, words: str) -> None:
    cost = CostRange(Fraction(low), None if high is None else Fraction(high))
    assert range_words(cost).endswith(words)


def test_a_frontier_that_is_not_proved_says_what_is(page: AppTest) -> None:
    view = view_of(page)
    floor, at = Fraction(95, 100), view.at_level(Fraction(95, 100))
    assert at is not None and view.is_best_at(at, floor)
    counts = view.points[at].train
    part = replace(view, bound=LowerBound(known=(counts.fp,) * counts.fn + (counts.fp - 3,)))
    assert not part.is_best_at(at, floor)
    said = unproved_words(KeptPoint(part, at, floor, Sweep.TPR))
    assert f"it has {counts.fp} false alarms" in said
    names = [t.name for t in roc_chart(part).figure.data]
    assert "training (best found)" in names and "training (exact frontier)" not in names


def test_a_floor_on_specificity_shows_the_most_sensitive_tree(page: AppTest) -> None:
    job, view = frontier_job(page), view_of(page)
    page.selectbox(key="sens_floor_on").set_value("tnr").run()
    page.text_input(key=f"sens_floor_{job.id}").set_value("90").run()
    assert not page.exception
    reach = [i for i, point in enumerate(view.points) if point.train.tnr >= Fraction(9, 10)]
    assert index_of(page) == min(reach, key=lambda i: view.points[i].train.fn)
    said = " ".join(str(element.proto.body) for element in page.get("html"))
    assert "Specificity at least 90%" in said
    page.text_input(key=f"sens_floor_{job.id}").set_value("101").run()
    assert any("floor on specificity" in str(error.value) for error in page.error)


@pytest.mark.parametrize("sweep", list(Sweep))
def test_a_floor_that_no_tree_reaches_opens_with_the_nearest_and_says_so(
    page: AppTest, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, view = frontier_job(page), view_of(page)
    # a search that was cut short, or under rules, has no tree that is right in every row
    part = replace(view, points=view.points[1:-1])
    state: dict[str, object] = {
        f"sens_floor_{job.id}": "100",
        "sens_floor_on": sweep.value,
    }
    monkeypatch.setattr("streamlit.session_state", state)
    monkeypatch.setattr("pages.sensitivity.chosen_point.work", lambda: Work(job=None))
    monkeypatch.setattr("pages.sensitivity.chosen_point.DEFAULT_FLOOR", Fraction(1))
    choice = ChosenPoint(job, part)
    assert not choice.reaches_floor
    rates = [sweep.rate(point.train) for point in part.points]
    assert rates[choice.index] == max(rates)
    assert f"reaches the floor of 100% {sweep.word}" in str(state[choice.error_key])


@pytest.mark.parametrize("sweep", list(Sweep))
def test_the_shortest_floor_of_a_point_finds_it_again(page: AppTest, sweep: Sweep) -> None:
    view = view_of(page)
    for index in range(len(view.points)):
        assert view.at_level(view.floor_of(index, sweep), sweep) == index


def test_the_cheapest_tree_for_the_costs_is_one_press_away(page: AppTest) -> None:
    job, view = frontier_job(page), view_of(page)
    page.text_input(key="sens_cost_fp").set_value("1").run()
    page.select_slider(key=f"sens_point_{job.id}").set_value(0).run()
    page.button(key="sens_cheapest").click().run()
    errors = [fn + fp for fn, fp in view.pairs]
    assert errors[index_of(page)] == min(errors)
    assert "sens_cheapest" not in {button.key for button in page.button}


def test_comparing_shows_both_trees(page: AppTest) -> None:
    job = frontier_job(page)
    page.button(key="sens_pin").click().run()
    other = 0 if index_of(page) else 1
    page.select_slider(key=f"sens_point_{job.id}").set_value(other).run()
    assert not page.exception
    assert any(element.value == "Compared" for element in page.header)
    page.button(key="sens_unpin").click().run()
    assert not any(element.value == "Compared" for element in page.header)


def test_curves_run_over_splits(open_page: Callable[[], AppTest]) -> None:
    app = open_page()
    app.session_state["sens_view"] = "Curves over many splits"
    app.session_state["sens_max_card"] = 1
    app.run()
    app.multiselect(key="sens_shapes").set_value(["depth-1", "depth-2"])
    app.number_input(key="sens_repeats").set_value(2)
    app.text_input(key="sens_levels").set_value("90; 100").run()
    app.button(key="sens_curve_go").click().run()
    assert not app.exception
    wait_for(app, lambda now: now.curve)
    batch = work(app).curve
    assert batch is not None and not batch.failure and len(batch.results) == 2
    assert all(len(result["runs"]) == 4 for result in batch.results)
    assert any("2 splits in" in str(element.value) for element in app.caption)
    app.session_state["sens_curve_shown"] = "ROC plane"
    app.run()
    figure = app.get("plotly_chart")[0]
    said = figure.proto.alt
    assert said.startswith("ROC plane") and "test specificity is" in said


@pytest.mark.parametrize(
    ("view", "go"), [(FRONTIER, "sens_go"), (CURVES, "sens_curve_go")], ids=["frontier", "curves"]
)
def test_what_is_not_stored_says_so_until_it_is(
    view: str, go: str, open_page: Callable[[], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("There is no room left on the disk.")

    def found(now: Work) -> Job | Batch | None:
        return now.frontier if view == FRONTIER else now.curve

    def said(app: AppTest) -> bool:
        return any("is not stored yet" in str(box.value) for box in app.warning)

    app = open_page()
    wait_for(app, lambda now: now.frontier)
    app.session_state["sens_view"] = view
    app.session_state["sens_max_card"] = 1
    app.session_state["sens_repeats"] = 2
    app.run()
    with monkeypatch.context() as patch:
        patch.setattr(store().database, "write", full)
        app.button(key=go).click().run()
        wait_for(app, found)
        run_until(app, lambda: said(app), "it is not said that this is not stored")
        assert any("no room left" in box.value for box in app.warning if "not stored" in box.value)

    def is_stored() -> bool:
        job = found(work(app))
        jobs = job.jobs if isinstance(job, Batch) else [job]
        return all(each is not None and job_manager().is_stored(each) for each in jobs)

    run_until(app, lambda: is_stored() and not said(app), "it was not stored")


@pytest.fixture
def curves(open_page: Callable[[], AppTest]) -> AppTest:
    """The page with curves of two shapes and floors over two splits."""
    app = open_page()
    app.session_state["sens_view"] = CURVES
    app.session_state["sens_max_card"] = 1
    app.session_state["sens_shapes"] = ["depth-1", "depth-2"]
    app.session_state["sens_repeats"] = 2
    app.session_state["sens_levels"] = "90; 97"
    app.run()
    app.button(key="sens_curve_go").click().run()
    wait_for(app, lambda now: now.curve)
    wait_for_tree(app)
    return app


def wait_for_tree(app: AppTest) -> None:
    run_until(app, lambda: app.get("graphviz_chart"), "no tree was drawn")


@pytest.mark.parametrize(("shape", "floor"), [("depth-1", "90"), ("depth-2", "97")])
def test_beside_the_curves_stands_the_best_tree_of_a_shape_and_floor(
    curves: AppTest, shape: str, floor: str
) -> None:
    level = Fraction(floor) / 100
    split = SplitSpec.parse("250", seed=7)
    curves.session_state[WORK] = replace(work(curves), split=split)
    curves.run()
    curves.selectbox(key="sens_curve_shape").set_value(shape).run()
    curves.selectbox(key="sens_curve_floor").set_value(level).run()
    wait_for_tree(curves)
    batch = work(curves).curve
    assert batch is not None and split != batch.jobs[0].spec.train.split
    spec = replace(batch.jobs[0].spec.train, split=split, topology=Topology.parse(shape))
    table = read_table(SAMPLES["triage"].csv(), ReadOptions(), name="triage.csv")
    found = run_frontier(table, spec)
    best = max((p for p in found.points if p.train.tpr >= level), key=lambda point: point.train.tnr)
    (drawn,) = curves.get("graphviz_chart")
    test = found.prepared.test
    assert drawn.proto.spec == tree_dot(best.tree, test=test, on_screen=True)
    figure = json.loads(curves.get("plotly_chart")[0].proto.spec)
    mark = next(trace for trace in figure["data"] if trace.get("name") == "chosen")
    assert mark["x"] == [float(best.train.tpr)] and best.test is not None
    assert mark["y"] == [best.test.tp / best.test.n_positive]
    boxes = [*curves.success, *curves.warning, *curves.error]
    assert [box for box in boxes if f"floor {floor}%" in plain_text(box.proto.title)]


def test_a_tree_beside_the_curves_is_adopted_under_its_floor(curves: AppTest) -> None:
    curves.selectbox(key="sens_curve_floor").set_value(Fraction(90, 100)).run()
    wait_for_tree(curves)
    curves.button(key="sens_adopt").click().run()
    wait_for(curves, lambda now: now.job)
    job = work(curves).job
    assert job is not None and job.result is not None and job.result["status"] == "optimal"
    assert job.spec.train.objective == Objective(Goal.MAX_TNR, min_tpr=Fraction(90, 100))
    assert job.spec.train.split == work(curves).split


def test_a_frontier_that_was_found_is_not_searched_for_again(curves: AppTest) -> None:
    def n_frontiers() -> int:
        query = RunQuery(kinds=(JobKind.FRONTIER.value,))
        return store().runs.list(LOCAL_OWNER, query).total

    before = n_frontiers()
    for floor in (Fraction(90, 100), Fraction(97, 100)):
        curves.selectbox(key="sens_curve_floor").set_value(floor).run()
        assert curves.get("graphviz_chart")
    del curves.session_state["sens_known"]  # as in another session
    curves.run()
    assert curves.get("graphviz_chart") and n_frontiers() == before


def test_curves_of_other_columns_have_no_trees_until_they_are_run_again(curves: AppTest) -> None:
    now = work(curves)
    assert now.schema is not None
    first, *others = now.schema.columns
    schema = replace(now.schema, columns=(replace(first, kind=ColumnKind.IGNORE), *others))
    curves.session_state[WORK] = replace(now, schema=schema)
    curves.run()
    assert not curves.exception and not curves.get("graphviz_chart")
    assert any("before you changed the columns" in str(said.value) for said in curves.info)
    assert curves.get("plotly_chart"), "the curves stay"


def test_tables_below_the_curves_give_standard_deviations(curves: AppTest) -> None:
    batch = work(curves).curve
    assert batch is not None
    runs = [CurveRun.from_json(run) for result in batch.results for run in result["runs"]]
    row = curve_table(runs)[0]
    assert row.test_tpr.variance is not None
    deviation = f"± {100 * row.test_tpr.variance**0.5:.1f}"
    tables = [e.value for e in curves.html if "standard deviations" in e.value]
    assert len(tables) == 2 and any(deviation in table for table in tables)


def test_curves_with_floors_on_specificity(open_page: Callable[[], AppTest]) -> None:
    app = open_page()
    app.session_state["sens_view"] = "Curves over many splits"
    app.session_state["sens_max_card"] = 1
    app.session_state["sens_sweep"] = "tnr"
    app.session_state["sens_shapes"] = ["depth-2"]
    app.session_state["sens_repeats"] = 2
    app.run()
    app.text_input(key="sens_levels").set_value("90, 101").run()
    assert any("training specificity" in str(error.value) for error in app.error)
    app.text_input(key="sens_levels").set_value("90, 100").run()
    app.button(key="sens_curve_go").click().run()
    assert not app.exception
    wait_for(app, lambda now: now.curve)
    batch = work(app).curve
    assert batch is not None and not batch.failure and len(batch.results) == 2
    for run in (run for result in batch.results for run in result["runs"]):
        assert run["sweep"] == "tnr"
        floor = Fraction(run["level"])
        assert run["train"]["tn"] >= floor * (run["train"]["tn"] + run["train"]["fp"])
    assert any("floors on training specificity" in str(said.value) for said in app.caption)
    assert app.session_state["sens_curve_shown"] == "Specificity"


def test_curves_say_what_cannot_be_used(open_page: Callable[[], AppTest]) -> None:
    app = open_page()
    app.session_state["sens_view"] = "Curves over many splits"
    app.run()
    app.text_input(key="sens_train_size").set_value("100000").run()
    assert any("100000, but there are only" in str(error.value) for error in app.error)
    assert app.button(key="sens_curve_go").disabled
    app.text_input(key="sens_train_size").set_value("300").run()
    assert not app.error and not app.button(key="sens_curve_go").disabled
    app.text_input(key="sens_levels").set_value("0.95").run()
    assert any("write 95 for 95%" in plain_text(error.value) for error in app.error)
    app.text_input(key="sens_levels").set_value("95, 101").run()
    assert not app.exception
    assert any("percentage from 0 to 100" in str(error.value) for error in app.error)
    app.text_input(key="sens_levels").set_value("95")
    app.multiselect(key="sens_shapes").set_value([]).run()
    assert not app.exception
    assert any("at least one shape" in str(error.value) for error in app.error)
