"""The Runs page without a browser: what it lists, and what happens to what is ticked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import SplitSpec
from odt_core.jobs import JobKind
from odt_core.jobs.job import new_run
from odt_core.problem import Goal, Objective
from odt_core.storage import LOCAL_OWNER, RunQuery, RunStatus, StorageError
from odt_core.studies import CurveRepeat
from odt_core.topology import Topology
from odt_core.training import RulesSpec
from pages.common.markup import plain
from pages.common.server import job_manager, store
from pages.common.session import Place, Press
from tests.pages.sessions import said
from tests.runs import Maker, coin_tosses
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
Launch = Callable[[], AppTest]


@pytest.fixture
def runs_page(launch: Launch) -> Launch:
    """Opens the Runs page."""

    def open_it() -> AppTest:
        return shown(launch().switch_page(Place.RUNS).run())

    return open_it


def session() -> AppTest:
    """A session that has not begun yet, so that it can be given an address."""
    return AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)


def shown(page: AppTest) -> AppTest:
    assert not page.exception, page.exception
    return page


def tick(page: AppTest, *run_ids: str) -> AppTest:
    page.session_state["runs_chosen"] = run_ids
    page.session_state["runs_shown"] = ""
    return shown(page.run())


def names(page: AppTest) -> list[str]:
    return list(page.dataframe[0].value["name"])


def statuses(page: AppTest) -> list[str]:
    return [words for (words,) in page.dataframe[0].value["status"]]


def test_without_runs_it_says_what_to_do(maker: Maker, runs_page: Launch) -> None:
    page = runs_page()
    assert page.header[0].value == "No runs yet"
    assert not page.dataframe
    (link,) = page.get("page_link")
    assert link.proto.label == "**Choose data →**"


def test_every_run_is_listed_with_its_status_in_words(maker: Maker, runs_page: Launch) -> None:
    maker.interrupted(name="Night")
    maker.failed("It broke.", name="Broken")
    maker.done(name="Good")
    page = runs_page()
    assert names(page) == ["Good", "Broken", "Night"]
    assert statuses(page) == ["proved optimal", "failed", "interrupted"]
    frame = page.dataframe[0].value
    assert list(frame["data"]) == ["ward.csv"] * 3
    assert frame["errors"][0] == 10 and 0 < frame["test_accuracy"][0] <= 100


def test_search_order_and_status_narrow_the_list(maker: Maker, runs_page: Launch) -> None:
    maker.failed("It broke.", name="Beta")
    maker.done(name="Alpha", note="needle")
    page = runs_page()
    page.selectbox(key="runs_sort").set_value("Name").run()
    assert names(shown(page)) == ["Alpha", "Beta"]
    page.text_input(key="runs_search").set_value("NEEDLE").run()
    assert names(shown(page)) == ["Alpha"]
    page.text_input(key="runs_search").set_value("nothing of the kind").run()
    assert "No run matches" in shown(page).info[0].value


def test_kind_and_status_narrow_the_list(maker: Maker, runs_page: Launch) -> None:
    maker.failed("It broke.", name="Broken")
    maker.done(name="Tree")
    frontier = replace(maker.spec(), kind=JobKind.FRONTIER)
    store().runs.create(LOCAL_OWNER, new_run(frontier, name="Pairs"))
    page = runs_page()
    page.multiselect(key="runs_kinds").set_value([JobKind.TRAIN]).run()
    assert names(shown(page)) == ["Tree", "Broken"]
    page.pills(key="runs_statuses").set_value([RunStatus.DONE]).run()
    assert names(shown(page)) == ["Tree"]


def test_a_long_list_comes_in_pages(maker: Maker, runs_page: Launch) -> None:
    for number in range(27):
        store().runs.cancel(LOCAL_OWNER, maker.queued(name=f"Run {number:02}").id)
    page = runs_page()
    assert len(names(page)) == 25 and names(page)[0] == "Run 26"
    widget, _ = page.session_state["runs_page"]
    page.session_state[widget] = 2
    assert names(shown(page.run())) == ["Run 01", "Run 00"]
    page.text_input(key="runs_search").set_value("Run")
    assert names(shown(page.run()))[0] == "Run 26", "another search begins at the first page"


def test_opening_a_run_brings_its_settings(maker: Maker, runs_page: Launch) -> None:
    run = maker.done(topology=Topology.parse("((. .) .)"), max_card=1, time_limit=33.0, seed=5)
    page = tick(runs_page(), run.id)
    page.button(key="runs_open").click().run()
    assert page.title[0].value == "Train"
    assert page.radio(key="train_shape").value == "own"
    assert page.text_input(key="train_own_shape").value == "((. .) .)"
    assert page.number_input(key="train_max_card").value == 1
    assert page.number_input(key="train_seconds").value == 33
    assert page.number_input(key="train_seed").value == 5
    assert page.query_params["run"] == run.id and page.query_params["data"] == run.dataset
    changed = [said for said in page.warning if "before you changed" in said.value]
    assert not changed, "the controls say what the tree was trained with"


def test_a_run_that_cannot_be_opened_any_more_is_ticked_with_the_reason(
    maker: Maker, runs_page: Launch
) -> None:
    kept, gone = maker.done(name="Kept"), maker.done(name="Gone")
    page = runs_page()
    labels = dict(zip(names(page), page.dataframe[0].value["open"], strict=True))
    assert labels == {"Kept": "Open", "Gone": "Open"}
    store().runs.delete(LOCAL_OWNER, [gone.id])
    page.session_state["presses_noted"] = Press("Open", "Runs", gone.id)  # as the table's button
    page = shown(page.run())
    assert page.title[0].value == "Runs" and names(page) == ["Kept"]
    assert any("no such run" in error.value for error in page.error), page.error
    page.session_state["presses_noted"] = Press("Open", "Runs", kept.id)
    assert page.run().title[0].value == "Train"


def test_a_click_on_open_has_no_effect_once_the_page_is_left(
    maker: Maker, runs_page: Launch
) -> None:
    run = maker.done()
    page = runs_page()
    page.session_state["presses_noted"] = Press("Open", "Runs", run.id)
    page.switch_page(Place.DATA).run()
    assert [said.value for said in page.info] == [
        "You left the page before **Open** took effect: press it there again."
    ]
    page.switch_page(Place.RUNS).run()
    assert page.title[0].value == "Runs" and not page.exception


def test_a_run_that_goes_on_is_stopped_and_keeps_its_tree(maker: Maker, runs_page: Launch) -> None:
    maker.content, maker.target = coin_tosses(), "outcome"
    job = job_manager().submit(maker.spec(topology=Topology.parse("depth-3")))
    wait_until(lambda: store().runs.get(LOCAL_OWNER, job.id).best)
    page = tick(runs_page(), job.id)
    assert statuses(page) == ["running"] and "this is its best tree so far" in said(page)
    shown(page.button(key="runs_stop").click().run())
    wait_until(lambda: job_manager().is_stored(job) and job.is_over)
    assert statuses(shown(page.run())) == ["stopped early"]
    assert page.get("graphviz_chart")


def test_an_interrupted_run_shows_its_best_tree_and_runs_again_with_one_click(
    maker: Maker, runs_page: Launch
) -> None:
    first = maker.interrupted(name="Night run")
    page = tick(runs_page(), first.id)
    assert "Its best tree so far is below" in said(page)
    assert len(page.get("graphviz_chart")) == 1
    page.button(key="runs_again").click().run()
    (again,) = shown(page).session_state["runs_chosen"]
    wait_until(lambda: store().runs.summary(LOCAL_OWNER, again).status is RunStatus.DONE)
    assert store().runs.summary(LOCAL_OWNER, again).rerun_of == first.id
    assert statuses(shown(page.run())) == ["proved optimal", "interrupted"]
    assert page.session_state["runs_chosen"] == (again,) and page.get("graphviz_chart")


def test_name_and_note_are_kept_and_found(maker: Maker, runs_page: Launch) -> None:
    run = maker.done(name="Shallow")
    page = tick(runs_page(), run.id)
    page.button(key="runs_rename").click().run()
    page.text_input(key=f"runs_name_{run.id}").set_value("Renamed *one*")
    page.text_area(key=f"runs_note_{run.id}").set_value("line one\nxyzzy")
    next(button for button in page.button if button.label == "Save").click()
    draw_dialog(page, "runs_rename")
    assert names(page) == ["Renamed *one*"]
    page.text_input(key="runs_search").set_value("XYZZY").run()
    assert names(shown(page)) == ["Renamed *one*"]


def draw_dialog(page: AppTest, key: str) -> AppTest:
    """Draw an open dialog again, which only a browser can do without its button."""
    page.button(key=key).click()
    return shown(page.run())


def test_retention_is_set_in_words(maker: Maker, runs_page: Launch) -> None:
    page = runs_page()
    page.button(key="runs_stored").click().run()
    assert "Nothing is deleted unless you delete it." in said(shown(page))
    page.selectbox(key="runs_retention").set_value(90)
    draw_dialog(page, "runs_stored")
    assert "not used for 90 days is deleted" in said(page)
    assert store().retention(LOCAL_OWNER) == 90
    store().set_retention(LOCAL_OWNER, None)


def test_a_file_that_is_no_run_is_refused_in_words(maker: Maker, runs_page: Launch) -> None:
    page = runs_page()
    page.file_uploader(key="runs_import_0").upload("bad.json", b"{}").run()
    assert "not an exported run" in shown(page).error[0].value
    assert store().runs.list(LOCAL_OWNER).total == 0


def test_settings_can_be_changed_where_no_tree_was_found(maker: Maker, runs_page: Launch) -> None:
    run = maker.failed("It broke.", max_card=2)
    page = tick(runs_page(), run.id)
    assert plain("It broke.") in [text.value for text in page.markdown]
    assert page.button(key="runs_open").disabled
    page.button(key="runs_change").click().run()
    assert page.title[0].value == "Train"
    assert page.number_input(key="train_max_card").value == 2
    page.switch_page(Place.TRAIN).run()  # the browser is there already
    page.number_input(key="train_max_card").set_value(1).run()
    page.button(key="train_go").click().run()
    again = store().runs.list(LOCAL_OWNER).runs[0]
    assert again.rerun_of == run.id and again.headline.max_card == 1


def test_texts_of_others_are_shown_as_they_are(maker: Maker, runs_page: Launch) -> None:
    evil = '<img src=x onerror="alert(1)"> ![x](http://evil.example/x.png) :red[r]'
    maker.name = evil
    run = maker.done(name=evil, note=evil)
    page = tick(runs_page(), run.id)
    assert names(page) == [evil]
    for element in (*page.markdown, *page.caption):
        assert "![x](" not in element.value and not re.search(r"(?<!\\)<img", element.value)
    for element in page.html:
        assert "<img" not in element.value


def settings_table(page: AppTest) -> str:
    (table,) = [e.value for e in page.html if "Settings of the runs" in e.value]
    return str(table)


def test_what_was_asked_names_every_condition(maker: Maker, runs_page: Launch) -> None:
    run = maker.done(
        objective=Objective(Goal.MAX_TNR, min_tpr=Fraction(50, 100)),
        rules=RulesSpec(("stage",)),
        time_limit=33.0,
        split=SplitSpec.parse("70%", seed=4),
    )
    table = settings_table(tick(runs_page(), run.id))
    for words in (
        "sensitivity (TPR) at least 50%",
        "no question about stage",
        "33 s",
        "train on 70",
        "seed 4",
    ):
        assert words in table, words
    assert "Class weight" not in table, "what nobody asked for takes no row"


def test_what_differs_between_runs_is_in_bold(maker: Maker, runs_page: Launch) -> None:
    floored = Objective(Goal.MAX_TNR, min_tpr=Fraction(50, 100))
    ids = [maker.done().id, maker.done(objective=floored).id]
    table = settings_table(tick(runs_page(), *ids))
    row = next(row for row in table.split("<tr") if "Floors" in row)
    assert "<b>–</b>" in row and "sensitivity (TPR) at least 50%" in row
    same = next(row for row in table.split("<tr") if "Time limit" in row)
    assert "<b>" not in same


def test_compared_trees_count_their_test_rows(maker: Maker, runs_page: Launch) -> None:
    ids = [maker.done(seed=seed).id for seed in range(2)]
    page = tick(runs_page(), *ids)
    drawn = [chart.proto.spec for chart in page.get("graphviz_chart")]
    assert len(drawn) == 2 and all("test " in dot for dot in drawn)
    boxes = [*page.success, *page.warning, *page.error]
    said = [box for box in boxes if "test rows, accuracy" in box.proto.title]
    assert len(said) == 2, "each says first what it does on test rows"


def test_runs_without_a_tree_are_compared_by_their_settings_alone(
    maker: Maker, runs_page: Launch
) -> None:
    trees = [maker.done(seed=seed).id for seed in range(2)]
    none = [maker.failed("The solver broke.", seed=seed).id for seed in range(2)]
    for ids, has_rates in ((trees, True), (none, False), ([trees[0], none[0]], True)):
        page = tick(runs_page(), *ids)
        assert settings_table(page)
        tables = [e for e in page.html if "Metrics with 95% intervals" in e.value]
        assert len(tables) == has_rates


def test_stored_data_can_be_opened(maker: Maker, runs_page: Launch) -> None:
    run = maker.done()
    page = runs_page()
    page.button(key="runs_stored").click().run()
    opener = page.button(key=f"runs_open_data_{run.dataset}")
    assert opener.label == "Open"


def test_curves_name_all_their_shapes(maker: Maker, runs_page: Launch) -> None:
    shapes = tuple(Topology.parse(name) for name in ("depth-1", "depth-2"))
    levels = (Fraction(90, 100),)
    part = CurveRepeat(levels, shapes, 0)
    spec = replace(maker.spec(), kind=JobKind.CURVE, part=part)
    run = store().runs.create(LOCAL_OWNER, new_run(spec))
    page = runs_page()
    frame = page.dataframe[0].value
    assert list(frame["shape"]) == ["Depth-1, depth-2"] and list(frame["name"]) == ["Curves"]
    table = settings_table(tick(page, run.id))
    assert "Depth-1, depth-2" in table and "sensitivity at least 90%" in table


def test_up_to_four_are_compared(maker: Maker, runs_page: Launch) -> None:
    ids = [maker.done(seed=seed).id for seed in range(5)]
    page = tick(runs_page(), *ids[:4])
    assert len(page.get("graphviz_chart")) == 4
    assert any("Metrics with 95% intervals" in element.value for element in page.html)
    page = tick(page, *ids)
    assert "5 runs are ticked" in page.info[0].value and not page.get("graphviz_chart")


def test_runs_of_other_rows_are_compared_with_a_warning(maker: Maker, runs_page: Launch) -> None:
    one = maker.done()
    maker.content += b"none,no,1,no\n" * 10
    other = maker.done()
    page = tick(runs_page(), one.id, other.id)
    assert "come from different rows" in page.info[0].value


def test_an_address_opens_its_owners_run_only(maker: Maker, launch: Launch) -> None:
    own, foreign = maker.done(), Maker(store(), owner="somebody else").done()
    page = session()
    page.query_params["run"] = own.id
    shown(page.run())
    assert page.session_state["odt_work"].job.id == own.id

    page = session()
    page.query_params["run"] = foreign.id
    shown(page.run())
    assert any("There is no such run here" in text.value for text in page.markdown)
    assert "odt_work" not in page.session_state
    assert "run" not in page.query_params


@pytest.mark.parametrize(
    ("place", "name"), [(Place.DATA, "run"), (Place.TRAIN, "data"), (Place.SENSITIVITY, "frontier")]
)
def test_an_unknown_id_shows_nothing_and_a_way_on(launch: Launch, place: Place, name: str) -> None:
    def lost(page: AppTest) -> list[str]:
        words = re.compile("There is no such (run|data set) here")
        return [text.value for text in page.markdown if words.search(text.value)]

    page = session()
    page.switch_page(place)
    page.query_params[name] = "f" * 32
    shown(page.run())
    assert lost(page) and name not in page.query_params
    assert "**See your runs →**" in [link.proto.label for link in page.get("page_link")]
    assert not lost(shown(page.switch_page(Place.RUNS).run()))


def test_a_frontier_does_not_pass_for_a_run(maker: Maker, launch: Launch) -> None:
    own = maker.done()
    page = session()
    page.query_params["frontier"] = own.id
    shown(page.run())
    assert any("There is no such run here" in text.value for text in page.markdown)


def test_nothing_is_trained_yet_never_stands_under_a_banner_with_a_tree(
    maker: Maker, launch: Launch
) -> None:
    def ready(page: AppTest) -> str:
        said = [text.value for text in shown(page.run()).markdown]
        return next(words for words in said if words.startswith("**Ready:**"))

    run = maker.done()
    with_tree, without = session(), session()
    with_tree.query_params["run"] = run.id
    assert "Nothing is trained yet" not in ready(with_tree)
    without.query_params["data"] = run.dataset
    assert "Nothing is trained yet" in ready(without)


def test_a_deleted_data_set_is_let_go_in_every_window(maker: Maker, launch: Launch) -> None:
    run = maker.done()
    page = session()
    page.query_params["run"] = run.id
    shown(page.run())
    store().datasets.delete(LOCAL_OWNER, run.dataset)
    shown(page.run())
    assert page.session_state["odt_work"].dataset is None
    assert page.session_state["odt_work"].job is None
    assert page.title[0].value.startswith("Which data")


def test_a_data_set_goes_with_everything_made_from_it_and_off_the_disk(
    maker: Maker, data_folder: Path
) -> None:
    secret = "Zzyzx-Quarantaine"
    maker.content = f"pain,ill\n{secret},yes\nnone,no\n".encode() + b"mild,yes\nnone,no\n" * 20
    runs = [maker.done() for _ in range(2)]
    page = session()
    page.query_params["run"] = runs[0].id
    shown(page.run())
    assert any("**2 runs** made from it" in text.value for text in page.markdown)
    assert secret.encode() in everything(data_folder)
    before = store()
    page.button(key="data_remove_now").click().run()
    assert shown(page).title[0].value.startswith("Which data")
    assert store().runs.list(LOCAL_OWNER, RunQuery(limit=0)).total == 0
    assert not store().datasets.list(LOCAL_OWNER)
    wait_until(lambda: secret.encode() not in everything(data_folder))
    assert not {"data", "run"} & set(page.query_params)
    assert store() is before, "the store that the workers use stays the pages' store"


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_while_the_database_is_away_pages_say_so(
    maker: Maker, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = maker.done(name="First")
    page = shown(launch().switch_page(Place.RUNS).run())
    tick(page, run.id)
    page.button(key="runs_open").click()
    shown(page.run())

    def away() -> NoReturn:
        raise StorageError("The database is away.")

    with monkeypatch.context() as patch:
        patch.setattr(store().database, "read", away)
        for place in (Place.RUNS, Place.DATA):
            page = shown(page.switch_page(place).run())
            assert "Stored data and runs cannot be shown now. The database is away." in {
                plain_text(error.value) for error in page.error
            }
        page = shown(page.switch_page(Place.TRAIN).run())
        assert page.get("graphviz_chart"), "the tree is still there"
    page = shown(page.switch_page(Place.RUNS).run())
    assert names(page) == ["First"]


def plain_text(markdown: str) -> str:
    return markdown.replace("\\", "")
