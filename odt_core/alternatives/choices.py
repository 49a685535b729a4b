"""Choices of columns: the column of each question of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from odt_core.tree import Leaf, Node

Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

LEAF = 0
"""The choice without a question."""
LABELS = 2
"""Smaller numbers are leaves: 0 predicts the negative class, 1 the positive class."""
_WIDTH = 2**31


@dataclass(frozen=True)
class CostLimit:
    """A limit on the total cost of a tree's columns. Each column is paid once.

    Attributes
    ----------
    costs : tuple of Fraction
        The cost of each feature.
    most : Fraction
        The limit.
    """

    costs: tuple[Fraction, ...]
    most: Fraction

    def allows(self, features: frozenset[int]) -> bool:
        """Whether the total cost of some features keeps the limit."""
        return sum((self.costs[g] for g in features), Fraction(0)) <= self.most


class Choices:
    """Numbers for choices of columns.

    A choice is a leaf, or a column with two choices below it. The two have no order. Choices with a
    column have numbers from `LABELS`.

    Parameters
    ----------
    cost_limit : CostLimit, optional
        A choice with a higher cost is not allowed.
    """

    def __init__(self, cost_limit: CostLimit | None = None) -> None:
        self.cost_limit = cost_limit
        self._number: dict[tuple[int, int], int] = {}
        self._parts: list[tuple[int, int, int]] = []
        self.n_questions: list[int] = [0] * LABELS
        self._features: list[frozenset[int]] = [frozenset()] * LABELS
        self._is_allowed: list[bool] = [True] * LABELS

    def allowed(self, numbers: Whole) -> Flags:
        """Mark the choices that keep the limit on costs."""
        if self.cost_limit is None:
            return np.ones(len(numbers), np.bool_)
        return np.array([self._is_allowed[n] for n in numbers.tolist()], np.bool_)

    @staticmethod
    def codes(a: Whole, b: Whole) -> Whole:
        """Write each pair of choices as a number, without order. Leaves count as one choice."""
        a, b = np.where(a < LABELS, LEAF, a), np.where(b < LABELS, LEAF, b)
        return np.minimum(a, b) * _WIDTH + np.maximum(a, b)

    def number(self, feature: int, code: int) -> int:
        """Return the number of a column with two choices below it. See `codes` for their code."""
        key = (feature, code)
        found = self._number.get(key)
        if found is None:
            low, high = divmod(code, _WIDTH)
            found = len(self._parts) + LABELS
            self._number[key] = found
            self._parts.append((feature, low, high))
            self.n_questions.append(1 + self.n_questions[low] + self.n_questions[high])
            if self.cost_limit is not None:
                asked = self._features[low] | self._features[high] | {feature}
                self._features.append(asked)
                self._is_allowed.append(self.cost_limit.allows(asked))
        return found

    def numbers(self, feature: int, codes: Whole) -> Whole:
        """Return the numbers of a column with each of several pairs of choices below it."""
        return np.array([self.number(feature, code) for code in codes.tolist()], np.int64)

    def of_tree(self, node: Node) -> int:
        """Return the choice of a canonical subtree, from its root; `LEAF` for a leaf."""
        if isinstance(node, Leaf):
            return LEAF
        below = np.array([[self.of_tree(node.left)], [self.of_tree(node.right)]], np.int64)
        return self.number(node.split.feature, int(self.codes(*below)[0]))
