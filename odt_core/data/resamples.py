"""Bootstrap resamples: as many rows as there are training rows, drawn with replacement.

A resample comes as `Prepared` rows. Its training rows are the drawn rows, and its test rows are all
rows from which they were drawn. Categories, bins and cut points come from the drawn rows alone.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.data.encoder import fit_encoder
from odt_core.data.preparing import Prepared
from odt_core.data.schema import Schema
from odt_core.data.table import Table
from odt_core.errors import InputError

MOST_DRAWS = 1000
"""Largest number of draws for one resample until both classes are in it."""


@dataclass(frozen=True, eq=False)
class Draw:
    """The rows of one resample.

    Attributes
    ----------
    rows : int64[n]
        Positions among the training rows, rising. A row that is drawn twice is listed twice.
    again : int
        Number of earlier draws with rows of only one class.
    """

    rows: npt.NDArray[np.int64]
    again: int


def draw_resample(
    y: npt.NDArray[np.bool_],
    seed: int,
    number: int,
    groups: npt.NDArray[np.int64] | None = None,
) -> Draw:
    """Draw rows with replacement, as many as there are, until both classes are among them.

    Parameters
    ----------
    y : bool[N]
        The classes of the training rows.
    seed : int
        Seed of the training run's split.
    number : int
        Number of the resample, from 0. Seed and number alone determine the draw.
    groups : int64[N], optional
        The group of each row. With groups, whole groups are drawn, as many as there are, and the
        number of rows varies.

    Raises
    ------
    InputError
        If no draw has both classes, for example because one class is in a single group among very
        many.
    """
    random = np.random.default_rng(np.random.SeedSequence((seed, number)))
    members = None if groups is None else _members(groups)
    for again in range(MOST_DRAWS):
        if members is None:
            rows = random.integers(0, len(y), len(y))
        else:
            drawn = random.integers(0, len(members), len(members))
            rows = np.concatenate([members[group] for group in drawn])
        if 0 < y[rows].sum() < len(rows):
            return Draw(np.sort(rows), again)
    raise InputError(
        f"{MOST_DRAWS:,} draws in a row had rows of one class only: take more training rows of the "
        "rarer class."
    )


def _members(groups: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """List the rows of each group."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order])) + 1
    return np.split(order, starts)


def prepare_resample(
    table: Table, schema: Schema, prepared: Prepared, rows: npt.NDArray[np.int64]
) -> Prepared:
    """Encode a resample with an encoder that is fitted on its own rows.

    Parameters
    ----------
    prepared : Prepared
        The training rows from which the resample was drawn.
    rows : int64[n]
        Positions among these rows (see `draw_resample`).

    Returns
    -------
    Prepared
        `train` has the drawn rows; `test` has all rows from which they were drawn, in order.

    Raises
    ------
    InputError
        If the drawn rows are alike in every feature.
    """
    base, drawn = prepared.train, prepared.train_rows[rows]
    encoder = fit_encoder(table, schema, drawn)
    if not encoder.columns:
        raise InputError("The rows of the resample are alike in every feature.")
    y, weight = np.zeros(table.n_rows, dtype=bool), np.ones(table.n_rows, dtype=np.int64)
    y[prepared.train_rows] = base.y
    data = dataclasses.replace(
        base, codes=encoder.encode(table), y=y, weight=weight, features=encoder.features
    )
    kept = {feature.name for feature in encoder.features}
    return dataclasses.replace(
        prepared,
        train=data.take(drawn),
        test=data.take(prepared.train_rows),
        encoder=encoder,
        train_rows=drawn,
        test_rows=prepared.train_rows,
        dropped=tuple(c.name for c in schema.features if c.name not in kept),
    )
