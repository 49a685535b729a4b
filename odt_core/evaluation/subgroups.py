"""A tree's rates in subgroups: the rows grouped by the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.data import ColumnKind, Schema, Table
from odt_core.data.ordering import natural_order
from odt_core.data.profile import Profile, profile_column
from odt_core.evaluation.rates import Metrics, metrics
from odt_core.exact import shortest_decimal
from odt_core.json_data import JsonData
from odt_core.problem import MISSING
from odt_core.words import list_words, printable

MOST_GROUPS = 12
"""Largest number of groups of a column with categories. The rarest values form one group."""

FEW_OF_CLASS_IN_GROUP = 10
"""A group with fewer rows of a class is marked, because its rate on that class is little more than
a guess."""

MOST_COLUMNS = 100
"""Largest number of columns that are examined."""

NAMED = 30
"""Largest number of characters of a group's name in a sentence."""

CHANCE_IN_GROUPS = (
    "Groups differ by chance too. Where intervals overlap widely, the rows do not show that the "
    "tree does better in one group than in another."
)

_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Subgroup:
    """The rows with a value, or one of several values, of a column.

    Attributes
    ----------
    name : str
        The value in plain words.
    counts : Confusion
        The 2x2 table of these rows.
    """

    name: str
    counts: Confusion

    @cached_property
    def metrics(self) -> Metrics:
        """All rates with their intervals."""
        return metrics(self.counts)

    @property
    def has_few_positive(self) -> bool:
        """Whether the group has few positive rows: its sensitivity is little more than a guess."""
        return self.counts.n_positive < FEW_OF_CLASS_IN_GROUP

    @property
    def has_few_negative(self) -> bool:
        """Whether the group has few negative rows: its specificity is little more than a guess."""
        return self.counts.n_negative < FEW_OF_CLASS_IN_GROUP

    @property
    def is_small(self) -> bool:
        """Whether the group has few rows of one of the classes."""
        return self.has_few_positive or self.has_few_negative

    def to_json(self) -> dict[str, Any]:
        """Write the group as a dictionary that `from_json` can read."""
        return {"name": self.name, **self.counts.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Subgroup:
        """Read what `to_json` wrote."""
        return cls(str(record["name"]), Confusion.from_json(record))


@dataclass(frozen=True)
class Subgroups(JsonData):
    """All rows, grouped by the values of a column.

    Attributes
    ----------
    column : str
        The column's name.
    groups : tuple of Subgroup
        The groups: categories in the column's natural order, or rising numbers.
    """

    column: str
    groups: tuple[Subgroup, ...]


@dataclass(frozen=True, eq=False)
class Judged:
    """The rows that have both an outcome and an answer.

    Attributes
    ----------
    rows : int64[n]
        Numbers of these rows in the table, from 0.
    y, predicted : bool[n]
        The outcome and the answer, True for positive.
    """

    rows: npt.NDArray[np.int64]
    y: npt.NDArray[np.bool_]
    predicted: npt.NDArray[np.bool_]


def few_in_groups_words(found: Subgroups) -> str:
    """Name the groups with few rows of a class, in two sentences; empty if there are none."""
    small = [_short(group.name) for group in found.groups if group.is_small]
    if not small:
        return ""
    return (
        f"Few rows: {list_words(small, ' and ')} {'has' if len(small) == 1 else 'have'} fewer than "
        f"{FEW_OF_CLASS_IN_GROUP} rows of a class. A rate of so few rows is little more than a "
        "guess."
    )


def _short(name: str) -> str:
    """Shorten a group's name to at most `NAMED` characters."""
    whole = printable(name)
    return whole if len(whole) <= NAMED else f"{whole[: NAMED - 1]}…"


def column_subgroups(table: Table, schema: Schema, column: str, judged: Judged) -> Subgroups:
    """Group rows by the values of a column, whether or not the tree asks about it.

    A column with more than twelve different numbers is divided at its quartiles. If a column has
    more than twelve categories, the rarest ones form one group. Missing values form a group of
    their own.

    Raises
    ------
    InputError
        If there is no such column.
    """
    profile = profile_column(table, column, schema.reading_of(column))
    codes = profile.factor.codes[judged.rows]
    names, group_of_value = _groups(profile, np.bincount(codes, minlength=len(profile.missing)),
                                    is_numerical=_is_numerical(schema, profile))  # fmt: skip
    group = group_of_value[codes]
    cells = np.zeros((len(names), 2, 2), dtype=np.int64)
    np.add.at(cells, (group, judged.y.astype(np.int64), judged.predicted.astype(np.int64)), 1)
    found = (
        Subgroup(
            name,
            Confusion(
                tp=int(each[1, 1]), fp=int(each[0, 1]), tn=int(each[0, 0]), fn=int(each[1, 0])
            ),  # fmt: skip
        )
        for name, each in zip(names, cells, strict=True)
    )
    return Subgroups(column, tuple(group for group in found if group.counts.n))


def subgroup_columns(table: Table, schema: Schema) -> tuple[str, ...]:
    """List the columns whose values make groups, at most `MOST_COLUMNS`, in the table's order.

    The outcome, constants, identifiers and columns of many dates make none.
    """
    found: list[str] = []
    for name in table.columns:
        if len(found) == MOST_COLUMNS:
            break
        if name == schema.target:
            continue
        profile = profile_column(table, name, schema.reading_of(name))
        if profile.is_constant or profile.is_row_number or profile.repeats_ids:
            continue
        many_dates = profile.holds_dates and profile.n_distinct > MOST_GROUPS
        has_groups = not (profile.has_too_many_categories or many_dates)
        if has_groups or _is_numerical(schema, profile):
            found.append(name)
    return tuple(found)


def _is_numerical(schema: Schema, profile: Profile) -> bool:
    """Whether to divide the column at quartiles and not by its values."""
    kinds = {column.name: column.kind for column in schema.columns}
    kind = kinds.get(profile.name, ColumnKind.IGNORE)
    is_numeric = kind is ColumnKind.NUMERICAL or (
        kind is ColumnKind.IGNORE and profile.proposed_kind is ColumnKind.NUMERICAL
    )
    return is_numeric and len(profile.distinct_numbers) > MOST_GROUPS


def _groups(
    profile: Profile, counts: npt.NDArray[np.int64], *, is_numerical: bool
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The groups' names, and the group of each distinct value, int64[V]."""
    missing = profile.missing.copy()
    if is_numerical:
        missing |= ~np.isfinite(profile.numbers)
        names, group = _quarters(profile.numbers, counts, missing)
    else:
        names, group = _categories(profile, counts, missing)
    if missing.any():
        group = np.where(missing, len(names), group)
        names = [*names, MISSING]
    return names, group.astype(np.int64)


def _quarters(
    numbers: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    missing: npt.NDArray[np.bool_],
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Make four groups with about the same number of rows."""
    known = np.repeat(numbers[~missing], counts[~missing])
    if not len(known):
        return [], np.zeros(len(numbers), dtype=np.int64)
    cuts = np.unique(np.quantile(known, _QUARTERS, method="inverted_cdf"))
    cuts = cuts[cuts < known.max()]
    texts = [shortest_decimal(float(cut)) for cut in cuts]
    if not texts:
        return ["all values"], np.zeros(len(numbers), dtype=np.int64)
    names = [f"<= {texts[0]}"]
    names += [f"> {low} and <= {high}" for low, high in zip(texts, texts[1:], strict=False)]
    names.append(f"> {texts[-1]}")
    return names, np.searchsorted(cuts, np.where(missing, 0.0, numbers), side="left")


def _categories(
    profile: Profile, counts: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Make a group for each value. If there are too many values, the rarest share a group."""
    present = [int(code) for code in np.flatnonzero(~missing & (counts > 0))]
    present.sort(key=lambda code: -counts[code])
    kept = present if len(present) <= MOST_GROUPS else present[: MOST_GROUPS - 1]
    texts = [str(profile.factor.values[code].as_py()) for code in kept]
    order = natural_order(texts, profile.reading.decimal)
    group = np.zeros(len(missing), dtype=np.int64)  # values of uncounted rows do not matter
    group[present] = len(kept)
    group[[kept[place] for place in order]] = np.arange(len(kept))
    names = [printable(texts[place]) for place in order]
    if len(kept) < len(present):
        names.append(f"{len(present) - len(kept):,} other values")
    return names, group
