"""A frontier without its problem. Choosing a point solves nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.confusion import Confusion
from odt_core.evaluation import CostRange, cost_ranges
from odt_core.export import tree_from_json
from odt_core.solution import Assignment, Status
from odt_core.studies.bounds import LowerBound
from odt_core.studies.sweep import Sweep
from odt_core.tree import Tree


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """A point of the frontier.

    Attributes
    ----------
    assignment : Assignment
        The tree in the topology's own terms.
    tree : Tree
        The same tree in its canonical form.
    train : Confusion
        The canonical tree's counts on the training rows.
    test : Confusion or None
        The counts on the test rows; None without test rows.
    proved : bool
        Whether no tree of the shape dominates it on the training rows, by proof.
    cost : CostRange or None
        The cost ratios for which it is the best of the frontier's points; None if there are none.
    """

    assignment: Assignment
    tree: Tree
    train: Confusion
    test: Confusion | None
    proved: bool
    cost: CostRange | None = None

    @property
    def fn(self) -> int:
        """False negatives in training."""
        return self.train.fn

    @property
    def fp(self) -> int:
        """False positives in training."""
        return self.train.fp

    @property
    def tpr(self) -> Fraction:
        """Sensitivity in training."""
        return self.train.tpr

    @property
    def tnr(self) -> Fraction:
        """Specificity in training."""
        return self.train.tnr


@dataclass(frozen=True, eq=False)
class FrontierView:
    """A frontier without its problem.

    Attributes
    ----------
    points : tuple of OperatingPoint
        The points by rising false negatives in training.
    bound : LowerBound or None
        A lower bound on the false positives for each number of false negatives. None if every
        point is proved.
    status : Status
        ``optimal`` if every point is proved and none is missing.
    seconds : float
        Total time.
    """

    points: tuple[OperatingPoint, ...]
    bound: LowerBound | None
    status: Status
    seconds: float

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The points as pairs (FN, FP)."""
        return [(point.train.fn, point.train.fp) for point in self.points]

    def is_best_at(self, index: int, level: Fraction, sweep: Sweep = Sweep.TPR) -> bool:
        """Whether a point that keeps a floor is proved the best of the shape's trees there.

        The bound must show that no tree dominates it and that no tree keeps the floor with fewer
        errors of the other kind. In an unfinished frontier the first does not imply the second:
        the search may not have found a tree between the point and the floor.
        """
        if self.bound is None:
            return True
        counts = self.points[index].train
        other = counts.fp if sweep is Sweep.TPR else counts.fn
        is_undominated = self.bound.proves(counts.fn, counts.fp)
        return is_undominated and self.fewest_errors(level, sweep) >= other

    def fewest_errors(self, level: Fraction, sweep: Sweep = Sweep.TPR) -> int:
        """A proved lower bound on the errors of the other kind, for trees that keep a floor."""
        assert self.bound is not None
        counts = self.points[0].train
        if sweep is Sweep.TPR:
            return self.bound.least_fp(_most_errors(level, counts.n_positive))
        most = _most_errors(level, counts.n_negative)
        trees = range(counts.n_positive + 1)
        found = (fn for fn in trees if self.bound.least_fp(fn) <= most)
        return next(found, counts.n_positive + 1)

    def at_level(self, level: Fraction, sweep: Sweep = Sweep.TPR) -> int | None:
        """Index of the best point whose training sensitivity (or specificity) reaches a floor."""
        found = [i for i, point in enumerate(self.points) if sweep.rate(point.train) >= level]
        if not found:
            return None
        return found[-1] if sweep is Sweep.TPR else found[0]

    def highest(self, sweep: Sweep) -> int:
        """Index of the point with the highest training sensitivity (or specificity)."""
        return 0 if sweep is Sweep.TPR else len(self.points) - 1

    def floor_of(self, index: int, sweep: Sweep = Sweep.TPR) -> Fraction:
        """The shortest percentage that, as a floor, chooses this point."""
        rate = sweep.rate(self.points[index].train)
        worse = index + 1 if sweep is Sweep.TPR else index - 1
        inside = 0 <= worse < len(self.points)
        following = sweep.rate(self.points[worse].train) if inside else Fraction(-1)
        for digits in range(1, 7):
            step = Fraction(1, 100 * 10**digits)
            floor = rate // step * step
            if floor > following:
                return floor
        return rate

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> FrontierView:
        """Read the JSON of `odt_core.studies.FrontierResult.to_json`."""
        records: list[dict[str, Any]] = record["points"]
        ranges = cost_ranges([(each["fn"], each["fp"]) for each in records])
        steps = record["bound"]
        return FrontierView(
            points=tuple(_point(each, cost) for each, cost in zip(records, ranges, strict=True)),
            bound=None if steps is None else LowerBound.from_json(steps, record["n_positive"]),
            status=Status(record["status"]),
            seconds=float(record["seconds"]),
        )


def _most_errors(level: Fraction, n_rows: int) -> int:
    """The most errors among `n_rows` rows under a floor."""
    return n_rows - math.ceil(level * n_rows)


def _point(record: Mapping[str, Any], cost: CostRange | None) -> OperatingPoint:
    test = record["test"]
    return OperatingPoint(
        tree=tree_from_json(record["tree"]),
        train=Confusion(**record["train"]),
        test=None if test is None else Confusion(**test),
        proved=bool(record["proved"]),
        assignment=Assignment.from_json(record["assignment"]),
        cost=cost,
    )
