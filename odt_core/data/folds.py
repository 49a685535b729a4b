"""Folds: repeated divisions of training rows, so that trees are tested on rows they never saw.

A `Folding` is the whole plan, and a `Fold` is one division. A split with a fold
(`odt_core.data.SplitSpec.fold`) has only the fold's rows. So anything that trains on a split also
trains on a fold, with categories, bins and selected features of the fold's own training rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from odt_core.data.findings import row_count
from odt_core.data.sizes import Size, check_size, parse_train_size
from odt_core.errors import InputError
from odt_core.json_data import JsonData

MOST_FOLDS = 1000


@dataclass(frozen=True)
class Fold(JsonData):
    """One division of training rows into rows to train on and rows to test on.

    Attributes
    ----------
    repeat : int
        Number of the repeat, from 0. Each repeat divides the rows differently.
    part : int
        For k-fold: the part that tests, from 0.
    parts : int or None
        For k-fold: the number of parts of about equal size.
    train_size : int, Fraction, "paper" or None
        For hold-out: the number of random rows that train; the rest tests. Exactly one of `parts`
        and `train_size` is given.
    """

    repeat: int
    part: int = 0
    parts: int | None = None
    train_size: Size | None = None

    def __post_init__(self) -> None:
        _check_method(self.parts, self.train_size)
        if self.repeat < 0 or not 0 <= self.part < (self.parts or 1):
            raise InputError("A fold's number is out of range: start the comparison again.")

    def seed(self, seed: int) -> int:
        """The seed of the fold's repeat; `seed` is the seed of the split that it divides."""
        return int(np.random.SeedSequence((seed, self.repeat)).generate_state(1)[0])

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        size = record["train_size"]
        numbers = (record["repeat"], record["part"], record["parts"])
        if not all(type(n) is int or (n is None and i == 2) for i, n in enumerate(numbers)):
            raise TypeError("a fold's numbers are whole")
        return cls(*numbers, train_size=None if size is None else parse_train_size(str(size)))


@dataclass(frozen=True)
class Folding:
    """All folds of a cross-validation: repeated stratified k-fold, or repeated hold-out.

    Attributes
    ----------
    parts : int or None
        For k-fold: the number of folds in each repeat. None for hold-out.
    repeats : int
        How many times the rows are divided.
    train_size : int, Fraction, "paper" or None
        For hold-out: the number of rows that train. The paper (section 5) has five repeats of
        ``paper``, which is 90% of the rows but at most 600.

    Raises
    ------
    InputError
        If not exactly one of `parts` and `train_size` is given, or a number is out of range.
    """

    parts: int | None = 5
    repeats: int = 1
    train_size: Size | None = None

    def __post_init__(self) -> None:
        _check_method(self.parts, self.train_size)
        if self.repeats < 1 or len(self) > MOST_FOLDS:
            raise InputError(
                f"The comparison has {len(self)} folds in all its repeats: give from 1 to "
                f"{MOST_FOLDS}."
            )

    def __len__(self) -> int:
        """Number of folds in all repeats."""
        return self.repeats * (self.parts or 1)

    def __iter__(self) -> Iterator[Fold]:
        """Iterate over the folds, repeat by repeat."""
        for repeat in range(self.repeats):
            for part in range(self.parts or 1):
                yield Fold(repeat, part, self.parts, self.train_size)


def _check_method(parts: int | None, train_size: Size | None) -> None:
    if (parts is None) == (train_size is None):
        raise InputError("Give either a number of folds or a hold-out size, not both.")
    if parts is not None and not 2 <= parts <= MOST_FOLDS:
        raise InputError(f"folds is {parts}: give from 2 to {MOST_FOLDS}.")
    if train_size == "all":
        raise InputError("A hold-out of all rows leaves none to test on: give a smaller one.")
    if train_size is not None:
        check_size("hold-out", train_size)


def k_fold_rows(
    y: npt.NDArray[np.bool_], fold: Fold, seed: int, groups: npt.NDArray[np.int64] | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find training and test rows of one k-fold division; both keep the classes' proportions.

    Parameters
    ----------
    y : bool[N]
        The classes.
    seed : int
        The seed of the split that the fold divides.
    groups : int64[N], optional
        The group of each row. Rows of one group are never divided.

    Returns
    -------
    train, test : int64[n], int64[m]
        Positions in `y`, rising. The parts of a repeat together test each row exactly once.

    Raises
    ------
    InputError
        If there are more folds than rows of the rarer class, or than groups.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold  # slow to import

    assert fold.parts is not None
    _check_room(y, fold.parts, groups)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(fold.parts, shuffle=True, random_state=fold.seed(seed))
    train, test = next(islice(splitter.split(y, y, groups), fold.part, None))
    if not len(test):
        raise InputError(
            f"Fold {fold.part + 1} of {fold.parts} has no rows, since whole groups are kept "
            "together: give fewer folds."
        )
    return train.astype(np.int64), test.astype(np.int64)


def _check_room(y: npt.NDArray[np.bool_], parts: int, groups: npt.NDArray[np.int64] | None) -> None:
    n_rarer = min(int(y.sum()), int((~y).sum()))
    if n_rarer < parts:
        raise InputError(
            f"The {row_count(len(y))} to compare on have {row_count(n_rarer)} of the rarer class, "
            f"fewer than the {parts} folds: give fewer folds, or take more rows."
        )
    if groups is not None and (n_groups := len(np.unique(groups))) < parts:
        raise InputError(
            f"The rows to compare on have {n_groups} group{'' if n_groups == 1 else 's'}, fewer "
            f"than the {parts} folds: give fewer folds."
        )
