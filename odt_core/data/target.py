"""The outcome: its labels, and the rows that have one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from odt_core.data.cells import CellReading, Joined
from odt_core.data.numeric import parse_numbers
from odt_core.data.ordering import natural_order
from odt_core.data.profile import profile_column
from odt_core.data.schema import Schema
from odt_core.data.spelling import alike
from odt_core.data.table import Table

TARGET_NAMES = (
    "class",
    "target",
    "outcome",
    "label",
    "diagnosis",
    "y",
    "result",
    "response",
    "status",
)
"""Column names that mark the outcome, the likeliest first."""

EVENT_NAMES = tuple(
    "survived died death dead mortality deceased event relapse recurrence readmitted churn "
    "default diseased ill sick infected "
    "verstorben gestorben tod todesfall überlebt ereignis rezidiv rückfall erkrankt "
    "décédé décès mort rechute récidive malade "
    "fallecido fallecida muerte recaída deceduto deceduta morte decesso ricaduta óbito recidiva "
    "overleden recidief terugval avliden död återfall recidiv zgon zmarł zmarl nawrót".split()
)
"""Whole column names that mark the outcome if none of `TARGET_NAMES` is there.

Names count in any case, with or without accents.
"""

MOST_STRAY_ROWS, STRAY_RATIO = 2, 5
"""Largest number of rows of a stray label, and how many times as many the frequent labels have."""


@dataclass(frozen=True, eq=False)
class Target:
    """The outcome of each row.

    Attributes
    ----------
    name : str
        The column's name.
    labels : tuple of str
        The distinct outcomes in natural order.
    counts : tuple of int
        Number of rows with each label.
    classes : int64[N]
        Each row's outcome as an index into `labels`; -1 if it is missing.
    decimal : str
        The decimal mark of labels that are numbers.
    """

    name: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    classes: npt.NDArray[np.int64]
    decimal: str = "."

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Marks rows that have an outcome, bool[N]."""
        return self.classes >= 0

    def has_label(self, label: str) -> npt.NDArray[np.bool_]:
        """Marks rows with this label, bool[N]."""
        return self.classes == self.labels.index(label)

    def others(self, positive: str) -> tuple[str, ...]:
        """The labels other than the positive one."""
        return tuple(label for label in self.labels if label != positive)

    def strays(self) -> tuple[str, ...]:
        """Labels with one or two rows, if two other labels are far more frequent."""
        frequent = sorted(self.counts)[-2:]
        if len(self.labels) < 3:
            return ()
        return tuple(
            label
            for label, n in zip(self.labels, self.counts, strict=True)
            if n <= MOST_STRAY_ROWS and STRAY_RATIO * n <= frequent[0]
        )

    def spellings(self) -> Joined:
        """Labels that are spellings of one label, each with the most frequent spelling."""
        texts = pa.array(self.labels, pa.large_string())
        counts = np.array(self.counts, dtype=np.int64)
        return alike(texts, parse_numbers(texts, self.decimal), counts)

    def negative_label(self, positive: str) -> str:
        """The name of the negative class: the other label, or ``not ...`` if there are several."""
        others = self.others(positive)
        return others[0] if len(others) == 1 else f"not {positive}"


def read_target(table: Table, column: str, reading: CellReading) -> Target:
    """Read a column as the outcome.

    Raises
    ------
    InputError
        If there is no such column.
    """
    table.require(column)
    return table.remember(("outcome", column, reading), lambda: _look_at(table, column, reading))


def _look_at(table: Table, column: str, reading: CellReading) -> Target:
    profile = profile_column(table, column, reading)
    texts = profile.factor.texts
    present = [code for code in range(len(texts)) if not profile.missing[code]]
    order = natural_order([texts[code] for code in present], reading.decimal)
    codes = [present[position] for position in order]
    index = np.full(len(texts), -1, dtype=np.int64)
    index[codes] = np.arange(len(codes))
    return Target(
        name=column,
        labels=tuple(texts[code] for code in codes),
        counts=tuple(int(profile.counts[code]) for code in codes),
        classes=index[profile.factor.codes],
        decimal=reading.decimal,
    )


def target_labels(table: Table, schema: Schema) -> dict[str, int]:
    """Count the rows with each label of the outcome, in the labels' natural order.

    Raises
    ------
    InputError
        If there is no such column.
    """
    found = read_target(table, schema.target, schema.reading_of(schema.target))
    return dict(zip(found.labels, found.counts, strict=True))


def spellings(table: Table, schema: Schema, column: str) -> Joined:
    """Find texts of a column or of the outcome that are spellings of one label.

    Each is paired with the most frequent spelling (see `odt_core.data.spelling.alike`).

    Raises
    ------
    InputError
        If there is no such column.
    """
    reading = replace(schema.reading_of(column), joined=())
    return profile_column(table, column, reading).spellings()
