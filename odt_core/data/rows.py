"""The row reader: from a table's text to columns of cells, with the line of each fault."""

from __future__ import annotations

import csv
import io
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.dialect import DELIMITER_NAMES, Dialect
from odt_core.data.even_rows import split_even_rows
from odt_core.data.header import Header, read_header
from odt_core.data.table import Factor, composed, factor_of
from odt_core.errors import InputError, quoted

MAX_COLUMNS = 20_000

CHUNK_ROWS = 50_000
"""Number of rows that are kept as Python lists at a time."""

MAX_UNITS_SHOWN = 200
"""Largest number of characters of a note on a row of units."""

_END = "\0"
"""A row after the last line. If it is not read as a row of its own, a quote is still open."""

_NO_DELIMITER = "\x1f"


@dataclass(frozen=True)
class Rows:
    """The content of a table.

    Attributes
    ----------
    names : tuple of str
        Column names.
    columns : tuple of Factor
        The cells, without surrounding blanks, with letters and accents composed.
    lines : int32[N]
        The line on which each row begins, from 1.
    notes : tuple of str
        Sentences on what was repaired.
    """

    names: tuple[str, ...]
    columns: tuple[Factor, ...]
    lines: npt.NDArray[np.int32]
    notes: tuple[str, ...]


def read_rows(text: str, dialect: Dialect, first_line: int = 1) -> Rows:
    """Split a table's text into cells.

    Parameters
    ----------
    text : str
        The header and the rows; at least one cell is not blank.
    first_line : int
        The number of the text's first line in the file.

    Raises
    ------
    RaggedError
        If a row has too few or too many cells.
    InputError
        If a quote is never closed, or if there are too many columns.
    """
    rows = _read_even_rows(text, dialect, first_line)
    if rows is not None:
        return rows
    try:
        return _read_rows(_RowReader(text, dialect, first_line))
    except _StrayTextError as fault:
        try:
            return _read_rows(_RowReader(text, dialect, first_line, lenient=True))
        except _StrayTextError:
            raise InputError(str(fault)) from fault


def without_first(rows: Rows) -> Rows:
    """Remove the first row, which holds units, and add a note of that."""
    units = [column.texts[0] for column in rows.columns]
    shown = ", ".join(quoted(unit) for unit in units if unit) or "nothing"
    line = int(rows.lines[0])
    n_rows = len(rows.lines)
    rest = tuple(factor_of(column.cells(n_rows).slice(1)) for column in rows.columns)
    note = f"Line {line} was left out as a row of units: {shown[:MAX_UNITS_SHOWN]}."
    return Rows(rows.names, rest, rows.lines[1:], (note, *rows.notes))


def _read_even_rows(text: str, dialect: Dialect, first_line: int) -> Rows | None:
    """Read a table whose rows need no repair; None if some row may need it."""
    end = _end_of_header(text, dialect)
    if end is None:
        return None
    try:
        header = _RowReader(text[:end], dialect, first_line).header
    except _StrayTextError:
        return None
    rows = split_even_rows(text[end:], dialect, header.width)
    if rows is None:
        return None
    lines = rows.lines + np.int32(first_line + text.count("\n", 0, end))
    return _tidy(header, rows.columns, lines, n_blank=0, n_cut=0)


def _end_of_header(text: str, dialect: Dialect) -> int | None:
    """Find the end of the first line with a name; None if the row reader may find another end."""
    nothing = string.whitespace + dialect.delimiter + dialect.quotechar
    end = 0
    while end < len(text):
        start, end = end, text.find("\n", end) + 1 or len(text)
        line = text[start:end]
        if dialect.quotechar and line.count(dialect.quotechar) % 2:
            return None
        if line.count("\r") != line.endswith("\r\n"):
            return None
        if line.strip(nothing):
            return end
    return None


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
    columns = [
        factor_of(pa.concat_arrays([chunk[position] for chunk in chunks]))
        if chunks
        else factor_of(pa.array([], pa.large_string()))
        for position in range(reader.header.width)
    ]
    places = np.array(lines, dtype=np.int32)
    return _tidy(reader.header, columns, places, n_blank=reader.n_blank, n_cut=reader.n_cut)


def _to_columns(rows: Sequence[Sequence[str]]) -> list[pa.Array]:
    return [pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)]


def _tidy(
    header: Header,
    columns: Sequence[Factor],
    lines: npt.NDArray[np.int32],
    *,
    n_blank: int,
    n_cut: int,
) -> Rows:
    """Remove blanks around cells, and rows and last columns without any value."""
    notes = list(header.notes)
    columns, joined = _trim(columns)
    blank = _blank_rows(columns)
    if blank.any():
        columns = [factor_of(column.cells(len(lines)).filter(~blank)) for column in columns]
        lines = lines[~blank]
        n_blank += int(blank.sum())
    if n_blank:
        notes.append(f"Rows without any value were left out: {n_blank}.")
    if n_cut:
        notes.append(
            f"Lines with more empty cells than the header has, which were cut off: {n_cut}."
        )
    notes += [
        f"Column {quoted(header.names[position])} has values that differ only in blanks around "
        "them: the blanks were removed, so these values count as one."
        for position in joined
    ]
    width = header.width
    while width > header.n_named and columns[width - 1].texts in ([], [""]):
        width -= 1
    return Rows(header.names[:width], tuple(columns[:width]), lines, tuple(notes))


