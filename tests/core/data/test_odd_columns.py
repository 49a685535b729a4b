"""Columns of real files: the findings about each, and the result of each remedy."""

from __future__ import annotations

import json
import random
from datetime import date

import pandas as pd
import pytest

from odt_core.data import (
    Change,
    ColumnKind,
    Encoder,
    Finding,
    NumberForm,
    Schema,
    Severity,
    SplitSpec,
    Table,
    as_ages,
    check_schema,
    infer_schema,
    prepare,
    read_table,
)
from odt_core.data.profile import profile_column
from odt_core.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")

DRAW = random.Random(5)
NUMBERS = [str(DRAW.randrange(20, 200)) for _ in range(100)]
LABELS = [DRAW.choice(["yes", "no"]) for _ in range(100)]


def table_with(cells: list[str], labels: list[str] = LABELS, name: str = "a") -> Table:
    # Only a comma needs quotes: with quotes, reading first looks for the dialect.
    written = [f'"{cell}"' if "," in cell else cell for cell in cells]
    rows = [
        f"{cell},{i % 7 * 3 % 5},{y}"
        for i, (cell, y) in enumerate(zip(written, labels, strict=True))
    ]
    return read_table("\n".join([f"{name},b,outcome", *rows]).encode())


def said(table: Table, schema: Schema | None = None, column: str = "a") -> list[Finding]:
    found = check_schema(table, schema or infer_schema(table))
    return [finding for finding in found if finding.column == column]


def click(table: Table, finding: Finding, number: int = 0) -> Schema:
    """The schema after a click, which the table must be able to be trained with."""
    schema = finding.remedies[number].applied(infer_schema(table))
    prepare(table, schema, SplitSpec("all"))
    return schema


@pytest.mark.parametrize(
    ("cells", "form", "words"),
    [
        ([f"{n}.5%" for n in NUMBERS], NumberForm.SIGNS, "numbers with signs, such as"),
        ([f"${n}.25" for n in NUMBERS], NumberForm.SIGNS, "numbers with signs"),
        ([*NUMBERS[:90], *(f"({n})" for n in NUMBERS[90:])], NumberForm.SIGNS, "if both mean"),
        ([*NUMBERS[:95], *["<20"] * 3, ">200", ">200"], NumberForm.LIMITS, "such as '<20', '>200'"),
        ([*NUMBERS[:95], *["<20"] * 4, "n.d."], NumberForm.LIMITS, "'n.d.' would be missing"),
        ([f"20{n[-2:]}-03-1{n[-1]}" for n in NUMBERS], NumberForm.YEAR, "holds dates such as"),
        ([f"20{n[-2:]}031{n[-1]}" for n in NUMBERS], NumberForm.YEAR, "holds dates such as"),
    ],
)
def test_numbers_in_other_forms(cells: list[str], form: NumberForm, words: str) -> None:
    table = table_with(cells)
    finding = next(f for f in said(table) if f.remedies and f.remedies[0].change is Change.FORM)
    assert words in finding.message
    schema = click(table, finding)
    assert schema.column("a").form is form
    assert schema.column("a").kind is ColumnKind.NUMERICAL
    has_limits = form is NumberForm.LIMITS
    assert [f.message.partition(" in ")[0] for f in said(table, schema)] == (
        ["Column 'a' has a limit such as " + ("'<20', '>200'" if ">200" in cells else "'<20'")]
        if has_limits
        else []
    )


def test_cells_that_are_limits_are_reported_after_they_are_read_as_numbers() -> None:
    table = table_with([*NUMBERS[:95], *["<20"] * 3, ">200", ">200"])
    schema = infer_schema(table).with_form("a", NumberForm.LIMITS)
    (finding,) = said(table, schema.with_kind("a", ColumnKind.NUMERICAL))
    assert finding.severity is Severity.INFO
    assert [remedy.label for remedy in finding.remedies] == ["Mark the limits"]
    assert finding.message == (
        "Column 'a' has a limit such as '<20', '>200' in 5 rows: "
        "the tree uses the limit as the number."
    )


