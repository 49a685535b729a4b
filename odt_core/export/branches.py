"""A decision node as a condition for exported code."""

from __future__ import annotations

import math
from dataclasses import dataclass

from odt_core.problem import Feature
from odt_core.tree import Decision


@dataclass(frozen=True)
class CategoryTest:
    """A condition on categories: those that go left.

    Attributes
    ----------
    left, right : tuple of str
        The categories of each branch in the order of their codes, without missing values.
    missing_left, unseen_left : bool
        Whether a missing value, and a category that no training row had, go left.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    missing_left: bool
    unseen_left: bool


@dataclass(frozen=True)
class IntervalTest:
    """A condition on numbers: those with ``low < x <= high`` go left.

    Attributes
    ----------
    low, high : float
        The ends, which may be infinite. If no number goes left, `low` is not below `high`.
    missing_left : bool
        Whether a missing value goes left.
    """

    low: float
    high: float
    missing_left: bool


def node_test(feature: Feature, node: Decision, missing: int | None) -> CategoryTest | IntervalTest:
    """Return the condition of a decision node.

    Parameters
    ----------
    feature : Feature
        The node's feature.
    node : Decision
        The node.
    missing : int or None
        The code of a missing value; None if no training row had a missing value.
    """
    left = node.split.left
    missing_left = node.unseen_left if missing is None else missing in left
    if not feature.is_numerical:
        codes = [code for code in range(feature.n_values) if code != missing]
        return CategoryTest(
            left=tuple(feature.values[code] for code in codes if code in left),
            right=tuple(feature.values[code] for code in codes if code not in left),
            missing_left=missing_left,
            unseen_left=node.unseen_left,
        )
    ordered = [code for code in left if code < feature.n_ordered]
    if not ordered:
        return IntervalTest(math.inf, math.inf, missing_left)
    return IntervalTest(*feature.interval(ordered), missing_left)
