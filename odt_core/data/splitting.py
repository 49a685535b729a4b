"""The division of rows into training and test."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from odt_core.data.findings import only_rows, row_count
from odt_core.data.folds import Fold, k_fold_rows
from odt_core.data.sizes import (
    PAPER_ROWS,
    PAPER_SHARE,
    Size,
    check_size,
    parse_size,
    parse_train_size,
    resolve_size,
)
from odt_core.errors import InputError
from odt_core.json_data import JsonData


@dataclass(frozen=True)
class SplitSpec(JsonData):
    """How to divide the rows that have an outcome.

    Rows of one group (`odt_core.data.Schema.group`) always stay together.

    Attributes
    ----------
    train_size : int, Fraction, "all" or "paper"
        Size of a stratified random sample: a number of rows, or a share of them (rounded down).
        ``all`` takes every row, in the file's order. ``paper`` takes 90%, but at most 600 (paper,
        section 5).
    test_size : int, Fraction or None
        Size of the test set, a stratified random sample of the remaining rows: a number of rows, or
        a share of the *remaining* rows (rounded down). None takes all remaining rows.
    seed : int
        Seed of the random sample.
    fold : Fold or None
        One fold of a cross-validation. It divides the training rows, given by the sizes above, into
        the fold's own training and test rows. The test rows given above stay unused.

    Raises
    ------
    InputError
        If a size is not positive, a share exceeds 1, or `test_size` is given with ``all``.
    """

    train_size: Size
    test_size: int | Fraction | None = None
    seed: int = 0
    fold: Fold | None = None

    def __post_init__(self) -> None:
        check_size("train-size", self.train_size)
        if self.test_size is not None:
            check_size("test-size", self.test_size)
            if self.train_size == "all":
                raise InputError(
                    "train-size all leaves no rows to test on: leave out test-size, or give a "
                    "smaller train-size."
                )
        if not 0 <= self.seed < 2**32:
            raise InputError(f"seed is {self.seed}: give a whole number from 0 to {2**32 - 1}.")

    @classmethod
    def parse(cls, train_size: str, test_size: str | None = None, seed: int = 0) -> Self:
        """Read sizes as the command line gives them: ``600``, ``0.9``, ``90%``, ``all``, ``paper``.

        A whole number without a decimal point is a number of rows; ``1.0`` and ``100%`` are all.

        Raises
        ------
        InputError
            If a text is none of these or the sizes cannot be used.
        """
        size = parse_train_size(train_size)
        test = None
        if test_size is not None and test_size.strip():
            test = parse_size("test-size", test_size, "such as 200, 0.5 or 50% of the rest")
        return cls(size, test, seed)

    def n_train(self, n_rows: int) -> int:
        """Number of training rows out of `n_rows`.

        Raises
        ------
        InputError
            If there are not enough rows, or the share gives no row.
        """
        if self.train_size == "all":
            return n_rows
        if self.train_size == "paper":
            return min(math.floor(PAPER_SHARE * n_rows), PAPER_ROWS)
        assert not isinstance(self.train_size, str)
        return resolve_size("train-size", self.train_size, n_rows, "with an outcome")

    def n_test(self, n_rest: int) -> int:
        """Number of test rows out of the `n_rest` rows that do not train.

        Raises
        ------
        InputError
            If there are not enough rows, or the share gives no row.
        """
        if self.test_size is None:
            return n_rest
        return resolve_size("test-size", self.test_size, n_rest, "besides the training rows")

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        InputError
            If the record is damaged.
        """
        try:
            train, test, seed = record["train_size"], record["test_size"], record["seed"]
            fold = None if record.get("fold") is None else Fold.from_json(record["fold"])
            if type(seed) is not int:
                raise TypeError(f"the seed is {str(seed)[:40]!r}")
        except (KeyError, TypeError) as error:
            raise InputError(
                f"The description of the split is damaged ({error}): write it again."
            ) from error
        split = cls.parse(str(train), None if test is None else str(test), seed)
        return dataclasses.replace(split, fold=fold)


USUAL_SPLIT = SplitSpec.parse("80%")
"""The default division of rows."""


