"""Numbers that are written with more than digits: signs, limits, and years of dates."""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc


class NumberForm(StrEnum):
    """What a numerical column's cells hold besides plain numbers.

    ``signs`` are percent and currency signs, and parentheses or a trailing minus for negative
    numbers; ``limits`` are cells such as ``<0.1`` or ``>100``, read as the limit; ``year`` takes
    the year of a date. Cells without any of these are read as plain numbers.
    """

    PLAIN = "plain"
    SIGNS = "signs"
    LIMITS = "limits"
    YEAR = "year"


_CURRENCY = "(?:[$€£¥₹]|USD|EUR|GBP|CHF)"

REWRITES: dict[NumberForm, tuple[tuple[str, str], ...]] = {
    NumberForm.PLAIN: (),
    NumberForm.SIGNS: (
        (r"^\((.*[0-9].*)\)$", r"-\1"),
        (r"^([^-].*[0-9])-$", r"-\1"),
        (rf"^([+-]?) *{_CURRENCY} *", r"\1"),
        (rf" *(?:%|{_CURRENCY})$", ""),
    ),
    NumberForm.LIMITS: ((r"^(?:[<>]=?|[≤≥]) *([+-]?[0-9.,].*)$", r"\1"),),
    NumberForm.YEAR: (
        (r"^([12][0-9]{3})[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ].*)?$", r"\1"),
        (r"^[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([12][0-9]{3})([T ].*)?$", r"\1"),
        (r"^[0-9]{1,2}[-. ]{0,2}[^-0-9. ]{3,12}[-. ]{0,2}([12][0-9]{3})([T: ].*)?$", r"\1"),
        (r"^[^-0-9. ]{3,12}[. ]{1,2}[0-9]{1,2}, ?([12][0-9]{3})$", r"\1"),
        (r"^([12][0-9]{3})[01][0-9][0-3][0-9]([0-9]{6}|T.*)?$", r"\1"),
    ),
}
"""Pattern and replacement, one after the other, that leave a plain number.

They mean the same to RE2 and to Python's ``re``, so that exported code can hold them.
"""


def rewrite(texts: pa.Array, form: NumberForm) -> pa.Array:
    """The texts with only the number left of what the form understands.

    Examples
    --------
    >>> rewrite(pa.array(["(12.5 %)", "$3", "n/a"]), NumberForm.SIGNS).to_pylist()
    ['-12.5', '3', 'n/a']
    """
    for pattern, replacement in REWRITES[form]:
        texts = pc.replace_substring_regex(texts, pattern, replacement)
    return texts
