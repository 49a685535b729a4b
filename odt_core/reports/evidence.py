"""The evidence for a tree beyond its training run: studies, validations and groups."""

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
    """Studies of a tree's problem, and the tree on other rows.

    Attributes
    ----------
    frontier : FrontierView or None
        Every best trade-off of the tree's shape on the same training rows.
    curves : tuple of CurveRow
        Floors in training against rates in test, over many splits of the file; may be empty.
    comparison : Comparison or None
        A comparison of shapes, caps and cut points on folds of the same rows, for the same goal.
    stability : StabilityResult or None
        Refits of the same problem on bootstrap resamples.
    validations : tuple of ValidationResult
        The same tree on rows that did not train it, the most important validation first.
    groups : tuple of Subgroups
        The groups of test rows by the values of columns.
    """

    frontier: FrontierView | None = None
    curves: tuple[CurveRow, ...] = ()
    comparison: Comparison | None = None
    stability: StabilityResult | None = None
    validations: tuple[ValidationResult, ...] = ()
    groups: tuple[Subgroups, ...] = ()

    @property
    def has_studies(self) -> bool:
        """Whether there is any study of the tree's problem."""
        studies = (self.frontier, self.comparison, self.stability)
        return bool(self.curves) or any(study is not None for study in studies)


NO_EVIDENCE = Evidence()
