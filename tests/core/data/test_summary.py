"""Facts about columns before anything is decided."""

from __future__ import annotations

import pytest

from odt_core.data import (
    DEFAULT_MISSING_TOKENS,
    CellReading,
    ColumnKind,
    ColumnSummary,
    Table,
    read_table,
    summarize_columns,
)
from odt_core.data.profile import profile_column
from tests.core.data.helpers import CATEGORICAL, IGNORE, NUMERICAL, table_of

pytestmark = pytest.mark.filterwarnings("error")


def summaries_of(
    table: Table, target: str = "y", missing_tokens: tuple[str, ...] = DEFAULT_MISSING_TOKENS
) -> tuple[ColumnSummary, ...]:
    reading = CellReading(missing_tokens, table.report.decimal)
    return summarize_columns(table, target, dict.fromkeys(table.columns, reading))


def proposed(cells: list[str], name: str = "a") -> ColumnKind:
    table = table_of(**{name: cells}, y=["p"] * len(cells))
    return profile_column(table, name, CellReading()).proposed_kind


def describe(cells: list[str], target: list[str] | None = None, **options):
    table = table_of(a=cells, y=target or ["p", "n"] * (len(cells) // 2))
    return summaries_of(table, **options)[0]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0", "1"] * 20, CATEGORICAL),
        (["1", "2", "3", "4"] * 10, CATEGORICAL),
        ([str(i) for i in range(10)] * 4, CATEGORICAL),
        ([str(i) for i in range(11)] * 4, NUMERICAL),
        (["0.5", "1.0", "1.5"] * 14, NUMERICAL),
        ([str(1.5 * i * i) for i in range(40)], NUMERICAL),
        ([str(i * i) for i in range(40)], NUMERICAL),
        ([str(i) for i in range(100, 140)], IGNORE),
        (["m", "f"] * 20, CATEGORICAL),
        ([f"patient {i}" for i in range(40)], IGNORE),
        ([f"ward {i}" for i in range(20)] * 2, CATEGORICAL),
        (["x"] * 40, IGNORE),
        (["", "NA", "?"] * 14, IGNORE),
        (["x", ""] * 20, CATEGORICAL),
        (["True", "False"] * 20, CATEGORICAL),
        (["3", "?"] * 20, CATEGORICAL),
        ([*map(str, range(0, 76, 2)), "?", "?"], NUMERICAL),
        (["7", "30", "12", "25"], NUMERICAL),
    ],
)
def test_proposed_kinds(cells: list[str], kind: ColumnKind) -> None:
    assert proposed(cells) is kind


def test_whole_numbers_all_different_are_an_identifier_if_named_so() -> None:
    cells = [str(1000 + 7 * i) for i in range(40)]
    for name in ("weight", "acid", "paid", "piano"):
        assert proposed(cells, name) is NUMERICAL
    for name in ("id", "patient_id", "ID", "case nr", "PassengerId", "Unnamed: 0"):
        assert proposed(cells, name) is IGNORE


def test_counts() -> None:
    summary = describe(["m"] * 5 + ["f"] * 3 + ["", "NA"])
    assert (summary.n_distinct, summary.n_missing, summary.is_numeric) == (2, 2, False)
    assert summary.most_common == (("m", 5), ("f", 3))
    assert summary.distribution == (3, 5)
    assert set(summary.missing_as) == {("", 1), ("NA", 1)}
    assert summary.range is None


def test_distribution_of_few_numbers_is_in_their_order() -> None:
    summary = describe(["10"] * 4 + ["9"] * 6)
    assert summary.distribution == (6, 4)
    assert summary.range == (9, 10)


def test_distribution_of_many_numbers_is_a_histogram() -> None:
    summary = describe([str(i) for i in range(0, 1000, 5)])
    assert summary.distribution == (10,) * 20


def test_distribution_of_extreme_numbers() -> None:
    cells = [f"{sign}1.{i:02}e308" for i in range(15) for sign in ("", "-")]
    assert sum(describe(cells).distribution) == len(cells)


def test_tokens_are_the_callers() -> None:
    cells = ["NA", "None", "yes", "no"] * 5
    assert describe(cells).n_missing == 5
    assert describe(cells, missing_tokens=()).n_missing == 0
    assert describe(cells, missing_tokens=("None", "no")).n_missing == 10


def test_numbers_follow_the_files_decimal_mark() -> None:
    table = read_table(b"bmi;y\n" + b"".join(b"%d,5;p\n" % i for i in range(20, 40)))
    assert summaries_of(table)[0].range == (20.5, 39.5)


def test_the_target_is_no_feature() -> None:
    table = table_of(a=["1", "2"] * 5, y=["p", "n"] * 5)
    assert summaries_of(table)[1].notes == ()


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (["x"] * 40, "'a' is the same in every row"),
        ([f"p{i}" for i in range(40)], "40 different values in 40 rows, like identifiers"),
        ([f"p{i}" for i in range(61)] * 3, "61 categories"),
        (["Yes", "yes", "no", "no"] * 10, "both 'Yes' and 'yes'"),
        (["low  risk", "low risk", "high", "high"] * 10, "both 'low  risk' and 'low risk'"),
        (["1", "1.0", "2", "3"] * 10, "both '1' and '1.0'"),
        ([*map(str, range(20, 38)), "low", "low"] * 2, "holds numbers except for 'low'"),
        (
            [*map(str, range(20, 38)), "-9", "-9"] * 2,
            "is '-9' in 4 of 40 rows, far from its other",
        ),
        (
            [*map(str, range(20, 38)), "999", "999"] * 2,
            "is '999' in 4 of 40 rows, far from its other",
        ),
    ],
)
def test_notes(cells: list[str], note: str) -> None:
    summary = describe(cells, (["p", "p", "n", "p", "n"] * len(cells))[: len(cells)])
    assert len(summary.notes) == 1
    assert note in summary.notes[0]


@pytest.mark.parametrize(
    ("cells", "target", "leaks"),
    [
        (["a", "b", "c", "c"], "pnpp", True),
        (["a", "b", "c", "c"], "pnpn", False),
        ([str(1.5 * i) for i in range(20)], "p" * 8 + "n" * 12, True),
        ([str(1.5 * i) for i in range(20)], "p" * 8 + "n" * 11 + "p", False),
        ([*(str(1.5 * i) for i in range(19)), ""], "p" * 8 + "n" * 12, True),
        (["a", "b", "", ""], "pnpp", True),
        (["a", "b", "", ""], "pppn", False),
    ],
)
def test_columns_that_give_the_outcome_away(cells: list[str], target: str, leaks: bool) -> None:
    repeat = 1 if len(cells) == 20 else 10
    summary = describe(cells * repeat, list(target) * repeat)
    assert any("alone determines the outcome 'y'" in note for note in summary.notes) is leaks


def test_plain_columns_have_no_notes() -> None:
    assert describe(["m", "f", "f", "m"] * 10).notes == ()
