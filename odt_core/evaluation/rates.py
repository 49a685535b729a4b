"""Rates of a classifier with 95% intervals, from its 2x2 table.

The methods are Wilson's score interval for proportions; Newcombe's square-and-add (MOVER) of two
Wilson intervals for balanced accuracy [1]_ [2]_; the log method for likelihood ratios [3]_; and the
logit method for predictive values at a given prevalence [4]_. The logit method is the log method
applied to Bayes' rule.

References
----------
.. [1] R. G. Newcombe, Interval estimation for the difference between independent proportions:
   comparison of eleven methods. Statistics in Medicine 17, 1998, 873-890 (method 10).
.. [2] G. Y. Zou, A. Donner, Construction of confidence limits about effect measures: a general
   approach. Statistics in Medicine 27, 2008, 1693-1702.
.. [3] D. L. Simel, G. P. Samsa, D. B. Matchar, Likelihood ratios with confidence: sample size
   estimation for diagnostic test studies. Journal of Clinical Epidemiology 44, 1991, 763-770.
.. [4] N. D. Mercaldo, K. F. Lau, X. H. Zhou, Confidence intervals for predictive values with an
   emphasis to case-control studies. Statistics in Medicine 26, 2007, 2170-2183.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.problem import Objective
from odt_core.words import number_words

LEVEL = 0.95
"""Confidence level of all intervals."""
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True)
class Rate:
    """A proportion, ``successes / n``, with Wilson's 95% interval.

    Examples
    --------
    >>> rate = Rate(95, 100)
    >>> rate.value, round(rate.low, 4), round(rate.high, 4)
    (0.95, 0.8882, 0.9785)
    """

    successes: int
    n: int

    @property
    def value(self) -> float | None:
        """The proportion; None if `n` is 0."""
        return None if self.n == 0 else self.successes / self.n

    @property
    def exact(self) -> Fraction | None:
        """The proportion as a fraction; None if `n` is 0."""
        return None if self.n == 0 else Fraction(self.successes, self.n)

    @property
    def low(self) -> float | None:
        """Lower end of the interval, at least 0; None if `n` is 0."""
        return None if self._interval is None else self._interval[0]

    @property
    def high(self) -> float | None:
        """Upper end of the interval, at most 1; None if `n` is 0."""
        return None if self._interval is None else self._interval[1]

    @cached_property
    def _interval(self) -> tuple[float, float] | None:
        if self.n == 0:
            return None
        # In closed form, because a table of rates needs dozens at each step of a slider. The
        # library's function also computes a p-value, which takes a millisecond each time.
        x, n, z2 = self.successes, self.n, _Z * _Z
        middle = (x + z2 / 2) / (n + z2)
        half = _Z * math.sqrt(x * (n - x) / n + z2 / 4) / (n + z2)
        return (max(0.0, middle - half) if x else 0.0, min(1.0, middle + half) if x < n else 1.0)


@dataclass(frozen=True)
class Estimate:
    """A quantity that is not a simple proportion, with its interval.

    Attributes
    ----------
    value : float or None
        The quantity; None if it is not defined (a denominator is 0).
    low, high : float or None
        Its 95% interval; None if the method gives none.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Metrics:
    """The reported rates of a classifier on one set of rows.

    Attributes
    ----------
    confusion : Confusion
        The 2x2 table.
    sensitivity, specificity, ppv, npv, accuracy, prevalence : Rate
        Proportions; `ppv` and `npv` are at the prevalence of these rows.
    balanced_accuracy : Estimate
        Mean of sensitivity and specificity.
    lr_positive, lr_negative : Estimate
        Likelihood ratios of a positive and a negative answer.
    """

    confusion: Confusion
    sensitivity: Rate
    specificity: Rate
    ppv: Rate
    npv: Rate
    accuracy: Rate
    prevalence: Rate
    balanced_accuracy: Estimate
    lr_positive: Estimate
    lr_negative: Estimate


def metrics(confusion: Confusion) -> Metrics:
    """Compute all rates of a 2x2 table."""
    tp, fp, tn, fn = confusion.tp, confusion.fp, confusion.tn, confusion.fn
    sensitivity = Rate(tp, tp + fn)
    specificity = Rate(tn, tn + fp)
    return Metrics(
        confusion=confusion,
        sensitivity=sensitivity,
        specificity=specificity,
        ppv=Rate(tp, tp + fp),
        npv=Rate(tn, tn + fn),
        accuracy=Rate(tp + tn, confusion.n),
        prevalence=Rate(confusion.n_positive, confusion.n),
        balanced_accuracy=_mean_of_rates(sensitivity, specificity),
        lr_positive=_ratio(tp, tp + fn, fp, tn + fp),
        lr_negative=_ratio(fn, tp + fn, tn, tn + fp),
    )


