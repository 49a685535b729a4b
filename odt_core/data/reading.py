"""Reading a table of text from the bytes of a file."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

from odt_core.data.containers import unpack
from odt_core.data.decoding import decode
from odt_core.data.dialect import (
    DecimalMarks,
    Dialect,
    ReadOptions,
    find_decimal,
    find_dialect,
    separator_line,
    without_extras,
)
from odt_core.data.rows import RaggedError, Rows, read_rows, without_first
from odt_core.data.stray_lines import refusal
from odt_core.data.table import ReadReport, Table, read_numbers
from odt_core.errors import InputError, quoted


def read_table(
    source: bytes | Path,
    options: ReadOptions | None = None,
    *,
    name: str = "",
    on_stage: Callable[[str], object] = lambda stage: None,
) -> Table:
    """Read a CSV or similar table, a workbook or a Parquet file. Every cell becomes text.

    The first line, after the lines that the options leave out, holds the column names. Blank lines
    and rows without any value are left out. The reader repairs blank and repeated names, delimiters
    at the ends of lines, and a ``sep=;`` line, and reports that. In cells and names, letters and
    accents are composed (Unicode NFC).

    Parameters
    ----------
    source : bytes or Path
        The file's bytes, or its path. Gzip and zip archives with one file are unpacked.
    options : ReadOptions, optional
        Options that the user gave. The reader finds out the rest.
    name : str
        The file's name, for screens and records.
    on_stage : callable, optional
        Called with the current step, in plain words.

    Raises
    ------
    RefusedRowsError
        If a line has too few or too many cells.
    InputError
        If there is no such file, if it is not a text table, or if it is empty.
    """
    options = options or ReadOptions()
    on_stage("unpacking the file")
    raw = source if isinstance(source, bytes) else _read_bytes(source)
    name = name or ("" if isinstance(source, bytes) else source.name)
    rows, dialect, encoding, container, notes = _read_cells(raw, options, on_stage)
    factors = dict(zip(rows.names, rows.columns, strict=True))
    on_stage("reading numbers")
    marks = find_decimal(factors, dialect.delimiter)
    if options.decimal is not None:
        marks = DecimalMarks(options.decimal, dict.fromkeys(factors, options.decimal))
    read_numbers(factors.values(), marks.decimal)
    report = ReadReport(
        encoding=encoding,
        delimiter=dialect.delimiter,
        decimal=marks.decimal,
        n_rows=len(rows.lines),
        n_columns=len(rows.names),
        notes=(*notes, *marks.notes),
        quotechar=dialect.quotechar,
        container=container,
        marks=marks.columns,
        doubtful=marks.doubtful,
    )
    digest = hashlib.sha256(raw).hexdigest()
    return Table(factors, len(rows.lines), report, digest, name, rows.lines)


def _read_cells(
    raw: bytes, options: ReadOptions, tell: Callable[[str], object]
) -> tuple[Rows, Dialect, str, str, tuple[str, ...]]:
    """The rows of a file, with their dialect, encoding, container and notes."""
    unpacked = unpack(raw)
    if unpacked.container:
        options = dataclasses.replace(options, encoding="utf-8", delimiter=",", quotechar='"')
    text, encoding, notes = decode(unpacked.content, options.encoding)
    notes = (*unpacked.notes, *notes)
    container = unpacked.container
    del unpacked
    tell("splitting rows into cells")
    rows, dialect = _split(text, options)
    notes += rows.notes
    if not len(rows.lines):
        notes += ("The file has column names, but no rows below them.",)
    if len(rows.names) == 1 and not container:
        notes += ("The file has a single column: name the delimiter if it should have more.",)
    return rows, dialect, encoding, container, notes


def _split(text: str, given: ReadOptions) -> tuple[Rows, Dialect]:
    """Split the text of a file into rows of cells."""
    table, n_skipped = without_extras(text, given)
    declared, start = separator_line(table)
    options = given
    if declared and given.delimiter is None:
        options = dataclasses.replace(given, delimiter=declared)
    if not table[start:].strip():
        if n_skipped and text.strip():
            raise InputError("All lines are skipped: skip fewer lines.")
        raise InputError("The file is empty: choose one with a line of column names and rows.")
    dialect = find_dialect(table[start:], options)
    try:
        rows = read_rows(table[start:], dialect, first_line=n_skipped + (2 if start else 1))
    except RaggedError as error:
        raise refusal(error, text, given) from error
    return without_first(rows) if given.units_row and len(rows.lines) else rows, dialect


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"There is no file {quoted(str(path))}: check the path.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"The file {quoted(str(path))} cannot be read: {reason}.") from error