def _trim(columns: Sequence[Factor]) -> tuple[list[Factor], list[int]]:
    """Remove blanks around cells; return also the columns in which categories became equal.

    All columns are examined together, which is faster than one column at a time.
    """
    columns = list(columns)
    ends = np.cumsum([len(column.values) for column in columns])
    texts = pa.concat_arrays([column.values for column in columns])
    trimmed = pc.utf8_trim_whitespace(texts)
    tidy = composed(trimmed)
    changed = np.flatnonzero(np.asarray(pc.not_equal(texts, tidy)))
    joined = []
    for position in np.unique(np.searchsorted(ends, changed, side="right")).tolist():
        column = columns[position]
        start, n_values = ends[position] - len(column.values), len(column.values)
        # Blanks before a cell are part of the delimiter.
        n_before = pc.count_distinct(pc.utf8_ltrim(column.values, " ")).as_py()
        if pc.count_distinct(trimmed.slice(start, n_values)).as_py() < n_before:
            joined.append(position)
        columns[position] = column.with_texts(tidy.slice(start, n_values))
    return columns, joined


def _blank_rows(columns: Sequence[Factor]) -> npt.NDArray[np.bool_]:
    """Mark rows without any value."""
    blank = np.ones(len(columns[0].codes), dtype=bool)
    for column in columns:
        code = pc.index(column.values, "").as_py()
        if code < 0:
            return np.zeros_like(blank)
        blank &= column.codes == code
        if not blank.any():
            break
    return blank


class RaggedError(InputError):
    """A row has too few or too many cells.

    Attributes
    ----------
    fact : str
        The row, and its number of cells.
    """

    def __init__(self, fact: str, advice: str) -> None:
        super().__init__(f"{fact}: {advice}")
        self.fact = fact


class _StrayTextError(Exception):
    """There is text between a closing quote and the next delimiter."""


class _RowReader:
    """Iterates over (cells, line) of the rows below the header, and repairs what is harmless.

    A stray or missing quote may join several lines without a change in the number of cells. So
    text after a closing quote is a fault. Blanks there are harmless. The lenient reader accepts
    them, but every line must close the quotes that it opens.
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
        self.n_cut = self.n_blank = 0
        self._rows = self._parse()
        self.header, self._header_line = self._read_header()

    def _read_header(self) -> tuple[Header, int]:
        for row, line in self._rows:
            if any(cell.strip() for cell in row):
                _require_columns(len(row))
                return read_header(row), line
        raise InputError("The file is empty: it has delimiters, but no column names and no values.")

    def __iter__(self) -> Iterator[tuple[list[str], int]]:
        width = self.header.width
        for row, line in self._rows:
            if len(row) == width and any(row):
                yield row, line
            elif not any(cell.strip() for cell in row):
                self.n_blank += bool(row)
            else:
                yield self._fit(row, line), line

    def _parse(self) -> Iterator[tuple[list[str], int]]:
        """Yield rows with the lines on which they begin."""
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
                "be missing or superfluous; correct it, or set the quote character to none."
            )
            if "expected after" in str(error):
                raise _StrayTextError(message) from error
            if "end of data" in str(error):
                raise InputError(_open_quote(line)) from error
            raise InputError(message) from error

    def _fit(self, row: list[str], line: int) -> list[str]:
        """Fit a row to the header's number of cells, if the difference is only empty cells."""
        width = self.header.width
        if self.header.n_named <= len(row) < width:
            return row + [""] * (width - len(row))
        if len(row) > width and not any(cell.strip() for cell in row[width:]):
            self.n_cut += 1
            return row[:width]
        if len(row) == width:
            return row
        raise self._ragged(row, line)

    def _ragged(self, row: list[str], line: int) -> RaggedError:
        width, last = self.header.width, self._offset + self._reader.line_num
        delimiter = self._dialect.delimiter
        mark = DELIMITER_NAMES.get(delimiter, repr(delimiter))
        counts = f"{_cells(len(row))}, but the header has {width}"
        if last > line:
            return RaggedError(
                f"Lines {line} to {last} are one row of {counts}",
                f"a quote in line {line} may be missing or superfluous.",
            )
        fact = f"Line {line} has {counts}"
        if width == 1 and delimiter:
            return RaggedError(
                fact,
                "skip the lines above the column names, such as a title on line "
                f"{self._header_line}, or name the delimiter if it is not the {mark}.",
            )
        hint = ", name the first column if it holds row names" if len(row) == width + 1 else ""
        return RaggedError(
            fact,
            f"correct that line{hint}, or name the delimiter if it is not the {mark or 'comma'}.",
        )


def _require_columns(n_columns: int) -> None:
    if n_columns > MAX_COLUMNS:
        raise InputError(
            f"The table has {n_columns:,} columns, and at most {MAX_COLUMNS:,} can be read: leave "
            "out columns first. If rows and columns are exchanged, transpose it."
        )


def _lines(text: str, balanced: str = "") -> Iterator[str]:
    """Yield the lines of a text, and `_END`. With `balanced`, each line must close its quotes."""
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