@pytest.mark.parametrize(
    "date",
    [
        "20{y}-03-{d}",
        "{d}.03.20{y}",
        "{d}/03/20{y} 10:30",
        "20{y}03{d}",
        "20{y}03{d}102500",
        "{d} Mar 20{y}",
        "{d}MAR20{y}",
        "{d}MAR20{y}:10:30:00",
        "{d}. März 20{y}",
        "March {d}, 20{y}",
    ],
)
@pytest.mark.parametrize(
    ("lost", "texts"), [("", ()), ("NA", ()), ("0", ("0",)), ("unknown", ("unknown",))]
)
def test_a_date_is_its_year_and_a_missing_one_stays_missing(
    date: str, lost: str, texts: tuple[str, ...]
) -> None:
    dates = [date.format(y=n[-2:], d=f"1{n[-1]}") for n in NUMBERS]
    table = table_with([*[lost] * 7, *dates[7:]])
    assert infer_schema(table).column("a").kind is ColumnKind.IGNORE
    (finding,) = (f for f in said(table) if "holds dates such as" in f.message)
    assert finding.severity is Severity.WARNING and repr(dates[7]) in finding.message
    assert finding.remedies[0].texts == texts
    schema = finding.remedies[0].applied(infer_schema(table))
    profile = profile_column(table, "a", schema.reading_of("a"))
    assert profile.n_missing == 7
    assert set(profile.distinct_numbers) == {2000 + int(n[-2:]) for n in NUMBERS[7:]}
    prepared = prepare(table, schema, SplitSpec("all"))
    feature = prepared.encoder.features[0]
    assert feature.has_missing
    assert (prepared.train.codes[:7, 0] == feature.n_values - 1).all()
    used = said(table, infer_schema(table).with_kind("a", ColumnKind.CATEGORICAL))
    assert [remedy.label for remedy in used[0].remedies] == [
        "Use the year",
        "Use the age",
        "Ignore it",
    ]


@pytest.mark.parametrize("date", ["2024-{m}-{d}", "{d}.{m}.2024", "2024{m}{d}"])
def test_dates_of_one_year_are_not_offered_as_years_or_ages(date: str) -> None:
    dates = [date.format(m=f"{1 + i % 12:02d}", d=10 + i % 17) for i in range(99)]
    table = table_with([*dates, "NA"])
    schema = infer_schema(table)
    (finding,) = said(table, schema)
    assert "all of the same year, and is ignored: add a column with" in finding.message
    assert not finding.remedies
    (used,) = said(table, schema.with_kind("a", ColumnKind.CATEGORICAL))
    assert [remedy.label for remedy in used.remedies] == ["Ignore it"]
    (finding,) = said(table_with([*dates, date.replace("2024", "2023").format(m="12", d="31")]))
    assert finding.remedies[0].label == "Use the year"


