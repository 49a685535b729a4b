"""The counts of a classifier's right and wrong answers, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from odt_core.json_data import JsonData


@dataclass(frozen=True)
class Confusion(JsonData):
    """A 2x2 table of weighted rows.

    Attributes
    ----------
    tp, fp, tn, fn : int
        True positives, false positives, true negatives, false negatives.
    """

    tp: int
    fp: int
    tn: int
    fn: int

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError
            If a count is absent, is not a whole number, or is negative.
        """
        found = super().from_json(record)
        if min(found.tp, found.fp, found.tn, found.fn) < 0:
            raise ValueError("a count of rows is not negative")
        return found

    @classmethod
    def count(
        cls,
        y: npt.NDArray[np.bool_],
        predicted: npt.NDArray[np.bool_],
        weight: npt.NDArray[np.int64] | None = None,
    ) -> Confusion:
        """Count predictions against the truth.

        Parameters
        ----------
        y, predicted : bool[N]
            True means the positive class.
        weight : int[N], optional
            The weights of the rows; 1 by default.
        """
        w = np.ones(len(y), dtype=np.int64) if weight is None else weight
        return cls(
            tp=int(w[y & predicted].sum()),
            fp=int(w[~y & predicted].sum()),
            tn=int(w[~y & ~predicted].sum()),
            fn=int(w[y & ~predicted].sum()),
        )

    @property
    def n(self) -> int:
        """All rows."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def n_positive(self) -> int:
        """Rows of the positive class."""
        return self.tp + self.fn

    @property
    def n_negative(self) -> int:
        """Rows of the negative class."""
        return self.tn + self.fp

    @property
    def errors(self) -> int:
        """Misclassified rows."""
        return self.fp + self.fn

    @property
    def accuracy(self) -> Fraction:
        """The exact share of rows that are classified correctly."""
        return Fraction(self.tp + self.tn, self.n)

    @property
    def tpr(self) -> Fraction:
        """The exact sensitivity; 0 without positive rows."""
        return Fraction(self.tp, max(self.n_positive, 1))

    @property
    def tnr(self) -> Fraction:
        """The exact specificity; 0 without negative rows."""
        return Fraction(self.tn, max(self.n_negative, 1))
