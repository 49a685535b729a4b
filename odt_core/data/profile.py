"""Facts about one column: what it holds, which kind suits it, what is odd about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odt_core.data.cells import CellReading
from odt_core.data.missing import missing_values
from odt_core.data.schema import ColumnKind
from odt_core.data.table import Factor, Table

MAX_CODES = 10
"""Whole numbers with at most so many distinct values are taken for codes of categories."""

MANY_CATEGORIES = 50

_SENTINELS = frozenset({-7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, 999, 9999})
"""Numbers that often stand for a missing value."""

_ID_NAME = re.compile(
    r"(^|[^a-z])(id|ids|index|idx|nr|no|number|row|key|mrn|uuid)$"
    r"|(?-i:[a-z](Id|ID|Nr|No))$|^(unnamed|column_1$|row ?names)",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Profile:
    """A column seen under certain missing tokens.

    Attributes
    ----------
    name : str
        The column's name.
    factor : Factor
        Its distinct texts.
    missing : bool[V]
        Which of them are missing.
    counts : int64[V]
        How many rows have each.
    numbers : float64[V]
        Each as a number, NaN where it is none.
    reading : CellReading
        How the cells were read.
    """

    name: str
    factor: Factor
    missing: npt.NDArray[np.bool_]
    counts: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float64]
    reading: CellReading

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.factor.codes)

    @cached_property
    def n_missing(self) -> int:
        """Rows without a value."""
        return int(self.counts[self.missing].sum())

    @cached_property
    def n_distinct(self) -> int:
        """Distinct values, missing ones apart."""
        return int(np.count_nonzero(~self.missing))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every value is a finite number (and there is one)."""
        return self.n_distinct > 0 and bool(np.isfinite(self.numbers[~self.missing]).all())

    @cached_property
    def distinct_numbers(self) -> npt.NDArray[np.float64]:
        """The distinct finite numbers, rising."""
        found = self.numbers[~self.missing]
        return np.unique(found[np.isfinite(found)])

    @cached_property
    def is_whole(self) -> bool:
        """Whether every number is whole."""
        return bool((self.distinct_numbers % 1 == 0).all())

    @cached_property
    def is_constant(self) -> bool:
        """Whether all rows are alike; a missing value counts as a value."""
        return self.n_distinct + bool(self.n_missing) <= 1

    @cached_property
    def has_too_many_categories(self) -> bool:
        """Whether there are more categories than half the rows, as identifiers have."""
        return self.n_distinct > 2 and 2 * self.n_distinct > self.n_rows

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether it holds a different whole number in each row, and counts or is named so."""
        numbers = self.distinct_numbers
        if not (self.is_numeric and self.is_whole) or len(numbers) < max(self.n_rows, 3):
            return False
        counts_up = numbers[-1] == numbers[0] + len(numbers) - 1
        return bool(counts_up) or _ID_NAME.search(self.name) is not None

    @cached_property
    def proposed_kind(self) -> ColumnKind:
        """The kind that suits the column, for the user to confirm.

        Numbers are numerical, but for at most ten distinct whole ones, which are taken for codes
        of categories. Constant columns and identifiers are to be ignored.
        """
        if self.is_constant or self.numbers_rows:
            return ColumnKind.IGNORE
        if self.is_numeric:
            few = self.n_distinct <= MAX_CODES and not self.has_too_many_categories
            return ColumnKind.CATEGORICAL if few and self.is_whole else ColumnKind.NUMERICAL
        return ColumnKind.IGNORE if self.has_too_many_categories else ColumnKind.CATEGORICAL

    def values(self, selected: npt.NDArray[np.bool_]) -> list[str]:
        """The distinct texts under a mask, the most frequent first."""
        codes = np.flatnonzero(selected)
        codes = codes[np.argsort(-self.counts[codes], kind="stable")]
        texts: list[str] = self.factor.values.take(codes).to_pylist()
        return texts

    def suspected_codes(self) -> list[str]:
        """Numbers that may stand for a missing value: -9 where nothing else is negative."""
        suspects = np.isin(self.numbers, list(_SENTINELS)) & ~self.missing
        usual = self.numbers[~suspects & ~self.missing]
        usual = usual[np.isfinite(usual)]
        if not suspects.any() or not len(usual):
            return []
        odd = suspects & (
            ((self.numbers < 0) & (usual.min() >= 0)) | (self.numbers > 3 * abs(usual).max())
        )
        return self.values(odd)

    def lookalikes(self) -> tuple[str, str] | None:
        """Two values that differ only in case or inner blanks, or in how a number is written."""
        seen: dict[str | float, str] = {}
        # Both in the order of the distinct values, so the same table gives the same answer.
        for text, number, missing in zip(
            self.factor.texts, self.numbers.tolist(), self.missing, strict=True
        ):
            if missing:
                continue
            is_number = np.isfinite(number)
            key = number if is_number else " ".join(text.casefold().split())
            if key in seen:
                return seen[key], text
            seen[key] = text
        return None

    def decides(self, kind: ColumnKind, classes: npt.NDArray[np.int64]) -> bool:
        """Whether the column alone tells the class of every row.

        A categorical column does if each of its values has rows of one class only; a numerical
        one if each class lies in an interval of its own. A missing value counts as a value.

        Parameters
        ----------
        kind : ColumnKind
            How the column is used.
        classes : int64[N]
            The class of each row, from 0; -1 where it is missing.
        """
        known = classes >= 0
        n_classes = int(classes.max(initial=-1)) + 1
        if self.has_too_many_categories and kind is not ColumnKind.NUMERICAL:
            return False
        if n_classes < 2 or n_classes > MANY_CATEGORIES:
            return False
        codes = np.where(self.missing[self.factor.codes], 0, self.factor.codes + 1)
        table = np.bincount(
            codes[known].astype(np.int64) * n_classes + classes[known],
            minlength=(len(self.missing) + 1) * n_classes,
        ).reshape(-1, n_classes)
        if (np.count_nonzero(table, axis=1) > 1).any():
            return False
        if kind is not ColumnKind.NUMERICAL:
            return True
        order = np.argsort(self.numbers, kind="stable")
        order = order[table[order + 1].any(axis=1) & ~self.missing[order]]
        runs = table[order + 1].argmax(axis=1)
        n_runs = np.count_nonzero(np.diff(runs)) + 1 if len(runs) else 0
        return bool(1 < n_runs <= n_classes)


def profile_column(table: Table, column: str, reading: CellReading) -> Profile:
    """Look at a column.

    Parameters
    ----------
    table : Table
        The data, as read.
    column : str
        The column's name.
    reading : CellReading
        How its cells are read.

    Raises
    ------
    InputError
        If there is no such column.
    """
    factor = table.factor(column)
    if reading.joined:
        factor = factor.joined(dict(reading.joined))
    return Profile(
        name=column,
        factor=factor,
        missing=missing_values(factor, reading.missing_tokens, reading.decimal, reading.form),
        counts=factor.counts(),
        numbers=factor.numbers(reading.decimal, reading.form),
        reading=reading,
    )
