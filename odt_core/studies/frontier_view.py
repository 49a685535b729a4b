"""A frontier read from its JSON. Choosing a point solves nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.confusion import Confusion
from odt_core.evaluation import CostRange, cost_ranges
from odt_core.export import tree_from_json
from odt_core.solution import Assignment, Status
from odt_core.studies.bounds import LowerBound
from odt_core.studies.frontier import FrontierResult, OperatingPoint
from odt_core.studies.levels import fewest_errors, is_best_at
from odt_core.studies.sweep import Sweep


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
        """Whether no tree of the shape is better than a point at a floor, by proof."""
        return is_best_at(level, self.points[index].train, self.bound, sweep)

    def fewest_errors(self, level: Fraction, sweep: Sweep = Sweep.TPR) -> int:
        """A proved lower bound on the errors of the other kind under a floor."""
        assert self.bound is not None
        return fewest_errors(level, self.points[0].train, self.bound, sweep)

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
        """Read the JSON of `FrontierResult.to_json`."""
        records: list[dict[str, Any]] = record["points"]
        ranges = cost_ranges([(each["fn"], each["fp"]) for each in records])
        steps = record["bound"]
        return cls(
            points=tuple(_point(each, cost) for each, cost in zip(records, ranges, strict=True)),
            bound=None if steps is None else LowerBound.from_json(steps, record["n_positive"]),
            status=Status(record["status"]),
            seconds=float(record["seconds"]),
        )

    @classmethod
    def of(cls, result: FrontierResult) -> FrontierView:
        """Make the view of a new frontier."""
        return cls(result.points, result.bound, result.status, result.seconds)


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
