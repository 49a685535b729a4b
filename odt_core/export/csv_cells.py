"""CSV files that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from odt_core import MADE_BY

SOFTWARE = "software"
"""The column with the program that wrote the table."""

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # noqa: RUF001
"""The first signs of formulas. Some spreadsheets also accept full-width signs."""
_NUMBER = re.compile(r"[+-]?(\d[\d.,' ]*|[.,]\d+)([eE][+-]?\d+)?\s*%?")


def csv_text(rows: Iterable[Iterable[object]], *, keep_formulas: bool = False) -> str:
    """Write rows as CSV text with line feeds.

    Parameters
    ----------
    rows : iterable of iterable
        The cells.
    keep_formulas : bool
        Whether to write text that begins like a formula as it is. Otherwise it gets an apostrophe,
        so that a spreadsheet shows it and does not compute it. Numbers never change.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(rows if keep_formulas else _harmless_rows(rows))
    return out.getvalue()


def signed_csv(rows: Iterable[Sequence[object]], *, keep_formulas: bool = False) -> bytes:
    """Write a table as CSV (UTF-8), with the program's version in the last column.

    Parameters
    ----------
    rows : iterable of sequence
        The cells. The first row has the column names.
    keep_formulas : bool
        As `csv_text`.
    """
    head, *body = rows
    signed = [[*head, SOFTWARE], *([*row, MADE_BY] for row in body)]
    return csv_text(signed, keep_formulas=keep_formulas).encode()


def _harmless_rows(rows: Iterable[Iterable[object]]) -> Iterator[list[object]]:
    for row in rows:
        yield [harmless(cell) if isinstance(cell, str) else cell for cell in row]


def harmless(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet would take for a formula.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-1.5"), harmless("low"), harmless("-")
    ("'=1+1", '-1.5', 'low', '-')
    """
    if len(cell) < 2 or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def csv_cells(texts: pa.Array, *, keep_formulas: bool = False) -> pa.Array:
    """Write many cells at once as `csv_text` does, with quotes where needed.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        The cells.
    keep_formulas : bool
        As `csv_text`.
    """
    if not keep_formulas:
        suspects = pc.and_(
            pc.match_substring_regex(texts, f"^(?:{_FORMULA.pattern})"),
            pc.invert(pc.match_substring_regex(texts, r"^[+-]?[0-9]+([.,][0-9]+)?$")),
        )
        texts = _replaced(texts, suspects, harmless)
    return _replaced(texts, pc.match_substring_regex(texts, '[",\r\n]'), _quoted)


def _replaced(texts: pa.Array, selected: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """Change the selected texts."""
    if not pc.any(selected).as_py():
        return texts
    changed = [change(text) for text in texts.filter(selected).to_pylist()]
    return pc.replace_with_mask(texts, selected, pa.array(changed, texts.type))


def _quoted(cell: str) -> str:
    escaped = cell.replace('"', '""')
    return f'"{escaped}"'
