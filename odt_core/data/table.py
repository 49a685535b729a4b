"""A table as it was read: every cell is text and not yet interpreted."""

from __future__ import annotations

import hashlib
import math
import numbers
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.forms import NumberForm, rewrite
from odt_core.data.numeric import number_text, parse_numbers
from odt_core.errors import InputError, quoted

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

MANY_COLUMNS = 50
MOST_REMEMBERED = 100

MAX_NAMES_SHOWN = 20
"""Largest number of column names that an error message lists."""


@dataclass(frozen=True)
class ReadReport:
    """The way in which a file was read.

    Attributes
    ----------
    encoding : str
        The text encoding.
    delimiter : str
        The character between two cells; empty for a single column, where nothing is split.
    decimal : str
        The decimal mark of the numbers, ``.`` or ``,``.
    n_rows, n_columns : int
        Size of the table, without the header.
    notes : tuple of str
        Sentences for the user on what was repaired or guessed.
    quotechar : str
        The character around cells; empty for none.
    container : str
        The kind of file in plain words (``an Excel workbook (.xlsx)``); empty for a text file.
    marks : mapping from str to str
        The decimal mark of each column that has a certain or given mark.
    doubtful : tuple of str
        Columns whose numbers make sense with either decimal mark.
    """

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    n_rows: int = 0
    n_columns: int = 0
    notes: tuple[str, ...] = ()
    quotechar: str = '"'
    container: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Factor:
    """A column as its distinct texts and their positions.

    Attributes
    ----------
    codes : int32[N]
        Index into `values` for each row.
    values : pyarrow.Array of str[V]
        The distinct texts, in order of first appearance.
    """

    codes: npt.NDArray[np.int32]
    values: pa.Array
    _numbers: dict[tuple[str, NumberForm], npt.NDArray[np.float64]] = field(
        default_factory=dict, repr=False
    )

    @property
    def texts(self) -> list[str]:
        """The distinct texts as a list."""
        texts: list[str] = self.values.to_pylist()
        return texts

    def numbers(self, decimal: str, form: NumberForm = NumberForm.PLAIN) -> npt.NDArray[np.float64]:
        """Read the distinct texts as numbers, see `odt_core.data.numeric.parse_numbers`."""
        key = (decimal, form)
        if key not in self._numbers:
            self._numbers[key] = parse_numbers(rewrite(self.values, form), decimal)
        return self._numbers[key]

    def cells(self, n_rows: int) -> pa.Array:
        """The first `n_rows` rows as text."""
        return self.values.take(pa.array(self.codes[:n_rows]))

    def with_texts(self, texts: pa.Array) -> Factor:
        """Replace each value by a text; equal texts become one value."""
        new = factor_of(texts)
        return Factor(new.codes[self.codes], new.values)

    def joined(self, labels: Mapping[str, str]) -> Factor:
        """Replace some texts by labels; equal labels become one value."""
        texts = [labels.get(text, text) for text in self.texts]
        return self.with_texts(pa.array(texts, pa.large_string()))

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of rows with each value."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        counts.flags.writeable = False
        return counts

    def first_row(self, code: int) -> int:
        """Find the first row with a value."""
        return int(np.argmax(self.codes == code))


def read_numbers(factors: Iterable[Factor], decimal: str) -> None:
    """Read the numbers of many columns at once, which is faster than one column at a time."""
    factors = list(factors)
    if len(factors) < MANY_COLUMNS:
        return
    numbers = parse_numbers(pa.concat_arrays([factor.values for factor in factors]), decimal)
    ends = np.cumsum([len(factor.values) for factor in factors])
    for factor, part in zip(factors, np.split(numbers, ends[:-1]), strict=True):
        factor._numbers[decimal, NumberForm.PLAIN] = part


