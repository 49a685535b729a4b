"""Fast reading of even files with pyarrow: every row has as many cells as the header.

This is a hundred times as fast as reading row by row. It reads only files that both readers read
alike. All other files are left to the row reader, which also reports faults with their lines.
"""

from __future__ import annotations

import csv as csv_of_python
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from odt_core.data.dialect import Dialect
from odt_core.data.table import Factor

BLOCK_BYTES = 1 << 24
"""Number of bytes that pyarrow splits at a time."""

LONGEST_CELL = csv_of_python.field_size_limit()

WIDE = 1000
"""Tables with more columns are split in one piece, because each piece costs time per column."""

_NEWLINE, _RETURN = ord("\n"), ord("\r")

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EvenRows:
    """Cells and line numbers of rows that need no repair.

    Attributes
    ----------
    columns : tuple of Factor
        The cells, unchanged.
    lines : int32[N]
        Number of lines before each row.
    """

    columns: tuple[Factor, ...]
    lines: npt.NDArray[np.int32]


def split_even_rows(text: str, dialect: Dialect, n_columns: int) -> EvenRows | None:
    """Split the rows below the header; None if the file needs the row reader.

    Parameters
    ----------
    text : str
        The rows, without the header.
    n_columns : int
        Number of cells of each row.
    """
    marks = dialect.delimiter + dialect.quotechar
    if not dialect.delimiter or dialect.delimiter == " " or dialect.escapechar:
        return None
    if not marks.isascii() or not text:
        return None
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return None
    body = text.encode("utf-8")
    data = np.frombuffer(body, dtype=np.uint8)
    newlines = np.flatnonzero(data == _NEWLINE)
    ends, n_before = newlines, np.arange(1, len(newlines) + 1)
    is_quoted = bool(dialect.quotechar) and dialect.quotechar in text
    if is_quoted:
        quotes = np.flatnonzero(data == ord(dialect.quotechar))
        if not _are_regular(data, quotes, ord(dialect.delimiter)):
            return None
        outside = np.searchsorted(quotes, newlines) % 2 == 0
        ends, n_before = newlines[outside], n_before[outside]
    ends = np.append(ends, len(data))
    lines = _lines_before(data, ends, n_before)
    columns = _split(body, dialect, n_columns, is_quoted)
    if columns is None or any(len(column.codes) != len(lines) for column in columns):
        return None
    if np.diff(ends, prepend=0).max() > LONGEST_CELL and _has_long(columns):
        return None
    return EvenRows(columns, lines)


def _are_regular(data: Bytes, quotes: Places, delimiter: int) -> bool:
    """Whether quotes only enclose whole cells or are doubled within a cell."""
    if len(quotes) % 2:
        return False
    edges = np.zeros(256, dtype=bool)
    edges[[delimiter, _NEWLINE]] = True
    opening, closing = quotes[0::2], quotes[1::2]
    # A doubled quote closes its cell, and the next byte opens the cell again.
    is_doubled = opening[1:] == closing[:-1] + 1
    before = edges[data[opening - 1]]
    before[0] |= opening[0] == 0
    before[1:] |= is_doubled
    edges[_RETURN] = True
    after = edges[data[np.minimum(closing + 1, len(data) - 1)]]
    after[-1] |= closing[-1] == len(data) - 1
    after[:-1] |= is_doubled
    return bool(before.all() and after.all())


def _lines_before(data: Bytes, ends: Places, n_before: Places) -> npt.NDArray[np.int32]:
    """Count the lines before each row that is not empty."""
    starts = np.concatenate([[0], ends[:-1] + 1])
    lines = np.concatenate([[0], n_before])
    length = ends - starts
    length -= (length > 0) & (data[np.maximum(ends - 1, 0)] == _RETURN)
    return lines[length > 0].astype(np.int32)


def _has_long(columns: tuple[Factor, ...]) -> bool:
    """Whether a cell is longer than the row reader allows; then a quote is probably missing."""
    longest = pc.max(pc.binary_length(pa.concat_arrays([column.values for column in columns])))
    return (longest.as_py() or 0) > LONGEST_CELL


def _split(
    body: bytes, dialect: Dialect, n_columns: int, is_quoted: bool
) -> tuple[Factor, ...] | None:
    names = [str(position) for position in range(n_columns)]
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.py_buffer(body),
            csv.ReadOptions(
                column_names=names,
                block_size=len(body) + 1 if n_columns > WIDE else BLOCK_BYTES,
            ),
            csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quotechar if is_quoted else False,
                newlines_in_values=is_quoted,
            ),
            csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, text),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:  # too few or too many cells: the row reader reports the line
        return None
    if table.column(0).num_chunks > 1:
        table = table.unify_dictionaries()
    return tuple(_factor(column) for column in table.itercolumns())


def _factor(column: pa.ChunkedArray) -> Factor:
    chunks = column.chunks
    if not chunks:
        return Factor(np.empty(0, dtype=np.int32), pa.array([], pa.large_string()))
    codes = [np.asarray(chunk.indices) for chunk in chunks]
    values = chunks[0].dictionary.cast(pa.large_string())
    return Factor(codes[0] if len(codes) == 1 else np.concatenate(codes), values)
