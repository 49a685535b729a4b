"""Findings: what a user should know about a table, and remedies that one click applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from odt_core.data.remedies import Remedy
from odt_core.errors import quoted


class Severity(StrEnum):
    """The weight of a finding. An error forbids training."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """Something that the user should know.

    Attributes
    ----------
    severity : Severity
        The weight of the finding.
    column : str or None
        The column that it is about; None if it is not about one column.
    message : str
        One sentence that names the column or row and says what to do.
    remedies : tuple of Remedy
        Changes that one click makes, the likeliest first.
    needs_answer : bool
        Whether a person should answer before training.
    gives_away : bool
        Whether the column gives the outcome away, always or almost always.
    """

    severity: Severity
    column: str | None
    message: str
    remedies: tuple[Remedy, ...] = ()
    needs_answer: bool = False
    gives_away: bool = False


def error(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """Make a finding that forbids training."""
    return Finding(Severity.ERROR, column, message, remedies)


def warning(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """Make a finding that the user should look at."""
    return Finding(Severity.WARNING, column, message, remedies)


def info(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """Make a remark."""
    return Finding(Severity.INFO, column, message, remedies)


def shown(names: Sequence[str], most: int) -> str:
    """Write names in quotes, at most `most` of them.

    Examples
    --------
    >>> shown(["2\u202f010 €", "b", "c"], 2)
    "'2 010 €', 'b' and 1 more"
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(quoted, names[:most])) + more


def only_rows(n: int) -> str:
    """Say in plain words that there are no more rows than these.

    Examples
    --------
    >>> only_rows(1), only_rows(1200)
    ('there is only 1 row', 'there are only 1,200 rows')
    """
    return f"there {'is' if n == 1 else 'are'} only {row_count(n)}"


def row_count(n: int) -> str:
    """Write a number of rows in plain words."""
    return "1 row" if n == 1 else f"{n:,} rows"
