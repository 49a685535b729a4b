"""The Data page: what a user does there and what the session then holds."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES, BinMethod, Binning, ColumnKind, NumberForm, SplitSpec
from odt_core.storage import LOCAL_OWNER
from pages.common import table_requests
from pages.common.server import store
from pages.common.session import Place, Work

ROOT = Path(__file__).resolve().parents[2]
WORK = "odt_work"

PATIENTS = b"""age,smoker,ward,outcome
41,yes,a,well
67,no,b,ill
55,yes,a,ill
?,no,c,well
62,yes,b,ill
38,no,a,well
71,yes,c,ill
49,no,b,well
58,yes,a,ill
33,no,c,well
66,yes,a,
44,no,b,well
"""
MORE = PATIENTS + b"70,no,a,ill\n"


def work(app: AppTest) -> Work:
    return app.session_state[WORK] if WORK in app.session_state else Work()


def upload(app: AppTest, content: bytes, name: str = "patients.csv") -> AppTest:
    app.file_uploader[0].upload(name, content).run()
    assert not app.exception
    return app


def reading(app: AppTest, option: str) -> str:
    """The key of the control of a reading option."""
    dataset = work(app).dataset
    assert dataset is not None
    return f"data_read_{option}_{dataset.sha256[:8]}"


def kinds(app: AppTest) -> dict[str, ColumnKind]:
    schema = work(app).schema
    assert schema is not None
    return {column.name: column.kind for column in schema.columns}


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button with this label."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def editor_key(app: AppTest) -> str:
    return str(app.data_editor[0].key)


def edit(app: AppTest, row: int, kind: str) -> AppTest:
    app.session_state[editor_key(app)] = {
        "edited_rows": {row: {"Use as": kind}},
        "added_rows": [],
        "deleted_rows": [],
    }
    app.run()
    assert not app.exception
    return app


def texts(app: AppTest) -> str:
    """All words of the page, without the escapes of Markdown."""
    parts = [
        element.value
        for kind in ("title", "subheader", "markdown", "caption", "error", "html")
        for element in app.get(kind)
    ]
    return re.sub(r"\\(.)", r"\1", " ".join(parts)).replace("\u2060", "")


@pytest.fixture
def loaded(app: AppTest) -> AppTest:
    return upload(app, PATIENTS)


class TestWithoutData:
    def test_offers_an_upload_and_every_sample(self, app: AppTest) -> None:
        assert len(app.file_uploader) == 1
        for sample in SAMPLES.values():
            assert app.button(key=f"data_sample_{sample.key}").label == "Use this sample"
            assert sample.title in texts(app)

    def test_the_banner_says_that_nothing_is_there(self, app: AppTest) -> None:
        assert app.html[0].value.count("none yet") == 2

    def test_other_pages_say_what_they_need_and_link_here(self, app: AppTest) -> None:
        app.switch_page(Place.TRAIN).run()
        assert not app.exception
        assert "needs a data set" in texts(app)
        assert [link.value for link in app.page_link] == ["**Choose data →**"]


class TestReading:
    def test_an_upload_becomes_the_data_set_with_a_proposed_schema(self, loaded: AppTest) -> None:
        now = work(loaded)
        assert now.dataset is not None and now.schema is not None
        assert now.dataset.name == "patients.csv"
        assert store().datasets.read(LOCAL_OWNER, now.dataset.sha256) == PATIENTS
        assert (now.schema.target, now.schema.positive) == ("outcome", "ill")
        assert now.split == SplitSpec.parse("80%")
        assert kinds(loaded)["age"] is ColumnKind.NUMERICAL
        assert now.job is None

    def test_gzip_and_tabs_are_read(self, app: AppTest) -> None:
        content = gzip.compress(PATIENTS.replace(b",", b"\t"))
        upload(app, content, "patients.tsv.gz")
        dataset = work(app).dataset
        assert dataset is not None
        assert dataset.table.n_rows == 12
        assert "tab between cells" in texts(app)

    def test_a_large_file_is_read_apart(self, app: AppTest) -> None:
        rows = "".join(f"{n % 90};{'ab'[n % 2]};{'yn'[n % 3 == 0]}\n" for n in range(400_000))
        upload(app, f"age;ward;outcome\n{rows}".encode())
        assert not app.exception and not app.error
        assert any("400,000 rows and 3 columns" in text.value for text in app.markdown)
        assert "files_stop_reading" not in [button.key for button in app.button]

    def test_a_packed_file_is_read_apart_and_refused_in_words(self, app: AppTest) -> None:
        upload(app, gzip.compress(b"a,b\n1,2\n1\n"))
        assert not app.exception
        assert "Line 3 has 1 cell" in app.error[0].value

    @pytest.mark.parametrize("pack", [bytes, gzip.compress])
    def test_a_title_above_the_table_is_skipped_beside_the_refusal(
        self, app: AppTest, pack: Callable[[bytes], bytes]
    ) -> None:
        upload(app, pack(b"Ward 3, March\n\n" + PATIENTS))
        assert "skip the first line" in app.error[0].value
        assert app.number_input(key="data_now_retry_skip").value == 1
        assert list(app.dataframe[0].value) == ["age", "smoker", "ward", "outcome"]
        app.button(key="data_retry_now").click().run()
        assert not app.error and not app.exception
        dataset = work(app).dataset
        assert dataset is not None
        assert (dataset.read.skip_lines, dataset.table.n_rows) == (1, 12)

    def test_cells_with_blanks_between_them_are_split_beside_the_refusal(
        self, app: AppTest
    ) -> None:
        upload(app, PATIENTS.replace(b"66,yes,a,\n", b"").replace(b",", b"  "))
        assert "only one column" in app.error[0].value
        assert app.selectbox(key="data_now_retry_delimiter").value == " "
        press(app, "Read it this way")
        dataset = work(app).dataset
        assert dataset is not None and not app.error
        assert dataset.table.columns == ("age", "smoker", "ward", "outcome")

    def test_a_title_with_as_many_cells_is_skipped_by_one_click(self, app: AppTest) -> None:
        upload(app, b"Ward 3,,,\n" + PATIENTS)
        assert "column names seem to be in row 1" in texts(app)
        press(app, "Skip the first line")
        dataset = work(app).dataset
        assert dataset is not None and dataset.read.skip_lines == 1
        assert dataset.table.columns == ("age", "smoker", "ward", "outcome")

    def test_options_beside_a_refusal_are_tried_before_they_are_taken(self, app: AppTest) -> None:
        upload(app, b"a,b\nx,y,z\n" + PATIENTS + b"~ end\n")
        assert "data_retry_now" not in [button.key for button in app.button]
        app.number_input(key="data_now_retry_skip").set_value(2).run()
        app.text_input(key="data_now_retry_comment").set_value("~").run()
        press(app, "Read it this way")
        dataset = work(app).dataset
        assert dataset is not None and not app.error
        assert (dataset.read.skip_lines, dataset.read.comment) == (2, "~")
        assert dataset.table.columns == ("age", "smoker", "ward", "outcome")

    @pytest.mark.parametrize("key", SAMPLES)
    def test_a_sample_is_read_with_its_own_outcome(self, app: AppTest, key: str) -> None:
        app.button(key=f"data_sample_{key}").click().run()
        assert not app.exception
        schema = work(app).schema
        assert schema is not None
        assert (schema.target, schema.positive) == (SAMPLES[key].target, SAMPLES[key].positive)
        assert not app.button(key="data_next").disabled

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("bad.csv", b"", "The file is empty"),
            ("bad.csv", b"a\n1\n2\n", "only one column, 'a'"),
            ("bad.csv", b"a,b\n1,2\n3\n", "Line 3 has 1 cell, but the header has 2"),
            ("bad.csv", b"a,b\n", "no rows"),
            ("bad.csv", b"PK\x03\x04" + bytes(40), "zip archive"),
            ("book.xlsx", b"PK\x03\x04" + bytes(60), "archive is damaged"),
            ("bad.csv", b"\x00\x01\x02\x03" * 20, "not a text table"),
        ],
    )
    def test_a_bad_file_is_one_sentence_and_loses_nothing(
        self, loaded: AppTest, name: str, content: bytes, sentence: str
    ) -> None:
        before = work(loaded)
        upload(loaded, content, name)
        assert len(loaded.error) == 1
        assert sentence in texts(loaded)
        assert work(loaded) is before
        assert "patients.csv" in texts(loaded)

    def test_a_good_file_after_a_bad_one_takes_the_error_away(self, app: AppTest) -> None:
        upload(app, b"", "bad.csv")
        assert app.error
        upload(app, PATIENTS)
        assert not app.error
        assert work(app).dataset is not None

    def test_an_error_goes_along_until_it_can_have_been_read(
        self, loaded: AppTest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upload(loaded, b"a,b\n1,2\n3\n", "bad.csv")
        loaded.switch_page(Place.TRAIN).run()
        assert [error.value[:17] for error in loaded.error] == ["Line 3 has 1 cell"]
        monkeypatch.setattr(table_requests, "TIME_TO_READ", 0.0)
        loaded.run()
        assert loaded.error, "it stays on the page that says it"
        loaded.switch_page(Place.DATA).run()
        assert not loaded.error
        loaded.switch_page(Place.TRAIN).run()
        assert not loaded.error

    def test_what_is_handed_over_as_the_page_is_left_is_taken_on_the_next(
        self, loaded: AppTest
    ) -> None:
        loaded.file_uploader[0].upload("more.csv", MORE)
        loaded.switch_page(Place.TRAIN).run()
        assert not loaded.exception and not loaded.error
        assert "<b>more.csv</b> · 13 rows" in loaded.html[0].value
        loaded.switch_page(Place.DATA).run()
        loaded.file_uploader[0].upload("bad.csv", b"")
        loaded.switch_page(Place.TRAIN).run()
        assert [error.value[:17] for error in loaded.error] == ["The file is empty"]
        assert "<b>more.csv</b> · 13 rows" in loaded.html[0].value

    def test_a_file_that_is_taken_away_before_it_is_read_is_not_read(self) -> None:
        session = AppTest.from_string(
            "from pages.common.table_requests import load_requested_table\n"
            "from pages.common.table_requests import request_table, withdraw_table\n"
            "request_table('Reading', 'It cannot be used', lambda: 1 / 0)\n"
            "withdraw_table()\n"
            "load_requested_table()\n"
        ).run()
        assert not session.exception

    def test_the_size_limit_is_checked_here_too(
        self, app: AppTest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = st.get_option
        limit = {"server.maxUploadSize": 0}
        monkeypatch.setattr(st, "get_option", lambda name: limit.get(name, found(name)))
        upload(app, PATIENTS)
        assert "'patients.csv' has more than" in texts(app)
        assert work(app).dataset is None

    def test_reading_options_can_be_corrected(self, app: AppTest) -> None:
        upload(app, b"a;b;y\n1,5;x;0\n2,5;z;1\n3,5;x;1\n", "marks.csv")
        dataset = work(app).dataset
        assert dataset is not None
        assert (dataset.table.report.delimiter, dataset.table.report.decimal) == (";", ",")
        app.selectbox(key=reading(app, "decimal")).select(".").run()
        assert not app.exception
        dataset = work(app).dataset
        assert dataset is not None
        assert dataset.read.decimal == "."
        assert dataset.table.report.decimal == "."

    def test_two_reading_options_changed_at_once_are_both_kept(self, loaded: AppTest) -> None:
        loaded.selectbox(key=reading(loaded, "encoding")).select("cp1252")
        loaded.selectbox(key=reading(loaded, "quotechar")).select("'").run()
        dataset = work(loaded).dataset
        assert dataset is not None
        assert (dataset.read.encoding, dataset.read.quotechar) == ("cp1252", "'")

    def test_reading_otherwise_keeps_the_choices(self, loaded: AppTest) -> None:
        edit(loaded, 0, "ignore")
        loaded.segmented_control(key="data_preset").set_value("Other").run()
        loaded.selectbox(key=reading(loaded, "encoding")).select("cp1252").run()
        assert kinds(loaded)["age"] is ColumnKind.IGNORE
        assert loaded.segmented_control(key="data_preset").value == "Other"

    def test_a_wrong_reading_option_is_reported_and_undone(self, loaded: AppTest) -> None:
        before = work(loaded)
        loaded.selectbox(key=reading(loaded, "delimiter")).select("|").run()
        assert len(loaded.error) == 1
        assert "only one column" in texts(loaded)
        assert work(loaded) is before
        assert loaded.selectbox(key=reading(loaded, "delimiter")).value == "automatic"


class TestOutcome:
    def test_class_balance_in_numbers(self, loaded: AppTest) -> None:
        said = texts(loaded)
        assert "With an outcome" in said  # one row has none
        assert re.search(r"<b[^>]*>5</b> <span[^>]*>\(45\.5%\)", said)
        assert re.search(r"<b[^>]*>6</b> <span[^>]*>\(54\.5%\)", said)

    def test_the_positive_class_is_the_users(self, loaded: AppTest) -> None:
        loaded.segmented_control(key="data_positive").set_value("well").run()
        schema = work(loaded).schema
        assert schema is not None and schema.positive == "well"
        assert "predicting outcome = <b>well</b>" in loaded.html[0].value

    def test_another_outcome_keeps_the_kinds_set_by_hand(self, loaded: AppTest) -> None:
        edit(loaded, 2, "ignore")  # ward
        loaded.selectbox(key="data_target").select("smoker").run()
        schema = work(loaded).schema
        assert schema is not None
        assert (schema.target, schema.positive) == ("smoker", "yes")
        assert kinds(loaded)["ward"] is ColumnKind.IGNORE
        assert kinds(loaded)["outcome"] is ColumnKind.CATEGORICAL

    def test_an_outcome_with_one_value_stands_in_the_way(self, loaded: AppTest) -> None:
        upload(loaded, b"a,b,y\n1,x,0\n2,x,1\n3,x,1\n4,x,0\n", "constant.csv")
        loaded.selectbox(key="data_target").select("b").run()
        assert not loaded.exception
        assert loaded.button(key="data_next").disabled
        assert "Not ready:" in texts(loaded)
        assert "has a single value, 'x'" in texts(loaded)

    def test_a_column_chosen_for_a_change_may_become_the_outcome(self, loaded: AppTest) -> None:
        loaded.multiselect(key="data_several").set_value(["smoker", "ward"]).run()
        loaded.selectbox(key="data_target").select("ward").run()
        assert not loaded.exception
        assert loaded.multiselect(key="data_several").value == ["smoker"]

    def test_an_outcome_that_is_always_missing_is_an_error_not_a_crash(
        self, loaded: AppTest
    ) -> None:
        loaded.multiselect(key="data_missing").set_value(["ill", "well"]).run()
        assert not loaded.exception
        assert "is missing in every row" in texts(loaded)
        loaded.multiselect(key="data_missing").set_value(["?"]).run()
        assert not loaded.exception
        assert not loaded.button(key="data_next").disabled

    def test_more_than_two_classes_become_one_against_the_rest(self, loaded: AppTest) -> None:
        loaded.selectbox(key="data_target").select("ward").run()
        schema = work(loaded).schema
        assert schema is not None
        assert f"not {schema.positive}" in texts(loaded)


class TestColumns:
    def test_the_table_describes_every_column_but_the_outcome(self, loaded: AppTest) -> None:
        frame = loaded.data_editor[0].value
        assert list(frame["Column"]) == ["age", "smoker", "ward"]
        assert list(frame["Values"]) == [11, 2, 3]
        assert list(frame["Missing"]) == ["1 (8.3%)", "", ""]
        assert [sum(bars) for bars in frame["Distribution"]] == [11, 12, 12]

    def test_editing_a_kind_changes_the_schema(self, loaded: AppTest) -> None:
        edit(loaded, 0, "ignore")
        assert kinds(loaded) == {
            "age": ColumnKind.IGNORE,
            "smoker": ColumnKind.CATEGORICAL,
            "ward": ColumnKind.CATEGORICAL,
        }
        assert list(loaded.data_editor[0].value["Use as"])[0] == "ignore"

    def test_a_column_of_words_as_numerical_is_an_error_that_names_the_cell(
        self, loaded: AppTest
    ) -> None:
        edit(loaded, 2, "numerical")
        assert loaded.button(key="data_next").disabled
        assert "Column 'ward', row 1 (line 2 of the file): 'a' is not a number" in texts(loaded)

    def test_several_columns_at_once(self, loaded: AppTest) -> None:
        loaded.multiselect(key="data_several").set_value(["smoker", "ward"])
        loaded.segmented_control(key="data_several_kind").set_value(ColumnKind.IGNORE)
        loaded.button(key="data_several_apply").click().run()
        assert not loaded.exception
        assert kinds(loaded)["smoker"] is kinds(loaded)["ward"] is ColumnKind.IGNORE

    def test_columns_of_codes_become_numerical_at_once(self, app: AppTest) -> None:
        rows = b"".join(
            b"%d,%d,%s,%d\n" % (i % 4, i % 3, b"ab"[i % 2 :][:1], i % 2) for i in range(40)
        )
        upload(app, b"stage,grade,sex,y\n" + rows, "codes.csv")
        assert set(kinds(app).values()) == {ColumnKind.CATEGORICAL}
        app.button(key="data_codes").click().run()
        assert not app.exception
        assert kinds(app) == {
            "stage": ColumnKind.NUMERICAL,
            "grade": ColumnKind.NUMERICAL,
            "sex": ColumnKind.CATEGORICAL,
        }

    def test_the_proposal_can_be_had_again(self, loaded: AppTest) -> None:
        with pytest.raises(KeyError):
            loaded.button(key="data_propose")
        edit(loaded, 0, "ignore")
        loaded.session_state[editor_key(loaded)] = {
            "edited_rows": {},
            "added_rows": [],
            "deleted_rows": [],
        }
        loaded.button(key="data_propose").click().run()
        assert not loaded.exception
        assert kinds(loaded)["age"] is ColumnKind.NUMERICAL

    def test_missing_values_can_be_named(self, loaded: AppTest) -> None:
        loaded.multiselect(key="data_missing").set_value([]).run()
        assert not loaded.exception
        schema = work(loaded).schema
        assert schema is not None and schema.missing_tokens == ()
        assert kinds(loaded)["age"] is not ColumnKind.NUMERICAL  # "?" is text now
        loaded.multiselect(key="data_missing").set_value(["?", "c"]).run()
        frame = loaded.data_editor[0].value
        assert list(frame["Missing"]) == ["1 (8.3%)", "", "3 (25.0%)"]

    def test_every_value_is_one_click_for_all_columns(self, loaded: AppTest) -> None:
        control = loaded.segmented_control(key="data_cuts")
        assert control.value == BinMethod.DECILES
        control.set_value(BinMethod.EVERY).run()
        assert not loaded.exception
        schema = work(loaded).schema
        assert schema is not None and schema.column("age").binning == Binning(BinMethod.EVERY)
        assert "every value" in loaded.data_editor[0].value["Holds"].iloc[0]
        loaded.segmented_control(key="data_cuts").set_value(BinMethod.DECILES).run()
        schema = work(loaded).schema
        assert schema is not None and schema.column("age").binning == Binning.deciles()

    def test_bins_for_all_and_cut_points_for_one(self, loaded: AppTest) -> None:
        loaded.segmented_control(key="data_cuts").set_value(BinMethod.QUANTILES).run()
        loaded.number_input(key="data_bins").set_value(4).run()
        schema = work(loaded).schema
        assert schema is not None and schema.column("age").binning == Binning.quantiles(4)
        loaded.segmented_control(key="data_detail_method").set_value("cuts").run()
        loaded.text_input(key="data_detail_cuts").set_value("40; 60").run()
        assert not loaded.exception
        schema = work(loaded).schema
        assert schema is not None and schema.column("age").binning == Binning.at([40, 60])
        assert "≤ 40; 40 to 60; > 60" in texts(loaded)

    @pytest.mark.parametrize(
        ("typed", "sentence"),
        [("40; x", "'x' is not a number"), ("60; 40", "must rise"), ("", "one or more numbers")],
    )
    def test_bad_cut_points_are_reported_and_change_nothing(
        self, loaded: AppTest, typed: str, sentence: str
    ) -> None:
        loaded.segmented_control(key="data_detail_method").set_value("cuts").run()
        before = work(loaded)
        loaded.text_input(key="data_detail_cuts").set_value(typed).run()
        assert sentence in texts(loaded)
        assert work(loaded) is before
        assert loaded.text_input(key="data_detail_cuts").value == typed  # still there to be mended


class TestFindings:
    TABLE = b"id,twin,constant,y\n" + b"".join(
        b"p%d,%s,x,%s\n" % (i, b"A" if i % 3 else b"B", b"1" if i % 3 else b"0") for i in range(30)
    )

    def test_leaks_identifiers_and_constants_are_reported(self, app: AppTest) -> None:
        upload(app, self.TABLE, "leak.csv")
        said = texts(app)
        assert "Column 'twin' alone determines the outcome 'y'" in said
        assert kinds(app) == {
            "id": ColumnKind.IGNORE,
            "twin": ColumnKind.CATEGORICAL,
            "constant": ColumnKind.IGNORE,
        }
        notes = dict(
            zip(app.data_editor[0].value["Column"], app.data_editor[0].value["Note"], strict=True)
        )
        assert notes == {"id": "1 remark", "twin": "1 warning", "constant": "1 remark"}
        assert "Column 'constant' is the same in every row" in said
        assert "Column 'id' has 30 different values in 30 rows, like identifiers" in said

    def test_a_warning_can_be_acted_on(self, app: AppTest) -> None:
        upload(app, self.TABLE, "leak.csv")
        press(app, "Ignore it")
        assert kinds(app)["twin"] is ColumnKind.IGNORE
        assert "There is no feature to split on" in texts(app)
        assert "Done. Ignore it: twin." in texts(app)
        app.button(key="data_undo").click().run()
        assert kinds(app)["twin"] is ColumnKind.CATEGORICAL
        assert not any(button.key == "data_undo" for button in app.button)

    def test_clicks_are_undone_one_by_one(self, app: AppTest) -> None:
        cells = ["<5" if i % 9 == 0 else str(i % 37) for i in range(90)]
        rows = [f"{cell},a{i % 2}b,n{i % 3},{'yn'[i % 2]}" for i, cell in enumerate(cells)]
        upload(app, "\n".join(["crp,twin,w,y", *rows]).encode(), "two.csv")
        press(app, "Read as the limit")
        press(app, "Mark the limits")
        press(app, "Ignore it")
        for done in ("Ignore it: twin", "Mark the limits: crp", "Read as the limit: crp"):
            assert f"Done. {done}." in texts(app)
            app.button(key="data_undo").click().run()
        assert kinds(app) == dict.fromkeys(("crp", "twin", "w"), ColumnKind.CATEGORICAL)
        assert not any(button.key == "data_undo" for button in app.button)

    def test_the_same_of_many_columns_is_one_remark(self, app: AppTest) -> None:
        names = [f"c{k}" for k in range(40)]
        rows = [
            ",".join([*(f"v{(i * (k + 1)) % 97}" for k in range(40)), str(i % 2)])
            for i in range(300)
        ]
        content = "\n".join([",".join([*names, "y"]), *rows]).encode()
        upload(app, content, "wide.csv")
        assert texts(app).count("categories: a tree may fit chance") == 1
        assert "Likewise 39 other columns" in texts(app)

    def test_a_click_on_many_columns_names_all_of_them(self, app: AppTest) -> None:
        names = [f"col{k}" for k in range(20)]
        rows = [
            ",".join([*(f"v{(i * (k + 1)) % 97}" for k in range(20)), str(i % 2)])
            for i in range(300)
        ]
        upload(app, "\n".join([",".join([*names, "y"]), *rows]).encode(), "wide.csv")
        press(app, "Ignore it (20 columns)")
        assert set(kinds(app).values()) == {ColumnKind.IGNORE}
        assert f"Done. Ignore it: {', '.join(names)}." in texts(app)
        app.button(key="data_undo").click().run()
        assert set(kinds(app).values()) == {ColumnKind.CATEGORICAL}

    def test_spellings_of_the_outcome_are_asked_about(self, app: AppTest) -> None:
        labels = ["Yes", "no", "yes", "No", "no"] * 20
        content = "\n".join(["a,y", *(f"v{i % 3},{y}" for i, y in enumerate(labels))]).encode()
        upload(app, content, "labels.csv")
        assert "A question first." in texts(app)
        assert app.button(key="data_next").disabled
        press(app, "Join them")
        assert work(app).schema.target_joined == (("No", "no"), ("yes", "Yes"))
        assert work(app).schema.positive == "Yes"
        assert "A question first." not in texts(app)
        assert not app.button(key="data_next").disabled
        assert list(app.segmented_control(key="data_positive").options) == ["no", "Yes"]

    def test_spellings_can_be_kept_apart(self, app: AppTest) -> None:
        content = "\n".join(["a,y", *(f"v{i % 3},{'Yny'[i % 3]}" for i in range(60))]).encode()
        upload(app, content, "labels.csv")
        press(app, "Keep them apart")
        assert work(app).schema.target_joined == ()
        assert "A question first." not in texts(app)

    def test_a_guessed_outcome_is_confirmed_or_chosen(self, app: AppTest) -> None:
        content = "\n".join(["a,b,c", *(f"v{i % 3},{i % 2},{'xyyx'[i % 4]}" for i in range(60))])
        upload(app, content.encode(), "guess.csv")
        assert "'c' was guessed from its values" in texts(app)
        assert app.button(key="data_next").disabled
        press(app, "It is the outcome")
        assert not app.button(key="data_next").disabled
        app.selectbox(key="data_target").set_value("b").run()
        assert not app.button(key="data_next").disabled

    @pytest.mark.parametrize(
        ("cells", "label", "form"),
        [
            ([f"{i}.5%" for i in range(60)], "Read without signs", NumberForm.SIGNS),
            (["<1", *(str(i) for i in range(1, 60))], "Read as the limit", NumberForm.LIMITS),
            ([f"2{i:03d}-01-0{i % 9 + 1}" for i in range(60)], "Use the year", NumberForm.YEAR),
        ],
    )
    def test_numbers_in_other_forms_take_one_click(
        self, app: AppTest, cells: list[str], label: str, form: NumberForm
    ) -> None:
        content = "\n".join(["a,b,y", *(f"{a},{i % 5},{i % 2}" for i, a in enumerate(cells))])
        upload(app, content.encode(), "forms.csv")
        press(app, label)
        assert work(app).schema.column("a").form is form
        assert kinds(app)["a"] is ColumnKind.NUMERICAL
        assert "Ready" in texts(app)

    def test_limits_are_marked_by_one_click(self, app: AppTest) -> None:
        cells = ["<1", "<1", *(str(i) for i in range(1, 60))]
        rows = [f"{cell},{i * i % 3 % 2},{i % 2}" for i, cell in enumerate(cells)]
        content = "\n".join(["a,b,y", *rows])
        upload(app, content.encode(), "limits.csv")
        press(app, "Read as the limit, with a mark")
        mark = "a against its limits"
        assert list(kinds(app)) == ["a", mark, "b"]
        assert (kinds(app)["a"], kinds(app)[mark]) == (ColumnKind.NUMERICAL, ColumnKind.CATEGORICAL)
        assert "Ready" in texts(app)
        app.selectbox(key="data_detail").set_value(mark).run()
        app.selectbox(key="data_target").set_value("b").run()
        assert kinds(app)[mark] is ColumnKind.CATEGORICAL
        app.button(key="data_propose").click().run()
        assert mark not in kinds(app)

    def test_dates_are_ages_on_a_kept_date_that_can_be_changed(self, app: AppTest) -> None:
        cells = [f"{1930 + i}-01-0{i % 9 + 1}" for i in range(60)]
        content = "\n".join(["a,b,y", *(f"{a},{i % 5},{i % 2}" for i, a in enumerate(cells))])
        upload(app, content.encode(), "born.csv")
        press(app, "Use the age")
        column = work(app).schema.column("a")
        assert (column.form, column.reference) == (NumberForm.AGE, date(1989, 1, 6))
        assert kinds(app)["a"] is ColumnKind.NUMERICAL
        assert "Ready" in texts(app)
        assert "age in completed years on 1989-01-06" in texts(app)
        app.selectbox(key="data_detail").set_value("a").run()
        (table,) = (e.value for e in app.html if "The most frequent values" in e.value)
        assert '<span title="1930-01-01">1930-01-01</span>' in table
        app.date_input(key="data_detail_reference").set_value(date(2000, 6, 30)).run()
        assert work(app).schema.column("a").reference == date(2000, 6, 30)
        assert "age in completed years on 2000-06-30" in texts(app)

    def test_a_row_of_units_is_left_out_by_one_click(self, app: AppTest) -> None:
        rows = [f"{20 + i % 30},{i % 5},{i % 2}" for i in range(60)]
        upload(app, "\n".join(["age,b,y", "years,,", *rows]).encode(), "units.csv")
        press(app, "Leave that row out")
        assert work(app).dataset.read.units_row
        assert work(app).dataset.table.n_rows == 60
        assert kinds(app)["age"] is ColumnKind.NUMERICAL
        assert "Done. Leave that row out." in texts(app)
        app.button(key="data_undo").click().run()
        assert not work(app).dataset.read.units_row
        assert "seems to hold units ('years')" in texts(app)

    def test_another_reading_is_undone_with_the_answers_that_it_lost(self, app: AppTest) -> None:
        rows = [f"{20 + i % 30},{'uvw'[i % 3]},{'ab'[i % 2]}" for i in range(60)]
        upload(app, "\n".join(["Register,,", "age,x,end", *rows]).encode(), "title.csv")
        press(app, "It is the outcome")
        press(app, "Skip the first line")
        assert work(app).dataset.table.columns == ("age", "x", "end")
        app.button(key="data_undo").click().run()
        assert work(app).dataset.table.columns == ("Register", "column_2", "column_3")
        assert not work(app).schema.guessed
        assert "Done. It is the outcome: column_3." in texts(app)

    def test_rows_of_one_patient_stay_together_by_default(self, app: AppTest) -> None:
        content = "\n".join(
            ["patient_id,b,y", *(f"{70 + i // 3},{i % 5},{i % 2}" for i in range(90))]
        )
        upload(app, content.encode(), "visits.csv")
        assert work(app).schema.group == "patient_id"
        assert app.selectbox(key="data_group").value == "patient_id"
        press(app, "Divide them freely")
        assert work(app).schema.group is None
        assert "such rows may stand in training and in test" in texts(app)
        press(app, "Keep them together")
        assert work(app).schema.group == "patient_id"


class TestRows:
    def test_counts_and_flow_are_shown(self, loaded: AppTest) -> None:
        assert "12 rows read → 1 left out (the outcome 'outcome' is missing), 8 train, 3 test" in (
            texts(loaded)
        )

    @pytest.mark.parametrize(
        ("preset", "split"),
        [("As in the paper", "paper"), ("All rows train", "all"), ("80% train, 20% test", "80%")],
    )
    def test_presets(self, loaded: AppTest, preset: str, split: str) -> None:
        loaded.segmented_control(key="data_preset").set_value(preset).run()
        assert not loaded.exception
        assert work(loaded).split == SplitSpec.parse(split)

    def test_fifty_thousand_rows_are_divided_like_few(self, app: AppTest) -> None:
        rows = "".join(f"{n % 90},{'ab'[n % 2]},{'yn'[n % 3 == 0]}\n" for n in range(50_000))
        upload(app, f"age,ward,outcome\n{rows}".encode(), "large.csv")
        assert "50,000 rows read → 40,000 train, 10,000 test" in texts(app)
        app.segmented_control(key="data_preset").set_value("As in the paper").run()
        assert "50,000 rows read → 600 train, 49,400 test" in texts(app)

    def test_own_sizes_and_seed(self, loaded: AppTest) -> None:
        loaded.segmented_control(key="data_preset").set_value("Other").run()
        loaded.text_input(key="data_train").set_value("6").run()
        loaded.text_input(key="data_test").set_value("2").run()
        loaded.number_input(key="data_seed").set_value(7).run()
        assert not loaded.exception
        assert work(loaded).split == SplitSpec(6, 2, 7)
        assert "6 train, 2 test, 3 in neither" in texts(loaded)

    @pytest.mark.parametrize(
        ("typed", "sentence"),
        [("most", "train-size is 'most'"), ("0", "train-size"), ("900", "there are only 11 rows")],
    )
    def test_sizes_that_cannot_be_are_reported(
        self, loaded: AppTest, typed: str, sentence: str
    ) -> None:
        loaded.segmented_control(key="data_preset").set_value("Other").run()
        loaded.text_input(key="data_train").set_value(typed).run()
        assert not loaded.exception
        assert sentence in texts(loaded)
        assert loaded.text_input(key="data_train").value == typed

    def test_nothing_is_trained_here(self, loaded: AppTest) -> None:
        assert "Nothing is trained yet" in texts(loaded)
        assert work(loaded).job is None

    def test_a_new_table_starts_with_the_usual_division(self, loaded: AppTest) -> None:
        loaded.segmented_control(key="data_preset").set_value("Other").run()
        loaded.text_input(key="data_train").set_value("1/3").run()
        assert loaded.text_input(key="data_train").value == "1/3"
        upload(loaded, MORE, "more.csv")
        assert work(loaded).split == SplitSpec.parse("80%")
        assert loaded.segmented_control(key="data_preset").value == "80% train, 20% test"

    def test_a_mistake_is_forgotten_with_what_was_typed(self, loaded: AppTest) -> None:
        loaded.segmented_control(key="data_preset").set_value("Other").run()
        loaded.text_input(key="data_train").set_value("most").run()
        assert loaded.error
        loaded.switch_page(Place.TRAIN).run()
        loaded.switch_page(Place.DATA).run()
        assert not loaded.error
        assert not loaded.exception


class TestPages:
    def test_choices_survive_a_change_of_page(self, loaded: AppTest) -> None:
        edit(loaded, 0, "ignore")
        loaded.segmented_control(key="data_positive").set_value("well").run()
        before = work(loaded)
        loaded.switch_page(Place.TRAIN).run()
        assert not loaded.exception
        loaded.switch_page(Place.DATA).run()
        assert not loaded.exception
        assert work(loaded) is before
        assert list(loaded.data_editor[0].value["Use as"])[0] == "ignore"
        assert loaded.segmented_control(key="data_positive").value == "well"

    def test_choices_are_found_again_by_the_address(self, loaded: AppTest) -> None:
        edit(loaded, 0, "ignore")
        loaded.segmented_control(key="data_preset").set_value("All rows train").run()
        assert "11 train" in texts(loaded)
        again = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)
        again.query_params["data"] = loaded.query_params["data"]
        again.run()
        assert not again.exception and "11 train" in texts(again)
        assert kinds(again) == kinds(loaded) and kinds(again)["age"] is ColumnKind.IGNORE

    def test_the_banner_stands_on_every_page(self, loaded: AppTest) -> None:
        for place in Place:
            loaded.switch_page(place).run()
            assert not loaded.exception
            assert "<b>patients.csv</b> · 12 rows" in loaded.html[0].value

    def test_two_sessions_do_not_share_their_work(self, launch: Callable[[], AppTest]) -> None:
        first, second = launch(), launch()
        upload(first, PATIENTS)
        second.run()
        assert work(second).dataset is None


HOSTILE = (
    "![x](http://outside.invalid/a.png)",
    "<img src=http://outside.invalid/b.png>",
    ":material/home:",
    ":red[red]",
    "$x^2$",
    "**bold** `code`",
    "www.outside.invalid",
)


def test_text_from_files_is_never_markdown(app: AppTest) -> None:
    names = [f'"{name}"' for name in HOSTILE]
    rows = [",".join([*names[1:], names[0], str(i % 2)]) for i in range(8)]
    content = "\n".join([",".join([*names, "y"]), *rows]).encode()
    upload(app, content, "![x](http://outside.invalid/c.png).csv")
    for kind in ("title", "markdown", "caption", "error"):
        for element in app.get(kind):
            assert not re.search(r"(?<!\\)!\[|(?<!\\)<img|(?<!\\):red", element.value)
            assert "http://" not in element.value
    for element in app.html:
        assert "<img" not in element.value


def test_real_tables(app: AppTest) -> None:
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the paper's data sets are not on this machine")
    for name in ("votes", "bc", "mush", "student", "heloc", "bc_missing"):
        upload(app, (folder / f"{name}.csv").read_bytes(), f"{name}.csv")
        assert not app.button(key="data_next").disabled
        assert f"<b>{name}.csv</b>" in app.html[0].value


def test_rows_are_prepared_anew_when_lines_are_left_out(app: AppTest) -> None:
    rows = [f"{20 + i % 30},{i % 5},{i % 2}" for i in range(60)]
    upload(app, "\n".join(["age,b,y", *rows]).encode(), "lines.csv")
    assert "60 rows read" in texts(app)
    app.text_input(key=reading(app, "comment")).set_value("2").run()
    assert not app.exception
    assert "40 rows read" in texts(app)
    app.text_input(key=reading(app, "comment")).set_value("").run()
    app.number_input(key=reading(app, "skip")).set_value(1).run()
    assert work(app).dataset.read.skip_lines == 1
    assert work(app).dataset.table.columns[0] == "20"
