"""Tables in other kinds of files: compressed files, archives, workbooks, Parquet.

Each kind is converted to the text of a table, so that all checks and repairs of text tables apply.
Nothing is unpacked before its size is known to be acceptable.
"""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

from odt_core.data.findings import shown
from odt_core.data.numeric import number_text
from odt_core.errors import InputError, quoted

MAX_BYTES = 1 << 30
"""Largest unpacked table, in bytes."""
MAX_BOOK_BYTES = 1 << 28
"""Largest unpacked workbook, in bytes: its cells take several times as much memory."""
MAX_CELLS = 200_000_000
"""Largest number of cells of a table in a workbook or a Parquet file."""

_PIECE = 1 << 20
_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""Exceptions that libraries raise on damaged files."""
_MAX_SHOWN = 3

_SIGNATURES = (
    (0, b"ARROW1", "an Arrow file"),
    (0, b"FEA1", "a Feather file"),
    (0, b"SQLite format 3", "an SQLite database"),
    (8, b"DUCK", "a DuckDB database"),
    (4, b"Standard ", "an Access database"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x89HDF", "an HDF5 file"),
    (0, b"$FL2", "an SPSS file"),
    (0, b"<stata_dta>", "a Stata file"),
    (0, b"\0" * 12 + b"\xc2\xea\x81\x60", "a SAS file"),
    (0, b"HEADER RECORD*******", "a SAS transport file"),
    (0, b"RDX", "an R data file"),
    (0, b"X\n\0\0\0", "an R data file"),
    (0, b"\x93NUMPY", "a NumPy file"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (0, b"7z\xbc\xaf", "a 7z archive"),
    (0, b"Rar!", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"\x89PNG", "a picture"),
    (0, b"\xff\xd8\xff", "a picture"),
    (0, b"<!DOCTYPE html", "a web page"),
    (0, b"<!doctype html", "a web page"),
    (0, b"<html", "a web page"),
    (0, b"<?xml", "an XML file"),
    (0, b"{\\rtf", "an RTF document"),
)


@dataclass(frozen=True)
class Unpacked:
    """The content of a file.

    Attributes
    ----------
    content : bytes
        The table's text.
    container : str
        The kind of file in plain words; empty for a text file, compressed or not. For other kinds,
        the text is made here: UTF-8, with commas and double quotes.
    notes : tuple of str
        Sentences for the user.
    """

    content: bytes
    container: str = ""
    notes: tuple[str, ...] = ()


def unpack(raw: bytes) -> Unpacked:
    """Return the text of the table in a file.

    Raises
    ------
    InputError
        If this kind of file cannot be read, or the file is damaged, holds more than one table, or
        has more than `MAX_BYTES` when unpacked.
    """
    if raw.startswith(b"\x1f\x8b"):
        return _inside(_gunzip(raw), "gzip file")
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _from_zip(raw)
    if raw.startswith(b"PAR1"):
        return _from_parquet(raw)
    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        if "EncryptedPackage".encode("utf-16-le") in raw:
            raise InputError("The file has a password: save it without one, or as CSV.")
        return _from_workbook(raw, "an old Excel workbook (.xls)")
    return _text(raw)


def _text(raw: bytes) -> Unpacked:
    if len(raw) > MAX_BYTES:
        raise _too_large()
    kind = _file_kind(raw)
    if kind is not None:
        raise InputError(
            f"The file is {kind}, not a table: save it as CSV, Excel (.xlsx), OpenDocument (.ods) "
            "or Parquet and read that."
        )
    return Unpacked(raw)


def _file_kind(raw: bytes) -> str | None:
    """Name the kind of the file if it is a known kind that cannot be read."""
    found = (kind for at, mark, kind in _SIGNATURES if raw[at : at + len(mark)] == mark)
    return next(found, None)


def _too_large(most: int | None = None) -> InputError:
    most = MAX_BYTES if most is None else most
    return InputError(
        f"The file has more than {most >> 20} MB, unpacked: leave out columns or rows first."
    )


def _gunzip(raw: bytes) -> bytes:
    """Unpack a gzip file of one or more members, if its unpacked size is acceptable."""
    try:
        size = 0
        for piece in _inflated(raw):
            size += len(piece)
            if size > MAX_BYTES:
                raise _too_large()
        return b"".join(_inflated(raw))
    except zlib.error as error:
        raise InputError(
            "The gzip file is damaged or cut off: compress or download it again."
        ) from error


def _inflated(raw: bytes) -> Iterator[bytes]:
    """Yield the content of a gzip file piece by piece."""
    while raw:
        stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        rest = raw
        while not stream.eof:
            piece = stream.decompress(rest, _PIECE)
            rest = stream.unconsumed_tail
            if not piece and not rest and not stream.eof:
                raise zlib.error("incomplete")
            yield piece
        raw = stream.unused_data.lstrip(b"\0")


def _from_zip(raw: bytes) -> Unpacked:
    with _refused_if_damaged("zip archive"), zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = archive.namelist()
        if any(name.startswith("xl/") for name in names):
            _measure(archive)
            _require_dense(archive)
            return _from_workbook(raw, "an Excel workbook (.xlsx)")
        if "content.xml" in names:
            _measure(archive)
            return _from_workbook(raw, "an OpenDocument spreadsheet (.ods)")
        return _from_archive(archive)


@contextmanager
def _refused_if_damaged(kind: str, *more: type[Exception]) -> Iterator[None]:
    """Refuse a damaged file in plain words: a library may raise almost any exception for it.

    Parameters
    ----------
    *more : type
        Exceptions that its library may raise besides `_DAMAGED`.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    try:
        yield
    except InputError:
        raise
    except _DAMAGED + more as error:
        raise InputError(
            f"The {kind} is damaged or cannot be read ({str(error)[:100]}): make it "
            "again, or save the table as CSV."
        ) from error


