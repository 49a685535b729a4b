"""Small results of studies for tests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from odt_core.alternatives import AlternativesView
from odt_core.confusion import Confusion
from odt_core.data import Fold
from odt_core.evaluation import Baseline, ResampledMean
from odt_core.problem import Objective
from odt_core.solution import Assignment, Status
from odt_core.studies import (
    CandidateRow,
    Comparison,
    CurveRow,
    CutPoints,
    FoldRun,
    FrontierView,
    LowerBound,
    OperatingPoint,
    OriginalFit,
    PathPoint,
    PathView,
    Refit,
    Spread,
    StabilityResult,
    TreeCandidate,
)
from odt_core.studies.path import UnseenError
from odt_core.studies.stability_result import ColumnStability, CutCount, RowStability
from odt_core.topology import Topology
from odt_core.tree import Leaf, Tree

LEAF = Tree(Leaf(True, 0, 1), ())


def frontier(
    points: Sequence[tuple[Confusion, Confusion | None]],
    *,
    unproved: Sequence[int] = (),
    bound: Sequence[tuple[int, int]] | None = None,
) -> FrontierView:
    """A frontier from its counts in training and test; the steps of the bound are (FN, FP)."""
    found = tuple(
        OperatingPoint(Assignment((), (True,)), LEAF, train, test, place not in unproved)
        for place, (train, test) in enumerate(points)
    )
    steps = None if bound is None else LowerBound.from_json(bound, points[0][0].n_positive)
    return FrontierView(found, steps, Status.FEASIBLE if bound else Status.OPTIMAL, 1.0)


def curve_row(
    shape: str, level: str, train: float, test: float, low: float, high: float
) -> CurveRow:
    """A row with the same rates of sensitivity and specificity."""
    reached, tested = Spread(train, None, train, train), Spread(test, None, low, high)
    return CurveRow(shape, Fraction(level), 3, reached, reached, tested, tested, 1, 3)


def comparison() -> Comparison:
    """Two trees, the second of which is the best, and a CART without questions and intervals."""
    one = TreeCandidate(Topology.parse("depth-1"))
    two = TreeCandidate(Topology.parse("depth-2"), 1, CutPoints.EVERY)
    rows = (
        _candidate(one, 91, 1.0, ResampledMean(5, 0.9, 0.02, 0.85, 0.95)),
        _candidate(two, 96, 1.8, ResampledMean(5, 0.93, 0.03, 0.86, 1.0)),
        _candidate(Baseline.CART_DEPTH_3, 97, None, ResampledMean(1, 0.88)),
    )
    return Comparison(Objective(), rows, 1, best=1, simplest=0)


def _candidate(
    candidate: TreeCandidate | Baseline, right: int, questions: float | None, score: ResampledMean
) -> CandidateRow:
    counts = Confusion(tp=right, fp=100 - right, tn=0, fn=0)
    run = FoldRun(
        candidate, Fold(0, parts=2), Status.OPTIMAL, counts, counts, 2, questions, seconds=0.1
    )
    return CandidateRow(candidate, (run,), score)


def path(
    errors: Sequence[int | None],
    unseen: Sequence[tuple[float, float]] = (),
    *,
    unproved: Sequence[int] = (),
) -> PathView:
    """A path from the errors among 100 training rows, and errors on unseen rows."""
    points = tuple(
        PathPoint(
            k,
            ".",
            Status.FEASIBLE if k in unproved else Status.OPTIMAL,
            "",
            None if wrong is None else Confusion(tp=100 - wrong, fp=wrong, tn=0, fn=0),
            None,
            None,
        )
        for k, wrong in enumerate(errors)
    )
    shares = tuple(UnseenError(k, 0, 100, *found) for k, found in enumerate(unseen))
    return PathView(points, shares, n_folds=5 if unseen else 0)


def column(
    name: str, asked: int, at_root: int, cuts: Sequence[tuple[float, int]] = ()
) -> ColumnStability:
    """A column of refits, with its cut points and the numbers of their questions."""
    return ColumnStability(name, asked, at_root, tuple(CutCount(*cut) for cut in cuts), ())


def stability(
    columns: Sequence[ColumnStability] = (), changed: Sequence[Sequence[int]] = ((0,), (0,))
) -> StabilityResult:
    """Ten refits: the columns, and how often the answers of each leaf's rows change."""
    counts = Confusion(1, 0, 1, 0)
    refits = tuple(Refit(k, Status.OPTIMAL, True, counts, counts) for k in range(10))
    leaves = tuple(leaf for leaf, rows in enumerate(changed) for _ in rows)
    labels = tuple(leaf % 2 == 0 for leaf in range(len(changed)))
    positives = tuple(
        len(rows) if label else 0 for rows, label in zip(changed, labels, strict=True)
    )
    rows = tuple(range(len(leaves)))
    original = OriginalFit(Status.OPTIMAL, True, counts, None, (), rows, leaves, labels, positives)
    found = RowStability(tuple(n for rows in changed for n in rows), len(refits))
    return StabilityResult(refits, tuple(columns), 1, 1, True, 10, original, found, None)


def alternatives(least: float, *without: float | None, unproved: int = 1) -> AlternativesView:
    """A list of four trees, and the worth of columns of which the first is asked by most."""
    n = len(without)
    columns = [
        {
            "name": f"c{i} <b>",
            "trees": n - i,
            "least_errors_without": each,
            "bound_without": None,
            "proved": i != unproved,
        }
        for i, each in enumerate(without)
    ]
    return AlternativesView({"trees": [], "columns": columns, "least": least, "loss": "errors"})
