"""A frontier as CSV, with one line for each point."""

from __future__ import annotations

from collections.abc import Sequence

from odt_core.confusion import Confusion
from odt_core.export.csv_cells import signed_csv
from odt_core.studies.frontier_view import OperatingPoint
from odt_core.words import rules_line

HEAD = (
    "fn", "fp", "train_tp", "train_tn", "train_tpr", "train_tnr",
    "test_tp", "test_fp", "test_tn", "test_fn", "test_tpr", "test_tnr",
    "proved", "cost_ratio_low", "cost_ratio_high", "leaves", "tree",
)  # fmt: skip


def frontier_csv(points: Sequence[OperatingPoint], *, keep_formulas: bool = False) -> bytes:
    """Write the points as CSV (UTF-8), with rates as shares and each tree's rules on one line.

    Parameters
    ----------
    points : sequence of OperatingPoint
        The points of a frontier by rising false negatives.
    keep_formulas : bool
        See `odt_core.export.csv_cells.signed_csv`.
    """
    lines: list[list[object]] = [list(HEAD)]
    for point in points:
        train, test, cost = point.train, point.test, point.cost
        tested: list[object] = [""] * 6
        if test is not None:
            tested = [test.tp, test.fp, test.tn, test.fn, *_rates(test)]
        low = "" if cost is None else f"{float(cost.low):.6g}"
        high = "" if cost is None else "inf" if cost.high is None else f"{float(cost.high):.6g}"
        lines.append(
            [train.fn, train.fp, train.tp, train.tn, *_rates(train), *tested]
            + ["yes" if point.proved else "no", low, high, point.tree.n_leaves]
            + [rules_line(point.tree)]
        )
    return signed_csv(lines, keep_formulas=keep_formulas)


def _rates(counts: Confusion) -> list[str]:
    """Sensitivity and specificity."""
    return [_share(counts.tp, counts.n_positive), _share(counts.tn, counts.n_negative)]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.6f}" if whole else ""
