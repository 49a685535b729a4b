"""Lines that are not rows of the table, and reading options that leave them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from odt_core.data.dialect import ReadOptions, find_dialect, without_extras
from odt_core.data.header import looks_like_data
from odt_core.data.rows import RaggedError, read_rows
from odt_core.data.table import Table
from odt_core.errors import InputError

COMMENT_MARKS = ("#", "//", "%", "--", "*", "!")
"""Characters with which comment lines may begin."""

MOST_LINES, MOST_CHARACTERS = 60, 10_000
"""Number of characters at the beginning of a file that are examined."""

MOST_SKIPPED = 30
"""Largest number of lines above the column names that are skipped."""

_FEWEST_ROWS = 2


class RefusedRowsError(InputError):
    """The lines do not form one table with the delimiter that split them into cells.

    There may be a title above the column names, or another delimiter between the cells.

    Attributes
    ----------
    options : ReadOptions
        The options with which the file was read.
    instead : ReadOptions or None
        Options that repair it, judging by the file's beginning; None if there are none.
    beginning : str
        The file's first lines, to try other options on them.
    """

    def __init__(
        self, message: str, options: ReadOptions, instead: ReadOptions | None, beginning: str
    ) -> None:
        super().__init__(message)
        self.options = options
        self.instead = instead
        self.beginning = beginning


@dataclass(frozen=True)
class _Shape:
    """The number of cells in each row, and the character between them."""

    width: int
    delimiter: str

    def may_have(self, line: str) -> bool:
        """Whether a line has this number of cells."""
        return line.count(self.delimiter) + 1 == self.width


@dataclass(frozen=True)
class _Beginning:
    """The first lines of a file, and the options with which the user reads them."""

    text: str
    options: ReadOptions

    def table(self, options: ReadOptions) -> _Shape | None:
        """The shape of the table that the lines form with these options; None if they form none."""
        text, _ = without_extras(self.text, options)
        if not text.strip():
            return None
        dialect = find_dialect(text, options)
        try:
            rows = read_rows(text, dialect)
        except InputError:
            return None
        width = len(rows.names)
        is_table = width > 1 and len(rows.lines) >= _FEWEST_ROWS
        if not is_table or looks_like_data(rows.names):
            return None
        return _Shape(width, dialect.delimiter)

    def without_comments(self) -> Iterator[ReadOptions]:
        """Yield the options with each comment mark with which some line begins."""
        starts = [line.lstrip()[:2] for line in self.text.splitlines()]
        for mark in COMMENT_MARKS:
            if self.options.comment is None and any(start.startswith(mark) for start in starts):
                yield replace(self.options, comment=mark)

    def without_title(self, options: ReadOptions) -> ReadOptions | None:
        """The options with the fewest skipped lines that leave a table.

        None if a skipped line could be a row of that table, because then that row is at fault.
        """
        first = options.skip_lines + 1
        for n_skipped in range(first, first + MOST_SKIPPED):
            tried = replace(options, skip_lines=n_skipped)
            table = self.table(tried)
            if table is not None:
                above = self.text.splitlines()[:n_skipped]
                return None if any(map(table.may_have, above)) else tried
        return None


def refusal(error: RaggedError, text: str, options: ReadOptions) -> RefusedRowsError:
    """Make the error for a table with uneven rows, with options that repair it if there are any."""
    beginning = _Beginning(first_lines(text), options)
    instead = _mended(beginning)
    message = str(error) if instead is None else f"{error.fact}: {_advice(options, instead)}."
    return RefusedRowsError(message, options, instead, beginning.text)


def single_column_refusal(message: str, table: Table, options: ReadOptions) -> RefusedRowsError:
    """Make the error for a table of one column where several are needed.

    It proposes blanks as the delimiter if they make a table of the first lines.

    Parameters
    ----------
    table : Table
        The table. Its only column holds whole lines of the file.
    """
    (name,) = table.columns
    lines = [name, *table.factor(name).cells(min(table.n_rows, MOST_LINES)).to_pylist()]
    text = "\n".join(lines)[:MOST_CHARACTERS]
    blanks = replace(options, delimiter=" ")
    is_table = _Beginning(text, options).table(blanks) is not None
    return RefusedRowsError(message, options, blanks if is_table else None, text)


def first_lines(text: str) -> str:
    """Return some whole lines of a file's beginning."""
    end = 0
    for _ in range(MOST_LINES):
        next_end = text.find("\n", end, MOST_CHARACTERS) + 1
        if not next_end:
            return text[: end or MOST_CHARACTERS] if len(text) > MOST_CHARACTERS else text
        end = next_end
    return text[:end]


def _mended(beginning: _Beginning) -> ReadOptions | None:
    """Find options that make a table of the lines, if any: comments first, then titles."""
    marked = list(beginning.without_comments())
    for options in marked:
        if beginning.table(options) is not None:
            return options
    for options in (beginning.options, *marked):
        skipping = beginning.without_title(options)
        if skipping is not None:
            return skipping
    return None


def _advice(options: ReadOptions, instead: ReadOptions) -> str:
    parts = []
    if instead.skip_lines > options.skip_lines:
        n = instead.skip_lines
        lines = "the first line, which stands" if n == 1 else f"the first {n} lines, which stand"
        parts.append(f"skip {lines} above the column names")
    if instead.comment != options.comment:
        parts.append(f"leave out lines that begin with {instead.comment!r}, as comments do")
    return ", and ".join(parts)


def option_words(read: ReadOptions) -> str:
    """Write the command-line options that skip lines and leave out comments."""
    parts = []
    if read.skip_lines:
        parts.append(f"--skip-lines {read.skip_lines}")
    if read.comment is not None:
        parts.append(f"--comment '{read.comment}'")
    return " ".join(parts)
