"""Means over overlapping training sets, with intervals that allow for the overlap.

Folds and hold-outs of one table share most of their training rows. So their results are not
independent, and the usual interval of a mean is too narrow. Nadeau and Bengio's correction makes
the variance of the mean of J results ``(1 / J + n_test / n_train) * s^2`` [1]_. Bouckaert and Frank
found that it also holds for repeated k-fold cross-validation [2]_.

References
----------
.. [1] C. Nadeau, Y. Bengio, Inference for the generalization error. Machine Learning 52, 2003,
   239-281.
.. [2] R. R. Bouckaert, E. Frank, Evaluating the replicability of significance tests for comparing
   learning algorithms. Advances in Knowledge Discovery and Data Mining, 2004, 3-12.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from odt_core.evaluation.rates import LEVEL


@dataclass(frozen=True)
class ResampledMean:
    """A mean over folds with its 95% interval.

    Attributes
    ----------
    n : int
        Number of folds.
    mean : float
        Mean of their values.
    error : float or None
        Its corrected standard error; None for a single fold.
    low, high : float or None
        The interval by Student's t with n - 1 degrees of freedom; None for a single fold.
    """

    n: int
    mean: float
    error: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_constant(self) -> bool:
        """Whether all folds have the same value, so that the interval has no width."""
        return self.error is not None and self.error < 1e-12

    def within(self, least: float, most: float) -> ResampledMean:
        """Cut the interval to the values that the mean can have.

        Examples
        --------
        >>> found = ResampledMean(5, 0.95, 0.02, 0.894, 1.006).within(0.0, 1.0)
        >>> found.low, found.high
        (0.894, 1.0)
        """
        low = None if self.low is None else max(self.low, least)
        high = None if self.high is None else min(self.high, most)
        return replace(self, low=low, high=high)


def resampled_mean(values: Sequence[float], test_to_train: float) -> ResampledMean:
    """Compute the mean of values from overlapping training sets, by the corrected resampled t.

    Parameters
    ----------
    values : sequence of float
        One for each fold: a rate, or the difference of two on the same fold. At least one.
    test_to_train : float
        Number of test rows for each training row, such as 0.25 for five folds.

    Examples
    --------
    >>> found = resampled_mean([0.1, 0.2, 0.3], 0.5)
    >>> round(found.mean, 3), round(found.error, 4), round(found.low, 3)
    (0.2, 0.0913, -0.193)
    """
    mean = statistics.fmean(values)
    if len(values) < 2:
        return ResampledMean(len(values), mean)
    from scipy.special import stdtrit  # slow to import

    error = math.sqrt((1 / len(values) + test_to_train) * statistics.variance(values))
    half = float(stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * error
    return ResampledMean(len(values), mean, error, mean - half, mean + half)