def test_a_date_is_its_age_on_the_latest_date() -> None:
    born = [f"{1930 + i % 60}-0{1 + i % 9}-{10 + i % 17}" for i in range(98)]
    table = table_with([*born, "unknown", "2018-02-30"])
    finding = next(f for f in said(table) if "holds dates such as" in f.message)
    assert "use the age in completed years on the latest date" in finding.message
    year, age = finding.remedies[:2]
    assert (year.label, age.label) == ("Use the year", "Use the age")
    assert age.texts == ("unknown", "2018-02-30")  # there is no such day
    assert age.reference == date(1989, 6, 18)
    schema = age.applied(infer_schema(table))
    profile = profile_column(table, "a", schema.reading_of("a"))
    assert profile.n_missing == 2
    assert set(profile.distinct_numbers) == {
        (19890618 - int(text.replace("-", ""))) // 10000 for text in born
    }
    assert [f.message for f in said(table, schema)] == [
        "Column 'a' is read as the age in completed years on 1989-06-18: set another date under "
        "one column in detail."
    ]
    earlier = schema.with_form("a", NumberForm.AGE, date(1988, 12, 31))
    assert "which is before the date in 1 row:" in said(table, earlier)[0].message
    encoder = prepare(table, schema, SplitSpec("all")).encoder
    assert Encoder.from_json(json.loads(json.dumps(encoder.to_json()))) == encoder
    later = table_with(["1959-06-19", "19590618", "18 June 1959"], ["yes", "no", "yes"])
    scored = encoder.columns[0].profile(later).numbers
    assert scored.tolist() == [29, 30, 30]
    frame = pd.DataFrame({"a": [19590619, 19590618], "b": [0, 1]})
    assert (encoder.encode(frame)[:, 0] == encoder.encode(later)[:2, 0]).all()
    with pytest.raises(InputError, match="'2018-13-01' is not a date as in the other rows"):
        encoder.encode(table_with(["2018-13-01"], ["yes"]))


def test_ambiguous_days_and_months_are_asked_about() -> None:
    either = [f"{1 + i % 9}/{1 + i % 7}/19{30 + i % 60}" for i in range(100)]
    finding = next(f for f in said(table_with(either)) if "holds dates" in f.message)
    labels = [remedy.label for remedy in finding.remedies[1:]]
    assert labels == ["Use the age (day first)", "Use the age (month first)"]
    with pytest.raises(InputError, match="can be read in two ways"):
        as_ages(table_with(either), infer_schema(table_with(either)), "a")
    for cells, form in (
        ([*either[:-1], "31/1/1985"], NumberForm.AGE),
        ([*either[:-1], "1/31/1985"], NumberForm.AGE_MONTH_FIRST),
    ):
        schema = as_ages(table_with(cells), infer_schema(table_with(cells)), "a")
        assert schema.column("a").form is form
    with pytest.raises(InputError, match="cannot be read as ages"):
        as_ages(table_with(NUMBERS), infer_schema(table_with(NUMBERS)), "a")


def test_what_a_column_is_lost_for_is_in_sight() -> None:
    for cells in (
        [f"{i}.5%" for i in range(100)],
        [*map(str, range(90)), *[f"<{i}" for i in range(10)]],
    ):
        table = table_with(cells)
        assert infer_schema(table).column("a").kind is ColumnKind.IGNORE
        (finding,) = said(table)
        assert finding.severity is Severity.WARNING and finding.remedies


def test_bands_of_numbers_are_categories() -> None:
    assert not said(table_with([DRAW.choice(["<5", "5-10", ">10"]) for _ in range(100)]))


@pytest.mark.parametrize("n_distinct", [3, 60])
def test_stray_texts_among_numbers_are_listed(n_distinct: int) -> None:
    cells = [".", ".", "lost", *(str(20 + i % n_distinct) for i in range(97))]
    (finding,) = (f for f in said(table_with(cells)) if "numbers except for" in f.message)
    assert "holds numbers except for '.', 'lost' in 3 rows" in finding.message
    schema = click(table_with(cells), finding)
    kind = ColumnKind.CATEGORICAL if n_distinct == 3 else ColumnKind.NUMERICAL
    assert schema.column("a").kind is kind
    assert {".", "lost"} < set(schema.tokens_of("a"))
    assert "lost" not in schema.tokens_of("b")


