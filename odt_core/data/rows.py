"""From a table's text to columns of cells, with each fault traced to its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.dialect import DELIMITER_NAMES, Dialect
from odt_core.data.header import Header, read_header
from odt_core.errors import InputError

CHUNK_ROWS = 50_000
"""Rows held as Python lists at a time."""

MAX_UNITS_SHOWN = 200
"""Characters of a note on a row of units."""

_END = "\0"
"""Comes after the last line: if it does not arrive as a row of its own, a quote is still open."""

_NO_DELIMITER = "\x1f"


@dataclass(frozen=True)
class Rows:
    """The content of a table.

    Attributes
    ----------
    names : tuple of str
        Column names.
    columns : tuple of pyarrow.Array of str[N]
        The cells, without blanks around them.
    lines : int32[N]
        The line on which each row begins, counted from 1.
    notes : tuple of str
        What was repaired.
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    lines: npt.NDArray[np.int32]
    notes: tuple[str, ...]


def read_rows(text: str, dialect: Dialect, first_line: int = 1) -> Rows:
    """Split a table's text into cells.

    Parameters
    ----------
    text : str
        The header and the rows; at least one cell is not blank.
    dialect : Dialect
        How it is punctuated.
    first_line : int
        Which line of the file the text begins on.

    Raises
    ------
    InputError
        If a row has too few or too many cells, or a quote is never closed.
    """
    try:
        return _read_rows(_RowReader(text, dialect, first_line))
    except _StrayTextError as fault:
        try:
            return _read_rows(_RowReader(text, dialect, first_line, lenient=True))
        except _StrayTextError:
            raise InputError(str(fault)) from fault


