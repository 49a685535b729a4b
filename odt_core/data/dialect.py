"""How a text table is punctuated: delimiter, quotes, decimal mark."""

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
from odt_core.errors import InputError

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters that are looked for; any other single character can be given."""

DELIMITER_NAMES = {"\t": "tab", " ": "blank", ",": "comma", ";": "semicolon", "|": "bar"}

MAX_SKIPPED = 100_000
MAX_COMMENT_MARK = 4

_SAMPLE_CHARACTERS = 32_768
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file. None means: find out.

    Attributes
    ----------
    encoding : str or None
        A text encoding, such as ``utf-8`` or ``cp1252``.
    delimiter : str or None
        One character.
    decimal : str or None
        ``.`` or ``,``.
    quotechar : str or None
        One character, or ``""`` where quotes mean nothing.
    skip_lines : int
        Lines above the column names that are left out.
    comment : str or None
        What lines begin with that are left out, such as ``#``; None if there are none.
    units_row : bool
        Whether the row below the column names holds units and is left out.

    Raises
    ------
    InputError
        If a mark is not a single character, the decimal mark is neither point nor comma, the
        comment mark is blank or too long, or a negative number of lines is to be left out.
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
    """Punctuation of a text table.

    Attributes
    ----------
    delimiter : str
        Between two cells; empty where the table has a single column.
    quotechar : str
        Around cells; empty for none.
    escapechar : str
        Before a quote within a quoted cell; empty where quotes are doubled.
    """

    delimiter: str
    quotechar: str
    escapechar: str = ""


def find_dialect(text: str, options: ReadOptions) -> Dialect:
    """Punctuation of a table's text, found by clevercsv where the options leave it open.

    Parameters
    ----------
    text : str
        The table, header first.
    options : ReadOptions
        What the user knows.
    """
    sample = _sample(text)
    delimiter, quotechar, escapechar = _plain(sample) or _sniff(sample, options.delimiter)
    if options.quotechar is not None:
        quotechar, escapechar = options.quotechar, ""
    elif not quotechar:
        # Quotes may first appear below the sample, and do no harm where there are none.
        quotechar = '"'
    return Dialect(options.delimiter or delimiter, quotechar, escapechar)


def _sample(text: str) -> str:
    """The first lines, whole ones if possible."""
    sample = text[:_SAMPLE_CHARACTERS].lstrip("\r\n")
    if len(text) <= _SAMPLE_CHARACTERS:
        return sample
    return sample[: sample.rfind("\n") + 1] or sample


def _plain(sample: str) -> tuple[str, str, str] | None:
    """Delimiter, quote and escape of a sample that leaves no choice; None if there is one.

    It has one of the delimiters only, equally often in each line, and neither quotes nor
    backslashes. This spares the sniffer, which takes a second with its import.
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
    """The delimiter that Excel's first line ``sep=;`` declares, and where the table begins.

    Returns
    -------
    delimiter, start : str, int
        ``("", 0)`` where there is no such line.
    """
    match = re.match(r"\"?sep=([^\r\n])\"?(?:\r\n|\r|\n)", text, re.IGNORECASE)
    return (match.group(1), match.end()) if match else ("", 0)


def without_extras(text: str, options: ReadOptions) -> tuple[str, int]:
    """A file's text without the lines that the options leave out.

    Parameters
    ----------
    text : str
        The whole file.
    options : ReadOptions
        How many lines to skip, and what comments begin with.

    Returns
    -------
    text, n_skipped : str, int
        Comments are blank lines now, so that the lines keep their numbers; skipped lines are gone.
        The row of units is left out later, when rows are known.
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
    """Which decimal marks the numbers of a table have.

    Attributes
    ----------
    decimal : str
        The mark of most columns.
    columns : mapping from str to str
        The mark of each column in whose numbers one shows and is certain.
    doubtful : tuple of str
        Columns whose numbers can be read in two ways, where no other column tells which.
    notes : tuple of str
        What to tell the user.
    """

    decimal: str
    columns: Mapping[str, str]
    doubtful: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_decimal(columns: Mapping[str, Factor], delimiter: str) -> DecimalMarks:
    """The decimal mark of each column: the one under which its cells are numbers.

    Where both serve (``1,234`` may be a thousand or one and a bit), the other columns tell: the
    mark of most of them is taken. Where none tells, a comma is a decimal mark only in a table that
    is not itself separated by commas and has no points.

    Parameters
    ----------
    columns : mapping of str to Factor
        The table's columns.
    delimiter : str
        The delimiter.
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
        told = dict.fromkeys(both, decimal)
        return DecimalMarks(
            decimal, certain | told, (), _mark_notes(columns, certain, both, decimal)
        )
    decimal = _likely_mark(columns, [*certain, *both], delimiter)
    notes = _mark_notes(columns, certain, (), decimal)
    if both:
        example = next(iter(_marked_texts(columns, both)))
        notes += (
            f"Numbers such as {example} can be read in two ways: the decimal mark was taken to be "
            f"the {_MARK_NAMES[decimal]}; set it if that is wrong.",
        )
    return DecimalMarks(decimal, certain, tuple(both), notes)


