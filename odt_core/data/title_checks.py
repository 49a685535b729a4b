"""Column names in a row below a title that has as many cells as the table."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from odt_core.data.findings import Finding, shown, warning
from odt_core.data.numeric import parse_numbers
from odt_core.data.remedies import Change, Remedy
from odt_core.data.table import Table

MOST_ROWS = 30
"""Number of rows in which the column names are searched."""

MAX_SHOWN = 5
_FEWEST_BELOW = 2


def title_finding(table: Table) -> Finding | None:
    """Warn if half the names are blank and a row below has texts that no other row has.

    Parameters
    ----------
    table : Table
        The table, as it was read. Columns without a name are called ``column_`` and a number.
    """
    n_blank = sum(name == f"column_{number}" for number, name in enumerate(table.columns, start=1))
    if table.lines is None or not 0 < n_blank < len(table.columns):
        return None
    if 2 * n_blank < len(table.columns) - 1:
        return None
    for row in range(min(MOST_ROWS, table.n_rows - _FEWEST_BELOW)):
        names = _names(table, row)
        if names is not None:
            n_skipped = int(table.lines[row]) - 1
            lines = "line" if n_skipped == 1 else f"{n_skipped} lines"
            return warning(
                None,
                f"The column names seem to be in {table.where(row)} ({shown(names, MAX_SHOWN)}),"
                f" below a title: skip the first {lines}.",
                Remedy(
                    Change.TITLE, f"Skip the first {lines}", table.columns[0], skip_lines=n_skipped
                ),
            )
    return None


def _names(table: Table, row: int) -> list[str] | None:
    """The cells of a row if they may be column names: texts that no other row has.

    The cell of an empty column is empty. A few names may occur twice.
    """
    names: list[str] = []
    for factor in table.factors.values():
        code = int(factor.codes[row])
        text: str = factor.values[code].as_py()
        if not text and factor.counts[code] == table.n_rows:
            continue
        if not text or factor.counts[code] > 1 or not re.search(r"[^\W\d]", text):
            return None
        names.append(text)
    texts = pa.array(names, pa.large_string())
    are_numbers = np.isfinite(parse_numbers(texts, table.report.decimal))
    are_different = 2 * len(set(names)) > max(len(names), 2)
    return names if are_different and not are_numbers.any() else None
