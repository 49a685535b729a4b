"""The view Change a question: columns ranked at it, changes, undo, and what rules cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.alternatives.question import Loss, RankedColumn, Ranking, Reach
from odt_core.data import SAMPLES, ReadOptions, SplitSpec
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.problem import Goal, SmallestLeaf
from odt_core.solution import Engine, Status
from odt_core.storage import LOCAL_OWNER, RunQuery
from odt_core.topology import Topology
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec
from pages.alternatives import keys
from pages.alternatives.changes import SOLVE
from pages.alternatives.question import headline
from pages.common.server import job_manager, store
from pages.common.session import Place
from pages.common.studies import ALTERNATIVES_VIEW, ONE_QUESTION
from tests.pages.sessions import WORK, run_until, said, triage_work, work
from tests.waiting import wait_until

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
    wait_until(lambda: job.is_over)
    return job


def shown(app: AppTest, job: Job) -> AppTest:
    """The view with a run's tree."""
    app.session_state[WORK] = triage_work("200", job)
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
    run_until(app, lambda: "now:" in said(app), "the columns were not ranked")
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
    radio = next(element for element in app.radio if element.key == keys.CHANGE)
    radio.set_value(next(o for o in ("column", "exactly", "never", "keep", "leaf") if o == words))
    app.run()
    assert not app.exception


def solve(app: AppTest) -> None:
    """Press Solve again, and wait for the new tree and its ranking."""
    before = current(app)
    assert button(app, keys.SOLVE).label == SOLVE
    button(app, keys.SOLVE).click().run()
    run_until(
        app, lambda: current(app) is not before and current(app).is_over, "the run was not over"
    )
    ranked(app)


def choose_question(app: AppTest, place: int) -> None:
    box = next(e for e in app.selectbox if e.label == "Question")
    box.select_index(place).run()
    ranked(app)


def test_the_columns_of_the_first_question_are_ranked(page: AppTest) -> None:
    tree = current(page).trained.tree
    name = tree.features[tree.decisions[0].split.feature].name
    errors = current(page).trained.errors
    assert f"It is about {name} now: at best {errors} training errors." in said(page)
    assert "This tree has no rules." in said(page)
    assert button(page, keys.UNDO).disabled
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
    assert "does not include the rule for this question" in said(page)
    choose_change(page, "column")
    solve(page)
    third = current(page)
    assert "Step 2 of 2" in said(page)
    assert third.spec.train.rules.nodes[0].features is not None
    button(page, keys.UNDO).click().run()
    assert current(ranked(page)).id == second.id
    button(page, keys.UNDO).click().run()
    assert current(ranked(page)).id == first.id
    assert "Before the changes" in said(page) and "This tree has no rules." in said(page)
    assert button(page, keys.UNDO).disabled
    button(page, keys.REDO).click().run()
    assert current(ranked(page)).id == second.id
    button(page, keys.REDO).click().run()
    assert current(ranked(page)).id == third.id
    assert button(page, keys.REDO).disabled


def test_several_changes_are_one_run(page: AppTest) -> None:
    first = current(page)
    tree = first.trained.tree
    name = tree.features[tree.decisions[0].split.feature].name
    choose_change(page, "never")
    button(page, keys.ADD).click().run()
    assert f"Question 1: not about {name}" in said(page)
    choose_question(page, 1)
    choose_change(page, "leaf")
    assert button(page, keys.ADD).label == "Add this change"
    button(page, keys.ADD).click().run()
    assert "**2 changes to solve**" in said(page)
    choose_change(page, "keep")
    button(page, keys.ADD).click().run()
    assert "**2 changes to solve**" in said(page), "a question has one change"
    assert "as it is, with all below it" in said(page)
    choose_change(page, "leaf")
    button(page, keys.ADD).click().run()
    solve(page)
    spec = current(page).spec.train
    assert spec.topology.n_nodes == 2 and spec.rules.nodes[0].never == (name,)
    assert store().runs.summary(LOCAL_OWNER, current(page).id).rerun_of == first.id
    assert "changes to solve" not in said(page)
    assert "Step 1 of 1" in said(page)