@pytest.mark.parametrize(
    ("example", "cells"),
    [
        ("007", ["007", *(f"{int(n):05d}" for n in NUMBERS[1:])]),
        ("3E5", ["3E5", *(f"{int(n) % 30}" for n in NUMBERS[1:])]),
        (
            "9007199254740993001",
            ["9007199254740993001", *(f"90071992547409{n}00000"[:19] for n in NUMBERS[1:])],
        ),
    ],
)
def test_codes_are_no_numbers_without_a_word(example: str, cells: list[str]) -> None:
    table = table_with(cells)
    assert infer_schema(table).column("a").kind is not ColumnKind.NUMERICAL
    finding = next(f for f in said(table) if "holds codes such as" in f.message)
    assert repr(example) in finding.message
    schema = click(table, finding)
    assert schema.column("a").kind is ColumnKind.NUMERICAL
    (warned,) = (f for f in said(table, schema) if "read as numbers" in f.message)
    assert warned.severity is Severity.WARNING


@pytest.mark.parametrize("codes", [["3E5", "3E0", "0016", "4A0"], ["101", "012", "A12", "230"]])
def test_codes_beside_words_are_not_called_numbers(codes: list[str]) -> None:
    table = table_with([codes[i % 4] for i in range(100)])
    assert infer_schema(table).column("a").kind is ColumnKind.CATEGORICAL
    assert said(table) == []


def test_wide_and_narrow_blanks_are_shown_as_blanks() -> None:
    (finding,) = said(table_with([f"{n}\u202f010 €" for n in NUMBERS]))
    assert " 010 €'" in finding.message and "\\u" not in finding.message


def test_codes_that_are_too_large_for_a_float_are_codes() -> None:
    table = table_with([f"3E{290 + i % 90}" for i in range(100)])
    assert infer_schema(table).column("a").kind is not ColumnKind.NUMERICAL
    (finding,) = said(table)
    assert finding.message == (
        "Column 'a' holds codes such as '3E290', some of which are too large to be numbers: they "
        "are ignored."
    )
    assert not finding.remedies, "the column cannot be read as numbers"


def test_codes_that_a_float_takes_for_one_number_determine_nothing() -> None:
    cells = [f"90071992547409930{i:02d}" for i in range(8)] * 10 + ["1"] * 20
    labels = [("yes", "no")[int(cell[-1]) % 2] for cell in cells]
    table = table_with(cells, labels)
    schema = infer_schema(table).with_kind("a", ColumnKind.NUMERICAL)
    assert not any("determines" in finding.message for finding in said(table, schema))


@pytest.mark.parametrize("code", ["0", "999", "-9"])
def test_numbers_that_stand_apart_may_be_missing(code: str) -> None:
    table = table_with([*[code] * 7, *NUMBERS[7:]])
    (finding,) = said(table)
    assert f"is '{code}' in 7 of 100 rows, far from its other values" in finding.message
    assert click(table, finding).tokens_of("a")[-1] == code


def test_zeros_that_count_do_not_stand_apart() -> None:
    assert not said(table_with([str(DRAW.randrange(0, 30)) for _ in range(100)]))
    assert not said(table_with([str(DRAW.choice([-5, 0, 5]) + DRAW.random()) for _ in range(100)]))


def test_a_row_of_units_is_seen() -> None:
    rows = [f"{n},{int(n) / 8},{y}" for n, y in zip(NUMBERS, LABELS, strict=True)]
    table = read_table("\n".join(["age,crp,outcome", "years,mg/l,", *rows]).encode())
    (finding,) = (f for f in check_schema(table, infer_schema(table)) if f.remedies)
    assert "row 1 (line 2 of the file), seems to hold units ('years', 'mg/l')" in finding.message
    assert finding.remedies[0].change is Change.UNITS_ROW


@pytest.mark.parametrize("name", ["site", "Machine", "study_group", "Hospital no.", "Klinik"])
def test_a_column_whose_rows_may_belong_together_is_named(name: str) -> None:
    table = table_with([f"S{i % 7}" for i in range(100)], name=name)
    schema = infer_schema(table)
    assert schema.group is None and schema.column(name).kind is ColumnKind.CATEGORICAL
    (finding,) = said(table, schema, name)
    assert (
        finding.severity is Severity.INFO
        and "has 7 values. If rows with the same" in finding.message
    )
    assert finding.remedies[0].applied(schema).group == name


