"""The rate that each goal maximises."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from odt_core.confusion import Confusion
from odt_core.evaluation.rates import Rate
from odt_core.problem import Goal


class Measure(StrEnum):
    """A rate that a goal maximises, and by which trees are compared."""

    ACCURACY = "accuracy"
    BALANCED_ACCURACY = "balanced_accuracy"
    SENSITIVITY = "sensitivity"
    SPECIFICITY = "specificity"

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return self.value.replace("_", " ")

    def of(self, counts: Confusion, class_weight: Fraction = Fraction(1)) -> Fraction | None:
        """The rate; None if no row can show it. For accuracy, a negative row counts C times."""
        sensitivity = Rate(counts.tp, counts.n_positive).exact
        specificity = Rate(counts.tn, counts.n_negative).exact
        if self is Measure.SENSITIVITY:
            return sensitivity
        if self is Measure.SPECIFICITY:
            return specificity
        if self is Measure.BALANCED_ACCURACY:
            if sensitivity is None or specificity is None:
                return None
            return (sensitivity + specificity) / 2
        total = counts.n_positive + class_weight * counts.n_negative
        return (counts.tp + class_weight * counts.tn) / total if total else None

    @classmethod
    def of_goal(cls, goal: Goal) -> Measure:
        """The rate that a goal maximises."""
        return {
            Goal.ACCURACY: cls.ACCURACY,
            Goal.BALANCED: cls.BALANCED_ACCURACY,
            Goal.MAX_TPR: cls.SENSITIVITY,
            Goal.MAX_TNR: cls.SPECIFICITY,
        }[goal]
