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

    @property
    def other(self) -> Sweep:
        """The other rate."""
        return Sweep.TNR if self is Sweep.TPR else Sweep.TPR

    def rate(self, counts: Confusion) -> Fraction:
        """Return this rate of a 2x2 table as an exact fraction."""
        return counts.tpr if self is Sweep.TPR else counts.tnr