def test_rows_that_share_an_identifier_of_any_name_can_be_kept_together() -> None:
    table = table_with([f"K-{i % 70:03d}" for i in range(100)], name="Kode")
    schema = infer_schema(table)
    assert schema.column("Kode").kind is ColumnKind.IGNORE and schema.group is None
    (finding,) = said(table, column="Kode")
    assert "some rows share one" in finding.message
    grouped = finding.remedies[0].applied(schema)
    assert grouped.group == "Kode"
    (kept,) = said(table, grouped, column="Kode")
    assert "rows with the same value stay together" in kept.message


def test_a_word_within_a_longer_name_marks_no_group() -> None:
    for name in ("age group", "main earner of the household"):
        assert not said(table_with([f"S{i % 7}" for i in range(100)], name=name), column=name)


def test_a_group_of_few_values_is_rather_an_arm_of_a_trial() -> None:
    assert not said(table_with([f"arm {i % 3}" for i in range(100)], name="group"), column="group")


def test_a_sentence_holds_no_escape_codes() -> None:
    cells = ["\x1b[31mred", *NUMBERS[1:]]
    table = table_with(cells, labels=["y\u200bes", *["yes"] * 50, *["no\u00a0way"] * 49])
    schema = infer_schema(table, "outcome").with_kind("a", ColumnKind.NUMERICAL)
    messages = [finding.message for finding in check_schema(table, schema)]
    assert any("' [31mred'" in message for message in messages)
    assert any("'y es'" in message for message in messages)
    assert not any("\\" in message or "\x1b" in message for message in messages)


@pytest.mark.parametrize("first", ["<0.5", "12 %", "$7", "2020-01-30"])
def test_a_number_in_another_form_is_no_unit(first: str) -> None:
    table = table_with([first, *NUMBERS[1:]])
    found = check_schema(table, infer_schema(table))
    assert not any("units" in finding.message for finding in found)


@pytest.mark.parametrize(
    "cells",
    [
        ["<0.5", *NUMBERS[1:]],
        [f"{n} %" for n in NUMBERS],
        [f"2020-01-{1 + i % 28:02d}" for i in range(100)],
        [f"{i:05d}" for i in range(100)],
        [*["999"] * 5, *(str(i % 30) for i in range(95))],
        ["x"] * 100,
        LABELS,
    ],
)
def test_a_sentence_holds_no_escape_codes_of_names(cells: list[str]) -> None:
    rows = [f"{cell},{y}" for cell, y in zip(cells, LABELS, strict=True)]
    table = read_table("\n".join(["a\u200bge,out\u00adcome", *rows]).encode())
    schema = infer_schema(table, "out\u00adcome")
    messages = [finding.message for finding in check_schema(table, schema)]
    assert any("'a ge'" in message for message in messages)
    assert not any("\\" in message for message in messages)
    with pytest.raises(InputError, match=r"no column 'b b': its columns are 'a ge', 'out come'"):
        table.require("b\u2060b")


def test_a_name_holds_no_control_characters() -> None:
    table = read_table(b"\x1b[1mage\x1b[0m,\x01,y\n1,2,a\n2,3,b\n")
    assert table.columns == ("[1mage [0m", "\x01", "y")


