"""Marks of limits: a column made from another one, which says where its cells are only limits.

A cell such as ``<0.5`` is read as the number 0.5. The mark keeps what this loses. No file holds the
column: it is found by its name wherever a table has the column that it is made from.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.cells import CellReading
from odt_core.data.forms import LIMIT_MARK, NumberForm
from odt_core.data.missing import missing_values
from odt_core.data.table import Factor, Table

_BELOW, _ABOVE = r"^(?:<=?|≤) *[+-]?[0-9.,]", r"^(?:>=?|≥) *[+-]?[0-9.,]"


def mark_source(table: Table, column: str) -> str | None:
    """The column that a mark is made from; None for a column of the file and for no column."""
    source = column.removesuffix(LIMIT_MARK)
    is_mark = source != column and column not in table.factors and source in table.factors
    return source if is_mark else None


def has_column(table: Table, column: str) -> bool:
    """Whether a table has a column, or the column that this mark is made from."""
    return column in table.factors or mark_source(table, column) is not None


def limit_marks(factor: Factor, reading: CellReading) -> Factor:
    """Make a mark from a column of numbers and limits.

    A limit becomes ``below`` or ``above``, a number ``within``, and a missing value an empty cell.
    Other texts stay as they are.

    Parameters
    ----------
    reading : CellReading
        Its missing texts and its decimal mark.

    Examples
    --------
    >>> from odt_core.data.table import factor_of
    >>> cells = factor_of(pa.array(["<0.5", "3", "> 20", "", "n.d."]))
    >>> limit_marks(cells, CellReading()).texts
    ['below', 'within', 'above', '', 'n.d.']
    """
    form = NumberForm.LIMITS
    missing = missing_values(factor, reading.missing_tokens, reading.decimal, form)
    are_numbers = np.isfinite(factor.numbers(reading.decimal, form))
    texts = pc.if_else(pa.array(are_numbers), "within", factor.values)
    for pattern, mark in ((_BELOW, "below"), (_ABOVE, "above")):
        found = np.asarray(pc.match_substring_regex(factor.values, pattern)) & are_numbers
        texts = pc.if_else(pa.array(found), mark, texts)
    return factor.with_texts(pc.if_else(pa.array(missing), "", texts))
