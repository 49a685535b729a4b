"""The Predict page without a browser: one case, many cases, validation."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.data import ReadOptions, as_ages, infer_schema, read_table
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.jobs import JobKind
from odt_core.storage import LOCAL_OWNER, RunQuery, RunSummary
from odt_core.storage.runfile import read_run_file
from odt_core.studies import ValidationResult
from odt_core.topology import Topology
from pages.common.server import job_manager, store
from pages.common.session import Place, Work
from pages.common.studies import MANY_CASES, ONE_CASE, PREDICT_VIEW, VALIDATION
from pages.predict.case import CASE, OTHERS
from pages.predict.files import FILE
from pages.predict.frozen import TREE
from pages.predict.scored_file import ONLY_WARNINGS
from pages.predict.validation import PART, PART_COLUMN, SOME_ROWS, VALIDATE
from pages.runs.run_file import check_run_file
from tests.runs import Maker, ward

Launch = Callable[[], AppTest]


@pytest.fixture
def run(maker: Maker) -> RunSummary:
    """A run with a tree of two questions."""
    return maker.done(name="Ward tree", topology=Topology.parse("depth-2"))


def model_of(run: RunSummary) -> Model:
    return Model.from_json(store().runs.get(LOCAL_OWNER, run.id).model)


def opened(launch: Launch, **state: object) -> AppTest:
    page = launch()
    for key, value in state.items():
        page.session_state[key] = value
    return shown(page.switch_page(Place.PREDICT).run())


def shown(page: AppTest) -> AppTest:
    assert not page.exception, page.exception
    return page


def words(page: AppTest) -> str:
    return "\n".join(str(each.value) for each in (*page.markdown, *page.caption, *page.warning))


def test_without_a_tree_it_says_where_to_train_one(maker: Maker, launch: Launch) -> None:
    page = opened(launch)
    (link,) = page.get("page_link")
    assert link.proto.label == "**Train a tree →**"


def test_a_case_is_answered_as_soon_as_its_path_is_known(run: RunSummary, launch: Launch) -> None:
    tree = model_of(run).tree
    page = opened(launch)
    assert "Not answered yet" in words(page)
    for step in range(len(tree.used_features)):
        if "The tree says" in words(page):
            break
        boxes = [box for box in page.selectbox if str(box.key).startswith(CASE)]
        boxes[step].select_index(0)
        shown(page.run())
    values = {
        g: tree.features[g].values[0]
        for g in tree.used_features
        if page.session_state[f"{CASE}_{run.id}_{g}"] is not None
    }
    assert values
    said = words(page)
    leaves = [leaf for leaf in tree.leaves if f"of {leaf.n} rows" in said]
    assert "The tree says" in said and "In training" in said and leaves
    assert "The smallest change that would change the answer" in said


def test_a_case_with_an_age_is_asked_for_the_age_and_not_the_date(
    maker: Maker, launch: Launch
) -> None:
    born = [f"{1930 + i}-01-0{i % 9 + 1}" for i in range(60)]
    rows = [f"{day},{i % 3},{'yes' if i < 30 else 'no'}" for i, day in enumerate(born)]
    maker.content, maker.name = "\n".join(["born,b,ill", *rows, ""]).encode(), "born.csv"
    table = read_table(maker.content)
    schema = infer_schema(table, target="ill").with_target("ill", "yes")
    schema = as_ages(table, schema, "born", date(2000, 6, 30))
    maker.done(schema=schema)
    page = opened(launch)
    assert "Give the age in completed years on 2000-06-30, not the date." in words(page)
    (number,) = (box for box in page.number_input if str(box.key).startswith(CASE))
    page = shown(number.set_value(70.0).run())
    assert "The tree says: yes" in words(page)


def test_a_value_that_no_training_row_had_is_flagged_and_nothing_is_in_the_address(
    run: RunSummary, launch: Launch
) -> None:
    page = opened(launch)
    for box in page.selectbox:
        if str(box.key).startswith(CASE):
            box.select_index(len(box.options) - 1)
    shown(page.run())
    assert "no training row had this value" in words(page).lower()
    assert set(page.query_params) <= {"run", "data"}
    page.session_state[PREDICT_VIEW] = MANY_CASES
    shown(page.run())
    page.session_state[PREDICT_VIEW] = ONE_CASE
    shown(page.run())
    assert "Not answered yet" in words(page)  # the values are forgotten
    for record in store().datasets.list(LOCAL_OWNER):
        kept = json.dumps(store().datasets.choices(LOCAL_OWNER, record.sha256))
        assert CASE not in kept


def test_a_file_is_scored_and_its_differences_are_reported(run: RunSummary, launch: Launch) -> None:
    lines = ward(12).decode().splitlines()
    lines[1] = lines[1].replace("strong", "unheard")
    content = "\n".join(lines).encode()
    sha256 = store().datasets.put(LOCAL_OWNER, content, "cases.csv").sha256
    page = opened(launch, **{PREDICT_VIEW: MANY_CASES, FILE: sha256})
    said = words(page)
    assert "12 rows" in said and "unheard" in said and "met a question" in said
    (rows,) = (each.value for each in page.dataframe if "predicted" in each.value)
    model = model_of(run)
    tree = model.tree
    table = read_table(content, ReadOptions())
    assert len(rows) == table.n_rows
    assert set(rows["predicted"]) <= {tree.positive_label, tree.negative_label}
    assert "no training row had this value" in rows["warnings"][0]
    assert not rows["warnings"][1:].any()
    page.checkbox(key=ONLY_WARNINGS).check()
    shown(page.run())
    (rows,) = (each.value for each in page.dataframe if "predicted" in each.value)
    assert list(rows["row"]) == [1]


@pytest.mark.parametrize(
    ("title", "read", "left_out"),
    [
        (
            "# export 7\n# site: north, east\n",
            ReadOptions(comment="#"),
            "lines that begin with '#'",
        ),
        ("Ward\n1 May,,\n", ReadOptions(skip_lines=2), "the first 2 lines"),
    ],
)
def test_a_file_laid_out_like_the_training_file_is_read_like_it(
    title: str, read: ReadOptions, left_out: str, maker: Maker, launch: Launch
) -> None:
    maker.content, maker.read = title.encode() + maker.content, read
    maker.done(topology=Topology.parse("depth-2"))
    page = opened(launch, **{PREDICT_VIEW: MANY_CASES})
    for content, words_said in (
        (title.encode() + ward(12), f"12 rows, 4 columns, without {left_out}"),
        (ward(13), "13 rows, 4 columns"),  # has another layout, and says all by itself
    ):
        page.file_uploader[0].upload("new.csv", content)
        shown(page.run())
        assert not page.error
        (size,) = (str(each.value) for each in page.markdown if "new" in str(each.value))
        assert size.replace("\\", "").endswith(words_said)
    assert "Of **13 rows**" in words(page)


def test_a_file_without_a_column_that_is_asked_about_is_refused(
    run: RunSummary, launch: Launch
) -> None:
    sha256 = store().datasets.put(LOCAL_OWNER, b"a,b\n1,2\n3,4\n", "other.csv").sha256
    page = opened(launch, **{PREDICT_VIEW: MANY_CASES, FILE: sha256})
    (error,) = page.error
    assert "which the tree asks about" in error.value


def test_a_validation_is_kept_listed_and_opened_again(
    run: RunSummary, maker: Maker, launch: Launch
) -> None:
    content = ward(90)
    sha256 = store().datasets.put(LOCAL_OWNER, content, "later.csv").sha256
    page = opened(launch, **{PREDICT_VIEW: VALIDATION, FILE: sha256})
    page.button(key=VALIDATE).click()
    shown(page.run())
    job = page.session_state["odt_work"].validation
    while not (job.is_over and job_manager().is_stored(job)):
        shown(page.run())
    shown(page.run())
    assert job.result is not None, job.message
    result = ValidationResult.from_json(job.result)
    assert (result.flow.read, result.flow.used) == (90, 90)
    said = words(page)
    assert "**90** used for the validation" in said and "Observed to expected" in said
    assert result.flow_note in said and not result.repetition
    assert job.id in page.query_params["validation"]
    found = store().runs.list(LOCAL_OWNER, RunQuery(kinds=(JobKind.VALIDATE.value,))).runs
    assert [each.id for each in found] == [job.id]

    text = store().exchange.export_run(LOCAL_OWNER, job.id)
    check_run_file(read_run_file(text))
    with pytest.raises(InputError, match="cannot be used"):
        record = json.loads(text)
        record["run"]["result"]["subgroups"][0]["groups"][0]["tp"] = -1
        check_run_file(read_run_file(json.dumps(record)))

    listed = launch().switch_page(Place.RUNS)
    listed.session_state["runs_chosen"] = (job.id,)
    listed.session_state["runs_shown"] = ""
    shown(listed.run())
    assert "validation rows" in words(listed)
    listed.button(key="runs_open").click()
    again = shown(listed.run())
    assert "**90** used for the validation" in words(again)


def test_a_copy_of_the_training_file_is_warned_of(run: RunSummary, launch: Launch) -> None:
    head, *lines = ward().decode().splitlines()
    copy = "\n".join([head, *reversed(lines)]).encode()
    sha256 = store().datasets.put(LOCAL_OWNER, copy, "copy.csv").sha256
    page = opened(launch, **{PREDICT_VIEW: VALIDATION, FILE: sha256})
    page.button(key=VALIDATE).click()
    shown(page.run())
    job = page.session_state["odt_work"].validation
    while not job.is_over:
        shown(page.run())
    shown(page.run())
    assert "they are probably the same rows" in words(page) and not page.success


def test_a_part_of_the_training_file_is_validated_without_its_training_rows(
    run: RunSummary, maker: Maker, launch: Launch
) -> None:
    dataset = maker.spec().dataset
    page = opened(
        launch,
        **{
            PREDICT_VIEW: VALIDATION,
            FILE: dataset,
            PART: SOME_ROWS,
            PART_COLUMN: "stage",
        },
    )
    assert page.button(key=VALIDATE).disabled and "Its training rows are left out" in words(page)
    page.multiselect[0].select("0").select("1")
    shown(page.run())
    page.button(key=VALIDATE).click()
    shown(page.run())
    job = page.session_state["odt_work"].validation
    while not job.is_over:
        shown(page.run())
    assert job.result is not None, job.message
    result = ValidationResult.from_json(job.result)
    assert result.part == "stage is 0 or 1" and result.is_same_file
    reasons = [each.reason for each in result.flow.excluded]
    assert reasons == ["not in the part (stage is 0 or 1)", "trained the tree"]


def test_groups_and_sample_size_stand_on_train_which_leads_here(
    run: RunSummary, launch: Launch
) -> None:
    page = opened(launch)
    page = launch().switch_page(Place.RUNS)
    page.session_state["runs_chosen"] = (run.id,)
    page.session_state["runs_shown"] = ""
    shown(page.run())
    page.button(key="runs_open").click()
    shown(page.run())
    page.session_state["train_groups_expander"] = True
    shown(page.switch_page(Place.TRAIN).run())
    assert "rows of the rarer class" in words(page)
    choice = page.selectbox(key="train_groups")
    assert choice.options == ["pain", "fever", "stage"]
    choice.select("stage")
    shown(page.run())
    tables = [each.proto.body for each in page.get("html")]
    assert any("Rates of the test rows by stage" in table for table in tables)
    page.button(key="train_use").click()
    assert shown(page.run()).selectbox(key=TREE).value == run.id


def test_the_current_tree_is_chosen_until_another_one_is(
    run: RunSummary, maker: Maker, launch: Launch
) -> None:
    other = maker.done(name="Other tree")
    page = launch()
    page.session_state["odt_work"] = Work(job=job_manager().find(LOCAL_OWNER, run.id))
    shown(page.switch_page(Place.PREDICT).run())
    assert page.selectbox(key=TREE).value == run.id
    page.selectbox(key=TREE).set_value(other.id)
    shown(page.run())
    assert page.selectbox(key=TREE).value == other.id
    third = maker.done(name="Third tree", topology=Topology.parse("((. .) .)"))
    page.session_state["odt_work"] = Work(job=job_manager().find(LOCAL_OWNER, third.id))
    shown(page.run())
    assert page.selectbox(key=TREE).value == third.id


def test_other_columns_are_inputs_too_and_say_what_is_unlike_training(
    maker: Maker, launch: Launch
) -> None:
    run = maker.done(name="One question")
    tree = model_of(run).tree
    other = next(g for g in range(len(tree.features)) if g not in tree.asked_features)
    assert not tree.features[other].is_numerical
    page = opened(launch)
    key = f"{CASE}_{run.id}_{other}"
    assert not [box for box in page.selectbox if box.key == key], "the expander is closed"
    page.session_state[OTHERS] = True
    shown(page.run())
    box = page.selectbox(key=key)
    page = shown(box.select_index(0).run())
    assert "The answer does not depend on it" not in words(page)
    box = page.selectbox(key=key)
    page = shown(box.select_index(len(box.options) - 1).run())
    name = tree.features[other].name
    said = words(page).replace("\\", "")
    assert f"{name}: no training row had this value. The answer does not depend on it" in said
    page.session_state[OTHERS] = False
    shown(page.run())
    assert page.selectbox(key=key).value is not None, "what is given stays given"
