"""A tree's answers for the rows of a table, and reasons to doubt an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odt_core.data import ColumnEncoder, Encoder, Table
from odt_core.errors import InputError, quoted
from odt_core.export import Model
from odt_core.problem import Feature
from odt_core.scoring.differences import (
    Difference,
    beyond_training,
    column_differences,
    require_columns,
    unused_columns,
)
from odt_core.tree import Tree
from odt_core.words import printable


class Doubt(StrEnum):
    """A reason why a value says little about a row.

    ``new``: no training row had the value. ``new-here``: training rows had it, but none of those
    that reached the question. ``not-a-number``: text where a number is expected, read as missing.
    ``beyond``: a number outside the range of the training rows.
    """

    NEW = "new"
    NEW_HERE = "new-here"
    NOT_A_NUMBER = "not-a-number"
    BEYOND = "beyond"


def doubt_words(doubt: Doubt, feature: Feature) -> str:
    """Write a doubt about a feature's value as a clause with the feature's name."""
    name = printable(feature.name)
    if doubt is Doubt.NOT_A_NUMBER:
        return f"{name}: not a number, read as missing"
    if doubt is Doubt.BEYOND:
        return f"{name}: a number outside the range of the training rows"
    if doubt is Doubt.NEW_HERE:
        return f"{name}: no training row had this value at the question"
    if feature.is_numerical:
        return f"{name}: missing, but never missing in training"
    return f"{name}: no training row had this value"


@dataclass(frozen=True, eq=False)
class DoubtPattern:
    """The doubts that a set of rows has in common.

    Attributes
    ----------
    doubts : tuple of (Doubt, Feature)
        Each doubt with its feature.
    """

    doubts: tuple[tuple[Doubt, Feature], ...] = ()

    def columns(self, doubt: Doubt) -> str:
        """The columns with one kind of doubt, separated by semicolons."""
        return "; ".join(feature.name for found, feature in self.doubts if found is doubt)

    @property
    def words(self) -> str:
        """All doubts, separated by semicolons."""
        return "; ".join(doubt_words(doubt, feature) for doubt, feature in self.doubts)


@dataclass(frozen=True, eq=False)
class Scores:
    """A tree's answers for N rows.

    Attributes
    ----------
    tree : Tree
        The tree over the U features that it asks about.
    codes : int32[N, U]
        The rows, encoded.
    leaves : int64[N]
        The leaf that each row reaches, from 0, left to right.
    not_numbers : bool[N, U]
        Marks cells with text where a number is expected.
    beyond : bool[N, U]
        Marks cells with a number outside the range of the training rows.
    differences : tuple of Difference
        Differences between the table and the training data.
    """

    tree: Tree
    codes: npt.NDArray[np.int32]
    leaves: npt.NDArray[np.int64]
    not_numbers: npt.NDArray[np.bool_]
    beyond: npt.NDArray[np.bool_]
    differences: tuple[Difference, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.leaves)

    @cached_property
    def positive(self) -> npt.NDArray[np.bool_]:
        """The answer for each row, True for positive, bool[N]."""
        labels = np.array([leaf.label for leaf in self.tree.leaves], dtype=np.bool_)
        answers: npt.NDArray[np.bool_] = labels[self.leaves]
        return answers

    @cached_property
    def _doubts(self) -> npt.NDArray[np.bool_]:
        """Doubts on each row's path, bool[N, 4 U]: kind by kind, in the order of `Doubt`."""
        met = self.tree.unseen_met(self.codes)
        asked = np.zeros((self.tree.n_leaves, len(self.tree.features)), dtype=np.bool_)
        for leaf, path in enumerate(self.tree.paths):
            asked[leaf, [node.split.feature for node, _ in path]] = True
        here: npt.NDArray[np.bool_] = asked[self.leaves]
        return np.hstack([met.anywhere, met.here, self.not_numbers & here, self.beyond & here])

    @cached_property
    def is_doubtful(self) -> npt.NDArray[np.bool_]:
        """Marks the rows that have a doubt, bool[N]."""
        return np.asarray(self._doubts.any(axis=1), dtype=np.bool_)

    @cached_property
    def patterns(self) -> tuple[tuple[DoubtPattern, ...], npt.NDArray[np.int64]]:
        """The different patterns of doubts, starting with no doubts, and each row's pattern."""
        rows = np.flatnonzero(self.is_doubtful)
        different, which = np.unique(self._doubts[rows], axis=0, return_inverse=True)
        of_row = np.zeros(self.n_rows, dtype=np.int64)
        of_row[rows] = which.reshape(-1) + 1
        return (DoubtPattern(), *(self._pattern(each) for each in different)), of_row

    def _pattern(self, doubts: Sequence[bool]) -> DoubtPattern:
        kinds = [(doubt, feature) for doubt in Doubt for feature in self.tree.features]
        return DoubtPattern(tuple(kind for kind, is_so in zip(kinds, doubts, strict=True) if is_so))

    def n_with(self, doubt: Doubt) -> int:
        """Count the rows with one kind of doubt."""
        patterns, of_row = self.patterns
        has = np.array([bool(pattern.columns(doubt)) for pattern in patterns])
        return int(np.count_nonzero(has[of_row]))


def score(model: Model, table: Table) -> Scores:
    """Apply a model to a table. Columns are matched by name.

    The table needs only the columns that the tree asks about. Text where a number is expected
    counts as a missing value.

    Raises
    ------
    InputError
        If the table lacks a column that the tree asks about, if a column's numbers make sense with
        either decimal mark, or if the model is damaged.
    """
    encoder = Encoder.from_json(model.encoder)
    require_columns(model.tree, table)
    tree = model.tree.over_used_features()
    codes = np.empty((table.n_rows, len(tree.features)), dtype=np.int32, order="F")
    not_numbers, beyond = (np.zeros(codes.shape, dtype=np.bool_, order="F") for _ in range(2))
    differences: list[Difference] = list(unused_columns(encoder, table))
    for place, column in enumerate(_asked_columns(encoder, model.tree)):
        if column.feature.n_values != tree.features[place].n_values:
            raise InputError(
                f"The model is damaged: its tree and its encoder disagree about the values of "
                f"{quoted(column.feature.name)}. Save it again after training."
            )
        profile = column.profile(table)
        values = column.lenient_codes(profile)
        np.take(values, profile.factor.codes, out=codes[:, place])
        if column.feature.is_numerical and profile.strays.any():
            np.take(profile.strays, profile.factor.codes, out=not_numbers[:, place])
        if (outside := beyond_training(column, profile)).any():
            np.take(outside, profile.factor.codes, out=beyond[:, place])
        differences += column_differences(column, profile, values)
    return Scores(tree, codes, tree.apply(codes), not_numbers, beyond, tuple(differences))


def _asked_columns(encoder: Encoder, tree: Tree) -> Iterator[ColumnEncoder]:
    return (encoder.columns[feature] for feature in tree.used_features)
