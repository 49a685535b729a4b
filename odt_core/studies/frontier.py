"""The exact sensitivity/specificity frontier of a shape on training rows (paper, section 4.6).

The frontier has every undominated pair (false negatives, false positives) of the shape's trees.
Each pair comes with a tree, a proof, and the tree's counts on the test rows.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.data import Table
from odt_core.errors import DisagreementError
from odt_core.evaluation import cost_ranges
from odt_core.export import tree_to_json
from odt_core.json_data import as_json
from odt_core.problem import EncodedData, FeatureKind, Objective, Problem
from odt_core.solution import Assignment, Status
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.studies.bounds import LowerBound
from odt_core.studies.frontier_view import FrontierView, OperatingPoint
from odt_core.studies.weighted import corner_points
from odt_core.topology import Topology
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)
from odt_core.training.result import Origin
from odt_core.tree import build_tree, count_assignment, keeps_smallest_leaf

FRONT_SHARE = Fraction(3, 5)
"""The search's share of the time limit. If it does not finish, bounds use the rest."""
MOST_WORK = {1: 120_000_000, 2: 120_000_000, 3: 20_000_000}
"""For each depth the largest work that takes about a second on one core of a common machine.

The work is the number of rows times the squared number of one-hot columns, cubed at depth 3. Within
these limits the frontiers of eleven data sets took 0.03 to 1.5 s.
"""
MOST_FREE_CATEGORIES = 12
"""If a column has more categories and sets are not capped at 1, a frontier can take seconds."""


@dataclass(frozen=True, eq=False)
class FrontierResult(FrontierView, Origin):
    """The frontier of a shape, with its problem.

    Attributes
    ----------
    problem : Problem
        The problem.
    """

    problem: Problem

    def to_json(self) -> dict[str, Any]:
        """The result as the command line prints it."""
        train = self.prepared.train
        return {
            "points": [_point_to_json(point) for point in self.points],
            "status": self.status.value,
            "seconds": round(self.seconds, 4),
            "bound": None if self.bound is None else self.bound.to_json(train.n_positive),
            "n_positive": train.n_positive,
            "n_negative": train.n_negative,
            "topology": self.problem.topology.name,
            "max_card": self.problem.max_card,
            **self.origin_to_json(),
        }


def is_quick(data: EncodedData, topology: Topology, max_card: int | None) -> bool:
    """Whether the search for a shape's frontier probably takes at most about a second.

    Parameters
    ----------
    data : EncodedData
        The training rows.
    topology : Topology
        The shape. A shape with four levels is never quick.
    max_card : int or None
        The cap on sets of categories.
    """
    if topology.depth not in MOST_WORK:
        return False
    sets_are_large = max_card != 1 and any(
        feature.kind is FeatureKind.CATEGORICAL and feature.n_values > MOST_FREE_CATEGORIES
        for feature in data.features
    )
    work = data.n_rows * data.n_columns ** max(topology.depth, 2)
    return not sets_are_large and work <= MOST_WORK[topology.depth]


def run_frontier(table: Table, spec: TrainSpec, hooks: Hooks = SILENT) -> FrontierResult:
    """Find the frontier of a specification's shape, and count its trees on the test rows.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, shape, cap, rules and time limit. Objective and engine are not used.
    hooks : Hooks
        Called during the search. A stop ends it; the result has the points found so far.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount of a point gives other numbers than the search.
    """
    began = time.perf_counter()
    hooks.on_stage(Stage.PREPARING)
    spec.one_topology("The frontier")
    prepared = prepare_training(table, spec)
    problem = dataclasses.replace(build_problem(prepared, spec), objective=Objective())
    hooks.on_stage(Stage.SOLVING)
    control = Control(spec.time_limit, should_stop=hooks.should_stop)
    found = search_frontier(problem, prepared.test, control)
    hooks.on_stage(Stage.FINISHING)
    return FrontierResult(
        table_sha256=table.sha256,
        table_name=table.name,
        spec=spec,
        prepared=prepared,
        problem=problem,
        points=found.points,
        bound=found.bound,
        status=found.status,
        seconds=time.perf_counter() - began,
    )


