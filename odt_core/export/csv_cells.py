"""CSV files that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from odt_core import MADE_BY

SOFTWARE = "software"
"""The column of a table that says which program wrote it."""

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


def signed_csv(rows: Iterable[Sequence[object]], *, keep_formulas: bool = False) -> bytes:
    """A table as a CSV file (UTF-8) whose last column says which program wrote it.

    Parameters
    ----------
    rows : iterable of sequence
        The cells; the first row holds the names.
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
    """A cell with an apostrophe before it if a spreadsheet would take it for a formula.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-1.5"), harmless("low"), harmless("-")
    ("'=1+1", '-1.5', 'low', '-')
    """
    if len(cell) < 2 or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def csv_cells(texts: pa.Array, *, keep_formulas: bool = False) -> pa.Array:
    """Cells as `csv_text` writes them, quoted where that is needed; for very many cells at once.

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
    """The texts with those under a mask changed."""
    if not pc.any(selected).as_py():
        return texts
    changed = [change(text) for text in texts.filter(selected).to_pylist()]
    return pc.replace_with_mask(texts, selected, pa.array(changed, texts.type))


def _quoted(cell: str) -> str:
    escaped = cell.replace('"', '""')
    return f'"{escaped}"'
