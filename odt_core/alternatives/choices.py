"""Choices of columns: which column each question of a tree asks about."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

LEAF = 0
"""The choice that asks nothing."""
LABELS = 2
"""Numbers below this are leaves that name an outcome: 0 negative, 1 positive."""
_WIDTH = 2**31


class Choices:
    """Numbers for choices of columns.

    A choice is a leaf, or a column with two choices below it, which have no order. Numbers from
    `LABELS` stand for those with a column.
    """

    def __init__(self) -> None:
        self._number: dict[tuple[int, int], int] = {}
        self._parts: list[tuple[int, int, int]] = []
        self.n_questions: list[int] = [0] * LABELS

    @staticmethod
    def codes(a: Whole, b: Whole) -> Whole:
        """One whole number for two choices without order; leaves count as one."""
        a, b = np.where(a < LABELS, LEAF, a), np.where(b < LABELS, LEAF, b)
        return np.minimum(a, b) * _WIDTH + np.maximum(a, b)

    def number(self, feature: int, code: int) -> int:
        """The number of a column with two choices below it, given as in `codes`."""
        key = (feature, code)
        found = self._number.get(key)
        if found is None:
            low, high = divmod(code, _WIDTH)
            found = len(self._parts) + LABELS
            self._number[key] = found
            self._parts.append((feature, low, high))
            self.n_questions.append(1 + self.n_questions[low] + self.n_questions[high])
        return found

    def numbers(self, feature: int, codes: Whole) -> Whole:
        """As `number`, for many."""
        return np.array([self.number(feature, code) for code in codes.tolist()], np.int64)