def _from_archive(archive: zipfile.ZipFile) -> Unpacked:
    """Return the only table file of an archive."""
    files = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir()
        and not entry.filename.startswith("__MACOSX/")
        and not entry.filename.rpartition("/")[2].startswith(".")
    ]
    if any(entry.filename.startswith(("word/", "ppt/")) for entry in files):
        raise InputError(
            "The file is an Office document, not a table: save its table as CSV or Excel (.xlsx) "
            "and read that."
        )
    if len(files) != 1:
        names = shown([entry.filename for entry in files], _MAX_SHOWN)
        holds = f"{len(files)} files ({names})" if files else "no file"
        raise InputError(
            f"The zip archive holds {holds}, but one table is needed: unpack it and choose one."
        )
    entry = files[0]
    if entry.flag_bits & 1:
        raise InputError("The zip archive is encrypted: unpack it and choose the file in it.")
    if entry.file_size > MAX_BYTES:
        raise _too_large()
    # It is never read beyond the size that it declares; if it has more, it is damaged.
    content = archive.read(entry)
    note = f"Read from {quoted(entry.filename)} in the zip archive."
    found = _inside(content, "zip archive")
    return dataclasses.replace(found, notes=(note, *found.notes))


def _inside(content: bytes, outer: str) -> Unpacked:
    """Return the table in an unpacked file. Refuse a packed file, unless it is a workbook."""
    is_packed = content.startswith(b"\x1f\x8b")
    if content.startswith(b"PK\x03\x04"):
        with _refused_if_damaged(outer), zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
        is_packed = "content.xml" not in names and not any(n.startswith("xl/") for n in names)
    if is_packed:
        raise InputError(f"The {outer} holds another archive: unpack it first.")
    return unpack(content)


def _measure(archive: zipfile.ZipFile) -> None:
    """Refuse a workbook that is too large, or larger than it declares, and keep nothing of it."""
    if sum(entry.file_size for entry in archive.infolist()) > MAX_BOOK_BYTES:
        raise _too_large(MAX_BOOK_BYTES)
    for entry in archive.infolist():
        with archive.open(entry) as file:
            for _ in _pieces(file):
                pass


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


_CELL = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')


def _require_dense(archive: zipfile.ZipFile) -> None:
    """Refuse sheets with a stray cell far away, because all cells in between would be read."""
    for name in archive.namelist():
        if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            continue
        columns: set[bytes] = set()
        last_row = 0
        with archive.open(name) as file:
            before = b""
            for piece in _pieces(file):
                found = _CELL.findall(before + piece)
                columns.update(column for column, _ in found)
                last_row = max(last_row, *(int(row) for _, row in found), 0)
                before = piece[-32:]
        n_columns = max(map(_column_number, columns), default=0)
        if n_columns * last_row > MAX_CELLS // 10:
            raise InputError(
                f"A sheet of the workbook reaches to row {last_row:,} and column {n_columns:,}: "
                "delete stray cells, or save the table as CSV."
            )


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


