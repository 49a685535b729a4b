"""The view Change a question: columns ranked at it, changes, undo, and what rules cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.alternatives.question import Loss, RankedColumn, Ranking, Reach
from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.problem import Goal, SmallestLeaf
from odt_core.solution import Engine, Status
from odt_core.storage import LOCAL_OWNER, RunQuery
from odt_core.topology import Topology
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec
from pages.alternatives.editing import SOLVE
from pages.alternatives.question import _headline
from pages.common.places import Place
from pages.common.server import job_manager, store
from pages.common.state import Dataset, Work
from pages.common.studies import ALTERNATIVES_VIEW, ONE_QUESTION
from tests.pages.sessions import SECONDS, WORK, said, work

CONTENT = SAMPLES["triage"].csv()
SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("200"),
    topology=Topology.parse("depth-2"),
    engine=Engine.SEARCH,
)


def trained(spec: TrainSpec = SPEC) -> Job:
    sha256 = store().datasets.put(LOCAL_OWNER, CONTENT, "triage.csv").sha256
    job = job_manager().submit(JobSpec(sha256, "triage.csv", ReadOptions(), spec))
    deadline = time.monotonic() + SECONDS
    while not job.is_over:
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)
    return job


def shown(app: AppTest, job: Job) -> AppTest:
    """The view with a run's tree."""
    table = read_table(CONTENT, ReadOptions(), name="triage.csv")
    app.session_state[WORK] = Work(
        dataset=Dataset(table, job.spec.dataset, ReadOptions()),
        schema=SPEC.schema,
        split=SPEC.split,
        job=job,
    )
    app.session_state[ALTERNATIVES_VIEW] = ONE_QUESTION
    app.switch_page(Place.ALTERNATIVES).run()
    assert not app.exception
    return app


def opened(app: AppTest, job: Job) -> AppTest:
    """The view with a run's tree, and its columns ranked."""
    return ranked(shown(app, job))


