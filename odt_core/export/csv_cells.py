"""CSV files that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # noqa: RUF001
"""How a formula begins, for some spreadsheets also with a full-width sign."""
_NUMBER = re.compile(r"[+-]?(\d[\d.,' ]*|[.,]\d+)([eE][+-]?\d+)?\s*%?")


def csv_text(rows: Iterable[Iterable[object]], *, keep_formulas: bool = False) -> str:
    """Rows as CSV text, lines ending in a line feed.

    Parameters
    ----------
    rows : iterable of iterable
        The cells.
    keep_formulas : bool
        Write text that begins like a formula as it is. Otherwise an apostrophe goes before it, so
        that a spreadsheet shows it and does not compute it. Numbers are never changed.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(rows if keep_formulas else _harmless_rows(rows))
    return out.getvalue()


def _harmless_rows(rows: Iterable[Iterable[object]]) -> Iterator[list[object]]:
    for row in rows:
        yield [harmless(cell) if isinstance(cell, str) else cell for cell in row]


def harmless(cell: str) -> str:
    """A cell with an apostrophe before it if a spreadsheet would take it for a formula.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-1.5"), harmless("low"), harmless("-")
    ("'=1+1", '-1.5', 'low', '-')
    """
    if len(cell) < 2 or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
