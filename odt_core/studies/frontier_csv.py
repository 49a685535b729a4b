"""A frontier as CSV: one line for each point."""

from __future__ import annotations

import csv
import io

from odt_core.studies.frontier import FrontierResult
from odt_core.words import rules_text

HEAD = (
    "fn", "fp", "train_tpr", "train_tnr", "test_tp", "test_fp", "test_tn", "test_fn",
    "test_tpr", "test_tnr", "proved", "cost_ratio_low", "cost_ratio_high", "leaves", "tree",
)  # fmt: skip


def frontier_csv(result: FrontierResult) -> bytes:
    """The points as CSV (UTF-8), rates as shares; the tree is its rules on one line."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for point, cost in zip(result.points, result.ranges, strict=True):
        test = point.test
        counts: list[object] = [""] * 6
        if test is not None:
            counts = [test.tp, test.fp, test.tn, test.fn, _share(test.tp, test.n_positive),
                      _share(test.tn, test.n_negative)]  # fmt: skip
        low = "" if cost is None else f"{float(cost.low):.6g}"
        high = "" if cost is None else "inf" if cost.high is None else f"{float(cost.high):.6g}"
        writer.writerow(
            [point.fn, point.fp, f"{float(point.tpr):.6f}", f"{float(point.tnr):.6f}", *counts]
            + ["yes" if point.proved else "no", low, high, point.tree.n_leaves]
            + [" | ".join(rules_text(point.tree).splitlines()[1:])]
        )
    return out.getvalue().encode()


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.6f}" if whole else ""
