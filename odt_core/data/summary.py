"""Describe the columns of a table, before anything is decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from odt_core.data.cells import CellReading
from odt_core.data.column_checks import column_findings
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.ordering import natural_order
from odt_core.data.profile import Profile, profile_column
from odt_core.data.schema import ColumnKind
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target

MAX_COMMON = 10
"""Most frequent values that are named."""

MAX_BARS = 20
"""Bars of a small picture of a column's values."""


@dataclass(frozen=True)
class ColumnSummary:
    """A column at a glance.

    Attributes
    ----------
    name : str
        The column's name.
    kind : ColumnKind
        The kind proposed; the outcome itself is to be ignored as a feature.
    n_distinct, n_missing : int
        Distinct values without the missing ones; rows without a value.
    is_numeric : bool
        Whether every value is a number.
    most_common : tuple of (str, int)
        The most frequent values and their rows, at most `MAX_COMMON`.
    distribution : tuple of int
        For a small picture, at most `MAX_BARS` bars: rows in intervals of equal length for
        numbers with more values than that, else rows with each value in natural order (the most
        frequent values, where there are more).
    missing_as : tuple of (str, int)
        The texts that were read as missing and their rows.
    range : (float, float) or None
        Least and greatest number.
    notes : tuple of str
        What is odd about it, in sentences.
    """

    name: str
    kind: ColumnKind
    n_distinct: int
    n_missing: int
    is_numeric: bool
    most_common: tuple[tuple[str, int], ...] = ()
    distribution: tuple[int, ...] = ()
    missing_as: tuple[tuple[str, int], ...] = ()
    range: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


def describe_columns(
    table: Table,
    missing_tokens: Sequence[str] = DEFAULT_MISSING_TOKENS,
    target: str | None = None,
) -> tuple[ColumnSummary, ...]:
    """Describe every column, in the table's order.

    Parameters
    ----------
    table : Table
        The data, as read.
    missing_tokens : sequence of str
        Texts read as missing.
    target : str, optional
        The outcome, to see which columns give it away.

    Raises
    ------
    InputError
        If there is no column `target`.
    """
    reading = CellReading(tuple(missing_tokens), table.report.decimal)
    outcome = None if target is None else read_target(table, target, reading)
    return tuple(
        _summarize(table, profile_column(table, column, reading), outcome)
        for column in table.columns
    )


def summarize_columns(
    table: Table,
    target: str,
    readings: Mapping[str, CellReading],
    positive: str | None = None,
) -> tuple[ColumnSummary, ...]:
    """Describe every column, each with its cells read in its own way.

    Parameters
    ----------
    table : Table
        The data, as read.
    target : str
        The outcome, to see which columns give it away.
    readings : mapping from str to CellReading
        How the cells of each column are read.
    positive : str, optional
        The outcome's positive label, to see which columns nearly give it away.

    Raises
    ------
    InputError
        If there is no column `target`.
    """
    outcome = read_target(table, target, readings[target])
    return tuple(
        _summarize(table, profile_column(table, column, readings[column]), outcome, positive)
        for column in table.columns
    )


def _summarize(
    table: Table, profile: Profile, outcome: Target | None, positive: str | None = None
) -> ColumnSummary:
    key = ("summary", profile.name, profile.reading, outcome, positive)
    return table.remember(key, lambda: _summary(table, profile, outcome, positive))


def _summary(
    table: Table, profile: Profile, outcome: Target | None, positive: str | None
) -> ColumnSummary:
    is_target = outcome is not None and profile.name == outcome.name
    kind = ColumnKind.IGNORE if is_target else profile.proposed_kind
    return ColumnSummary(
        name=profile.name,
        kind=kind,
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
    codes = np.flatnonzero(selected)
    if not len(codes):
        return ()
    codes = codes[np.argsort(-profile.counts[codes], kind="stable")][:MAX_COMMON]
    texts = profile.factor.values.take(codes).to_pylist()
    return tuple(zip(texts, profile.counts[codes].tolist(), strict=True))


def _distribution(profile: Profile) -> tuple[int, ...]:
    present = np.flatnonzero(~profile.missing)
    if not len(present):
        return ()
    if profile.is_numeric and len(profile.distinct_numbers) > MAX_BARS:
        numbers = profile.numbers[present]
        # In units of the largest, so that no difference of two numbers is infinite.
        numbers = numbers / np.abs(numbers).max() / 2
        low, high = numbers.min(), numbers.max()
        share = (numbers - low) / ((high - low) or 1.0)
        bars = np.minimum(share * MAX_BARS, MAX_BARS - 1).astype(np.int64)
        counts = np.bincount(bars, profile.counts[present], MAX_BARS)
        return tuple(int(count) for count in counts)
    common = present[np.argsort(-profile.counts[present], kind="stable")][:MAX_BARS]
    order = natural_order(profile.factor.values.take(common).to_pylist())
    return tuple(int(profile.counts[common[position]]) for position in order)


def _range(profile: Profile) -> tuple[float, float] | None:
    if not profile.is_numeric:
        return None
    numbers = profile.distinct_numbers
    return float(numbers[0]), float(numbers[-1])


def _notes(
    table: Table, profile: Profile, outcome: Target | None, positive: str | None
) -> tuple[str, ...]:
    findings = column_findings(table, profile, profile.proposed_kind, outcome, positive)
    return tuple(finding.message for finding in findings)
