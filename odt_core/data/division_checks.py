"""Findings about the division of rows into training and test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from odt_core.data.findings import Finding, info, row_count, warning
from odt_core.data.table import Table
from odt_core.data.target import Target
from odt_core.errors import quoted

FEWEST_TRAINING, FEWEST_TEST = 10, 5
"""With fewer rows of a class than this, little can be learned or tested."""

_TOO_MANY_COPIES = 0.1
"""From this share of the test rows on, copies that chance does not explain are a warning."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


def division_findings(
    table: Table,
    target: Target,
    positive: str,
    train: npt.NDArray[np.int64],
    test: npt.NDArray[np.int64],
) -> Iterator[Finding]:
    """Report classes with few rows, and test rows that are copies of training rows.

    Parameters
    ----------
    train, test : int64[n], int64[m]
        The rows, from 0; `test` may be empty.
    """
    is_positive = target.has_label(positive)
    few = [
        f"{row_count(n)} of {quoted(label)} in {part}"
        for part, rows, fewest in (
            ("training", train, FEWEST_TRAINING),
            ("test", test, FEWEST_TEST),
        )
        for label, n in _class_counts(target, positive, is_positive[rows]).items()
        if n < fewest
    ]
    if few:
        yield warning(
            target.name,
            f"The outcome {quoted(target.name)} has only {', '.join(few)}: rates of so few rows "
            "mean little.",
        )
    n_copies = _copies(table, train, test)
    expected = _copies_by_chance(table, train, test) if n_copies else 0.0
    if _are_many(n_copies, expected, len(test)):
        verb = "is an exact copy" if n_copies == 1 else "are exact copies"
        usual = f"about {expected:,.0f}" if expected >= 1 else "fewer than 1"
        are_too_many = n_copies - expected >= _TOO_MANY_COPIES * len(test)
        say = warning if are_too_many else info
        yield say(
            None,
            f"{n_copies:,} of {row_count(len(test))} in test {verb} of a training row, in every "
            f"column; by chance alone it would be {usual}. If a case was entered twice, test "
            "results are too good: remove the copies.",
        )


def _class_counts(
    target: Target, positive: str, is_positive: npt.NDArray[np.bool_]
) -> dict[str, int]:
    """Count the rows of each class; empty if there are no rows."""
    if not len(is_positive):
        return {}
    n_positive = int(is_positive.sum())
    return {positive: n_positive, target.negative_label(positive): len(is_positive) - n_positive}


def _are_many(n_copies: int, expected: float, n: int) -> bool:
    """Whether the odds of a row being a copy are more than twice the odds by chance."""
    by_odds = n_copies * (n - expected) > 2 * expected * (n - n_copies)
    return n_copies > round(expected) and by_odds


def _copies(table: Table, train: npt.NDArray[np.int64], test: npt.NDArray[np.int64]) -> int:
    """Count test rows that agree with a training row in every column.

    Rows are compared by a hash of 64 bits. Different rows almost never have the same hash.
    """
    if not len(test):
        return 0
    mixed = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.columns:
        codes = table.factor(column).codes.astype(np.uint64) + np.uint64(1)
        mixed = (mixed ^ codes) * _MIX
        mixed ^= mixed >> np.uint64(29)
    import pandas as pd  # slow to import; numpy.isin sorts, which takes ten times as long

    return int(pd.Series(mixed[test]).isin(mixed[train]).sum())


def _copies_by_chance(
    table: Table, train: npt.NDArray[np.int64], test: npt.NDArray[np.int64]
) -> float:
    """Expected number of copies among the test rows if the columns were independent.

    In a table of a few columns with two values each, many rows are equal by chance. Such copies do
    not show that a case was entered twice.
    """
    log_share = np.zeros(len(test))
    for column in table.columns:
        codes = table.factor(column).codes
        shares = np.bincount(codes + 1) / table.n_rows
        log_share += np.log(shares, where=shares > 0, out=shares)[codes[test] + 1]
    return float(np.sum(1 - (1 - np.exp(log_share)) ** len(train)))