def test_a_repeated_identifier_is_the_group_and_no_feature() -> None:
    table = table_with([str(7000 + i // 3) for i in range(100)], name="patient_id")
    schema = infer_schema(table)
    assert schema.group == "patient_id"
    assert schema.column("patient_id").kind is ColumnKind.IGNORE
    (finding,) = said(table, schema, "patient_id")
    assert "34 values in 100 rows: rows with the same value stay together" in finding.message
    free = finding.remedies[0].applied(schema)
    assert free.group is None
    (warned,) = said(table, free, "patient_id")
    assert warned.severity is Severity.WARNING
    assert warned.remedies[0].applied(free).group == "patient_id"


@pytest.mark.parametrize(
    "name", ["Pat", "Patienten-Nr.", "Patientennummer", "PatNr", "Fall-ID", "Proband"]
)
def test_identifiers_of_groups_are_known_by_german_names_too(name: str) -> None:
    assert infer_schema(table_with([f"P{i // 3}" for i in range(100)], name=name)).group == name


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("patient_id", [str(7000 + i) for i in range(100)]),
        ("Fall", [str(i // 3) for i in range(100)]),
        ("ward_id", [str(i % 5) for i in range(100)]),
        ("paid", [str(i // 3) for i in range(100)]),
        ("score", [str(i // 3) for i in range(100)]),
    ],
)
def test_other_columns_are_no_groups(name: str, cells: list[str]) -> None:
    assert infer_schema(table_with(cells, name=name)).group is None


def test_categories_in_several_spellings_are_joined_by_one_click() -> None:
    spellings = ["Old Town", "old town", "OLD TOWN.", "old\u00a0town", "old\u200b town", "port"]
    spellings += ["old town\u200f", "\u202aold town\u202c", "old town\ufe0f"]
    table = table_with([spellings[i % 9] for i in range(100)])
    finding = next(f for f in said(table) if "has both" in f.message)
    assert finding.severity is Severity.WARNING
    prepared = prepare(table, click(table, finding), SplitSpec("all"))
    assert prepared.encoder.features[0].values == ("Old Town", "port")


def test_a_column_that_nearly_tells_the_outcome_is_named() -> None:
    cells = ["A" if y == "yes" else "B" for y in LABELS]
    cells[0] = "B" if cells[0] == "A" else "A"
    (finding,) = said(table_with(cells))
    assert "alone almost determines the outcome 'outcome' (balanced accuracy 9" in finding.message
    assert finding.gives_away
    marks = [str(60 + i % 40 if y == "yes" else i % 40) for i, y in enumerate(LABELS)]
    marks[0] = "30" if LABELS[0] == "yes" else "70"
    (finding,) = said(table_with(marks))
    assert "almost determines" in finding.message and finding.gives_away


def test_a_column_that_nearly_tells_the_outcome_on_training_rows_alone_is_named() -> None:
    labels = ["yes", "no"] * 60
    cells = ["A" if y == "yes" else "B" for y in labels]
    for wrong in range(100, 108):
        cells[wrong] = "A" if cells[wrong] == "B" else "B"
    table = table_with(cells, labels)
    schema = infer_schema(table)
    assert not any(finding.gives_away for finding in said(table))
    divided = prepare(table, schema, SplitSpec(40, seed=3))
    assert len({*range(100, 108)} & {*divided.train_rows.tolist()}) == 1
    (named,) = (finding for finding in divided.divided if finding.gives_away)
    assert named.column == "a" and named.remedies
    assert "% on the training rows): ignore it if its values are not known" in named.message
    whole = prepare(table, schema, SplitSpec("all"))
    assert not any(finding.gives_away for finding in whole.divided)


def test_rare_values_do_not_nearly_tell_the_outcome() -> None:
    # A value of a single row says nothing about the next patient.
    cells = [*(f"v{i}" for i in range(49)), *["w"] * 51]
    labels = [*["yes"] * 50, *["no"] * 50]
    found = said(table_with(cells, labels))
    assert not any(finding.gives_away for finding in found)


# ---- the outcome ----


def outcome(labels: list[str], **options) -> tuple[Schema, list[Finding]]:
    table = table_with([NUMBERS[i % 100] for i in range(len(labels))], labels)
    schema = infer_schema(table, **options)
    return schema, said(table, schema, "outcome")


def test_a_total_below_the_table_is_a_stray_label() -> None:
    schema, found = outcome(["0", "1"] * 30 + ["20"])
    assert schema.positive == "1"
    (finding,) = found
    assert finding.severity is Severity.WARNING
    assert "is '20' in row 61 (line 62 of the file) only" in finding.message
    assert "20" in finding.remedies[0].applied(schema).tokens_of("outcome")


def test_a_column_of_comments_has_no_warning_for_each_of_them() -> None:
    labels = ["none", "ok"] * 100 + [f"text {i}" for i in range(100)]
    _, found = outcome(labels, target="outcome")
    assert len(found) == 11
    assert any("has 92 values" in finding.message for finding in found)


def test_three_real_classes_are_no_strays() -> None:
    _, found = outcome(["a", "b", "c"] * 10)
    assert not any("stray" in finding.message for finding in found)


def test_an_unknown_outcome_is_proposed_as_missing() -> None:
    schema, found = outcome(["yes", "no"] * 30 + ["Unknown"] * 5)
    assert schema.positive == "yes"
    (finding,) = found
    assert "missing in 5 rows, which are left out: 'Unknown' is read as missing" in finding.message
    kept = finding.remedies[0].applied(schema)
    assert "Unknown" not in kept.tokens_of("outcome")
    assert kept.tokens_of("a") == schema.tokens_of("a")


@pytest.mark.parametrize(
    "word",
    [
        "indéterminé",
        "inde\u0301termine\u0301",
        "INDÉTERMINÉ",
        "inconnu",
        "Unbekannt",
        "unklar",
        "desconocido",
        "non noto",
        "n.d.",
        "Not  known",
    ],
)
def test_an_unknown_outcome_is_known_in_other_languages(word: str) -> None:
    schema, (finding,) = outcome(["négatif", "positif"] * 30 + [word] * 5)
    assert schema.positive == "positif" and schema.target_missing is not None
    assert "missing in 5 rows" in finding.message
    schema, _ = outcome(["b", "b", word] * 20)
    assert schema.positive == "b", "an unknown outcome is never the guessed positive one"


def test_a_minus_beside_a_plus_is_no_unknown_outcome() -> None:
    schema, _ = outcome(["+", "-"] * 30 + ["unclear"] * 5)
    assert schema.positive == "+"
    assert "-" not in (schema.target_missing or ()) and "unclear" in (schema.target_missing or ())


def test_unknown_is_a_class_where_it_is_one_of_two() -> None:
    assert outcome(["yes", "unknown"] * 30)[0].target_missing is None
    assert outcome(["yes", "Yes", "unknown"] * 30)[0].target_missing is None


@pytest.mark.parametrize(
    "labels",
    [["Yes", "no", "yes"], ["1", "0", "1.0"], ["TRUE", "False", "True"], ["ill", "ill.", "well"]],
)
def test_spellings_of_the_outcome_ask_a_question(labels: list[str]) -> None:
    schema, found = outcome(labels * 20)
    (finding,) = (f for f in found if f.needs_answer)
    joined = finding.remedies[0].applied(schema)
    assert len(joined.target_joined or ()) == 1
    apart = finding.remedies[1].applied(schema)
    table = table_with([NUMBERS[i % 100] for i in range(60)], labels * 20)
    for answered in (joined, apart):
        assert not any(f.needs_answer for f in check_schema(table, answered))
    prepared = prepare(table, joined, SplitSpec("all"))
    assert prepared.train.n_positive in (20, 40)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [("ja nein", "ja"), ("oui non", "oui"), ("x nein", "x"), ("1 non", "1"), ("sí no", "sí")],
)
def test_negative_words_of_other_languages(labels: str, positive: str) -> None:
    assert outcome(labels.split() * 20)[0].positive == positive


def test_a_guess_asks_and_a_name_does_not() -> None:
    rows = [f"{n},{y},{i % 2}" for i, (n, y) in enumerate(zip(NUMBERS, LABELS, strict=True))]

    def guessed(header: str) -> Schema:
        return infer_schema(read_table("\n".join([header, *rows]).encode()))

    assert (guessed("age,sex,ward").target, guessed("age,sex,ward").guessed) == ("ward", True)
    assert (guessed("age,survived,sex").target, guessed("age,survived,sex").guessed) == (
        "survived",
        False,
    )
    assert guessed("age,marital status,sex").guessed
    table = read_table("\n".join(["age,sex,ward", *rows]).encode())
    (finding,) = (f for f in check_schema(table, infer_schema(table)) if f.needs_answer)
    assert not finding.remedies[0].applied(infer_schema(table)).guessed
    assert not infer_schema(table, target="sex").guessed


def test_a_value_of_two_rows_is_not_guessed_to_be_the_outcome() -> None:
    rows = [f"{n},{y},{int(i < 2)}" for i, (n, y) in enumerate(zip(NUMBERS, LABELS, strict=True))]
    table = read_table("\n".join(["age,sex,rare", *rows]).encode())
    assert infer_schema(table).target == "sex"


# ---- the division of the rows ----


def test_few_rows_of_a_class_are_reported() -> None:
    table = table_with(NUMBERS, ["yes"] * 4 + ["no"] * 96)
    prepared = prepare(table, infer_schema(table), SplitSpec.parse("75%"))
    finding = prepared.divided[0]
    assert "only 3 rows of 'yes' in training, 1 row of 'yes' in test" in finding.message
    assert finding.severity is Severity.WARNING


def test_copies_of_training_rows_in_the_test_set_are_counted() -> None:
    rows = [f"{i},{n},{y}" for i, (n, y) in enumerate(zip(NUMBERS, LABELS, strict=True))]
    rows += rows[:50]
    table = read_table("\n".join(["x,a,outcome", *rows]).encode())
    prepared = prepare(table, infer_schema(table), SplitSpec.parse("50%"))
    train = {rows[row] for row in prepared.train_rows}
    n = sum(rows[row] in train for row in prepared.test_rows)
    assert n > 0
    (finding,) = prepared.divided
    assert f"{n} of 75 rows in test are exact copies of a training row" in finding.message
    assert "by chance alone it would be fewer than 1" in finding.message
    assert finding.severity is Severity.WARNING


def test_few_copies_are_a_remark() -> None:
    rows = [f"{i},{n},{y}" for i, (n, y) in enumerate(zip(NUMBERS, LABELS, strict=True))]
    table = read_table("\n".join(["x,a,outcome", *rows, *rows[:3]]).encode())
    prepared = prepare(table, infer_schema(table), SplitSpec.parse("50%"))
    (finding,) = prepared.divided
    assert "test is an exact copy" in finding.message or "test are exact copies" in finding.message
    assert finding.severity is Severity.INFO


def test_copies_are_counted_where_chance_alone_makes_some() -> None:
    draw = random.Random(3)
    cases = [f"{draw.randrange(20, 60)},{draw.choice('ab')},{draw.choice('pq')}" for _ in range(40)]
    rows = cases * 4
    table = read_table("\n".join(["age,arm,outcome", *rows]).encode())
    prepared = prepare(table, infer_schema(table), SplitSpec.parse("80%"))
    train = {rows[row] for row in prepared.train_rows}
    n = sum(rows[row] in train for row in prepared.test_rows)
    (finding,) = prepared.divided
    assert f"{n} of 32 rows in test are exact copies of a training row" in finding.message
    assert "by chance alone it would be about" in finding.message


def test_copies_that_a_table_of_few_columns_has_by_nature_are_not_remarked() -> None:
    draw = random.Random(0)
    rows = [",".join(draw.choice("ab") for _ in range(3)) for _ in range(200)]
    table = read_table("\n".join(["fever,pain,outcome", *rows]).encode())
    prepared = prepare(table, infer_schema(table), SplitSpec.parse("50%"))
    train = {rows[row] for row in prepared.train_rows}
    assert sum(rows[row] in train for row in prepared.test_rows) > 90
    assert not prepared.divided
