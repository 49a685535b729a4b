"""What a user should know about a table, and what one click can do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from odt_core.data.remedies import Remedy


class Level(StrEnum):
    """How serious a finding is: an error forbids training."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """Something the user should know.

    Attributes
    ----------
    level : Level
        How serious it is.
    column : str or None
        The column it is about, if it is about one.
    message : str
        A sentence that names the column or row and says what to do.
    remedies : tuple of Remedy
        What a click can do about it, the likeliest first.
    needs_answer : bool
        Whether a person should answer before anything is trained.
    gives_away : bool
        Whether the column tells the outcome always or almost always.
    """

    level: Level
    column: str | None
    message: str
    remedies: tuple[Remedy, ...] = ()
    needs_answer: bool = False
    gives_away: bool = False


def error(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """A finding that forbids training."""
    return Finding(Level.ERROR, column, message, remedies)


def warning(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """A finding that should be looked at."""
    return Finding(Level.WARNING, column, message, remedies)


def info(column: str | None, message: str, *remedies: Remedy) -> Finding:
    """A remark."""
    return Finding(Level.INFO, column, message, remedies)


def shown(names: Sequence[str], most: int) -> str:
    """Names in quotes, at most so many of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def only_rows(n: int) -> str:
    """That there are no more rows than so many, in words.

    Examples
    --------
    >>> only_rows(1), only_rows(1200)
    ('there is only 1 row', 'there are only 1,200 rows')
    """
    return f"there {'is' if n == 1 else 'are'} only {row_count(n)}"


def row_count(n: int) -> str:
    """A number of rows in words."""
    return "1 row" if n == 1 else f"{n:,} rows"
