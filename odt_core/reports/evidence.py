"""What was found of a tree beyond its training run: studies, validations and groups."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.evaluation import Subgroups
from odt_core.studies import (
    Comparison,
    CurveRow,
    FrontierView,
    StabilityResult,
    ValidationResult,
)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Studies of the problem that a tree solves, and the tree on other rows.

    Attributes
    ----------
    frontier : FrontierView or None
        Every trade-off that the tree's shape can reach on the same training rows.
    curves : tuple of CurveRow
        What floors in training keep in test over many splits of the same file; empty without any.
    comparison : Comparison or None
        Shapes, caps and cut points on folds of the same rows, for the same goal.
    stability : StabilityResult or None
        The same problem solved on bootstrap resamples.
    validations : tuple of ValidationResult
        The same tree on rows that did not train it, the one that matters most first.
    groups : tuple of Subgroups
        The test rows by the values of columns.
    """

    frontier: FrontierView | None = None
    curves: tuple[CurveRow, ...] = ()
    comparison: Comparison | None = None
    stability: StabilityResult | None = None
    validations: tuple[ValidationResult, ...] = ()
    groups: tuple[Subgroups, ...] = ()

    @property
    def has_studies(self) -> bool:
        """Whether there is a study of the tree's problem."""
        studies = (self.frontier, self.comparison, self.stability)
        return bool(self.curves) or any(study is not None for study in studies)


NO_EVIDENCE = Evidence()
