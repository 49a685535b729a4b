"""The encoder, from cells to codes: fitted on training rows, applied to other tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from odt_core.data.binning import (
    BinLabels,
    Bins,
    Values,
    bin_codes,
    fit_bins,
    writes_labels,
)
from odt_core.data.cells import CellReading, check_joined, joined_from_json
from odt_core.data.column_checks import number_error
from odt_core.data.forms import LIMIT_MARK, form_from_json
from odt_core.data.limits import has_column
from odt_core.data.numeric import DECIMAL_MARKS, parse_numbers
from odt_core.data.ordering import natural_order
from odt_core.data.profile import Profile, profile_column
from odt_core.data.schema import ColumnKind, ColumnSchema, Schema
from odt_core.data.spelling import folded, spelled
from odt_core.data.table import Table, column_name, text_table
from odt_core.errors import MALFORMED, InputError, quoted
from odt_core.json_data import as_json
from odt_core.problem import MISSING, UNSEEN, Feature, FeatureKind

if TYPE_CHECKING:
    import pandas as pd

ENCODER_VERSION = 1

MAX_UNSEEN = 20
"""Largest number of values per column that `Encoder.unseen` lists."""


@dataclass(frozen=True)
class Unseen:
    """A value that no training row had.

    Attributes
    ----------
    column : str
        The feature's name.
    value : str
        The cell's text; empty for an empty cell.
    rows : int
        Number of rows with the value.
    first_row : int
        The first of these rows, from 0.
    """

    column: str
    value: str
    rows: int
    first_row: int


@dataclass(frozen=True)
class ColumnEncoder:
    """The codes of one feature.

    Attributes
    ----------
    feature : Feature
        The feature, which gives the codes their meaning.
    reading : CellReading
        The rules for its cells.
    missing_code : int or None
        The code of a missing value; None if all training rows had a value.
    training_range : (float, float) or None
        The least and the largest number of the training rows. None for a categorical feature, for a
        feature without numbers, and in models of older programs.
    """

    feature: Feature
    reading: CellReading
    missing_code: int | None
    training_range: tuple[float, float] | None = None

    @property
    def missing_or_unseen(self) -> int:
        """The code of a missing value, or `UNSEEN` if all training rows had a value."""
        return UNSEEN if self.missing_code is None else self.missing_code

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {
            text: code for code, text in enumerate(self.feature.values) if code != self.missing_code
        }

    @cached_property
    def _code_of_folded(self) -> dict[str, int]:
        """The code of each `folded` category; empty if the column joins no spellings."""
        known = spelled(list(self._code_of)) if self.reading.joined else {}
        return {key: self._code_of[value] for key, value in known.items()}

    def _category_codes(self, texts: pa.Array) -> npt.NDArray[np.int32]:
        """The code of each text. If the column joins spellings, new spellings are joined too."""
        codes = [self._code_of.get(text, UNSEEN) for text in texts.to_pylist()]
        found = np.array(codes, dtype=np.int32)
        new = np.flatnonzero(found == UNSEEN)
        if self._code_of_folded and len(new):
            keys = folded(texts.take(new)).to_pylist()
            found[new] = [self._code_of_folded.get(key, UNSEEN) for key in keys]
        return found

    def profile(self, table: Table) -> Profile:
        """Read the feature's column of a table as in training.

        Raises
        ------
        InputError
            If there is no such column, or its numbers make sense with either decimal mark.
        """
        name, reading = self.feature.name, self.reading
        is_doubtful = self.feature.is_numerical and name in table.report.doubtful
        if is_doubtful and table.report.decimal != reading.decimal:
            raise InputError(_doubt(table, name, reading.decimal))
        return profile_column(table, name, reading)

    def plain_codes(self, cells: pd.Series[Any]) -> npt.NDArray[np.int32] | None:
        """The code of each cell of a column of floats or whole numbers, int32[N].

        None for columns of other types and for dates, and if a number is infinite or may stand for
        a missing value.
        """
        if not self.feature.is_numerical or not isinstance(cells.dtype, np.dtype):
            return None
        if cells.dtype.kind not in "iuf" or self.feature.measure:
            return None
        tokens = pa.array(self.reading.missing_tokens, pa.large_string())
        numbers = cells.to_numpy(dtype=float)
        if np.isfinite(parse_numbers(tokens, self.reading.decimal)).any():
            return None
        if np.isinf(numbers).any():
            return None
        codes = bin_codes(numbers, self.feature.cuts)
        return np.where(np.isnan(numbers), np.int32(self.missing_or_unseen), codes)

    def value_codes(self, table: Table, profile: Profile) -> npt.NDArray[np.int32]:
        """The code of each distinct value of a column, int32[V].

        Raises
        ------
        InputError
            If a cell of a numerical column is not a number.
        """
        if self.feature.is_numerical and profile.strays.any():
            raise InputError(number_error(table, profile))
        return self.lenient_codes(profile)

    def lenient_codes(self, profile: Profile) -> npt.NDArray[np.int32]:
        """The code of each distinct value, int32[V]. Texts that are not numbers are missing."""
        if self.feature.is_numerical:
            is_missing = ~np.isfinite(profile.numbers) | profile.missing
            codes = bin_codes(profile.numbers, self.feature.cuts)
        else:
            is_missing = profile.missing
            codes = self._category_codes(profile.factor.values)
        return np.where(is_missing, np.int32(self.missing_or_unseen), codes).astype(np.int32)


@dataclass(frozen=True)
class Encoder:
    """Converts rows of text to codes.

    Attributes
    ----------
    columns : tuple of ColumnEncoder
        The features, in the order of the codes.
    decimal : str
        The decimal mark of the numbers.
    """

    columns: tuple[ColumnEncoder, ...]
    decimal: str = "."

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features, which give the codes their meaning."""
        return tuple(column.feature for column in self.columns)

    def encode(self, source: Table | pd.DataFrame) -> npt.NDArray[np.int32]:
        """Encode the rows of a table.

        Parameters
        ----------
        source : Table or pandas.DataFrame
            It must have the features' columns, in any order. Other columns are ignored.

        Returns
        -------
        int32[N, G]
            The codes; -1 for a value that no training row had.

        Raises
        ------
        InputError
            If a feature's column is absent, or a cell of a numerical column is not a number.
        """
        if isinstance(source, Table):
            return self._text_codes(source, self.columns)
        plain = dict(self._plain_codes(source))
        others = [g for g in range(len(self.columns)) if g not in plain]
        codes = np.empty((len(source), len(self.columns)), dtype=np.int32, order="F")
        for g, found in plain.items():
            codes[:, g] = found
        if others:
            columns = [self.columns[g] for g in others]
            codes[:, others] = self._text_codes(self._table(source, columns), columns)
        return codes

    def _plain_codes(self, frame: pd.DataFrame) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """Yield the columns that already hold numbers: the position and the codes of each."""
        names = [column_name(label) for label in frame.columns]
        for g, column in enumerate(self.columns):
            if names.count(column.feature.name) == 1:
                cells = frame.iloc[:, names.index(column.feature.name)]
                found = column.plain_codes(cells)
                if found is not None:
                    yield g, found

    def _text_codes(self, table: Table, columns: Sequence[ColumnEncoder]) -> npt.NDArray[np.int32]:
        codes = np.empty((table.n_rows, len(columns)), dtype=np.int32, order="F")
        for g, (column, profile) in enumerate(self._profiles(table, columns)):
            np.take(column.value_codes(table, profile), profile.factor.codes, out=codes[:, g])
        return codes

    def unseen(self, source: Table | pd.DataFrame) -> tuple[Unseen, ...]:
        """List values that no training row had, at most `MAX_UNSEEN` a column, by column and row.

        Raises
        ------
        InputError
            As for `encode`.
        """
        table = self._table(source, self.columns)
        found: list[Unseen] = []
        for column, profile in self._profiles(table, self.columns):
            new = np.flatnonzero(column.value_codes(table, profile) == UNSEEN)
            # Distinct values come in the order of their first rows.
            for code in new[:MAX_UNSEEN].tolist():
                text = profile.factor.values[code].as_py()
                rows, first = int(profile.counts[code]), profile.factor.first_row(code)
                found.append(Unseen(column.feature.name, text, rows, first))
        return tuple(found)

    def _table(self, source: Table | pd.DataFrame, columns: Sequence[ColumnEncoder]) -> Table:
        """The source as a table of text. A data frame is reduced to these columns."""
        if isinstance(source, Table):
            return source
        marks = {
            name: column.reading.decimal
            for column in columns
            for name in (column.feature.name, column.feature.name.removesuffix(LIMIT_MARK))
        }
        chosen = [column_name(label) in marks for label in source.columns]
        return text_table(source.loc[:, chosen], marks)

    def _profiles(
        self, table: Table, columns: Sequence[ColumnEncoder]
    ) -> Iterable[tuple[ColumnEncoder, Profile]]:
        for column in columns:
            if not has_column(table, column.feature.name):
                raise InputError(
                    f"The table has no column {quoted(column.feature.name)}, which the tree was "
                    "trained with: add it (cells may be empty)."
                )
        for column in columns:
            yield column, column.profile(table)

    def to_json(self) -> dict[str, Any]:
        """Write the encoder as a dictionary that `from_json` can read."""
        return {
            "version": ENCODER_VERSION,
            "decimal": self.decimal,
            "columns": [_column_to_json(column, self.decimal) for column in self.columns],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Encoder:
        """Rebuild an encoder.

        Raises
        ------
        InputError
            If the record has another version or is damaged.
        """
        version = record.get("version") if isinstance(record, Mapping) else None
        if version != ENCODER_VERSION:
            raise InputError(
                f"The model's encoder is of version {version!r}, but this program reads version "
                f"{ENCODER_VERSION}."
            )
        try:
            decimal = _decimal(record["decimal"])
            columns = tuple(_column_from_json(column, decimal) for column in record["columns"])
            return cls(columns, decimal)
        except MALFORMED as error:
            raise InputError(
                f"The model's encoder is damaged ({error}): train or export it again."
            ) from error


def _doubt(table: Table, column: str, decimal: str) -> str:
    text = next(text for text in table.factor(column).texts if "." in text or "," in text)
    mark = "commas" if decimal == "," else "points"
    return (
        f"Column {quoted(column)}: numbers such as {quoted(text)} can be read in two ways, and the "
        f"tree was trained on decimal {mark}: name this file's decimal mark (--decimal)."
    )


def _decimal(mark: Any) -> str:
    if mark not in DECIMAL_MARKS:
        raise ValueError("a decimal mark is a point or a comma")
    return str(mark)


def _texts(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise TypeError("a list of texts was expected")
    return tuple(found)


def _column_to_json(column: ColumnEncoder, decimal: str) -> dict[str, Any]:
    feature, reading = column.feature, column.reading
    return {
        "name": feature.name,
        "kind": feature.kind.value,
        "values": list(feature.values) if writes_labels(feature) else None,
        "cuts": list(feature.cuts),
        "missing_code": column.missing_code,
        "missing_tokens": list(reading.missing_tokens),
        "joined": dict(reading.joined),
        "form": reading.form.value,
        "decimal": None if reading.decimal == decimal else reading.decimal,
        "range": as_json(column.training_range),
        "reference": None if reading.reference is None else str(reading.reference),
    }


def _column_from_json(record: Mapping[str, Any], decimal: str) -> ColumnEncoder:
    kind = FeatureKind(record["kind"])
    form, reference = form_from_json(record)
    missing_code = record["missing_code"]
    has_missing = kind is FeatureKind.NUMERICAL and missing_code is not None
    cuts, values = tuple(float(cut) for cut in record["cuts"]), record["values"]
    feature = Feature(
        name=record["name"],
        kind=kind,
        values=BinLabels(cuts, has_missing=has_missing) if values is None else _texts(values),
        cuts=cuts,
        has_missing=has_missing,
        measure=form.measure,
    )
    own_mark = record.get("decimal")
    if not isinstance(feature.name, str):
        raise TypeError("a column's name is a text")
    if missing_code is not None and (
        type(missing_code) is not int or not 0 <= missing_code < feature.n_values
    ):
        raise ValueError(f"{feature.name!r} has no code {missing_code!r}")
    reading = CellReading(
        _texts(record["missing_tokens"]),
        decimal if own_mark is None else _decimal(own_mark),
        check_joined(joined_from_json(record.get("joined")), feature.name),
        form,
        reference,
    )
    return ColumnEncoder(feature, reading, missing_code, _training_range(record.get("range")))


def _training_range(record: Any) -> tuple[float, float] | None:
    if record is None:
        return None
    low, high = (float(end) for end in record)
    if not -math.inf < low <= high < math.inf:
        raise ValueError("a range has a least and a largest number")
    return low, high


def fit_encoder(
    table: Table,
    schema: Schema,
    rows: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int64] | None = None,
) -> Encoder:
    """Learn categories and bins from training rows alone.

    A column with the same value in all training rows is useless and gets no feature.

    Parameters
    ----------
    table : Table
        The table. Its numerical columns hold only numbers (see `check_schema`).
    rows : int64[n]
        The training rows.
    weight : int64[n], optional
        Number of rows for which each training row stands, at least 1; by default 1.
    """
    seen = [_training_values(table, schema, column, rows, weight) for column in schema.features]
    numerical = [each for each in seen if each.column.kind is ColumnKind.NUMERICAL]
    with_numbers = [each for each in numerical if len(each.present)]
    bins = fit_bins([each.numbers() for each in with_numbers])
    bins_of = {each.column.name: found for each, found in zip(with_numbers, bins, strict=True)}
    fitted = (_fit_column(table, schema, each, bins_of.get(each.column.name)) for each in seen)
    return Encoder(tuple(column for column in fitted if column is not None), schema.decimal)


@dataclass(frozen=True, eq=False)
class _TrainingValues:
    """The values of the training rows in one column.

    Attributes
    ----------
    column : ColumnSchema
        The column's meaning.
    profile : Profile
        The column's values in the whole table.
    counts : int64[V]
        Number of training rows with each value, by their weights.
    present : int64[P]
        Values that some training row has, without missing ones.
    """

    column: ColumnSchema
    profile: Profile
    counts: npt.NDArray[np.int64]
    present: npt.NDArray[np.int64]

    @property
    def has_missing(self) -> bool:
        """Whether a training row has a missing value."""
        return bool((self.counts[self.profile.missing] > 0).any())

    @property
    def training_range(self) -> tuple[float, float] | None:
        """The least and the largest number of a numerical column; None if there is none."""
        if self.column.kind is not ColumnKind.NUMERICAL or not len(self.present):
            return None
        numbers = self.profile.numbers[self.present]
        return float(numbers.min()), float(numbers.max())

    def numbers(self) -> Values:
        """The numbers to divide into bins."""
        numbers = self.profile.numbers[self.present]
        return Values(numbers, self.column.binning, self.counts[self.present])


def _training_values(
    table: Table,
    schema: Schema,
    column: ColumnSchema,
    rows: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int64] | None,
) -> _TrainingValues:
    profile = profile_column(table, column.name, schema.reading_of(column.name))
    codes, n_values = profile.factor.codes[rows], len(profile.missing)
    if weight is None:
        counts = np.bincount(codes, minlength=n_values)
    else:
        # sums of floats are exact here: there are far fewer than 2 ** 53 rows
        counts = np.bincount(codes, weight, minlength=n_values).astype(np.int64)
    return _TrainingValues(column, profile, counts, np.flatnonzero((counts > 0) & ~profile.missing))