def split_rows(
    y: npt.NDArray[np.bool_],
    spec: SplitSpec,
    groups: npt.NDArray[np.int64] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Draw training and test rows; both keep the classes' proportions.

    A fold divides the training rows once more. Then the split's test rows stay unused.

    Parameters
    ----------
    y : bool[N]
        The classes.
    spec : SplitSpec
        The sizes. With groups, these are largest sizes: whole groups are taken while they fit.
    groups : int64[N], optional
        The group of each row, from 0. Rows of one group are never divided.

    Returns
    -------
    train, test : int64[n], int64[m]
        Positions in `y`, rising; `test` may be empty.

    Raises
    ------
    InputError
        If there are too few rows, or no group is small enough.
    """
    train, test = _divided(y, spec, groups)
    if spec.fold is None:
        return train, test
    parts = _fold_rows(y[train], spec.fold, spec.seed, None if groups is None else groups[train])
    return train[parts[0]], train[parts[1]]


def _fold_rows(
    y: npt.NDArray[np.bool_], fold: Fold, seed: int, groups: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find the training and test rows of one fold; `seed` is the comparison's seed."""
    if fold.train_size is None:
        return k_fold_rows(y, fold, seed, groups)
    if isinstance(fold.train_size, int) and fold.train_size >= len(y):
        raise InputError(
            f"The hold-out trains on {fold.train_size} rows, but {only_rows(len(y))} to compare "
            "on: give a smaller one."
        )
    train, test = _divided(y, SplitSpec(fold.train_size, seed=fold.seed(seed)), groups)
    if not len(test):
        raise InputError("The hold-out leaves no rows to test on: give a smaller hold-out size.")
    return train, test


def _divided(
    y: npt.NDArray[np.bool_], spec: SplitSpec, groups: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find training and test rows, before a fold divides them."""
    n_train = spec.n_train(len(y))
    rows = np.arange(len(y))
    if n_train == 0:
        raise InputError(f"train-size gives no row out of {len(y)}: give a larger one, or all.")
    train = _drawn("train-size", rows, y, n_train, spec.seed, groups)
    is_left = np.ones(len(y), dtype=bool)
    is_left[train] = False
    rest = np.flatnonzero(is_left)
    test = rest
    if spec.test_size is not None or len(rest):
        test = _drawn("test-size", rest, y, spec.n_test(len(rest)), spec.seed, groups)
    return train, test


def _drawn(
    option: str,
    rows: npt.NDArray[np.int64],
    y: npt.NDArray[np.bool_],
    n: int,
    seed: int,
    groups: npt.NDArray[np.int64] | None,
) -> npt.NDArray[np.int64]:
    """Draw `n` of the rows at random, or whole groups with at most `n` rows; rising."""
    if groups is None or n == len(rows):
        return _stratified(rows, y[rows], n, seed)
    drawn = rows[_stratified_groups(y[rows], groups[rows], n, seed)]
    if not len(drawn):
        raise InputError(
            f"{option} gives {row_count(n)}, but every group has more: give a larger size, or do "
            "not keep groups together."
        )
    return drawn


def _stratified_groups(
    y: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64], n: int, seed: int
) -> npt.NDArray[np.bool_]:
    """Draw whole groups at random, with at most `n` rows in total, as a mask.

    The groups are shuffled within two strata, those with a positive row and those without. Each
    stratum may give its share of `n`. If rows are still missing, they come from any group that
    fits. So the classes keep about their proportions. (scikit-learn's ``StratifiedGroupKFold`` only
    makes folds of equal size.)
    """
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    sizes = np.bincount(groups, minlength=len(order))
    order = order[sizes[order] > 0]
    has_positive = np.bincount(groups, weights=y, minlength=len(sizes)) > 0
    chosen = np.zeros(len(sizes), dtype=bool)
    for stratum in (order[has_positive[order]], order[~has_positive[order]]):
        share = sizes[stratum].sum() * n // len(y)
        chosen[stratum[_fitting(sizes[stratum], int(share))]] = True
    others = order[~chosen[order]]
    chosen[others[_fitting(sizes[others], n - int(sizes[chosen].sum()))]] = True
    return chosen[groups]


def _fitting(sizes: npt.NDArray[np.int64], room: int) -> npt.NDArray[np.int64]:
    """Find positions of sizes that fit into the room one after the other; skip the others."""
    taken: list[int] = []
    for position, size in enumerate(sizes.tolist()):
        if size <= room:
            taken.append(position)
            room -= size
        if not room:
            break
    return np.array(taken, dtype=np.int64)


def _stratified(
    rows: npt.NDArray[np.int64], y: npt.NDArray[np.bool_], n: int, seed: int
) -> npt.NDArray[np.int64]:
    """Draw `n` of the rows at random; each class gives its share, rounded down or up; rising.

    scikit-learn's `resample` and `train_test_split` draw the same rows with this seed. But it takes
    a second to import scikit-learn, and most commands do not need it for anything else.
    """
    if n == len(rows):
        return rows
    random = np.random.RandomState(seed)
    classes = [members for members in (rows[~y], rows[y]) if len(members)]
    shares = np.array([len(members) for members in classes]) / len(rows) * n
    sizes = np.floor(shares).astype(int)
    parts = shares - sizes
    for part in np.unique(parts)[::-1]:  # the largest fractional parts are rounded up
        if short := n - int(sizes.sum()):
            tied = np.flatnonzero(parts == part)
            sizes[random.choice(tied, min(short, len(tied)), replace=False)] += 1
    drawn = [random.choice(c, size, replace=False) for c, size in zip(classes, sizes, strict=True)]
    return np.sort(np.concatenate(drawn))
