"""The points, columns and circles that the figures of studies draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from odt_core.render import (
    AskedColumn,
    ComparedPoint,
    CutColumn,
    Rank,
    RowCircle,
    SweepPoint,
    SweepSeries,
)
from odt_core.studies.comparison_table import CandidateRow, Comparison
from odt_core.studies.curve_table import CurveRow, Spread
from odt_core.studies.stability_result import StabilityResult
from odt_core.words import percent_words, printable


def compared_points(found: Comparison) -> list[ComparedPoint]:
    """The points of the candidates that have a rate (see `scored_rows`)."""
    return [_compared_point(found, row) for row in scored_rows(found)]


def scored_rows(found: Comparison) -> list[CandidateRow]:
    """The candidates of a comparison that have a rate, in the order of the points."""
    return [row for row in found.rows if row.score is not None]


def _compared_point(found: Comparison, row: CandidateRow) -> ComparedPoint:
    score = row.score
    assert score is not None
    place = found.rows.index(row)
    rank = Rank.BASELINE if row.is_baseline else Rank.OTHER
    if place == found.simplest:
        rank = Rank.SIMPLEST
    if place == found.best:
        rank = Rank.BEST
    return ComparedPoint(
        name=row.words,
        rank=rank,
        mean=score.mean,
        low=None if score.is_constant else score.low,
        high=None if score.is_constant else score.high,
        train=row.train(found.measure).mean,
        questions=row.questions,
    )


def curve_series(
    rows: Sequence[CurveRow], rate: str, names: Mapping[str, str] | None = None
) -> list[SweepSeries]:
    """Make one curve for each shape.

    Parameters
    ----------
    rows : sequence of CurveRow
        The curves' table.
    rate : str
        ``tpr`` or ``tnr``.
    names : mapping of str to str, optional
        Titles of shapes by name. A shape without a title keeps its name.
    """
    shapes = dict.fromkeys(row.topology for row in rows)
    return [
        SweepSeries(
            (names or {}).get(shape, shape),
            tuple(_sweep_point(row, rate) for row in rows if row.topology == shape),
        )
        for shape in shapes
    ]


def _sweep_point(row: CurveRow, rate: str) -> SweepPoint:
    train: Spread = getattr(row, f"train_{rate}")
    test: Spread = getattr(row, f"test_{rate}")
    return SweepPoint(float(row.level), train.mean, test.mean, test.low, test.high)


def asked_columns(found: StabilityResult) -> list[AskedColumn]:
    """The columns that at least one refit asks about."""
    return [AskedColumn(c.name, c.asked, c.at_root) for c in found.columns if c.asked]


def cut_columns(found: StabilityResult) -> list[CutColumn]:
    """The columns with cut points, the most frequent first."""
    return [
        CutColumn(c.name, tuple(x.cut for x in c.cuts), tuple(x.n for x in c.cuts))
        for c in found.columns
        if c.cuts
    ]


def leaf_names(positive: str, found: StabilityResult) -> list[str]:
    """Names for the leaves of the original tree: number, answer, share of positive rows.

    Parameters
    ----------
    positive : str
        The positive class.
    found : StabilityResult
        A result with the tree of all training rows.
    """
    assert found.original is not None
    original, names = found.original, []
    for leaf, label in enumerate(original.labels):
        n = original.leaves.count(leaf)
        share = percent_words(original.positives[leaf] / n, 0) if n else "-"
        says = printable(positive) if label else f"not {printable(positive)}"
        names.append(f"{leaf + 1}: {says} ({share})")
    return names


def row_circles(names: Sequence[str], found: StabilityResult) -> list[RowCircle]:
    """Circles for the training rows, by leaf and by how often the answer changes.

    Parameters
    ----------
    names : sequence of str
       The leaves' names (see `leaf_names`).
    found : StabilityResult
       A result with the tree of all training rows.
    """
    assert found.original is not None and found.rows is not None
    return [
        RowCircle(names[bubble.leaf], bubble.share, bubble.n)
        for bubble in found.rows.bubbles(found.original.leaves)
    ]
