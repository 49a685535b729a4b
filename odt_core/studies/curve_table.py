"""The table of a curve over its repeats, as in section 5.8 of the paper, and its CSV."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.export.csv_cells import signed_csv
from odt_core.studies.curve import CurveRun
from odt_core.studies.sweep import Sweep


@dataclass(frozen=True)
class Spread:
    """A rate over repeats.

    Attributes
    ----------
    mean : float
        The mean, in [0, 1].
    variance : float or None
        The sample variance (n - 1), in squared shares; None for a single repeat.
    low, high : float
        The 10th and 90th percentile, linear between neighbouring rates, as in NumPy and R.
    """

    mean: float
    variance: float | None
    low: float
    high: float

    @classmethod
    def of(cls, rates: Sequence[Fraction]) -> Spread:
        """Summarise rates; mean and variance come from exact fractions."""
        if len(rates) == 1:
            only = float(rates[0])
            return cls(mean=only, variance=None, low=only, high=only)
        deciles = statistics.quantiles(rates, n=10, method="inclusive")
        return cls(
            mean=float(statistics.mean(rates)),
            variance=float(statistics.variance(rates)),
            low=float(deciles[0]),
            high=float(deciles[-1]),
        )

    def to_json(self) -> dict[str, float | None]:
        """The four numbers by name."""
        return {"mean": self.mean, "variance": self.variance, "p10": self.low, "p90": self.high}


@dataclass(frozen=True)
class CurveRow:
    """One shape at one level, over the repeats.

    Attributes
    ----------
    topology : str
        The shape's name.
    level : Fraction
        The floor on training sensitivity (or specificity).
    n : int
        Number of repeats that have a tree at this level.
    train_tpr, train_tnr, test_tpr, test_tnr : Spread
        Sensitivity and specificity in training and test.
    below : int
        Number of repeats in which the test rate is below the floor.
    proved : int
        Number of repeats whose tree is proved the best.
    sweep : Sweep
        The rate that has the floor.
    """

    topology: str
    level: Fraction
    n: int
    train_tpr: Spread
    train_tnr: Spread
    test_tpr: Spread
    test_tnr: Spread
    below: int
    proved: int
    sweep: Sweep = Sweep.TPR

    def train(self, rate: Sweep) -> Spread:
        """A rate in training."""
        return self.train_tpr if rate is Sweep.TPR else self.train_tnr

    def test(self, rate: Sweep) -> Spread:
        """A rate in test."""
        return self.test_tpr if rate is Sweep.TPR else self.test_tnr

    def to_json(self) -> dict[str, Any]:
        """Write a dictionary, with the level as a percentage."""
        return {
            "topology": self.topology,
            "level": float(100 * self.level),
            "repeats": self.n,
            "train": {"tpr": self.train_tpr.to_json(), "tnr": self.train_tnr.to_json()},
            "test": {"tpr": self.test_tpr.to_json(), "tnr": self.test_tnr.to_json()},
            "below_floor_in_test": self.below,
            "proved": self.proved,
            "sweep": self.sweep.value,
        }


def curve_table(runs: Sequence[CurveRun]) -> tuple[CurveRow, ...]:
    """Make one row for each shape and level: shapes in the order of the runs, levels falling."""
    shapes = dict.fromkeys(run.topology for run in runs)
    levels = sorted({run.level for run in runs}, reverse=True)
    rows = []
    for shape in shapes:
        for level in levels:
            here = [run for run in runs if (run.topology, run.level) == (shape, level)]
            if here:
                rows.append(_row(shape, level, here))
    return tuple(rows)


def _row(topology: str, level: Fraction, runs: Sequence[CurveRun]) -> CurveRow:
    return CurveRow(
        topology=topology,
        level=level,
        n=len(runs),
        train_tpr=Spread.of([run.train.tpr for run in runs]),
        train_tnr=Spread.of([run.train.tnr for run in runs]),
        test_tpr=Spread.of([run.test.tpr for run in runs]),
        test_tnr=Spread.of([run.test.tnr for run in runs]),
        below=sum(run.sweep.rate(run.test) < level for run in runs),
        proved=sum(run.proved for run in runs),
        sweep=runs[0].sweep,
    )


TABLE_HEAD = (
    "topology", "level_percent", "repeats",
    "train_tpr_mean", "train_tpr_variance", "train_tnr_mean", "train_tnr_variance",
    "test_tpr_mean", "test_tpr_variance", "test_tnr_mean", "test_tnr_variance",
    "test_tpr_p10", "test_tpr_p90", "test_tnr_p10", "test_tnr_p90",
    "below_floor_in_test", "proved", "floor_on",
)  # fmt: skip
"""Columns of the table's CSV: rates in percent, variances in squared percent."""


def curve_csv(rows: Sequence[CurveRow]) -> bytes:
    """Write the table as CSV (UTF-8)."""
    lines: list[list[object]] = [list(TABLE_HEAD)]
    for row in rows:
        spreads = (row.train_tpr, row.train_tnr, row.test_tpr, row.test_tnr)
        lines.append(
            [row.topology, f"{float(100 * row.level):g}", row.n]
            + [cell for spread in spreads for cell in _mean_and_variance(spread)]
            + [f"{100 * x:.4f}" for s in spreads[2:] for x in (s.low, s.high)]
            + [row.below, row.proved, row.sweep.value]
        )
    return signed_csv(lines)


def _mean_and_variance(spread: Spread) -> tuple[str, str]:
    variance = "" if spread.variance is None else f"{10_000 * spread.variance:.4f}"
    return f"{100 * spread.mean:.4f}", variance