def search_frontier(
    problem: Problem, test: EncodedData | None, control: Control = DEFAULT_CONTROL
) -> FrontierView:
    """Find the points of a problem's frontier, and recount each.

    If the search does not finish, it reports its bound. Searches without floors, for weighted
    errors, use the remaining time. Each proves a corner of the frontier and bounds the rest.

    Parameters
    ----------
    problem : Problem
        Its objective and floors are not used.
    test : EncodedData or None
        Test rows to count each tree on.
    control : Control
        The time limit, and who may stop the search.
    """
    from odt_core.solvers.search import frontier, loader  # slow to import: only where a search runs

    loader.loader.compile_in_background()
    began = time.monotonic()

    def view(
        points: tuple[OperatingPoint, ...], bound: LowerBound | None, status: Status
    ) -> FrontierView:
        return FrontierView(points, bound, status, time.monotonic() - began)

    outcome = frontier(problem, control.within(control.time_limit * float(FRONT_SHARE)))
    found = {(point.fn, point.fp): point.assignment for point in outcome.points}
    if outcome.proved:
        return view(_points(problem, test, found, None), None, Status.OPTIMAL)
    bound = LowerBound(known=outcome.least)
    left = control.within(began + control.time_limit - time.monotonic())
    for assignment in corner_points(problem, bound, left):
        confusion = count_assignment(problem, assignment.splits, assignment.labels)
        found.setdefault((confusion.fn, confusion.fp), assignment)
    points = _points(problem, test, found, bound)
    if bound.is_reached_by([(point.fn, point.fp) for point in points], problem.data.n_positive):
        return view(points, None, Status.OPTIMAL)
    stopped = outcome.cancelled or control.stopped()
    return view(points, bound, Status.CANCELLED if stopped else Status.FEASIBLE)


def _points(
    problem: Problem,
    test: EncodedData | None,
    found: dict[tuple[int, int], Assignment],
    bound: LowerBound | None,
) -> tuple[OperatingPoint, ...]:
    """The undominated points among the trees found, by rising false negatives."""
    points: list[OperatingPoint] = []
    for (fn, fp), assignment in sorted(found.items(), key=lambda item: item[0]):
        if points and fp >= points[-1].fp:
            continue
        proved = bound is None or bound.proves(fn, fp)
        points.append(_recounted(problem, test, assignment, (fn, fp), proved))
    costs = cost_ranges([(point.fn, point.fp) for point in points])
    return tuple(
        dataclasses.replace(point, cost=cost) for point, cost in zip(points, costs, strict=True)
    )


def _recounted(
    problem: Problem,
    test: EncodedData | None,
    assignment: Assignment,
    claim: tuple[int, int],
    proved: bool,
) -> OperatingPoint:
    """The point with its canonical tree, after a recount confirmed the search's numbers."""
    if not problem.admits_all(assignment.splits, assignment.labels):
        raise DisagreementError(f"the frontier's tree for {claim} breaks the problem's conditions")
    if not keeps_smallest_leaf(problem, assignment.splits):
        raise DisagreementError(f"the frontier's tree for {claim} has a leaf that is too small")
    tree = build_tree(problem, assignment.splits, assignment.labels)
    train = tree.confusion(problem.data)
    if (train.fn, train.fp) != claim:
        raise DisagreementError(f"the frontier's tree for {claim} counts {train.fn}, {train.fp}")
    tested = None if test is None else tree.confusion(test)
    return OperatingPoint(assignment, tree, train, tested, proved)


def _point_to_json(point: OperatingPoint) -> dict[str, Any]:
    return {
        "fn": point.fn,
        "fp": point.fp,
        "tpr": float(point.tpr),
        "tnr": float(point.tnr),
        "proved": point.proved,
        "train": point.train.to_json(),
        "test": as_json(point.test),
        "best_for_cost_ratio": as_json(point.cost),
        "tree": tree_to_json(point.tree),
        "assignment": point.assignment.to_json(),
    }
