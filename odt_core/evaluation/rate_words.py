"""The reported rates of a tree in plain words: the rows of every table of rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from odt_core.evaluation.rates import Estimate, Metrics, Rate
from odt_core.words import RATE_NAMES, capitalized, number_words, percent_words


class ReportedRate(StrEnum):
    """The rates of every table, in this order; the values are the names of the rows."""

    SENSITIVITY = capitalized(RATE_NAMES["tpr"])
    SPECIFICITY = capitalized(RATE_NAMES["tnr"])
    ACCURACY = "Accuracy"
    BALANCED_ACCURACY = "Balanced accuracy"
    PPV = "PPV"
    NPV = "NPV"
    LR_POSITIVE = "LR+"
    LR_NEGATIVE = "LR−"

    def rate(self, found: Metrics) -> Rate | Estimate:
        """The rate on one set of rows."""
        rate: Rate | Estimate = getattr(found, self.name.lower())
        return rate

    def words(self, found: Metrics) -> RateWords | None:
        """The rate on one set of rows in plain words; None if it is not defined."""
        is_ratio = self in (ReportedRate.LR_POSITIVE, ReportedRate.LR_NEGATIVE)
        return ratio_parts(self.rate(found)) if is_ratio else share_parts(self.rate(found))


@dataclass(frozen=True)
class RateWords:
    """A rate in plain words.

    Attributes
    ----------
    value : str
        The share as a percentage, or the ratio.
    counts : str
        Numerator and denominator (``95/100``); empty if the rate is not a simple share.
    interval : str
        The 95% interval in brackets; empty if the method gives none.
    """

    value: str
    counts: str
    interval: str


def share_parts(value: Rate | Estimate) -> RateWords | None:
    """Write a share in plain words; None if it is not defined.

    Examples
    --------
    >>> share_parts(Rate(95, 100))
    RateWords(value='95.0%', counts='95/100', interval='(88.8% to 97.8%)')
    """
    if value.value is None:
        return None
    counts = f"{value.successes:,}/{value.n:,}" if isinstance(value, Rate) else ""
    return RateWords(percent_words(value.value), counts, _interval(value, percent_words))


def ratio_parts(value: Rate | Estimate) -> RateWords | None:
    """Write a likelihood ratio in plain words; None if it is not defined."""
    if value.value is None:
        return None
    return RateWords(_three_digits(value.value), "", _interval(value, _three_digits))


def _interval(value: Rate | Estimate, say: Callable[[float], str]) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"({say(value.low)} to {say(value.high)})"


def _three_digits(value: float) -> str:
    return number_words(value, 3)
