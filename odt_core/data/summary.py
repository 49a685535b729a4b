"""Descriptions of a table's columns, each read by its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from odt_core.data.cells import CellReading
from odt_core.data.column_checks import column_findings
from odt_core.data.ordering import natural_order
from odt_core.data.profile import Profile, profile_column
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target

MAX_COMMON = 10
"""Largest number of frequent values that are named."""

MAX_BARS = 20
"""Largest number of bars in a small picture of a column's values."""


@dataclass(frozen=True)
class ColumnSummary:
    """A short description of a column.

    Attributes
    ----------
    name : str
        The column's name.
    n_distinct, n_missing : int
        Number of distinct values without missing ones; number of rows without a value.
    is_numeric : bool
        Whether all values are numbers.
    most_common : tuple of (str, int)
        The most frequent values with their numbers of rows, at most `MAX_COMMON`.
    distribution : tuple of int
        Heights of at most `MAX_BARS` bars for a small picture. If there are more numbers than that,
        each bar counts the rows in an interval of equal length. Otherwise each bar counts the rows
        with a value, in natural order (only the most frequent values, if there are more).
    missing_as : tuple of (str, int)
        Texts that were read as missing, with their numbers of rows.
    range : (float, float) or None
        The least and the largest number.
    notes : tuple of str
        Sentences about its oddities.
    """

    name: str
    n_distinct: int
    n_missing: int
    is_numeric: bool
    most_common: tuple[tuple[str, int], ...] = ()
    distribution: tuple[int, ...] = ()
    missing_as: tuple[tuple[str, int], ...] = ()
    range: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


def summarize_columns(
    table: Table,
    target: str,
    readings: Mapping[str, CellReading],
    positive: str | None = None,
) -> tuple[ColumnSummary, ...]:
    """Describe every column, reading its cells by its own rules.

    Parameters
    ----------
    target : str
        The outcome, to find columns that give it away.
    readings : mapping from str to CellReading
        The rules for reading the cells of each column. Columns of limit marks may be among them.
    positive : str, optional
        The outcome's positive label, to find columns that almost give it away.

    Raises
    ------
    InputError
        If there is no column `target`.
    """
    outcome = read_target(table, target, readings[target])
    return tuple(
        _summarize(table, profile_column(table, column, readings[column]), outcome, positive)
        for column in dict.fromkeys((*table.columns, *readings))
    )


def _summarize(
    table: Table, profile: Profile, outcome: Target, positive: str | None
) -> ColumnSummary:
    key = ("summary", profile.name, profile.reading, outcome, positive)
    return table.remember(key, lambda: _summary(table, profile, outcome, positive))


def _summary(
    table: Table, profile: Profile, outcome: Target, positive: str | None
) -> ColumnSummary:
    is_target = profile.name == outcome.name
    return ColumnSummary(
        name=profile.name,
        n_distinct=profile.n_distinct,
        n_missing=profile.n_missing,
        is_numeric=profile.is_numeric,
        most_common=_common(profile, ~profile.missing),
        distribution=_distribution(profile),
        missing_as=_common(profile, profile.missing),
        range=_range(profile),
        notes=() if is_target else _notes(table, profile, outcome, positive),
    )


def _common(
    profile: Profile, selected: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> tuple[tuple[str, int], ...]:
    codes = profile.by_frequency(selected)[:MAX_COMMON]
    texts = profile.factor.values.take(codes).to_pylist()
    return tuple(zip(texts, profile.counts[codes].tolist(), strict=True))


def _distribution(profile: Profile) -> tuple[int, ...]:
    present = np.flatnonzero(~profile.missing)
    if not len(present):
        return ()
    if profile.is_numeric and len(profile.distinct_numbers) > MAX_BARS:
        numbers = profile.numbers[present]
        # In units of the largest number, so that no difference of two numbers is infinite.
        numbers = numbers / np.abs(numbers).max() / 2
        low, high = numbers.min(), numbers.max()
        share = (numbers - low) / ((high - low) or 1.0)
        bars = np.minimum(share * MAX_BARS, MAX_BARS - 1).astype(np.int64)
        counts = np.bincount(bars, profile.counts[present], MAX_BARS)
        return tuple(int(count) for count in counts)
    common = profile.by_frequency(~profile.missing)[:MAX_BARS]
    order = natural_order(profile.factor.values.take(common).to_pylist())
    return tuple(int(profile.counts[common[position]]) for position in order)


def _range(profile: Profile) -> tuple[float, float] | None:
    if not profile.is_numeric:
        return None
    numbers = profile.distinct_numbers
    return float(numbers[0]), float(numbers[-1])


def _notes(
    table: Table, profile: Profile, outcome: Target, positive: str | None
) -> tuple[str, ...]:
    findings = column_findings(table, profile, profile.proposed_kind, outcome, positive)
    return tuple(finding.message for finding in findings)