def ranked(app: AppTest) -> AppTest:
    """The page once the columns are ranked."""
    assert not app.exception
    deadline = time.monotonic() + SECONDS
    while "now:" not in said(app):
        assert time.monotonic() < deadline, "the ranking took too long"
        app.run()
        assert not app.exception
    return app


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The view with the best tree of depth 2."""
    return opened(app, trained())


def current(app: AppTest) -> Job:
    job = work(app).job
    assert job is not None
    return job


def button(app: AppTest, key: str):
    return next(element for element in app.button if element.key == key)


def choose_change(app: AppTest, words: str) -> None:
    radio = next(element for element in app.radio if element.key == "edit_change")
    radio.set_value(next(o for o in ("column", "exactly", "never", "keep", "leaf") if o == words))
    app.run()
    assert not app.exception


def solve(app: AppTest) -> None:
    """Press Solve again, and wait for the new tree and its ranking."""
    before = current(app)
    assert button(app, "edit_solve").label == SOLVE
    button(app, "edit_solve").click().run()
    deadline = time.monotonic() + SECONDS
    while current(app) is before or not current(app).is_over:
        assert time.monotonic() < deadline, "the run took too long"
        app.run()
    ranked(app)


def choose_question(app: AppTest, place: int) -> None:
    box = next(e for e in app.selectbox if e.label == "Question")
    box.select_index(place).run()
    ranked(app)


def test_the_columns_of_the_first_question_are_ranked(page: AppTest) -> None:
    tree = current(page).trained.tree
    name = tree.features[tree.decisions[0].split.feature].name
    errors = current(page).trained.errors
    assert f"It asks {name} now: at best {errors} training errors." in said(page)
    assert "This tree has no rules." in said(page)
    assert button(page, "edit_undo").disabled
    columns = next(e for e in page.selectbox if e.label == "Column")
    assert name not in columns.options
    assert len(columns.options) == len(tree.features) - 1


def test_the_same_ranking_is_not_made_twice(page: AppTest) -> None:
    def rankings() -> int:
        return store().runs.list(LOCAL_OWNER, RunQuery(kinds=(JobKind.QUESTION.value,))).total

    choose_question(page, 1)
    n = rankings()
    choose_question(page, 0)
    choose_question(page, 1)
    assert rankings() == n


def test_a_change_is_solved_costs_something_and_is_undone(page: AppTest) -> None:
    first = current(page)
    tree = first.trained.tree
    name = tree.features[tree.decisions[0].split.feature].name
    choose_change(page, "never")
    solve(page)
    second = current(page)
    assert second.spec.train.rules.nodes == (NodeRuleSpec(1, never=(name,)),)
    assert store().runs.summary(LOCAL_OWNER, second.id).rerun_of == first.id
    assert f"Rules: question 1: not about {name}." in said(page)
    cost = second.trained.errors - first.trained.errors
    words = f"The rules cost {cost} more training" if cost else "The rules cost nothing"
    assert words in said(page)
    choose_question(page, 0)
    assert "The rule for this question itself does not count" in said(page)
    choose_change(page, "column")
    solve(page)
    third = current(page)
    assert button(page, "edit_undo").label == "Undo (2 steps)"
    assert third.spec.train.rules.nodes[0].features is not None
    button(page, "edit_undo").click().run()
    assert current(ranked(page)).id == second.id
    button(page, "edit_undo").click().run()
    assert current(ranked(page)).id == first.id
    assert "This tree has no rules." in said(page)
    assert button(page, "edit_undo").disabled


def test_the_first_question_cannot_become_a_leaf_but_others_can(page: AppTest) -> None:
    choose_change(page, "leaf")
    assert "The first question cannot become a leaf" in said(page)
    assert button(page, "edit_solve").disabled
    choose_question(page, 1)
    assert not button(page, "edit_solve").disabled
    solve(page)
    assert current(page).spec.train.topology.n_nodes == 2
    assert "at most 2 questions" in said(page)


def test_a_kept_question_stays_and_an_exact_one_is_asked(page: AppTest) -> None:
    kept = current(page).trained.tree.decisions[1]
    choose_question(page, 1)
    choose_change(page, "keep")
    solve(page)
    assert kept.split in [node.split for node in current(page).trained.tree.decisions]
    choose_question(page, 0)
    choose_change(page, "exactly")
    column = next(e for e in page.selectbox if e.key == "edit_exact_column")
    names = [feature.name for feature in current(page).trained.tree.features]
    column.select_index(names.index("age")).run()
    solve(page)
    assert current(page).spec.train.rules.nodes[0].feature == "age"
    assert "age ≤" in said(page)


def test_a_tree_with_rules_of_its_own_is_compared_on_request(app: AppTest) -> None:
    rules = RulesSpec((), (NodeRuleSpec(1, features=("age",)),))
    limit = 41.0  # of no other test, so that its run without rules is not stored
    page = opened(app, trained(replace(SPEC, rules=rules, time_limit=limit, max_card=3)))
    button(page, "edit_free").click().run()
    deadline = time.monotonic() + SECONDS
    while "The rules cost" not in said(page):
        assert time.monotonic() < deadline, "the run without rules took too long"
        page.run()
        assert not page.exception
    assert current(page).spec.train.rules == rules, "the current tree stays"


def with_ranking(app: AppTest, change: Callable[[Ranking], Ranking]) -> AppTest:
    """The page as if the ranking that it shows had come out otherwise."""
    ((name, job),) = app.session_state["question_known"].items()
    changed = change(Ranking.from_json(job.result)).to_json()
    app.session_state["question_known"] = {name: replace(job, result=changed)}
    return ranked(app.run())


def test_columns_without_a_proof_are_named_and_get_more_time(page: AppTest) -> None:
    def unprove(ranking: Ranking) -> Ranking:
        first, *others = ranking.columns
        reach = replace(first.reach, status=Status.FEASIBLE, bound=first.reach.total + 2)
        return replace(ranking, columns=(replace(first, reach=reach), *others))

    name = Ranking.from_json(*known_results(page)).columns[0].name
    with_ranking(page, unprove)
    assert f"Not proved in 10 s for each: {name}." in said(page)
    again = button(page, "question_again")
    assert again.label == "Give each column 60 s"
    again.click().run()
    ranked(page)
    assert page.session_state["question_seconds"] == 60
    assert "Not proved" not in said(page)


def known_results(app: AppTest) -> list[dict[str, object]]:
    return [job.result for job in app.session_state["question_known"].values()]


def test_columns_that_were_not_tried_are_counted(page: AppTest) -> None:
    with_ranking(page, lambda found: replace(found, columns=found.columns[:-2], left=2))
    assert "It was stopped: 2 columns not tried." in said(page)
    assert button(page, "question_again").label == "Try all columns"


def test_a_ranking_is_stopped_with_what_is_known(app: AppTest) -> None:
    app.session_state["question_seconds"] = 100.0
    rows = SplitSpec.parse("1200")  # so many that no machine is done before the stop
    deep = replace(SPEC, split=rows, topology=Topology.parse("depth-4"), time_limit=0.5)
    page = shown(app, trained(deep))
    button(page, "question_stop").click().run()
    deadline = time.monotonic() + SECONDS
    while "not tried." not in said(page):
        assert time.monotonic() < deadline, "it was not stopped"
        page.run()
        assert not page.exception
    assert button(page, "question_again").label in ("Try all columns", "Try again")


def test_a_tree_that_asks_nothing_has_nothing_to_change(app: AppTest) -> None:
    job = trained(replace(SPEC, smallest_leaf=SmallestLeaf(120)))
    assert not job.trained.tree.decisions
    assert "asks nothing" in said(shown(app, job))


def test_a_change_to_a_tree_that_asks_nothing_is_undone(app: AppTest) -> None:
    best = current(opened(app, trained())).trained.tree
    name = best.features[best.decisions[0].split.feature].name
    rules = RulesSpec((), (NodeRuleSpec(1, features=(name, "sex")),))
    page = opened(app, trained(replace(SPEC, topology=Topology.parse("depth-1"), rules=rules)))
    before = current(page)
    choose_change(page, "never")
    button(page, "edit_solve").click().run()
    deadline = time.monotonic() + SECONDS
    while "asks nothing" not in said(page):
        assert time.monotonic() < deadline, "the run took too long"
        page.run()
        assert not page.exception
    assert "Rules: question 1: only about sex." in said(page)
    button(page, "edit_undo").click().run()
    assert current(page).id == before.id


def test_a_change_that_no_tree_meets_is_said_and_the_tree_stays(app: AppTest) -> None:
    page = opened(app, trained(replace(SPEC, smallest_leaf=SmallestLeaf(60))))
    before = current(page)
    choose_change(page, "exactly")
    column = next(e for e in page.selectbox if e.key == "edit_exact_column")
    names = [feature.name for feature in before.trained.tree.features]
    column.select_index(names.index("age")).run()  # its first cut parts a tenth of the rows
    button(page, "edit_solve").click().run()
    deadline = time.monotonic() + SECONDS
    while "Proved impossible" not in said(page):
        assert time.monotonic() < deadline, "the run took too long"
        page.run()
        assert not page.exception
    assert current(page) is before
    assert "This tree has no rules." in said(page)


LOSS = Loss(Goal.ACCURACY, is_weighted=False, most=100, unit=1)


def ranking_of(*columns: tuple[str, Status, int | None, int | None], left: int = 0) -> Ranking:
    ranked = tuple(RankedColumn(name, Reach(*reach)) for name, *reach in columns)
    return Ranking(Reach(Status.OPTIMAL, 70, 70), ranked, left, LOSS)


@pytest.mark.parametrize(
    ("ranking", "words"),
    [
        (
            ranking_of(("age", Status.OPTIMAL, 90, 90), ("sex", Status.OPTIMAL, 88, 88)),
            "It asks age now: at best 10 training errors. Every other column is worse here, "
            "proved.",
        ),
        (
            ranking_of(("age", Status.OPTIMAL, 90, 90), ("sex", Status.FEASIBLE, 88, 95)),
            "It asks age now: at best 10 training errors.",
        ),
        (
            ranking_of(("age", Status.OPTIMAL, 90, 90), ("sex", Status.OPTIMAL, 88, 88), left=1),
            "It asks age now: at best 10 training errors.",
        ),
        (
            ranking_of(
                ("bp", Status.OPTIMAL, 91, 91),
                ("age", Status.OPTIMAL, 90, 90),
                ("sex", Status.OPTIMAL, 90, 90),
                ("pain", Status.OPTIMAL, 90, 90),
            ),
            "It asks age now: at best 10 training errors. bp is better here. sex and pain are as "
            "good here.",
        ),
        (
            ranking_of(("age", Status.FEASIBLE, None, 95), ("sex", Status.INFEASIBLE, None, None)),
            "It asks age now: with it, no tree is known yet.",
        ),
    ],
)
def test_the_headline_claims_no_more_than_is_proved(ranking: Ranking, words: str) -> None:
    assert _headline(ranking, "age") == words