_SIGNED = "[0-9] *(?:[-%)$€£¥₹]|[A-Z]{3}$)|(?:[($€£¥₹<>=≤≥]|^[A-Z]{3}) *[-+]?[0-9]"
_MARK_NAMES = {".": "point", ",": "comma"}
_MAX_MARKED_SHOWN = 3


def _marked_columns(columns: Mapping[str, Factor]) -> dict[str, Factor]:
    """Columns in which some cell has a digit beside a mark; signs such as % are taken off.

    The texts of all columns are searched together, which is faster than one by one.
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
    """A column without percent, currency and limit signs, so that its decimal mark can be found."""
    texts = rewrite(rewrite(factor.values, NumberForm.SIGNS), NumberForm.LIMITS)
    return factor.with_texts(texts)


def _likely_mark(columns: Mapping[str, Factor], names: Sequence[str], delimiter: str) -> str:
    """The mark to take where no column tells."""
    texts = list(_marked_texts(columns, names, most=1000))
    commas = any("," in text for text in texts)
    points = any("." in text for text in texts)
    return "," if delimiter != "," and commas and not points else "."


def _marked_texts(
    columns: Mapping[str, Factor], names: Sequence[str], most: int | None = None
) -> Iterator[str]:
    """Texts with a digit beside a mark; of so many in each column at most."""
    for name in names:
        for text in columns[name].texts[:most]:
            if re.search(r"[0-9][.,]|[.,][0-9]", text):
                yield text


def _mark_notes(
    columns: Mapping[str, Factor],
    certain: Mapping[str, str],
    told: Sequence[str],
    decimal: str,
) -> tuple[str, ...]:
    """That marks differ between columns, and what was taken for thousands."""
    notes: list[str] = []
    others = [name for name, mark in certain.items() if mark != decimal]
    if others:
        shown = _names_shown(others)
        notes.append(
            f"The decimal mark differs between columns: it is the "
            f"{_MARK_NAMES['.' if decimal == ',' else ',']} in {shown}, and the "
            f"{_MARK_NAMES[decimal]} elsewhere. Each column is read with its own."
        )
    other = "." if decimal == "," else ","
    thousands = [name for name in told if any(other in text for text in columns[name].texts[:1000])]
    if thousands:
        notes.append(
            f"In {_names_shown(thousands)} the {_MARK_NAMES[other]} is taken to set thousands "
            f"apart, since other columns have the decimal {_MARK_NAMES[decimal]}."
        )
    return tuple(notes)


def _names_shown(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _MAX_MARKED_SHOWN else ""
    return ", ".join(map(repr, names[:_MAX_MARKED_SHOWN])) + more


_MOSTLY = 0.9
"""Share of a column's cells that must be numbers, so that a code such as ``x`` does no harm."""


def _rows_with_numbers(factor: Factor, decimal: str) -> int:
    """How many rows have a number under this mark; none if it is not most of them."""
    counts = np.where(missing_values(factor, DEFAULT_MISSING_TOKENS), 0, factor.counts())
    total = counts.sum()
    numeric = np.isfinite(factor.numbers(decimal))
    n_numbers = int(counts[numeric].sum())
    return n_numbers if n_numbers >= _MOSTLY * total else 0
