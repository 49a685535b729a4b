"""The training rate that has the floors of a curve or frontier (paper, section 4.6)."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from odt_core.confusion import Confusion


class Sweep(Enum):
    """The rate that must keep a floor. The tree makes the other rate as high as possible."""

    TPR = "tpr"
    TNR = "tnr"

    @property
    def word(self) -> str:
        """The rate's name."""
        return "sensitivity" if self is Sweep.TPR else "specificity"

    def rate(self, counts: Confusion) -> Fraction:
        """The rate, exactly."""
        return tpr(counts) if self is Sweep.TPR else tnr(counts)


def tpr(counts: Confusion) -> Fraction:
    """Sensitivity; 0 without positive rows."""
    return Fraction(counts.tp, max(counts.n_positive, 1))


def tnr(counts: Confusion) -> Fraction:
    """Specificity; 0 without negative rows."""
    return Fraction(counts.tn, max(counts.n_negative, 1))
