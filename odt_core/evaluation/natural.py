"""Natural frequencies: the answers that a thousand cases get, in whole cases.

People read "17 of 20 found, 240 false alarms" more reliably than rates with different bases [1]_.

References
----------
.. [1] U. Hoffrage, S. Lindsey, R. Hertwig, G. Gigerenzer, Communicating statistical information.
   Science 290, 2000, 2261-2262.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from odt_core.confusion import Confusion

CASES = 1000


@dataclass(frozen=True)
class Frequencies:
    """The answers of a classifier for a thousand cases.

    Attributes
    ----------
    found, missed : int
        Cases of the positive class: with a positive answer, and with a negative answer.
    false_alarms, cleared : int
        Cases of the negative class: with a positive answer, and with a negative answer.
    """

    found: int
    missed: int
    false_alarms: int
    cleared: int


def frequencies(confusion: Confusion, prevalence: float | Fraction) -> Frequencies | None:
    """Compute the answers for a thousand cases at a prevalence.

    Parameters
    ----------
    confusion : Confusion
        The source of sensitivity and specificity.
    prevalence : float or Fraction
        Share of positives at the place of use, in [0, 1].

    Returns
    -------
    Frequencies or None
        Rounded so that the four add up to 1000; None if a class has no rows.

    Examples
    --------
    >>> frequencies(Confusion(tp=19, fp=30, tn=70, fn=1), 0.02)
    Frequencies(found=19, missed=1, false_alarms=294, cleared=686)
    """
    if not confusion.n_positive or not confusion.n_negative:
        return None
    positives = round(CASES * prevalence)
    found = round(Fraction(positives * confusion.tp, confusion.n_positive))
    false_alarms = round(Fraction((CASES - positives) * confusion.fp, confusion.n_negative))
    return Frequencies(found, positives - found, false_alarms, CASES - positives - false_alarms)