def _from_workbook(raw: bytes, container: str) -> Unpacked:
    """Read the first sheet with a table; if there is none, the first sheet with any cells."""
    from python_calamine import CalamineError, CalamineWorkbook

    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    with (
        _refused_if_damaged(container.removeprefix("an "), CalamineError),
        CalamineWorkbook.from_filelike(io.BytesIO(raw)) as book,
    ):
        names = book.sheet_names
        name = names[-1]
        rows: list[list[Any]] = []
        for each in names:
            found = book.get_sheet_by_name(each).to_python(skip_empty_area=False)
            if found and (_is_table(found) or not rows):
                name, rows = each, found
            if _is_table(rows):
                break
        writer.writerows([_cell_text(cell) for cell in row] for row in rows)
    notes: tuple[str, ...] = ()
    if len(names) > 1:
        sheets = shown(names, _MAX_SHOWN)
        notes = (f"The workbook has {len(names)} sheets ({sheets}): {quoted(name)} was read.",)
    return Unpacked(out.getvalue().encode("utf-8"), container, notes)


def _is_table(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether at least two rows have several cells: a sheet of remarks has only one column."""
    several = (row for row in rows if sum(cell != "" for cell in row) > 1)
    return len(list(islice(several, 2))) > 1


def _cell_text(cell: Any) -> str:
    """Write a workbook's cell as in a text table."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return number_text(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ")
    # A line break within a cell would count as the end of a row.
    return re.sub(r"[\r\n\0]+", " ", str(cell))


def _from_parquet(raw: bytes) -> Unpacked:
    """Read every column as text, row group by row group, except nested columns."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    with _refused_if_damaged("Parquet file", pa.ArrowException):
        file = parquet.ParquetFile(pa.BufferReader(raw))
        n_cells = file.metadata.num_rows * file.metadata.num_columns
        if n_cells > MAX_CELLS:
            raise InputError(
                f"The Parquet file has {file.metadata.num_rows:,} rows and "
                f"{file.metadata.num_columns:,} columns: leave out columns or rows first."
            )
        fields = list(enumerate(file.schema_arrow))
        kept = [place for place, field in fields if not pa.types.is_nested(field.type)]
        notes = _nested_notes([f.name for _, f in fields if pa.types.is_nested(f.type)])
        if not kept:
            raise InputError(f"{notes[0]} There is no other column.")
        out = io.BytesIO()
        names = [_cell_text(file.schema_arrow.field(place).name) for place in kept]
        out.write(_header(names))
        for batch in file.iter_batches():
            texts = [_column_texts(batch.column(place)) for place in kept]
            table = pa.table(texts, names=[str(place) for place in range(len(names))])
            arrow_csv.write_csv(table, out, arrow_csv.WriteOptions(include_header=False))
            if out.tell() > MAX_BYTES:
                raise _too_large()
    return Unpacked(out.getvalue(), "a Parquet file", notes)


def _nested_notes(names: list[str]) -> tuple[str, ...]:
    """Note that columns of lists or records were left out."""
    return tuple(
        f"Column {quoted(name)} of the Parquet file holds lists or records, so it was left out: "
        "give each of its parts a column to use them."
        for name in names
    )


def _header(names: list[str]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerow(names)
    return out.getvalue().encode("utf-8")


def _column_texts(column: Any) -> Any:  # pyarrow's type hints say nothing useful
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        column = column.cast(pa.large_binary()).cast(pa.large_string())
    if pa.types.is_timestamp(column.type):
        local = column if column.type.tz is None else pc.local_timestamp(column)
        column = pc.replace_substring_regex(local.cast(pa.large_string()), r"\.0+$", "")
        return pc.replace_substring(column, " 00:00:00", "")
    texts = column.cast(pa.large_string())
    if pa.types.is_boolean(column.type):  # as workbooks and pandas write them
        texts = pc.utf8_capitalize(texts)
    return pc.fill_null(pc.replace_substring_regex(texts, "[\r\n\\x00]+", " "), "")
