"""Tables to codes: encoding, missing values, splits, flow, further tables."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from odt_core.data import (
    DEFAULT_MISSING_TOKENS,
    Binning,
    Encoder,
    NumberForm,
    Prepared,
    Schema,
    SplitSpec,
    Table,
    Unseen,
    prepare,
    read_table,
    table_from_frame,
)
from odt_core.errors import InputError
from odt_core.problem import FeatureKind
from tests.core.data.helpers import CATEGORICAL, IGNORE, NUMERICAL, schema_of, table_of

pytestmark = pytest.mark.filterwarnings("error")

ALL = SplitSpec("all")
SEX = ["m", "f", "f", "m"] * 5
Y = ["p", "n", "p", "p", "n"] * 4


def encode(
    cells: list[str], kind=CATEGORICAL, missing: tuple[str, ...] = DEFAULT_MISSING_TOKENS, **changes
) -> Prepared:
    table = table_of(a=cells, y=(["p", "n"] * len(cells))[: len(cells)])
    schema = replace(schema_of(a=kind), missing_tokens=missing)
    for name, value in changes.items():
        schema = getattr(schema, name)(*value)
    return prepare(table, schema, ALL)


def test_categories_are_in_natural_order() -> None:
    prepared = encode(["day 10", "10", "9", "day 9", "-1"])
    (feature,) = prepared.encoder.features
    assert feature.kind is FeatureKind.CATEGORICAL
    assert feature.values == ("-1", "9", "10", "day 9", "day 10")
    assert prepared.train.codes[:, 0].tolist() == [4, 2, 1, 3, 0]
    assert prepared.train.codes.dtype == np.int32


def test_a_missing_category_comes_last() -> None:
    prepared = encode(["b", "", "a", "NA", "?"])
    (feature,) = prepared.encoder.features
    assert feature.values == ("a", "b", "(missing)")
    assert not feature.has_missing
    assert prepared.train.codes[:, 0].tolist() == [1, 2, 0, 2, 2]


def test_a_category_really_called_missing_is_another_one() -> None:
    prepared = encode(["(missing)", "", "a", "(missing)"])
    (feature,) = prepared.encoder.features
    assert feature.values == ("(missing)", "a", "(missing 2)")
    assert prepared.train.codes[:, 0].tolist() == [0, 2, 1, 0]
    (other,) = encode(["(missing)", "b"]).encoder.features
    assert other.values == ("(missing)", "b")
    assert prepared.encoder.encode(pd.DataFrame({"a": ["", "(missing)"]})).tolist() == [[2], [0]]


def test_na_and_none_can_be_categories() -> None:
    assert encode(["NA", "None", "x"]).encoder.features[0].values == ("None", "x", "(missing)")
    cells = ["NA", "None", "x", ""]
    for prepared in (encode(cells, missing=()), encode(cells, with_column_missing=("a", []))):
        assert prepared.encoder.features[0].values == ("NA", "None", "x", "(missing)")


def test_users_codes_are_missing() -> None:
    prepared = encode(["-9", "1", "2", "-9.0"], NUMERICAL, missing=("-9",))
    (feature,) = prepared.encoder.features
    assert feature.values == ("1", "2", "(missing)")
    assert (feature.cuts, feature.has_missing) == ((1.5,), True)
    assert prepared.train.codes[:, 0].tolist() == [2, 0, 1, 2]


def test_a_numerical_column_without_missing_values_has_no_missing_bin() -> None:
    prepared = encode(["1", "2", "2.5"], NUMERICAL)
    assert not prepared.encoder.features[0].has_missing
    assert prepared.encoder.encode(pd.DataFrame({"a": ["", "2"]})).tolist() == [[-1], [1]]


def test_numbers_fall_into_the_bins_of_the_training_rows() -> None:
    prepared = encode([str(i) for i in range(1, 101)], NUMERICAL)
    (feature,) = prepared.encoder.features
    assert feature.n_values == 10
    frame = pd.DataFrame({"a": ["-1e9", "10.5", "10.51", "1e9"]})
    assert prepared.encoder.encode(frame).tolist() == [[0], [0], [1], [9]]


def test_bins_as_the_schema_says() -> None:
    cells = [str(i) for i in range(1, 101)]
    quartiles = encode(cells, NUMERICAL, with_binning=("a", Binning.quantiles(4)))
    assert quartiles.encoder.features[0].cuts == (25.5, 50.5, 75.5)
    given = encode(cells, NUMERICAL, with_binning=("a", Binning.at([18, 65])))
    assert given.encoder.features[0].values == ("<= 18", "18 to 65", "> 65")


def test_the_same_number_written_otherwise_is_the_same() -> None:
    prepared = encode(["1", "1.0", "1e0", "2", "1,000"][:4], NUMERICAL)
    assert prepared.encoder.features[0].values == ("1", "2")
    assert prepared.train.codes[:, 0].tolist() == [0, 0, 0, 1]


def test_decimal_commas_with_thousands() -> None:
    table = read_table(b"cost;y\n1.234,5;p\n12,5;n\n1 300;p\n")
    prepared = prepare(table, Schema("y", "p", schema_of(cost=NUMERICAL).columns, decimal=","), ALL)
    assert prepared.encoder.features[0].values == ("12.5", "1234.5", "1300")
    assert prepared.train.codes[:, 0].tolist() == [1, 0, 2]


def test_labels_and_names_are_kept() -> None:
    prepared = prepare(table_of(sex=SEX, y=Y), schema_of(sex=CATEGORICAL), ALL)
    train = prepared.train
    assert (train.target, train.positive_label, train.negative_label) == ("y", "p", "n")
    assert train.y.tolist() == [label == "p" for label in Y]
    assert train.weight.tolist() == [1] * 20
    assert prepared.test is None
    assert prepared.train_rows.tolist() == list(range(20))


def test_more_than_two_classes_are_one_against_the_rest() -> None:
    table = table_of(sex=SEX, y=["p", "q", "r", "p"] * 5)
    train = prepare(table, schema_of(sex=CATEGORICAL), ALL).train
    assert train.negative_label == "not p"
    assert train.n_positive == 10


def test_flow_accounts_for_every_row() -> None:
    table = table_of(sex=SEX * 5, y=[*(Y * 5)[:94], "", "NA", "?", "", "", ""])
    flow = prepare(table, schema_of(sex=CATEGORICAL), SplitSpec(60, 20, seed=3)).flow
    assert (flow.read, flow.train, flow.test, flow.unused) == (100, 60, 20, 14)
    ((reason, rows),) = [(e.reason, e.rows) for e in flow.excluded]
    assert (reason, rows) == ("the outcome 'y' is missing", 6)
    assert flow.read == rows + flow.train + flow.test + flow.unused
    assert json.loads(json.dumps(flow.to_json())) == {
        "read": 100,
        "excluded": [{"reason": reason, "rows": 6}],
        "train": 60,
        "test": 20,
        "unused": 14,
    }


def test_rows_without_an_outcome_are_never_used() -> None:
    table = table_of(sex=SEX * 5, y=["", *(Y * 5)[:98], "NA"])
    prepared = prepare(table, schema_of(sex=CATEGORICAL), SplitSpec.parse("0.5"))
    assert sorted([*prepared.train_rows, *prepared.test_rows]) == list(range(1, 99))


def test_train_and_test_follow_the_row_numbers() -> None:
    table = table_of(sex=SEX, n=[str(i) for i in range(20)], y=Y)
    schema = schema_of(sex=CATEGORICAL, n=NUMERICAL)
    prepared = prepare(table, schema, SplitSpec.parse("0.6", seed=1))
    codes = prepared.encoder.encode(table)
    assert prepared.test is not None
    for data, rows in (
        (prepared.train, prepared.train_rows),
        (prepared.test, prepared.test_rows),
    ):
        assert np.array_equal(data.codes, codes[rows])
        assert data.y.tolist() == [Y[row] == "p" for row in rows]
        assert data.features == prepared.encoder.features
    assert (prepared.train.codes >= 0).all()


def test_categories_of_test_rows_alone_are_unseen() -> None:
    rare = ["rare", *["a", "b"] * 10][:20]
    table = table_of(a=rare, y=Y)
    for seed in range(20):
        prepared = prepare(table, schema_of(a=CATEGORICAL), SplitSpec(10, seed=seed))
        if 0 in prepared.test_rows:
            break
    assert prepared.encoder.features[0].values == ("a", "b")
    assert prepared.test is not None
    assert prepared.test.codes[prepared.test_rows.tolist().index(0), 0] == -1
    assert prepared.encoder.unseen(table) == (Unseen("a", "rare", 1, 0),)


def test_features_alike_in_all_training_rows_are_dropped() -> None:
    table = table_of(a=["x"] * 20, b=["rare", *["u"] * 19], sex=SEX, y=Y)
    schema = schema_of(a=CATEGORICAL, b=CATEGORICAL, sex=CATEGORICAL)
    for seed in range(20):
        prepared = prepare(table, schema, SplitSpec(10, seed=seed))
        if 0 in prepared.test_rows:
            break
    assert [feature.name for feature in prepared.encoder.features] == ["sex"]
    assert prepared.dropped == ("a", "b")


def test_training_rows_must_differ_and_hold_both_classes() -> None:
    table = table_of(a=["rare", *["u"] * 19], y=["n", *["p"] * 18, "n"])
    with pytest.raises(InputError, match="None of the 2 training rows has 'y' = 'n'"):
        prepare(table, schema_of(a=CATEGORICAL), SplitSpec(2))
    table = table_of(a=[*["u"] * 19, "v"], y=Y)
    with pytest.raises(InputError, match="The 4 training rows are alike in every feature"):
        for seed in range(20):
            prepare(table, schema_of(a=CATEGORICAL), SplitSpec(4, seed=seed))


# --- further tables ---


@pytest.fixture
def trained() -> Encoder:
    table = table_of(
        age=[str(20 + 3 * i) for i in range(20)],
        ward=["A", "B", "", "C"] * 5,
        note=[f"n{i}" for i in range(20)],
        y=Y,
    )
    schema = schema_of(age=NUMERICAL, ward=CATEGORICAL, note=IGNORE)
    return prepare(table, schema, ALL).encoder


def test_order_and_further_columns_do_not_matter(trained: Encoder) -> None:
    table = read_table(b"extra,ward,age\nx,C,20\ny,A,80\n")
    assert trained.encode(table).tolist() == [[0, 2], [9, 0]]


def test_an_absent_column_is_named(trained: Encoder) -> None:
    with pytest.raises(InputError, match="no column 'age', which the tree was trained with"):
        trained.encode(read_table(b"ward,note\nA,x\n"))


def test_a_cell_that_is_no_number_is_named(trained: Encoder) -> None:
    with pytest.raises(InputError, match=r"'age', row 2 \(line 3 of the file\): 'old' is not"):
        trained.encode(read_table(b"age,ward\n30,A\nold,B\n"))


def test_unseen_values_are_explained(trained: Encoder) -> None:
    table = read_table(b"age,ward\n30,D\n,A\n35,D\n40,E\n")
    assert trained.encode(table)[:, 1].tolist() == [-1, 0, -1, -1]
    assert trained.unseen(table) == (
        Unseen("age", "", 1, 1),
        Unseen("ward", "D", 2, 0),
        Unseen("ward", "E", 1, 3),
    )
    assert trained.unseen(read_table(b"age,ward\n30,A\n99,\n")) == ()


def test_data_frames_of_any_types_are_encoded(trained: Encoder) -> None:
    frame = pd.DataFrame({"age": [20, 80.0], "ward": pd.Categorical(["C", None])}, index=[7, 9])
    assert trained.encode(frame).tolist() == [[0, 2], [9, 3]]


def test_numbers_in_frames_keep_their_value_under_a_decimal_comma() -> None:
    table = read_table(b"bmi;y\n" + b"".join(b"%d,5;p\n%d,5;n\n" % (i, i) for i in range(20)))
    schema = Schema("y", "p", schema_of(bmi=NUMERICAL).columns, decimal=",")
    encoder = prepare(table, schema, ALL).encoder
    assert np.array_equal(
        encoder.encode(pd.DataFrame({"bmi": [0.5, 19.5]})), encoder.encode(table)[[0, -1]]
    )


def test_an_empty_table_gives_no_codes(trained: Encoder) -> None:
    assert trained.encode(read_table(b"age,ward\n")).shape == (0, 2)


def test_json_round_trip(trained: Encoder) -> None:
    again = Encoder.from_json(json.loads(json.dumps(trained.to_json(), allow_nan=False)))
    assert again == trained
    table = read_table(b"age,ward\n30,D\n99,\n41,B\n")
    assert np.array_equal(again.encode(table), trained.encode(table))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 0}, "encoder is of version 0"),
        ({"columns": [{}]}, "encoder is damaged"),
        ({"columns": 3}, "encoder is damaged"),
    ],
)
def test_damaged_json_is_refused(trained: Encoder, change: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Encoder.from_json({**trained.to_json(), **change})


def test_a_frame_trains_like_the_file_it_came_from() -> None:
    table = table_of(age=[str(i) for i in range(20)], sex=SEX, y=Y)
    frame = pd.DataFrame({"age": range(20), "sex": SEX, "y": Y})
    schema = schema_of(age=NUMERICAL, sex=CATEGORICAL)
    one, other = (prepare(t, schema, SplitSpec(12)) for t in (table, table_from_frame(frame)))
    assert one.encoder == other.encoder
    assert np.array_equal(one.train.codes, other.train.codes)


def test_tables_are_not_changed() -> None:
    table: Table = table_of(age=[str(i) for i in range(20)], sex=SEX, y=Y)
    before = table.frame.copy()
    prepare(table, schema_of(age=NUMERICAL, sex=CATEGORICAL), SplitSpec(12))
    assert table.frame.equals(before)


def test_joined_labels_are_one_category_in_training_and_prediction() -> None:
    joined = (("YES", "yes"), ("Yes", "yes"))
    prepared = encode(["yes", "Yes", "YES", "no"], with_joined=("a", joined))
    assert prepared.encoder.features[0].values == ("no", "yes")
    assert prepared.train.codes[:, 0].tolist() == [1, 1, 1, 0]
    encoder = Encoder.from_json(json.loads(json.dumps(prepared.encoder.to_json())))
    frame = pd.DataFrame({"a": ["Yes", "no", "yEs", "NO", " y\u200bes.", "yess"]})
    assert encoder.encode(frame)[:, 0].tolist() == [1, 0, 1, 0, 1, -1]
    assert [unseen.value for unseen in encoder.unseen(frame)] == ["yess"]


def test_spellings_that_nobody_joined_stay_apart() -> None:
    prepared = encode(["yes", "no", "yes"])
    frame = pd.DataFrame({"a": ["yes", "YES"]})
    assert prepared.encoder.encode(frame)[:, 0].tolist() == [1, -1]


def test_a_new_spelling_of_two_values_is_neither() -> None:
    prepared = encode(["a", "A", "b", "b."], with_joined=("a", (("b.", "b"),)))
    frame = pd.DataFrame({"a": ["a ", "A", "a.", "B"]})
    assert prepared.encoder.encode(frame)[:, 0].tolist() == [*prepared.train.codes[:2, 0], -1, 2]


def test_joined_labels_of_the_outcome_are_one_class() -> None:
    table = table_of(a=["u", "v"] * 10, y=["Yes", "No", "yes", "no"] * 5)
    schema = schema_of("y", "yes", a=CATEGORICAL)
    schema = schema.with_joined("y", (("yes", "Yes"), ("no", "No")))
    prepared = prepare(table, schema, ALL)
    assert (prepared.train.positive_label, prepared.train.negative_label) == ("Yes", "No")
    assert prepared.train.n_positive == 10


def test_a_number_form_is_kept_by_the_encoder() -> None:
    prepared = encode(["<0.1", "0.4", "0.9", ">2"], with_form=("a", NumberForm.LIMITS))
    assert prepared.encoder.features[0].cuts == (0.2, 0.7, 1.0)
    encoder = Encoder.from_json(json.loads(json.dumps(prepared.encoder.to_json())))
    assert encoder.encode(pd.DataFrame({"a": ["<0.2", "> 3", "1"]}))[:, 0].tolist() == [0, 3, 2]


def test_the_outcome_has_missing_values_of_its_own() -> None:
    table = table_of(a=["unknown", "v"] * 10, y=["p", "n", "unknown", "n"] * 5)
    schema = schema_of(a=CATEGORICAL).with_target_missing(["unknown"])
    prepared = prepare(table, schema, ALL)
    assert prepared.flow.excluded[0].rows == 5
    assert prepared.encoder.features[0].values == ("unknown", "v")


def test_rows_of_one_patient_stay_together() -> None:
    patients = [str(7000 + row // 3) for row in range(60)]
    patients[-2:] = ["", ""]  # nobody knows whose these are: each stands alone
    table = table_of(id=patients, a=["u", "v", "u"] * 20, y=["p", "n"] * 30)
    schema = schema_of(id=IGNORE, a=CATEGORICAL).with_group("id")
    prepared = prepare(table, schema, SplitSpec.parse("70%"))
    ids = np.array(patients)
    assert not set(ids[prepared.train_rows]) & set(ids[prepared.test_rows]) - {""}
    assert prepared.groups is not None and len(set(prepared.groups.tolist())) == 22


def test_two_forms_of_an_accented_letter_are_one_category_and_one_name() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    cells = [composed, decomposed, "tea", "tea"]
    text = "\n".join(
        [f"{decomposed},y", *(f"{cell},{y}" for cell, y in zip(cells, "pnpn", strict=True))]
    )
    prepared = prepare(read_table(text.encode()), schema_of(**{composed: CATEGORICAL}), ALL)
    assert prepared.encoder.features[0].values == (composed, "tea")
    frame = pd.DataFrame({decomposed: [decomposed, "tea"]})
    assert prepared.encoder.encode(frame)[:, 0].tolist() == [0, 1]