def predictive_values(confusion: Confusion, prevalence: float) -> tuple[Estimate, Estimate]:
    """Compute PPV and NPV at another prevalence than that of the rows (case-control data).

    Parameters
    ----------
    confusion : Confusion
        The source of sensitivity and specificity.
    prevalence : float
        Share of positives at the place of use, strictly between 0 and 1.

    Returns
    -------
    ppv, npv : Estimate

    Raises
    ------
    InputError
        If the prevalence is not strictly between 0 and 1.
    """
    if not 0 < prevalence < 1:
        raise InputError(f"prevalence is {prevalence:g}: give a share between 0 and 1.")
    odds = prevalence / (1 - prevalence)
    found = metrics(confusion)
    positive, negative = found.lr_positive, found.lr_negative
    ppv = Estimate(*(_share_of_odds(odds, ratio) for ratio in _numbers(positive)))
    if positive.value is None and confusion.tp > 0 and confusion.n_negative > 0:
        ppv = Estimate(1.0)  # no false positive: the ratio is infinite
    after = [_share_of_odds(odds, ratio) for ratio in _numbers(negative)]
    value, low, high = (None if share is None else 1 - share for share in after)
    npv = Estimate(value, high, low)
    if negative.value is None and confusion.fn > 0 and confusion.n_negative > 0:
        npv = Estimate(0.0)  # no true negative
    return ppv, npv


def rates_differ(first: Rate, second: Rate) -> bool | None:
    """Whether the 95% interval of the difference of two independent proportions excludes 0.

    The interval is Newcombe's, from the two Wilson intervals (method 10 of [1]_ in this module).

    Returns
    -------
    bool or None
        None if one of them has no rows.

    Examples
    --------
    >>> rates_differ(Rate(40, 100), Rate(5, 100)), rates_differ(Rate(10, 100), Rate(5, 100))
    (True, False)
    """
    a, b = first.value, second.value
    if a is None or b is None:
        return None
    assert first.low is not None and first.high is not None
    assert second.low is not None and second.high is not None
    below = math.hypot(a - first.low, second.high - b)
    above = math.hypot(first.high - a, b - second.low)
    return not a - b - below <= 0 <= a - b + above


@dataclass(frozen=True)
class Floor:
    """A floor with the rates in training and test.

    Attributes
    ----------
    name : str
        ``sensitivity`` or ``specificity``.
    asked : Fraction
        The floor on the training rows.
    train : Rate
        The rate on the training rows.
    test : Rate or None
        The rate on the test rows.
    """

    name: str
    asked: Fraction
    train: Rate
    test: Rate | None

    @property
    def words(self) -> str:
        """The floor in words: ``Sensitivity at least 95%``."""
        return f"{self.name.capitalize()} at least {number_words(100 * self.asked)}%"

    @property
    def met_in_test(self) -> bool | None:
        """Whether the test rows reach the floor too; None if no test row can show it."""
        if self.test is None or self.test.exact is None:
            return None
        return self.test.exact >= self.asked

    def held_words(self, rows: str) -> str:
        """Say whether held-out rows keep the floor, and how sure that is with so few or many rows.

        Parameters
        ----------
        rows : str
            Name of the rows: ``test`` or ``validation``.

        Returns
        -------
        str
            Empty if no held-out row can show it.
        """
        rate = self.test
        if rate is None or rate.low is None or rate.high is None:
            return ""
        if rate.low >= self.asked:
            return f"the floor holds in {rows} too"
        if rate.high < self.asked:
            return "the whole interval is below the floor: expect new cases to miss it"
        if self.met_in_test:
            return f"reached in {rows}, but the interval goes below the floor: it is not settled"
        return "below the floor, as is usual: it was set on the training rows"


def floors(objective: Objective, train: Metrics, test: Metrics | None) -> tuple[Floor, ...]:
    """List the floors of an objective with the rates that training and test rows reach."""
    found = []
    for name, asked in (("sensitivity", objective.min_tpr), ("specificity", objective.min_tnr)):
        if asked is not None:
            reached = None if test is None else getattr(test, name)
            found.append(Floor(name, asked, getattr(train, name), reached))
    return tuple(found)


def _mean_of_rates(first: Rate, second: Rate) -> Estimate:
    """Mean of two independent proportions. The distances to the limits add in squares."""
    a, b = first.value, second.value
    if a is None or b is None:
        return Estimate(None)
    assert first.low is not None and first.high is not None
    assert second.low is not None and second.high is not None
    mean = (a + b) / 2
    low = mean - math.hypot(a - first.low, b - second.low) / 2
    high = mean + math.hypot(first.high - a, second.high - b) / 2
    return Estimate(mean, max(0.0, low), min(1.0, high))


def _ratio(x: int, n: int, y: int, m: int) -> Estimate:
    """The ratio of two proportions, ``(x / n) / (y / m)``, by the log method."""
    if n == 0 or m == 0 or y == 0:
        return Estimate(None)
    if x == 0:
        return Estimate(0.0)
    if x == n and y == m:
        return Estimate(1.0)  # the method's standard error is 0 here, so there is no interval
    ratio = (x * m) / (y * n)
    spread = math.exp(_Z * math.sqrt(1 / x - 1 / n + 1 / y - 1 / m))
    return Estimate(ratio, ratio / spread, ratio * spread)


def _numbers(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def _share_of_odds(odds: float, ratio: float | None) -> float | None:
    return None if ratio is None else odds * ratio / (1 + odds * ratio)