def without_first(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Rows without the first one, which holds units, and a note that says so."""
    units = [column[0].as_py() for column in rows.columns]
    shown = ", ".join(repr(unit) for unit in units if unit) or "nothing"
    line = int(rows.lines[0])
    rest = tuple(column.slice(1) for column in rows.columns)
    note = f"Line {line} was left out as a row of units: {shown[:MAX_UNITS_SHOWN]}."
    return Rows(rows.names, rest, rows.lines[1:], rows.notes), (note,)


def _read_rows(reader: _RowReader) -> Rows:
    chunks: list[list[pa.Array]] = []
    lines: list[int] = []
    rows: list[list[str]] = []
    for row, line in reader:
        rows.append(row)
        lines.append(line)
        if len(rows) == CHUNK_ROWS:
            chunks.append(_to_columns(rows))
            rows = []
    if rows:
        chunks.append(_to_columns(rows))
    names = list(reader.header.names)
    notes = list(reader.notes())
    columns = []
    for position, column in enumerate(names):
        cells, note = _trim([chunk[position] for chunk in chunks], column)
        columns.append(cells)
        notes += note
    while len(names) > reader.header.n_named and not pc.any(pc.not_equal(columns[-1], "")).as_py():
        names.pop()
        columns.pop()
    return Rows(tuple(names), tuple(columns), np.array(lines, dtype=np.int32), tuple(notes))


def _to_columns(rows: Sequence[Sequence[str]]) -> list[pa.Array]:
    return [pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)]


def _trim(chunks: Sequence[pa.Array], column: str) -> tuple[pa.Array, list[str]]:
    """A column without blanks around its cells, and a note if that made categories one."""
    if not chunks:
        return pa.array([], pa.large_string()), []
    cells = pa.concat_arrays(chunks)
    trimmed = pc.utf8_trim_whitespace(cells)
    if cells.equals(trimmed):
        return cells, []
    if pc.count_distinct(cells).as_py() == pc.count_distinct(trimmed).as_py():
        return trimmed, []
    return trimmed, [
        f"Column {column!r} has values that differ only in blanks around them: the blanks were "
        "removed, so that they count as one."
    ]


class _StrayTextError(Exception):
    """Something stands between a closing quote and the next delimiter."""


class _RowReader:
    """Iterates over (cells, line) of the rows below the header, repairing what is harmless.

    A stray or missing quote may swallow whole lines without changing the number of cells, so
    text after a closing quote is a fault. Blanks there are harmless: the lenient reader takes
    them, but wants every line to close the quotes it opens.
    """

    def __init__(
        self, text: str, dialect: Dialect, first_line: int, *, lenient: bool = False
    ) -> None:
        self._dialect = dialect
        self._offset = first_line - 1
        self._reader = csv.reader(
            _lines(text, dialect.quotechar if lenient else ""),
            delimiter=dialect.delimiter or _NO_DELIMITER,
            quotechar=dialect.quotechar or None,
            escapechar=dialect.escapechar or None,
            quoting=csv.QUOTE_MINIMAL if dialect.quotechar else csv.QUOTE_NONE,
            skipinitialspace=True,
            strict=not lenient,
        )
        self._n_cut = self._n_blank = 0
        self._rows = self._parse()
        self.header, self._header_line = self._read_header()

    def _read_header(self) -> tuple[Header, int]:
        for row, line in self._rows:
            if any(cell.strip() for cell in row):
                return read_header(row), line
        raise InputError("The file is empty: it has delimiters, but no column names and no values.")

    def __iter__(self) -> Iterator[tuple[list[str], int]]:
        width = self.header.width
        for row, line in self._rows:
            if len(row) == width and any(row):
                yield row, line
            elif not any(cell.strip() for cell in row):
                self._n_blank += bool(row)
            else:
                yield self._fit(row, line), line

    def _parse(self) -> Iterator[tuple[list[str], int]]:
        """Rows and the lines they begin on."""
        line = self._offset + 1
        try:
            for row in self._reader:
                if row and row[-1].endswith(_END):
                    if row == [_END]:
                        return
                    raise InputError(_open_quote(line))
                yield row, line
                line = self._offset + self._reader.line_num + 1
        except csv.Error as error:
            message = (
                f"The row that begins on line {line} cannot be read ({error}): a quote there may "
                "be missing or too many; correct it, or set the quote character to none."
            )
            if "expected after" in str(error):
                raise _StrayTextError(message) from error
            if "end of data" in str(error):
                raise InputError(_open_quote(line)) from error
            raise InputError(message) from error

    def _fit(self, row: list[str], line: int) -> list[str]:
        """A row with the header's number of cells, if only empty cells make the difference."""
        width = self.header.width
        if self.header.n_named <= len(row) < width:
            return row + [""] * (width - len(row))
        if len(row) > width and not any(cell.strip() for cell in row[width:]):
            self._n_cut += 1
            return row[:width]
        if len(row) == width:
            return row
        raise InputError(self._ragged(row, line))

    def _ragged(self, row: list[str], line: int) -> str:
        width, last = self.header.width, self._offset + self._reader.line_num
        delimiter = self._dialect.delimiter
        mark = DELIMITER_NAMES.get(delimiter, repr(delimiter))
        counts = f"{_cells(len(row))}, but the header has {width}"
        if last > line:
            return (
                f"Lines {line} to {last} are one row of {counts}: a quote in line {line} may be "
                "missing or too many."
            )
        if width == 1 and delimiter:
            return (
                f"Line {line} has {counts}: delete the lines above the column names, such as a "
                f"title on line {self._header_line}, or name the delimiter if it is not the "
                f"{mark}."
            )
        hint = ", name the first column if it holds row names" if len(row) == width + 1 else ""
        return (
            f"Line {line} has {counts}: correct that line{hint}, or name the delimiter if it is "
            f"not the {mark or 'comma'}."
        )

    def notes(self) -> Iterator[str]:
        """What was repaired, once all rows were read."""
        yield from self.header.notes
        if self._n_blank:
            yield f"Rows without any value were left out: {self._n_blank}."
        if self._n_cut:
            yield f"Lines whose empty cells beyond the header's last were cut off: {self._n_cut}."


def _lines(text: str, balanced: str = "") -> Iterator[str]:
    """The lines of a text, and `_END`; each closing the quotes it opens, if that is demanded."""
    lines: Iterator[str] = io.StringIO(text, newline="")
    return chain(_balanced(lines, balanced) if balanced else lines, (_END,))


def _balanced(lines: Iterator[str], quotechar: str) -> Iterator[str]:
    for line in lines:
        if line.count(quotechar) % 2:
            raise _StrayTextError
        yield line


def _open_quote(line: int) -> str:
    return (
        f"The quote opened in the row that begins on line {line} is never closed: correct that "
        "line, or set the quote character to none."
    )


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"