@dataclass(frozen=True, eq=False)
class Table:
    """A table of text.

    Attributes
    ----------
    factors : mapping from str to Factor
        The columns in the file's order; names are distinct and not blank. Every cell is text as in
        the file, without surrounding blanks and with composed letters and accents (Unicode NFC).
        An empty cell is ``""``.
    n_rows : int
        Number of rows, without the header.
    report : ReadReport
        The way in which the file was read.
    sha256 : str
        SHA-256 of the file's raw bytes, in hexadecimal.
    name : str
        The file's name, for screens and records.
    lines : int32[N] or None
        The line of the file on which each row begins, from 1; None if there is no file.
    remembered : dict
        Facts about the table that `remember` keeps.
    """

    factors: Mapping[str, Factor]
    n_rows: int
    report: ReadReport
    sha256: str
    name: str = ""
    lines: npt.NDArray[np.int32] | None = None
    remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a fact about the table; `make` is called only the first time."""
        try:
            found: T = self.remembered[key]
        except KeyError:  # another thread may clear the facts at any time
            if len(self.remembered) > MOST_REMEMBERED + 8 * len(self.factors):
                self.remembered.clear()
            found = self.remembered[key] = make()
        return found

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Column names in the file's order."""
        return tuple(self.factors)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All cells as text; this takes far more memory than the factors."""
        return self.head(self.n_rows)

    def head(self, n_rows: int, n_columns: int | None = None) -> pd.DataFrame:
        """The first rows and columns as text; None for all columns."""
        import pandas as pd  # slow to import, and only data frames need it

        names = self.columns[:n_columns]
        texts = {name: pd.Series(self.factors[name].cells(n_rows), dtype="str") for name in names}
        frame = pd.DataFrame(texts, index=pd.RangeIndex(min(n_rows, self.n_rows)))
        frame.columns = pd.Index(list(names), dtype="str")
        return frame

    def factor(self, column: str) -> Factor:
        """Return a column as distinct texts and codes.

        Raises
        ------
        InputError
            If there is no such column.
        """
        self.require(column)
        return self.factors[column]

    def require(self, column: str) -> None:
        """Refuse a column that is not in the table.

        Raises
        ------
        InputError
            If there is no such column.
        """
        if column not in self.factors:
            shown = ", ".join(map(quoted, self.columns[:MAX_NAMES_SHOWN]))
            more = ", ..." if len(self.columns) > MAX_NAMES_SHOWN else ""
            raise InputError(
                f"The table has no column {quoted(column)}: its columns are {shown}{more}."
            )

    def where(self, row: int) -> str:
        """Say where a row is, counted from 1: ``row 3 (line 4 of the file)``."""
        if self.lines is None:
            return f"row {row + 1}"
        return f"row {row + 1} (line {int(self.lines[row])} of the file)"


def table_from_frame(frame: pd.DataFrame) -> Table:
    """Convert a data frame of any types to a table of text.

    Whole numbers lose a trailing ``.0``; other numbers keep every digit that they need. Missing
    values become empty cells. Text loses only its surrounding blanks.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame with any index and distinct column names.

    Raises
    ------
    InputError
        If two columns have the same name.
    """
    table = text_table(frame, {})
    digest = hashlib.sha256(table.frame.to_csv(index=False).encode()).hexdigest()
    return replace(table, sha256=digest)


def column_name(label: Hashable) -> str:
    """Write a frame's column label as a table's column name."""
    return unicodedata.normalize("NFC", str(label))


def text_table(frame: pd.DataFrame, marks: Mapping[str, str]) -> Table:
    """Convert a data frame as `table_from_frame` does, without the hash.

    Parameters
    ----------
    marks : mapping from str to str
        The decimal mark with which to write a column's numbers; a point for columns not in it.
    """
    names = list(map(column_name, frame.columns))
    repeated = next((column for column in names if names.count(column) > 1), None)
    if repeated is not None:
        raise InputError(f"Two columns are called {quoted(repeated)}: rename one of them.")
    texts = [
        composed(_cell_texts(frame.iloc[:, position], marks.get(column, ".")))
        for position, column in enumerate(names)
    ]
    factors = dict(zip(names, map(factor_of, texts), strict=True))
    report = ReadReport(n_rows=len(frame), n_columns=len(names))
    return Table(factors, len(frame), report, "")


def factor_of(texts: pa.Array) -> Factor:
    """Make a column's distinct texts and their positions."""
    encoded = pc.dictionary_encode(texts.cast(pa.large_string()))
    codes = np.asarray(encoded.indices).astype(np.int32, copy=False)
    return Factor(codes, encoded.dictionary)


def composed(texts: pa.Array) -> pa.Array:
    """Compose letters and their accents into single characters (Unicode NFC).

    The two forms look alike and mean the same in Unicode, but are different strings.
    """
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return texts
    return pc.utf8_normalize(texts, "NFC")


def _cell_texts(column: pd.Series[Any], decimal: str) -> pa.Array:
    import pandas as pd

    if isinstance(column.dtype, pd.StringDtype):
        texts = pa.array(column.fillna("")).cast(pa.large_string())
    elif isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        codes, distinct = pd.factorize(column, use_na_sentinel=False)  # most cells are repeated
        texts = pa.array([_cell_text(cell, decimal) for cell in distinct], pa.large_string())
        texts = texts.take(pa.array(codes))
    else:
        texts = pa.array([_cell_text(cell, decimal) for cell in column], pa.large_string())
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    return pc.utf8_trim_whitespace(texts)


def _cell_text(cell: Any, decimal: str) -> str:
    import pandas as pd

    if isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    if isinstance(cell, numbers.Real) and not isinstance(cell, numbers.Rational):
        value = float(cell)
        return "" if math.isnan(value) else number_text(value).replace(".", decimal)
    return "" if pd.isna(cell) else str(cell)
