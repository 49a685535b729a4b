"""Facts about one column: its values, the kind that suits it, and its oddities."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from odt_core.data.cells import CellReading, Joined
from odt_core.data.forms import NumberForm, completed_years, rewrite
from odt_core.data.limits import limit_marks, mark_source
from odt_core.data.missing import missing_values
from odt_core.data.numeric import parse_numbers
from odt_core.data.schema import ColumnKind
from odt_core.data.spelling import alike
from odt_core.data.table import Factor, Table

MAX_CODES = 10
"""Whole numbers with at most this many distinct values count as codes of categories."""

MANY_CATEGORIES = 50

MAX_STRAYS = 10
"""Largest number of stray texts of a numerical column that are listed."""

_FEW_STRAYS = 0.2
"""Largest share of rows with other texts in a column that still counts as numbers."""

_LOOKED_AT = 50
"""Number of stray texts that are examined before all texts are read in other forms."""

_SENTINELS = [0, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999]
_SENTINELS += [77, 88, 99, 777, 888, 999, 9999, 99999]
"""Numbers that often mean a missing value."""

_FEWEST_USUAL, _APART, _APART_SHARE, _MOST_MISSING = 10, 5, 0.05, 0.6
"""Conditions for a code that is far from the other numbers: how many others there are at least, how
far it is from them in their usual steps, how far as a share of the way to their middle, and which
share of the rows has it at most."""

_FEWEST_TO_TELL = 10
"""Least number of rows of each class to judge whether a column almost gives the outcome away."""

_FEWEST_DATES, _FEWEST_PLAIN = 3, 3
_FIRST_DATE = 19_000_101
_DATES_TO_ONE = 10
"""A column holds dates if it has this many for each other value, such as 0 for unknown."""

_CODES = ("^0[0-9]", "^[0-9]+[eE][0-9]+$", "^[+-]?[0-9]{16,}$")

_FEWEST_GROUPS, _LARGEST_GROUP = 10, 50
"""Least number of identifiers that can mark groups, and largest mean number of rows per group."""

_GROUP_NAME = re.compile(
    r"(^|[^a-z])(id|ids|mrn|uuid|patients?|patienten|subjects?|persons?|participants?|probands?"
    r"|probanden|animals?|donors?|patno|pseudonyms?)([^a-z]*(nr|no|number|nummer|id)\.?)?$"
    r"|(^|[^a-z])(fall|pat)[^a-z]*(nr|nummer|id)\.?$|^pat\.?$|(?-i:[a-z](Id|ID)$)",
    re.IGNORECASE,
)

_CLUSTER_NAME = re.compile(
    r"^((study|trial|test|recruiting)[^a-z]*)?(groups?|clusters?|machines?|devices?|sites?|cent(er|re)s?|hospitals?|clinics?"
    r"|practices?|schools?|famil(y|ies)|households?|litters?|batch(es)?|lots?|herds?|farms?"
    r"|villages?|operators?|raters?|surgeons?|plates?|cages?|zentrum|klinik|krankenhaus|maschine"
    r"|charge|praxis|schule|familie|gruppe|centro|hopital|clinique|groupe|grupo|gruppo)"
    r"([^a-z]*(nr|no|number|nummer|id|name|code)\.?)?$",
    re.IGNORECASE,
)
_FEWEST_CLUSTERS = 5
"""Least number of values of a column such as ``site`` that may mark rows that belong together."""

_ID_NAME = re.compile(
    r"(^|[^a-z])(id|ids|index|idx|(nr|no)\.?|number|nummer|row|key|mrn|uuid)$"
    r"|(?-i:[a-z](Id|ID|Nr|No))$|^(unnamed|column_1$|row ?names)",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Profile:
    """The values of a column, read with given missing tokens.

    Attributes
    ----------
    name : str
        The column's name.
    factor : Factor
        Its distinct texts.
    missing : bool[V]
        Marks the texts that are missing.
    numbers : float64[V]
        Each text as a number; NaN if it is not a number.
    reading : CellReading
        The rules by which the cells were read.
    """

    name: str
    factor: Factor
    missing: npt.NDArray[np.bool_]
    numbers: npt.NDArray[np.float64]
    reading: CellReading

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of rows with each text, int64[V]."""
        return self.factor.counts

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return len(self.factor.codes)

    @cached_property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(self.counts[self.missing].sum())

    @cached_property
    def n_distinct(self) -> int:
        """Number of distinct values, without missing ones."""
        return int(np.count_nonzero(~self.missing))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether there are values and all of them are finite numbers."""
        return self.n_distinct > 0 and bool(np.isfinite(self.numbers[~self.missing]).all())

    @cached_property
    def distinct_numbers(self) -> npt.NDArray[np.float64]:
        """The distinct finite numbers, rising."""
        found = self.numbers[~self.missing]
        return np.unique(found[np.isfinite(found)])

    @cached_property
    def is_whole(self) -> bool:
        """Whether all numbers are whole."""
        return bool((self.distinct_numbers % 1 == 0).all())

    @cached_property
    def is_constant(self) -> bool:
        """Whether all rows have the same value; a missing value counts as a value."""
        return self.n_distinct + bool(self.n_missing) <= 1

    @cached_property
    def has_too_many_categories(self) -> bool:
        """Whether there are more categories than half the rows, as with identifiers."""
        return self.n_distinct > 2 and 2 * self.n_distinct > self.n_rows

    @cached_property
    def is_row_number(self) -> bool:
        """Whether each row has its own whole number, and they count up or the name says so."""
        numbers = self.distinct_numbers
        if not (self.is_numeric and self.is_whole) or len(numbers) < max(self.n_rows, 3):
            return False
        counts_up = numbers[-1] == numbers[0] + len(numbers) - 1
        return bool(counts_up) or _ID_NAME.search(self.name) is not None

    @cached_property
    def proposed_kind(self) -> ColumnKind:
        """The proposed kind of the column, for the user to confirm.

        Numbers are numerical, with two exceptions that count as codes of categories: at most ten
        distinct whole numbers, and texts with leading zeros or more digits than a float holds.
        Constant columns, identifiers and dates are to be ignored.
        """
        if self.is_constant or self.is_row_number or self.repeats_ids:
            return ColumnKind.IGNORE
        if self.holds_dates and self.n_distinct > MAX_CODES:
            return ColumnKind.IGNORE
        if self.is_numeric and self.code_example is None:
            few = self.n_distinct <= MAX_CODES and not self.has_too_many_categories
            return ColumnKind.CATEGORICAL if few and self.is_whole else ColumnKind.NUMERICAL
        return ColumnKind.IGNORE if self.has_too_many_categories else ColumnKind.CATEGORICAL

    def by_frequency(self, selected: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The codes of the distinct texts that a mask selects, the most frequent first."""
        codes = np.flatnonzero(selected)
        return codes[np.argsort(-self.counts[codes], kind="stable")]

    def values(self, selected: npt.NDArray[np.bool_]) -> list[str]:
        """The distinct texts that a mask selects, the most frequent first."""
        texts: list[str] = self.factor.values.take(self.by_frequency(selected)).to_pylist()
        return texts

    @cached_property
    def strays(self) -> npt.NDArray[np.bool_]:
        """Marks distinct values that are neither missing nor a finite number, bool[V]."""
        return ~np.isfinite(self.numbers) & ~self.missing

    @cached_property
    def is_mostly_numeric(self) -> bool:
        """Whether the column holds numbers, and not codes, except for few other texts."""
        n_stray = int(np.count_nonzero(self.strays))
        n_numbers = self.n_distinct - n_stray
        if not n_stray or n_numbers < 2 or self.code_like is not None:
            return False
        rows = int(self.counts[~self.missing].sum())
        mostly = int(self.counts[self.strays].sum()) <= _FEW_STRAYS * rows
        return mostly or n_numbers >= 3 * n_stray

    @cached_property
    def odd_form(self) -> NumberForm | None:
        """The form that makes almost all stray texts numbers; None if there is none."""
        if not self.strays.any() or self.reading.form is not NumberForm.PLAIN:
            return None
        strays = np.flatnonzero(self.strays)
        texts = self.factor.values.take(strays)
        if not np.asarray(pc.match_substring_regex(texts[:_LOOKED_AT], "[0-9]")).any():
            return None
        n_plain = self.n_distinct - len(strays)
        for form in (NumberForm.SIGNS, NumberForm.LIMITS, NumberForm.YEAR):
            numbers = parse_numbers(rewrite(texts, form), self.reading.decimal)
            n_rest = np.count_nonzero(~np.isfinite(numbers))
            # Bands such as "<5, 5-10, >10" are not numbers with limits: no cell is a plain number.
            is_band = form is NumberForm.LIMITS and n_plain < _FEWEST_PLAIN
            if not is_band and 10 * n_rest <= len(strays) + n_plain and n_rest < len(strays):
                return form
        return None

    def strays_beyond(self, form: NumberForm) -> list[str]:
        """Texts that would be missing with this form, the most frequent first."""
        numbers = self.factor.numbers(self.reading.decimal, form)
        if form is NumberForm.YEAR:
            return self.values(~self.missing & ~_are_years(numbers))
        if form.is_age:
            return self.values(~self.missing & np.isnan(completed_years(numbers, date.max)))
        return self.values(self.strays & ~np.isfinite(numbers))

    @cached_property
    def holds_dates(self) -> bool:
        """Whether almost all values are dates, as text or as a number such as 20180130."""
        if self.reading.form is not NumberForm.PLAIN:
            return False
        n_dates = 0
        if len(self.distinct_numbers) and self.distinct_numbers[-1] >= _FIRST_DATE:
            n_dates += int(np.count_nonzero(_are_dates(self.numbers) & ~self.missing))
        if self.odd_form is NumberForm.YEAR:
            years = self.factor.numbers(self.reading.decimal, NumberForm.YEAR)
            n_dates += int(np.count_nonzero(_are_years(years) & self.strays))
        n_others = self.n_distinct - n_dates
        return n_dates >= _FEWEST_DATES and n_others * _DATES_TO_ONE <= n_dates

    @cached_property
    def date_example(self) -> str:
        """The first text that is a date."""
        numbers = self.factor.numbers(self.reading.decimal, NumberForm.YEAR)
        first = int(np.argmax(~self.missing & _are_years(numbers)))
        text: str = self.factor.values[first].as_py()
        return text

    @cached_property
    def code_example(self) -> str | None:
        """A text that looks like a number but is rather a code; None if there is none.

        Such texts have leading zeros (``007``), the letter E (``3E5`` among other codes without
        points), or more than 15 digits, which a float cannot tell apart. They may be too large for
        a float (``3E328``).
        """
        has_words = bool(np.isnan(self.numbers[~self.missing]).any())
        return None if has_words else self.code_like

    @cached_property
    def code_like(self) -> str | None:
        """A text that looks like a number but is a code, even if other texts are words.

        An example is ``3E5`` beside ``4A0``. None if there is no such text.
        """
        if not self.is_whole or self.reading.form is not NumberForm.PLAIN:
            return None
        values = self.factor.values
        for pattern in _CODES:
            found = np.asarray(pc.match_substring_regex(values, pattern)) & ~self.missing
            if found.any():
                text: str = values[int(np.argmax(found))].as_py()
                return text
        return None

    @cached_property
    def repeats_ids(self) -> bool:
        """Whether its name is that of an identifier, and some rows share their value."""
        if self.n_distinct < _FEWEST_GROUPS or not _GROUP_NAME.search(self.name):
            return False
        n_known = self.n_rows - self.n_missing
        repeated = self.n_distinct < n_known <= _LARGEST_GROUP * self.n_distinct
        return repeated and 2 * n_known > self.n_rows

    @cached_property
    def may_mark_clusters(self) -> bool:
        """Whether its name is ``site``, ``machine`` or the like, and its values repeat."""
        n_known = self.n_rows - self.n_missing
        repeats = _FEWEST_CLUSTERS <= self.n_distinct and 2 * self.n_distinct <= n_known
        return repeats and _CLUSTER_NAME.search(self.name) is not None

    def suspected_codes(self) -> list[str]:
        """Numbers that may mean a missing value, the most frequent first.

        They are 0, -9, 999 and the like. They are farther from the nearest other number than a few
        of the usual steps between numbers.
        """
        suspects = np.isin(self.numbers, _SENTINELS) & ~self.missing
        if not suspects.any():
            return []
        usual = self.distinct_numbers[~np.isin(self.distinct_numbers, _SENTINELS)]
        if len(usual) < _FEWEST_USUAL:
            return self._extreme_codes(suspects, usual)
        step = _APART * float(np.median(np.diff(usual)))
        low, middle, high = float(usual[0]), float(np.median(usual)), float(usual[-1])
        below, above = low - self.numbers, self.numbers - high
        apart = (below > max(step, _APART_SHARE * (middle - low))) | (
            above > max(step, _APART_SHARE * (high - middle))
        )
        rare = self.counts <= _MOST_MISSING * self.n_rows
        return self.values(suspects & apart & rare)

    def _extreme_codes(
        self, suspects: npt.NDArray[np.bool_], usual: npt.NDArray[np.float64]
    ) -> list[str]:
        """Codes far beyond a few other numbers, and negative codes beside no other negative."""
        if not len(usual):
            return []
        is_far = self.numbers > 3 * max(abs(usual[0]), abs(usual[-1]))
        is_below = (self.numbers < 0) & (usual[0] >= 0)
        return self.values(suspects & (is_far | is_below))

    def spellings(self) -> Joined:
        """Values that are spellings of one label, each with the label."""
        present = np.flatnonzero(~self.missing)
        texts = self.factor.values.take(present)
        return alike(texts, self.numbers[present], self.counts[present])

    def class_counts(self, classes: npt.NDArray[np.int64], n_classes: int) -> npt.NDArray[np.int64]:
        """Count the rows of each class with each text, int64[V, C].

        Parameters
        ----------
        classes : int64[N]
            The class of each row, from 0; -1 if it is missing.
        """
        n_texts, n_columns = len(self.missing), n_classes + 1  # the first is for missing classes
        cells = self.factor.codes * np.int64(n_columns) + (classes + 1)
        counts = np.bincount(cells, minlength=n_texts * n_columns).reshape(n_texts, n_columns)
        return counts[:, 1:]

    def decides(self, kind: ColumnKind, counts: npt.NDArray[np.int64]) -> bool:
        """Whether the column alone determines the class of every row.

        A categorical column does so if each value has rows of only one class. A numerical column
        does so if each class has an interval of its own. A missing value counts as a value.

        Parameters
        ----------
        counts : int64[V, C]
            Number of rows of each class with each text.
        """
        n_classes = counts.shape[1]
        if self.has_too_many_categories and kind is not ColumnKind.NUMERICAL:
            return False
        if n_classes < 2 or n_classes > MANY_CATEGORIES:
            return False
        lost, table = self._by_value(kind, counts)
        if (np.count_nonzero(np.vstack([lost, table]), axis=1) > 1).any():
            return False
        if kind is not ColumnKind.NUMERICAL:
            return True
        runs = table[table.any(axis=1)].argmax(axis=1)
        n_runs = np.count_nonzero(np.diff(runs)) + 1 if len(runs) else 0
        return bool(1 < n_runs <= n_classes)

    def balanced_accuracy(self, kind: ColumnKind, counts: npt.NDArray[np.int64]) -> float | None:
        """Balanced accuracy of the column alone for the positive class; None with too few rows.

        A categorical column predicts for each row the class that is relatively more frequent among
        the *other* rows with its value, so that many rare values do not look useful. A numerical
        column predicts by the best single threshold. A missing value may go to either side.

        Parameters
        ----------
        counts : int64[V, 2]
            Number of negative and of positive rows with each text.
        """
        lost, table = self._by_value(kind, counts)
        total = table.sum(axis=0) + lost
        if min(total) < _FEWEST_TO_TELL or (self.strays.any() and kind is ColumnKind.NUMERICAL):
            return None
        n_negative, n_positive = map(int, total)
        if kind is ColumnKind.NUMERICAL:
            below = np.vstack([[0, 0], np.cumsum(table, axis=0)]) / total
            left_positive = below[:, 1] + below[-1, 0] - below[:, 0]
            left_negative = below[:, 0] + below[-1, 1] - below[:, 1]
            return float(max(left_positive.max(), left_negative.max()) + max(lost / total)) / 2
        negative, found = np.vstack([lost, table]).T
        positive = found[(found - 1) * n_negative > negative * (n_positive - 1)].sum() / n_positive
        negatives = (
            negative[(negative - 1) * n_positive > found * (n_negative - 1)].sum() / n_negative
        )
        return float(positive + negatives) / 2

    def _by_value(
        self, kind: ColumnKind, counts: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Count rows of each class with a missing value, int64[C], and by value, int64[V, C].

        The values of a numerical column are its distinct numbers, rising. Texts that are the same
        float are the same value.
        """
        ranks = np.arange(len(self.missing))
        if kind is ColumnKind.NUMERICAL:
            ranks = np.searchsorted(self.distinct_numbers, self.numbers)
        table = np.zeros((len(self.missing) + 2, counts.shape[1]), dtype=np.int64)
        np.add.at(table, np.where(self.missing, 0, ranks + 1), counts)
        return table[0], table[1:]


def _are_dates(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Mark numbers that are dates such as 20180130, perhaps with a time of day, bool[V]."""
    days = np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0)
    days = np.where(days >= 19_000_101_000_000, days // 1_000_000, days)
    month, day = days // 100 % 100, days % 100
    is_near = (_FIRST_DATE <= days) & (days <= 21_001_231) & (days % 1 == 0)
    found: npt.NDArray[np.bool_] = is_near & (1 <= month) & (month <= 12) & (1 <= day) & (day <= 31)
    return found


def _are_years(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Mark numbers that are years of four digits beginning with 1 or 2, bool[V]."""
    found: npt.NDArray[np.bool_] = (1000 <= numbers) & (numbers < 3000)
    return found


def profile_column(table: Table, column: str, reading: CellReading) -> Profile:
    """Read a column and collect facts about it.

    Parameters
    ----------
    column : str
        The column's name, or that of a mark of its limits (`odt_core.data.limits`).
    reading : CellReading
        The rules for its cells. Their decimal mark counts only if the table's is not certain.

    Raises
    ------
    InputError
        If there is no such column.
    """
    source = mark_source(table, column)
    decimal = table.report.marks.get(source or column, reading.decimal)
    reading = dataclasses.replace(reading, decimal=decimal)
    return table.remember((column, reading), lambda: _make_profile(table, column, source, reading))


def _make_profile(table: Table, column: str, source: str | None, reading: CellReading) -> Profile:
    if source is None:
        factor = table.factor(column)
    else:
        factor = limit_marks(table.factor(source), reading)
    if reading.joined:
        factor = factor.joined(dict(reading.joined))
    numbers = factor.numbers(reading.decimal, reading.form)
    if reading.reference is not None:
        numbers = completed_years(numbers, reading.reference)
    return Profile(
        name=column,
        factor=factor,
        missing=missing_values(factor, reading.missing_tokens, reading.decimal, reading.form),
        numbers=numbers,
        reading=reading,
    )
