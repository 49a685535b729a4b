"""Guesses: outcome, positive label, kinds."""

from __future__ import annotations

import pytest

from odt_core.data import Schema, infer_schema, read_table, target_labels
from odt_core.errors import InputError
from tests.core.data.helpers import CATEGORICAL, NUMERICAL, table_of
from tests.cpu import cpu_seconds

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"a": "xyz", "class": "pqr", "b": "uuv"}, "class"),
        ({"Outcome": "ppq", "b": "uuv"}, "Outcome"),
        ({"diagnosis": "ppq", "class": "uuv"}, "class"),
        ({"Décès": "ppq", "b": "uuv"}, "Décès"),
        ({"class": "ppp", "b": "uuv", "c": "xyz"}, "b"),
        ({"a": "uuv", "b": "ppq", "c": "xyz"}, "b"),
        ({"tumour_class": "ppq", "b": "uuv"}, "tumour_class"),
        ({"passenger_class": "123", "b": "uuv"}, "b"),
        ({"a": "xyz", "b": "pqr"}, "b"),
    ],
)
def test_guessed_outcome(columns: dict[str, str], target: str) -> None:
    table = table_of(**{name: list(cells) for name, cells in columns.items()})
    schema = infer_schema(table)
    assert schema.target == target
    assert target not in [column.name for column in schema.columns]
    assert len(schema.columns) == len(columns) - 1


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["no", "yes", "yes"], "yes"),
        (["Y", "N", "Y"], "Y"),
        (["0", "1", "1"], "1"),
        (["benign", "malignant", "malignant"], "malignant"),
        (["normal", "abnormal", "abnormal"], "abnormal"),
        (["nowin", "won", "won"], "won"),
        (["healthy", "gout", "gout"], "gout"),
        (["monk", "not_monk", "monk"], "monk"),
        (["case", "non-case", "case"], "case"),
        (["<=50K", ">50K", "<=50K"], ">50K"),
        (["2", "1", "1"], "2"),
        (["a", "b"], "b"),
        (["a", "b", "b", "c", "c"], "a"),
        (["négatif", "positif", "négatif"], "positif"),
        (["sí", "no", "no"], "sí"),
        (["não", "gripe", "gripe", "não"], "gripe"),
        (["gesund", "unklar", "gesund"], "gesund"),
        (["free", "relapse", "relapse"], "relapse"),
        (["relapse-free", "relapse in a year", "relapse in a year"], "relapse in a year"),
        (["no_recurrence", "tumour_recurrence", "tumour_recurrence"], "tumour_recurrence"),
        (["Remission", "Rückfall", "Rückfall"], "Rückfall"),
        (["vivant", "décédé", "décédé"], "décédé"),
        (["przeżył", "zmarł", "zmarł"], "zmarł"),
        (["stage 1", "stage 2", "stage 2"], "stage 1"),
    ],
)
def test_guessed_positive_label(labels: list[str], positive: str) -> None:
    table = table_of(a=[str(i) for i in range(len(labels))], y=labels)
    assert infer_schema(table, target="y").positive == positive


def test_an_outcome_may_have_very_many_labels() -> None:
    labels = [f"v{i % 2000}" for i in range(4000)]
    start = cpu_seconds()
    assert infer_schema(table_of(a=["1"] * 4000, y=labels), target="y").positive == "v1999"
    assert cpu_seconds() - start < 5


def test_a_label_for_an_unknown_answer_does_not_hide_a_question_with_two_answers() -> None:
    answers = ["oui", "non"] * 12 + ["ne sait pas"] * 3
    table = table_of(
        Avis=["bon", "moyen", "mauvais"] * 9,
        Recommande=answers,
        Ville=["Lyon", "Paris", "Nice"] * 9,
    )
    schema = infer_schema(table)
    assert (schema.target, schema.positive, schema.guessed) == ("Recommande", "oui", True)
    assert "ne sait pas" in (schema.target_missing or ())


def test_the_user_decides() -> None:
    table = table_of(a=["u", "v", "u"], b=["p", "q", "q"])
    schema = infer_schema(table, target="a", positive="v", missing_tokens=("-9",))
    assert (schema.target, schema.positive) == ("a", "v")
    assert schema.missing_tokens == ("-9",)


def test_kinds_and_decimal_mark_come_from_the_table() -> None:
    rows = b"".join(b"%d,5;x%d;p\n%d,25;x%d;n\n" % (i, i % 3, i, i % 2) for i in range(20))
    schema = infer_schema(read_table(b"bmi;ward;y\n" + rows))
    assert schema.decimal == ","
    assert {column.name: column.kind for column in schema.columns} == {
        "bmi": NUMERICAL,
        "ward": CATEGORICAL,
    }


@pytest.mark.parametrize(
    ("raw", "options", "message"),
    [
        (b"a\n1\n2\n", {}, "only one column, 'a', .*: if cells are separated, name the delimiter"),
        (b"a,b\n", {}, "no rows below the column names"),
        (b"a,b\n1,2\n1,2\n", {}, "No column can be the outcome"),
        (b"a,b\n1,p\n2,q\n", {"target": "c"}, "no column 'c'"),
        (b"a,b\n1,p\n2,q\n", {"target": "b", "positive": "r"}, "never 'r': .* 'p', 'q'"),
    ],
)
def test_tables_that_cannot_be_used(raw: bytes, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        infer_schema(read_table(raw), **options)


def test_labels_of_the_outcome_are_counted_in_natural_order() -> None:
    table = table_of(a=["u"] * 6, y=["10", "9", "NA", "10", "b", ""])
    assert list(target_labels(table, Schema("y", "b", ())).items()) == [
        ("9", 1),
        ("10", 2),
        ("b", 1),
    ]
    assert target_labels(table, Schema("y", "b", (), ("9",))) == {"10": 2, "NA": 1, "b": 1}
    with pytest.raises(InputError, match="no column 'z'"):
        target_labels(table, Schema("z", "b", ()))


def test_spellings_of_a_value_count_once_in_the_guess_of_the_outcome() -> None:
    rows = [("ja", "Ja", "ja", "nein", "Nein", "nein")[i % 6] for i in range(60)]
    table = table_of(a=["u", "v"] * 30, b=["ja", "nein", "nein"] * 20, sepsis=rows)
    schema = infer_schema(table)
    assert (schema.target, schema.positive) == ("sepsis", "ja")
    one = table_of(a=["u", "v"] * 30, b=["Ja", "ja", "JA"] * 20, c=["x", "X"] * 30)
    assert infer_schema(one).target == "a", "one value is no outcome"


@pytest.mark.parametrize("name", ["ill", "Survived", "readmitted", "nawrót", "Obito", "DECES"])
def test_a_column_named_after_an_event_is_no_guess(name: str) -> None:
    rows = "".join(f"{i % 2},{i // 2 % 2},{i % 3 % 2}\n" for i in range(40))
    schema = infer_schema(read_table(f"a,{name},b\n{rows}".encode()))
    assert (schema.target, schema.guessed) == (name, False)
