"""Differences between a table and the training data of the tree that scores it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from odt_core.data import Encoder, Table
from odt_core.data.encoder import ColumnEncoder
from odt_core.data.limits import has_column
from odt_core.data.profile import Profile
from odt_core.data.spelling import folded
from odt_core.errors import InputError, quoted
from odt_core.json_data import JsonData
from odt_core.problem import UNSEEN
from odt_core.tree import Tree
from odt_core.words import category_words, count_words, list_words, printable

MOST_EXAMPLES = 3
"""Largest number of values or columns that a sentence names."""


class DifferenceKind(StrEnum):
    """The kind of a difference.

    ``new-values``: categories that no training row had. ``new-missing``: missing values in a column
    that had none in training. ``not-numbers``: text where a number is expected. ``beyond``: numbers
    outside the range of the training rows. ``unused-columns``: columns of the training data that
    the table lacks and the tree does not ask about.
    """

    NEW_VALUES = "new-values"
    NEW_MISSING = "new-missing"
    NOT_NUMBERS = "not-numbers"
    BEYOND = "beyond"
    UNUSED_COLUMNS = "unused-columns"


@dataclass(frozen=True)
class Difference(JsonData):
    """A difference between a table and the training data.

    Attributes
    ----------
    kind : DifferenceKind
        The kind of the difference.
    column : str
        The column; empty if the difference is about several columns.
    rows : int
        Number of rows with the difference.
    examples : tuple of str
        Some of the cells, or the names of some of the columns.
    n_distinct : int
        Number of different cells or columns.
    """

    kind: DifferenceKind
    column: str
    rows: int
    examples: tuple[str, ...]
    n_distinct: int

    @property
    def words(self) -> str:
        """The difference and its treatment, in two sentences."""
        named = _named(self.examples, self.n_distinct)
        name, rows = printable(self.column), count_words(self.rows, "row")
        has = "has" if self.rows == 1 else "have"
        if self.kind is DifferenceKind.UNUSED_COLUMNS:
            columns = count_words(self.n_distinct, "column")
            verb = "is" if self.n_distinct == 1 else "are"
            return (
                f"{columns} of the training data {verb} absent ({named}). The tree does not ask "
                f"about {'it' if self.n_distinct == 1 else 'them'}."
            )
        if self.kind is DifferenceKind.NEW_VALUES:
            return (
                f"Column {quoted(name)}: {rows} {has} a value that no training row had ({named}). "
                "At a question, such a row takes the branch of most training rows."
            )
        if self.kind is DifferenceKind.NOT_NUMBERS:
            return (
                f"Column {quoted(name)}: {rows} {has} text where a number is expected ({named}). "
                "It is read as a missing value."
            )
        if self.kind is DifferenceKind.BEYOND:
            return (
                f"Column {quoted(name)}: {rows} {has} a number outside the range of the training "
                f"rows ({named}). The tree answers as for the nearest training rows."
            )
        return (
            f"Column {quoted(name)}: {rows} {has} no value, but every training row had one. At a "
            "question, such a row takes the branch of most training rows."
        )


def _named(examples: Sequence[str], n: int) -> str:
    names = [category_words(example[:60]) for example in examples]
    rest = n - len(names)
    return ", ".join(names) + (f" and {rest:,} more" if rest > 0 else "")


def require_columns(tree: Tree, table: Table) -> None:
    """Refuse a table that lacks columns that a tree asks about.

    Raises
    ------
    InputError
        If columns are absent. It names them, and columns with almost the same names.
    """
    names = [tree.features[feature].name for feature in tree.used_features]
    absent = [name for name in names if not has_column(table, name)]
    if not absent:
        return
    alike = _alike(absent, table)
    hint = "".join(
        f" Its column {quoted(found)} may be {quoted(name)}." for name, found in alike.items()
    )
    what = "column" if len(absent) == 1 else "columns"
    raise InputError(
        f"The table has no {what} {list_words([*map(quoted, absent)], ' and ')}, which the tree "
        f"asks about: add {'it' if len(absent) == 1 else 'them'} (cells may be empty).{hint}"
    )


def _alike(absent: Sequence[str], table: Table) -> dict[str, str]:
    """Find columns whose names differ from absent ones only in case, blanks or punctuation."""
    columns = pa.array(table.columns, pa.large_string())
    known = dict(zip(folded(columns).to_pylist(), table.columns, strict=True))
    wanted = folded(pa.array(absent, pa.large_string())).to_pylist()
    return {name: known[key] for name, key in zip(absent, wanted, strict=True) if key in known}


def unused_columns(encoder: Encoder, table: Table) -> tuple[Difference, ...]:
    """List absent columns of the training data, after `require_columns` has accepted the table."""
    absent = [f.name for f in encoder.features if not has_column(table, f.name)]
    if not absent:
        return ()
    shown = tuple(absent[:MOST_EXAMPLES])
    return (Difference(DifferenceKind.UNUSED_COLUMNS, "", table.n_rows, shown, len(absent)),)


def beyond_training(column: ColumnEncoder, profile: Profile) -> npt.NDArray[np.bool_]:
    """Mark the distinct values that are numbers outside the range of training, bool[V]."""
    if column.training_range is None:
        return np.zeros(len(profile.missing), dtype=np.bool_)
    low, high = column.training_range
    is_beyond = (profile.numbers < low) | (profile.numbers > high)
    return np.asarray(is_beyond & np.isfinite(profile.numbers) & ~profile.missing, dtype=np.bool_)


def column_differences(
    column: ColumnEncoder, profile: Profile, codes: npt.NDArray[np.int32]
) -> tuple[Difference, ...]:
    """Find what a column has that the training rows did not have.

    Parameters
    ----------
    column : ColumnEncoder
        The column as it was in training.
    profile : Profile
        The column of the table.
    codes : int32[V]
        The code of each distinct value.
    """
    strays = profile.strays if column.feature.is_numerical else np.zeros(len(codes), np.bool_)
    new = codes == UNSEEN
    found = []
    for kind, selected in (
        (DifferenceKind.NEW_VALUES, new & ~profile.missing & ~strays),
        (DifferenceKind.NOT_NUMBERS, strays),
        (DifferenceKind.NEW_MISSING, new & profile.missing),
        (DifferenceKind.BEYOND, beyond_training(column, profile)),
    ):
        rows = int(profile.counts[selected].sum())
        if rows:
            examples = tuple(text[:200] for text in profile.values(selected)[:MOST_EXAMPLES])
            n_distinct = int(np.count_nonzero(selected))
            found.append(Difference(kind, column.feature.name, rows, examples, n_distinct))
    return tuple(found)
