"""Column names from the first line. Blank and repeated names are repaired, with a note."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from odt_core.data.numeric import DECIMAL_MARKS, parse_numbers
from odt_core.errors import quoted

MAX_SHOWN = 5
"""Largest number of names or numbers that a note lists."""


@dataclass(frozen=True)
class Header:
    """The first line of a table.

    Attributes
    ----------
    names : tuple of str
        Different names, none of them blank.
    n_named : int
        Number of named columns. Later columns come from delimiters at the end of the line.
    notes : tuple of str
        Sentences on what was repaired.
    """

    names: tuple[str, ...]
    n_named: int
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of cells of the first line."""
        return len(self.names)


def read_header(cells: Sequence[str]) -> Header:
    """Make distinct column names from the cells of the first line.

    Parameters
    ----------
    cells : sequence of str
        The cells as in the file; at least one is not blank.
    """
    given = [_one_line(cell) for cell in cells]
    n_named = max(position for position, cell in enumerate(given, start=1) if cell)
    names, blank, renamed = _distinct(given)
    notes = []
    named_blank = [position for position in blank if position < n_named]
    if named_blank:
        shown = _shorten([quoted(names[position]) for position in named_blank])
        notes.append(f"Columns without a name in the first line are called {shown}.")
    if renamed:
        shown = _shorten([f"{quoted(old)} (now {quoted(new)})" for old, new in renamed])
        notes.append(f"Names that appear more than once in the first line were changed: {shown}.")
    if looks_like_data(given[:n_named], len(renamed)):
        notes.append(
            "The first line looks like data, but is taken as column names: if it is data, add a "
            "line of names above it."
        )
    return Header(tuple(names), n_named, tuple(notes))


def _one_line(cell: str) -> str:
    """Clean a name: no stray blanks or control characters, and composed letters (Unicode NFC).

    A name of control characters alone stays as it is.
    """
    composed = unicodedata.normalize("NFC", cell).replace("\ufeff", "")
    name = re.sub(r"\s+", " ", composed).strip()
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", name).strip() or name


def _distinct(given: Sequence[str]) -> tuple[list[str], list[int], list[tuple[str, str]]]:
    """Make new names; return also the blank positions and the repeated names as (old, new)."""
    taken = set(given)
    seen: Counter[str] = Counter()
    names, blank, renamed = [], [], []
    for position, name in enumerate(given):
        seen[name] += 1
        if name and seen[name] == 1:
            names.append(name)
            continue
        stem, number = (name, seen[name]) if name else ("column", position + 1)
        while (new := f"{stem}_{number}") in taken:
            number += 1
        taken.add(new)
        names.append(new)
        if name:
            renamed.append((name, new))
        else:
            blank.append(position)
    return names, blank, renamed


def looks_like_data(cells: Sequence[str], n_repeated: int = 0) -> bool:
    """Whether at least half of a first line's cells are numbers or repeat another cell."""
    array = pa.array(cells, pa.large_string())
    n_numbers = max(
        np.count_nonzero(~np.isnan(parse_numbers(array, decimal))) for decimal in DECIMAL_MARKS
    )
    many_repeated = len(cells) > 3 and 2 * n_repeated >= len(cells)
    return bool(2 * n_numbers >= len(cells)) or many_repeated


def _shorten(items: Sequence[str]) -> str:
    return ", ".join(items[:MAX_SHOWN]) + (", ..." if len(items) > MAX_SHOWN else "")