def _fit_column(
    table: Table, schema: Schema, seen: _TrainingValues, bins: Bins | None
) -> ColumnEncoder | None:
    """Fit a column's codes; None if all training rows have the same code."""
    column, profile, has_missing = seen.column, seen.profile, seen.has_missing
    if column.kind is ColumnKind.NUMERICAL:
        feature = _numerical_feature(profile, bins or Bins((), BinLabels(())), has_missing)
    else:
        feature = _categorical_feature(profile, seen.present, has_missing, schema.decimal)
    missing_code = feature.n_values - 1 if has_missing else None
    encoder = ColumnEncoder(feature, profile.reading, missing_code, seen.training_range)
    codes = encoder.value_codes(table, profile)[seen.counts > 0]
    return encoder if (codes != codes[:1]).any() else None


def _numerical_feature(profile: Profile, bins: Bins, has_missing: bool) -> Feature:
    return Feature(
        name=profile.name,
        kind=FeatureKind.NUMERICAL,
        values=bins.labels.with_missing() if has_missing else bins.labels,
        cuts=bins.cuts,
        has_missing=has_missing,
        measure=profile.reading.form.measure,
    )


def _categorical_feature(
    profile: Profile, present: npt.NDArray[np.int64], has_missing: bool, decimal: str
) -> Feature:
    texts: list[str] = profile.factor.values.take(present).to_pylist()
    values = [texts[position] for position in natural_order(texts, decimal)]
    if has_missing:
        values.append(_missing_name(values))
    return Feature(profile.name, FeatureKind.CATEGORICAL, tuple(values))


def _missing_name(values: Iterable[str]) -> str:
    """`MISSING`, or a similar name if a category already has that name."""
    taken = set(values)
    name, number = MISSING, 1
    while name in taken:
        number += 1
        name = f"{MISSING[:-1]} {number})"
    return name
