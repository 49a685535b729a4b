"""Rates by the values of a column, which need not be in the tree."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.confusion import Confusion
from odt_core.data import ColumnKind, ColumnSchema, Schema, Table, read_table
from odt_core.evaluation import Judged, Subgroups, column_subgroups, subgroup_columns
from odt_core.problem import MISSING

RNG = np.random.default_rng(5)
N = 400
SITES = RNG.choice(["north", "south", "", "?"], N, p=[0.5, 0.4, 0.05, 0.05])
YEARS = RNG.integers(2000, 2400, N) / 10
BIG = RNG.integers(0, 40, N)
Y, PREDICTED = RNG.random(N) < 0.4, RNG.random(N) < 0.5


@pytest.fixture(scope="module")
def table() -> Table:
    lines = ["id,site,year,code,same,day,class"]
    lines += [
        f"{i},{SITES[i]},{YEARS[i]},k{BIG[i]},x,2024-{1 + i % 2:02}-{1 + i % 28:02},"
        f"{'y' if Y[i] else 'n'}"
        for i in range(N)
    ]
    return read_table("\n".join(lines).encode())


SCHEMA = Schema(
    "class",
    "y",
    (ColumnSchema("site", ColumnKind.CATEGORICAL), ColumnSchema("year", ColumnKind.NUMERICAL)),
)


def judged(rows: np.ndarray | None = None) -> Judged:
    rows = np.arange(N) if rows is None else rows
    return Judged(rows, Y[rows], PREDICTED[rows])


def test_each_value_is_counted_and_missing_ones_are_a_group(table: Table) -> None:
    found = column_subgroups(table, SCHEMA, "site", judged())
    assert [group.name for group in found.groups] == ["north", "south", MISSING]
    for group, here in zip(
        found.groups,
        (SITES == "north", SITES == "south", np.isin(SITES, ["", "?"])),
        strict=True,
    ):
        assert group.counts == Confusion.count(Y[here], PREDICTED[here])
    assert Subgroups.from_json(found.to_json()) == found


def test_only_the_judged_rows_count(table: Table) -> None:
    rows = np.flatnonzero((SITES == "south") & (np.arange(N) % 2 == 0))
    (group,) = column_subgroups(table, SCHEMA, "site", judged(rows)).groups
    assert (group.name, group.counts.n) == ("south", len(rows))


def test_numbers_are_divided_at_quartiles(table: Table) -> None:
    groups = column_subgroups(table, SCHEMA, "year", judged()).groups
    assert len(groups) == 4 and sum(group.counts.n for group in groups) == N
    assert all(80 <= group.counts.n <= 120 for group in groups)
    cut = float(groups[0].name.removeprefix("<= "))
    here = cut >= YEARS
    assert groups[0].counts == Confusion.count(Y[here], PREDICTED[here])


def test_the_values_of_the_fewest_rows_are_one_group(table: Table) -> None:
    groups = column_subgroups(table, SCHEMA, "code", judged()).groups
    assert len(groups) == 12 and sum(group.counts.n for group in groups) == N
    assert groups[-1].name == "29 other values"


def test_a_small_group_is_marked(table: Table) -> None:
    found = column_subgroups(table, SCHEMA, "site", judged())
    assert [group.is_small for group in found.groups] == [
        min(group.counts.n_positive, group.counts.n_negative) < 10 for group in found.groups
    ]
    rows = np.flatnonzero(SITES == "north")[:15]
    (few,) = column_subgroups(table, SCHEMA, "site", judged(rows)).groups
    assert few.is_small
    assert few.has_few_positive == (Y[rows].sum() < 10)
    assert few.has_few_negative == ((~Y[rows]).sum() < 10)


def test_identifiers_constants_dates_and_the_outcome_make_no_groups(table: Table) -> None:
    assert subgroup_columns(table, SCHEMA) == ("site", "year", "code")
