"""Weights of rows and classes as exact numbers, because floats decide nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError

MOST_TOTAL = 2**40
"""The largest sum of the whole weights."""


def whole_weights(
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int64], Fraction]:
    """Scale weights to whole numbers.

    Short decimals, such as 0.5 or 1.25, keep their exact proportions. Other weights are rounded,
    each by less than 2**-40 of the sum.

    Parameters
    ----------
    weights : float64[N]
        Positive numbers.

    Returns
    -------
    whole : int64[N]
        The whole weights, at least 1.
    factor : Fraction
        The factor of the scaling.

    Examples
    --------
    >>> whole_weights(np.array([1.0, 0.5, 2.0]))
    (array([2, 1, 4]), Fraction(2, 1))
    """
    distinct, place = np.unique(weights, return_inverse=True)
    exact = [Fraction(repr(weight)) for weight in distinct.tolist()]
    total = Fraction(float(weights.sum()))
    factor = Fraction(1)
    for weight in exact:
        factor = Fraction(math.lcm(factor.numerator, weight.denominator))
        if factor * total > MOST_TOTAL:
            factor = MOST_TOTAL / total
            break
    whole = [max(1, round(weight * factor)) for weight in exact]
    return np.array(whole, dtype=np.int64)[place], factor


def negative_weight(
    class_weight: Any, negative: Any, positive: Any, n_negative: int, n_positive: int
) -> Fraction:
    """Return the weight of a correct negative if a correct positive has the weight 1.

    Parameters
    ----------
    class_weight : None, "balanced" or mapping from label to number
        As for scikit-learn's classifiers.
    negative, positive : Any
        The two labels.
    n_negative, n_positive : int
        The weighted number of rows of each class.

    Raises
    ------
    InputError
        If `class_weight` is none of these or names another label, or a weight is not positive.

    Examples
    --------
    >>> negative_weight({"well": 1, "ill": 2.5}, "well", "ill", 90, 10)
    Fraction(2, 5)
    """
    if class_weight is None:
        return Fraction(1)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return Fraction(n_positive, n_negative)
    if not isinstance(class_weight, Mapping):
        raise InputError(
            f"class_weight is {class_weight!r}: give None, 'balanced', or a weight for each label."
        )
    other = next((label for label in class_weight if label not in (negative, positive)), None)
    if other is not None:
        raise InputError(
            f"class_weight names {other!r}, but the classes are {negative!r} and {positive!r}."
        )
    return _positive(class_weight.get(negative, 1)) / _positive(class_weight.get(positive, 1))


def _positive(weight: Any) -> Fraction:
    try:
        exact = Fraction(str(weight))
    except ValueError:
        exact = Fraction(0)
    if exact <= 0:
        raise InputError(f"class_weight has the weight {weight!r}: give a number above 0.")
    return exact
