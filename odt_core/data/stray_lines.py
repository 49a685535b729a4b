"""Lines that are no rows of the table, and the reading options that leave them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from odt_core.data.dialect import ReadOptions, find_dialect, without_extras
from odt_core.data.header import looks_like_data
from odt_core.data.rows import RaggedError, read_rows
from odt_core.data.table import Table
from odt_core.errors import InputError

COMMENT_MARKS = ("#", "//", "%", "--", "*", "!")
"""Marks that comment lines may begin with."""

MOST_LINES, MOST_CHARACTERS = 60, 10_000
"""At most so much of a file's beginning is looked at."""

MOST_SKIPPED = 30
"""At most so many lines above the column names are skipped."""

_FEWEST_ROWS = 2


class RefusedRowsError(InputError):
    """The lines, as they were split into cells, are not the rows of one table.

    A title may stand above the column names, or the cells may be separated by another mark.

    Attributes
    ----------
    options : ReadOptions
        How it was read.
    instead : ReadOptions or None
        Options that mend it, as far as the file's beginning shows; None if none do.
    beginning : str
        The file's first lines, so that other options can be tried on them.
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
    """Cells of each row, and what stands between them."""

    width: int
    delimiter: str

    def may_have(self, line: str) -> bool:
        """Whether a line has as many cells."""
        return line.count(self.delimiter) + 1 == self.width


@dataclass(frozen=True)
class _Beginning:
    """The first lines of a file, and the options that the user reads them with."""

    text: str
    options: ReadOptions

    def table(self, options: ReadOptions) -> _Shape | None:
        """The shape of the table that the options make of the lines; None if they make none."""
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
        """The options with each mark that some line begins with."""
        starts = [line.lstrip()[:2] for line in self.text.splitlines()]
        for mark in COMMENT_MARKS:
            if self.options.comment is None and any(start.startswith(mark) for start in starts):
                yield replace(self.options, comment=mark)

    def without_title(self, options: ReadOptions) -> ReadOptions | None:
        """The options with the fewest lines skipped that leave a table.

        None if a skipped line could be a row of that table: then that row is at fault.
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
    """What to tell the user about a table with uneven rows: the option that mends it, if one does.

    Parameters
    ----------
    error : RaggedError
        Why it was refused.
    text : str
        The whole file.
    options : ReadOptions
        How it was read.
    """
    beginning = _Beginning(first_lines(text), options)
    instead = _mended(beginning)
    message = str(error) if instead is None else f"{error.fact}: {_advice(options, instead)}."
    return RefusedRowsError(message, options, instead, beginning.text)


def single_column_refusal(message: str, table: Table, options: ReadOptions) -> RefusedRowsError:
    """What to tell the user about a table of one column, where several are needed.

    Blanks are proposed as the delimiter if the first lines are a table then.

    Parameters
    ----------
    message : str
        Why it was refused.
    table : Table
        Its only column holds whole lines of the file.
    options : ReadOptions
        How it was read.
    """
    (name,) = table.columns
    lines = [name, *table.factor(name).cells(min(table.n_rows, MOST_LINES)).to_pylist()]
    text = "\n".join(lines)[:MOST_CHARACTERS]
    blanks = replace(options, delimiter=" ")
    is_table = _Beginning(text, options).table(blanks) is not None
    return RefusedRowsError(message, options, blanks if is_table else None, text)


def first_lines(text: str) -> str:
    """Some whole lines of a file's beginning."""
    end = 0
    for _ in range(MOST_LINES):
        next_end = text.find("\n", end, MOST_CHARACTERS) + 1
        if not next_end:
            return text[: end or MOST_CHARACTERS] if len(text) > MOST_CHARACTERS else text
        end = next_end
    return text[:end]


def _mended(beginning: _Beginning) -> ReadOptions | None:
    """The options that make a table of the lines, if any do: comments first, then titles."""
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
    """The command-line options that skip lines and leave out comments."""
    parts = []
    if read.skip_lines:
        parts.append(f"--skip-lines {read.skip_lines}")
    if read.comment is not None:
        parts.append(f"--comment '{read.comment}'")
    return " ".join(parts)
