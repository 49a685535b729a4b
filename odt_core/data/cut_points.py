"""The cut points of the numerical columns for which an answer holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from odt_core.data.binning import BinMethod, Binning
from odt_core.data.schema import Schema
from odt_core.errors import quoted
from odt_core.problem import Feature

MOST_NAMED = 3
"""Largest number of columns that a sentence names if they are cut differently from the rest."""


@dataclass(frozen=True)
class ColumnCuts:
    """The cut points of a numerical feature.

    Attributes
    ----------
    name : str
        The column's name.
    binning : Binning
        The setting for its cut points.
    n_cuts : int
        Number of cut points that the training rows gave.
    """

    name: str
    binning: Binning
    n_cuts: int


def column_cuts(schema: Schema, features: Iterable[Feature]) -> tuple[ColumnCuts, ...]:
    """List the cut points of each numerical feature, in the order of the features."""
    return tuple(
        ColumnCuts(feature.name, schema.column(feature.name).binning, len(feature.cuts))
        for feature in features
        if feature.is_numerical
    )


def binning_words(binning: Binning) -> str:
    """Name the cut points: ``every cut point``, ``the deciles``, ``20 quantiles``."""
    if binning.method is BinMethod.EVERY:
        return "every cut point"
    if binning.method is BinMethod.DECILES:
        return "the deciles"
    if binning.method is BinMethod.QUANTILES:
        return f"{binning.n_bins} quantiles"
    return "the given cut points"


def cut_points_words(columns: Iterable[ColumnCuts]) -> str:
    """Say which cut points the search considered; empty without a numerical column.

    Examples
    --------
    ``over every cut point``, ``over the deciles``, ``over the deciles (every cut point of 'age';
    the given cut points of 2 columns)``
    """
    named: dict[str, list[str]] = {}
    for column in columns:
        named.setdefault(binning_words(column.binning), []).append(column.name)
    if not named:
        return ""
    usual = max(named, key=lambda words: len(named[words]))
    others = "; ".join(
        f"{words} of {_columns(names)}" for words, names in named.items() if words != usual
    )
    return f"over {usual}" + (f" ({others})" if others else "")


def _columns(names: list[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} columns"
    return ", ".join(map(quoted, names))


def cut_points_to_json(columns: Iterable[ColumnCuts]) -> dict[str, Any] | None:
    """Write them as a dictionary; None without a numerical column."""
    columns = tuple(columns)
    if not columns:
        return None
    return {
        "words": cut_points_words(columns),
        "columns": [
            {"name": c.name, "method": c.binning.method.value, "cuts": c.n_cuts} for c in columns
        ],
    }