def test_changes_that_contradict_each_other_are_refused(app: AppTest) -> None:
    page = opened(app, trained(replace(SPEC, topology=Topology.parse("(((. .) .) .)"))))
    tree = current(page).trained.tree
    below = tree.decisions.index(tree.decisions[1].left)
    choose_question(page, 1)
    choose_change(page, "keep")
    button(page, keys.ADD).click().run()
    choose_question(page, below)
    choose_change(page, "leaf")
    assert "Question 2 stays as it is, so question 3 below it cannot change" in said(page)
    assert button(page, keys.ADD).disabled and not button(page, keys.SOLVE).disabled
    button(page, f"{keys.REMOVE}1").click().run()
    assert not button(page, keys.ADD).disabled


def test_a_column_that_alone_helps_is_left_out_here_and_below(app: AppTest) -> None:
    """The rows of one column decide; a chain asks about it first or second."""
    page = opened(app, trained(replace(SPEC, topology=Topology.parse("cues-3"))))

    def none_helps(ranking: Ranking) -> Ranking:
        own, *others = ranking.columns
        total = own.reach.total - 1
        useless = tuple(replace(c, reach=Reach(Status.OPTIMAL, total, total)) for c in others)
        without = Reach(Status.OPTIMAL, total, total)
        return replace(ranking, columns=(own, *useless), without=without)

    with_ranking(page, none_helps)
    choose_change(page, "never")
    assert "No other column helps here, so this question would be left out. The next" in said(page)
    box = next(each for each in page.checkbox if each.key == keys.BELOW)
    box.check().run()
    assert "The next question takes its place" not in said(page)
    name = (
        current(page)
        .trained.tree.features[current(page).trained.tree.decisions[0].split.feature]
        .name
    )
    solve(page)
    assert {rule.never for rule in current(page).spec.train.rules.nodes} == {(name,)}
    assert name not in {
        current(page).trained.tree.features[node.split.feature].name
        for node in current(page).trained.tree.decisions
    }


def test_a_ranking_is_opened_from_its_run(page: AppTest) -> None:
    def n_rankings() -> int:
        return store().runs.list(LOCAL_OWNER, RunQuery(kinds=(JobKind.QUESTION.value,))).total

    spec = current(page).spec.train
    choose_question(page, 1)
    ranking = list(page.session_state["question_known"].values())[-1]
    n = n_rankings()
    choose_question(page, 0)
    page.session_state["runs_chosen"] = (ranking.id,)
    page.switch_page(Place.RUNS).run()
    assert not page.exception
    settings = " ".join(each.proto.body for each in page.get("html"))
    assert "What else may change" in settings
    button(page, "runs_open").click().run()
    ranked(page)
    box = next(e for e in page.selectbox if e.label == "Question")
    assert box.value == 1 and current(page).spec.train == spec
    assert n_rankings() == n, "it is not made again"


def test_the_first_question_cannot_become_a_leaf_but_others_can(page: AppTest) -> None:
    choose_change(page, "leaf")
    assert "The first question cannot become a leaf" in said(page)
    assert button(page, keys.SOLVE).disabled
    choose_question(page, 1)
    assert not button(page, keys.SOLVE).disabled
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
    column = next(e for e in page.selectbox if e.key == f"{keys.EXACT}_column")
    names = [feature.name for feature in current(page).trained.tree.features]
    column.select_index(names.index("age")).run()
    solve(page)
    assert current(page).spec.train.rules.nodes[0].feature == "age"
    assert "age ≤" in said(page)


