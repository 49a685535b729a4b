"""The punctuation of a text table: delimiter, quotes, decimal mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.forms import NumberForm, rewrite
from odt_core.data.missing import DEFAULT_MISSING_TOKENS, missing_values
from odt_core.data.numeric import DECIMAL_MARKS
from odt_core.data.table import Factor, read_numbers
from odt_core.errors import InputError, quoted

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters that are tried; users can also give any other single character."""

DELIMITER_NAMES = {"\t": "tab", " ": "blank", ",": "comma", ";": "semicolon", "|": "bar"}

MAX_SKIPPED = 100_000
MAX_COMMENT_MARK = 4

_SAMPLE_CHARACTERS = 32_768
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file. If one of the first four is None, the reader finds it out.

    Attributes
    ----------
    encoding : str or None
        A text encoding, such as ``utf-8`` or ``cp1252``.
    delimiter : str or None
        One character.
    decimal : str or None
        ``.`` or ``,``.
    quotechar : str or None
        One character, or ``""`` if quotes have no meaning.
    skip_lines : int
        Number of lines above the column names to leave out.
    comment : str or None
        Beginning of comment lines, such as ``#``; they are left out. None if there are none.
    units_row : bool
        Whether the row below the column names holds units and must be left out.

    Raises
    ------
    InputError
        If a mark is not a single character, the decimal mark is neither point nor comma, the
        comment mark is blank or too long, or the number of skipped lines is out of range.
    """

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    quotechar: str | None = None
    skip_lines: int = 0
    comment: str | None = None
    units_row: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.skip_lines <= MAX_SKIPPED:
            raise InputError(
                f"{self.skip_lines} lines cannot be skipped: give a number from 0 to {MAX_SKIPPED}."
            )
        if self.comment is not None and not 0 < len(self.comment.strip()) <= MAX_COMMENT_MARK:
            raise InputError(
                f"The comment mark {self.comment!r} cannot be used: give one to "
                f"{MAX_COMMENT_MARK} characters, such as #."
            )
        if self.delimiter is not None and not _is_mark(self.delimiter):
            raise InputError(
                f"The delimiter {self.delimiter!r} cannot be used: give a single character."
            )
        if self.decimal is not None and self.decimal not in DECIMAL_MARKS:
            raise InputError(
                f"The decimal mark {self.decimal!r} cannot be used: give a point or a comma."
            )
        if self.quotechar not in (None, "") and not _is_mark(self.quotechar or ""):
            raise InputError(
                f"The quote character {self.quotechar!r} cannot be used: give a single "
                "character, or nothing for none."
            )
        if self.delimiter is not None and self.delimiter == self.quotechar:
            raise InputError("The delimiter and the quote character must differ.")


def _is_mark(text: str) -> bool:
    return len(text) == 1 and text not in "\r\n\0"


@dataclass(frozen=True)
class Dialect:
    """The punctuation of a text table.

    Attributes
    ----------
    delimiter : str
        The character between two cells; empty if the table has a single column.
    quotechar : str
        The character around cells; empty for none.
    escapechar : str
        The character before a quote within a quoted cell; empty if quotes are doubled.
    """

    delimiter: str
    quotechar: str
    escapechar: str = ""


def find_dialect(text: str, options: ReadOptions) -> Dialect:
    """Find the punctuation of a table's text. clevercsv finds what the options leave open.

    Parameters
    ----------
    text : str
        The table's text, starting with the header.
    """
    sample = _sample(text)
    delimiter, quotechar, escapechar = _plain(sample) or _sniff(sample, options.delimiter)
    if options.quotechar is not None:
        quotechar, escapechar = options.quotechar, ""
    elif not quotechar:
        # Quotes may first appear below the sample. If there are none, this does no harm.
        quotechar = '"'
    return Dialect(options.delimiter or delimiter, quotechar, escapechar)


def _sample(text: str) -> str:
    """Return the beginning of the text, with whole lines if possible."""
    sample = text[:_SAMPLE_CHARACTERS].lstrip("\r\n")
    if len(text) <= _SAMPLE_CHARACTERS:
        return sample
    return sample[: sample.rfind("\n") + 1] or sample


def _plain(sample: str) -> tuple[str, str, str] | None:
    """Delimiter, quote and escape of a sample that is clear without the sniffer; otherwise None.

    It is clear if it has only one of the delimiters, equally often in each line, and neither quotes
    nor backslashes. The sniffer takes a second to import and run.
    """
    found = [delimiter for delimiter in DELIMITERS if delimiter in sample]
    if len(found) != 1 or any(mark in sample for mark in "\"'\\"):
        return None
    counts = {line.count(found[0]) for line in sample.splitlines() if line}
    return (found[0], "", "") if len(counts) == 1 else None


def _sniff(sample: str, delimiter: str | None) -> tuple[str, str, str]:
    import clevercsv
    from clevercsv.exceptions import NoDetectionResult

    candidates = list(DELIMITERS) if delimiter is None else [delimiter]
    try:
        found = clevercsv.Detector().detect(sample, delimiters=candidates)
    except NoDetectionResult:
        found = None
    if found is None:
        first_line = sample.partition("\n")[0]
        return max(DELIMITERS, key=first_line.count), "", ""
    quotechar = found.quotechar if found.quotechar in ('"', "'") else ""
    doubled = quotechar and quotechar * 2 in sample
    escapechar = found.escapechar if found.escapechar == "\\" and not doubled else ""
    return found.delimiter or "", quotechar, escapechar


def separator_line(text: str) -> tuple[str, int]:
    """Find the delimiter in Excel's first line ``sep=;``, and the start of the table.

    Returns
    -------
    delimiter, start : str, int
        ``("", 0)`` if there is no such line.
    """
    match = re.match(r"\"?sep=([^\r\n])\"?(?:\r\n|\r|\n)", text, re.IGNORECASE)
    return (match.group(1), match.end()) if match else ("", 0)


def without_extras(text: str, options: ReadOptions) -> tuple[str, int]:
    """Remove from a file's text the lines that the options leave out.

    Parameters
    ----------
    options : ReadOptions
        The number of lines to skip, and the beginning of comments.

    Returns
    -------
    text, n_skipped : str, int
        Comments become blank lines, so that lines keep their numbers; skipped lines are removed.
        The row of units is left out later, once rows are known.
    """
    start = 0
    for _ in range(options.skip_lines):
        end = _LINE_END.search(text, start)
        start = end.end() if end is not None else len(text)
    text = text[start:]
    if options.comment is not None:
        mark = re.escape(options.comment.strip())
        text = re.sub(rf"(?m)(?:\A|(?<=[\r\n]))[ \t]*{mark}[^\r\n]*", "", text)
    return text, options.skip_lines


@dataclass(frozen=True)
class DecimalMarks:
    """The decimal marks of the numbers in a table.

    Attributes
    ----------
    decimal : str
        The mark of most of the columns.
    columns : mapping from str to str
        The mark of each column whose numbers leave no doubt.
    doubtful : tuple of str
        Columns whose numbers can be read in two ways, if no other column decides.
    notes : tuple of str
        Sentences for the user.
    """

    decimal: str
    columns: Mapping[str, str]
    doubtful: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_decimal(columns: Mapping[str, Factor], delimiter: str) -> DecimalMarks:
    """Find the decimal mark of each column: the mark that makes its cells numbers.

    If both marks do (``1,234`` may be a thousand or about one), the mark of most other columns
    decides. If no column decides, a comma is a decimal mark only in a table that is not separated
    by commas and has no points.
    """
    marked = _marked_columns(columns)
    for decimal in DECIMAL_MARKS:
        read_numbers(marked.values(), decimal)
    certain: dict[str, str] = {}
    both: list[str] = []
    for name, factor in marked.items():
        points, commas = (_rows_with_numbers(factor, decimal) for decimal in DECIMAL_MARKS)
        if points != commas:
            certain[name] = "." if points > commas else ","
        elif points:
            both.append(name)
    n_points = sum(decimal == "." for decimal in certain.values())
    n_commas = len(certain) - n_points
    if n_points != n_commas:
        decimal = "." if n_points > n_commas else ","
        notes = _mark_notes(columns, certain, both, decimal)
        return DecimalMarks(decimal, certain | dict.fromkeys(both, decimal), (), notes)
    decimal = _likely_mark(columns, [*certain, *both], delimiter)
    notes = _mark_notes(columns, certain, (), decimal)
    if both:
        example = next(iter(_marked_texts(columns, both)))
        notes += (
            f"Numbers such as {example} can be read in two ways. The decimal mark was taken to be "
            f"the {_MARK_NAMES[decimal]}: set it if that is wrong.",
        )
    return DecimalMarks(decimal, certain, tuple(both), notes)


_SIGNED = "[0-9] *(?:[-%)$€£¥₹]|[A-Z]{3}$)|(?:[($€£¥₹<>=≤≥]|^[A-Z]{3}) *[-+]?[0-9]"
_MARK_NAMES = {".": "point", ",": "comma"}
_MAX_MARKED_SHOWN = 3


def _marked_columns(columns: Mapping[str, Factor]) -> dict[str, Factor]:
    """Find columns in which a cell has a digit beside a mark, and remove signs such as %.

    The texts of all columns are searched together, which is faster than one column at a time.
    """
    factors = list(columns.values())
    if not factors:
        return {}
    ends = np.cumsum([len(factor.values) for factor in factors])
    texts = pa.concat_arrays([factor.values for factor in factors])

    def with_match(pattern: str) -> list[int]:
        places = np.flatnonzero(np.asarray(pc.match_substring_regex(texts, pattern)))
        found: list[int] = np.unique(np.searchsorted(ends, places, side="right")).tolist()
        return found

    names, signed = list(columns), set(with_match(_SIGNED))
    return {
        names[position]: _without_signs(factors[position])
        if position in signed
        else factors[position]
        for position in with_match("[0-9][.,]|[.,][0-9]")
    }


def _without_signs(factor: Factor) -> Factor:
    """Remove percent, currency and limit signs from a column, to find its decimal mark."""
    texts = rewrite(rewrite(factor.values, NumberForm.SIGNS), NumberForm.LIMITS)
    return factor.with_texts(texts)


def _likely_mark(columns: Mapping[str, Factor], names: Sequence[str], delimiter: str) -> str:
    """Choose the decimal mark when no column decides."""
    texts = list(_marked_texts(columns, names, most=1000))
    commas = any("," in text for text in texts)
    points = any("." in text for text in texts)
    return "," if delimiter != "," and commas and not points else "."


def _marked_texts(
    columns: Mapping[str, Factor], names: Sequence[str], most: int | None = None
) -> Iterator[str]:
    """Yield texts with a digit beside a mark, for each column at most `most` of them."""
    for name in names:
        for text in columns[name].texts[:most]:
            if re.search(r"[0-9][.,]|[.,][0-9]", text):
                yield text


def _mark_notes(
    columns: Mapping[str, Factor],
    certain: Mapping[str, str],
    doubtful: Sequence[str],
    decimal: str,
) -> tuple[str, ...]:
    """Note different marks in columns, and marks that were read as separating thousands."""
    notes: list[str] = []
    others = [name for name, mark in certain.items() if mark != decimal]
    if others:
        shown = _names_shown(others)
        notes.append(
            f"The decimal mark differs between columns: it is the "
            f"{_MARK_NAMES['.' if decimal == ',' else ',']} in {shown}, and the "
            f"{_MARK_NAMES[decimal]} elsewhere. Each column is read with its own mark."
        )
    other = "." if decimal == "," else ","
    thousands = [
        name for name in doubtful if any(other in text for text in columns[name].texts[:1000])
    ]
    if thousands:
        notes.append(
            f"In {_names_shown(thousands)}, the {_MARK_NAMES[other]} is read as separating "
            f"thousands, because other columns have a decimal {_MARK_NAMES[decimal]}."
        )
    return tuple(notes)


def _names_shown(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _MAX_MARKED_SHOWN else ""
    return ", ".join(map(quoted, names[:_MAX_MARKED_SHOWN])) + more


_MOSTLY = 0.9
"""Share of a column's cells that must be numbers; it tolerates codes such as ``x``."""


def _rows_with_numbers(factor: Factor, decimal: str) -> int:
    """Count the rows with a number under this mark; 0 if most rows have none."""
    counts = np.where(missing_values(factor, DEFAULT_MISSING_TOKENS), 0, factor.counts)
    total = counts.sum()
    numeric = np.isfinite(factor.numbers(decimal))
    n_numbers = int(counts[numeric].sum())
    return n_numbers if n_numbers >= _MOSTLY * total else 0