def test_a_tree_with_rules_of_its_own_is_compared_on_request(app: AppTest) -> None:
    rules = RulesSpec((), (NodeRuleSpec(1, features=("age",)),))
    limit = 41.0  # no other test has it, so the run without rules is not stored
    page = opened(app, trained(replace(SPEC, rules=rules, time_limit=limit, max_card=3)))
    button(page, keys.FREE).click().run()
    run_until(page, lambda: "The rules cost" in said(page), "the run without rules was not over")
    assert current(page).spec.train.rules == rules, "the current tree stays"


def with_ranking(app: AppTest, change: Callable[[Ranking], Ranking]) -> AppTest:
    """The page with another ranking instead of its own."""
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
    again = button(page, keys.RANK_AGAIN)
    assert again.label == "Give each column 60 s"
    again.click().run()
    ranked(page)
    assert page.session_state[keys.RANKING_SECONDS] == 60
    assert "Not proved" not in said(page)


def known_results(app: AppTest) -> list[dict[str, object]]:
    return [job.result for job in app.session_state["question_known"].values()]


def test_columns_that_were_not_tried_are_counted(page: AppTest) -> None:
    with_ranking(page, lambda found: replace(found, columns=found.columns[:-2], left=2))
    assert "The ranking was stopped: 2 columns were not tried." in said(page)
    assert button(page, keys.RANK_AGAIN).label == "Try all columns"


def test_a_ranking_is_stopped_with_what_is_known(app: AppTest) -> None:
    app.session_state[keys.RANKING_SECONDS] = 100.0
    rows = SplitSpec.parse("1200")  # so many that no machine is done before the stop
    deep = replace(SPEC, split=rows, topology=Topology.parse("depth-4"), time_limit=0.5)
    page = shown(app, trained(deep))
    button(page, keys.STOP_RANKING).click().run()
    run_until(page, lambda: "not tried." in said(page), "it was not stopped")
    assert button(page, keys.RANK_AGAIN).label in ("Try all columns", "Try again")


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
    button(page, keys.SOLVE).click().run()
    run_until(page, lambda: "asks nothing" in said(page), "the run was not over")
    assert "Rules: question 1: only about sex." in said(page)
    button(page, keys.UNDO).click().run()
    assert current(page).id == before.id


def test_a_change_that_no_tree_meets_is_reported_and_the_tree_stays(app: AppTest) -> None:
    page = opened(app, trained(replace(SPEC, smallest_leaf=SmallestLeaf(60))))
    before = current(page)
    choose_change(page, "exactly")
    column = next(e for e in page.selectbox if e.key == f"{keys.EXACT}_column")
    names = [feature.name for feature in before.trained.tree.features]
    column.select_index(names.index("age")).run()  # its first cut parts a tenth of the rows
    button(page, keys.SOLVE).click().run()
    run_until(page, lambda: "Proved impossible" in said(page), "the run was not over")
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
            "It is about age now: at best 10 training errors. It is proved that every other column "
            "is worse here.",
        ),
        (
            ranking_of(("age", Status.OPTIMAL, 90, 90), ("sex", Status.FEASIBLE, 88, 95)),
            "It is about age now: at best 10 training errors.",
        ),
        (
            ranking_of(("age", Status.OPTIMAL, 90, 90), ("sex", Status.OPTIMAL, 88, 88), left=1),
            "It is about age now: at best 10 training errors.",
        ),
        (
            ranking_of(
                ("bp", Status.OPTIMAL, 91, 91),
                ("age", Status.OPTIMAL, 90, 90),
                ("sex", Status.OPTIMAL, 90, 90),
                ("pain", Status.OPTIMAL, 90, 90),
            ),
            "It is about age now: at best 10 training errors. bp is better here. sex and pain are "
            "as good here.",
        ),
        (
            ranking_of(("age", Status.FEASIBLE, None, 95), ("sex", Status.INFEASIBLE, None, None)),
            "It is about age now: with it, no tree is known yet.",
        ),
    ],
)
def test_the_headline_claims_no_more_than_is_proved(ranking: Ranking, words: str) -> None:
    assert headline(ranking, "age") == words
