"""What the columns of a table mean."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from odt_core.data.binning import Binning
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.numeric import DECIMAL_MARKS
from odt_core.errors import InputError

SCHEMA_VERSION = 1


class ColumnKind(StrEnum):
    """How a column is used."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"
    IGNORE = "ignore"


@dataclass(frozen=True)
class ColumnSchema:
    """What a column means.

    Attributes
    ----------
    name : str
        The column's name.
    kind : ColumnKind
        How it is used.
    binning : Binning
        Its bins, if it is numerical.
    missing_tokens : tuple of str or None
        Texts read as missing in this column; None for the schema's own. An empty cell always is.
    """

    name: str
    kind: ColumnKind
    binning: Binning = Binning()
    missing_tokens: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Schema:
    """What a table means.

    Attributes
    ----------
    target : str
        The column with the outcome.
    positive : str
        The outcome that counts as positive; all others are negative.
    columns : tuple of ColumnSchema
        The other columns. Columns of the table that are not named here are ignored.
    missing_tokens : tuple of str
        Texts read as missing in every column without tokens of its own, the target too.
    decimal : str
        The decimal mark of the numbers, ``.`` or ``,``.

    Raises
    ------
    InputError
        If a column is named twice or the decimal mark is neither point nor comma.
    """

    target: str
    positive: str
    columns: tuple[ColumnSchema, ...]
    missing_tokens: tuple[str, ...] = DEFAULT_MISSING_TOKENS
    decimal: str = "."

    def __post_init__(self) -> None:
        counts = Counter(column.name for column in self.columns)
        twice = next((name for name, count in counts.items() if count > 1), None)
        if twice is not None:
            raise InputError(f"The column {twice!r} is described twice: keep one description.")
        if self.decimal not in DECIMAL_MARKS:
            raise InputError(
                f"The decimal mark {self.decimal!r} cannot be used: give a point or a comma."
            )

    @property
    def features(self) -> tuple[ColumnSchema, ...]:
        """Columns that are not ignored."""
        return tuple(c for c in self.columns if c.kind is not ColumnKind.IGNORE)

    def column(self, name: str) -> ColumnSchema:
        """The description of a column.

        Raises
        ------
        InputError
            If there is none.
        """
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            if name == self.target:
                raise InputError(f"The column {name!r} is the outcome, not a feature.")
            raise InputError(f"There is no column {name!r}: check its spelling.")
        return found

    def tokens_of(self, name: str) -> tuple[str, ...]:
        """The texts read as missing in a column."""
        own = next((c.missing_tokens for c in self.columns if c.name == name), None)
        return self.missing_tokens if own is None else own

    def with_kind(self, name: str, kind: ColumnKind) -> Schema:
        """The same with a column used otherwise."""
        return self._replace(name, kind=ColumnKind(kind))

    def with_kinds(self, kinds: Mapping[str, ColumnKind]) -> Schema:
        """The same with several columns used otherwise."""
        schema = self
        for name, kind in kinds.items():
            schema = schema.with_kind(name, kind)
        return schema

    def with_binning(self, name: str, binning: Binning) -> Schema:
        """The same with a column binned otherwise."""
        return self._replace(name, binning=binning)

    def with_column_missing(self, name: str, tokens: Sequence[str] | None) -> Schema:
        """The same with a column's own missing tokens (None for the schema's)."""
        return self._replace(name, missing_tokens=None if tokens is None else tuple(tokens))

    def with_missing_tokens(self, tokens: Sequence[str]) -> Schema:
        """The same with other missing tokens."""
        return dataclasses.replace(self, missing_tokens=tuple(tokens))

    def with_target(self, target: str, positive: str) -> Schema:
        """The same with another outcome; the former one becomes an ignored column."""
        if target == self.target:
            return dataclasses.replace(self, positive=positive)
        columns = (
            *(column for column in self.columns if column.name != target),
            ColumnSchema(self.target, ColumnKind.IGNORE),
        )
        return dataclasses.replace(self, target=target, positive=positive, columns=columns)

    def _replace(self, name: str, **changes: Any) -> Schema:
        new = dataclasses.replace(self.column(name), **changes)
        columns = tuple(new if column.name == name else column for column in self.columns)
        return dataclasses.replace(self, columns=columns)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "version": SCHEMA_VERSION,
            "target": self.target,
            "positive": self.positive,
            "missing_tokens": list(self.missing_tokens),
            "decimal": self.decimal,
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind.value,
                    "binning": column.binning.to_json(),
                    "missing_tokens": None
                    if column.missing_tokens is None
                    else list(column.missing_tokens),
                }
                for column in self.columns
            ],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Schema:
        """Rebuild a schema.

        Raises
        ------
        InputError
            If the record is of another version or damaged.
        """
        if not isinstance(record, Mapping) or record.get("version") != SCHEMA_VERSION:
            version = record.get("version") if isinstance(record, Mapping) else None
            raise InputError(
                f"The description of the columns is of version {version!r}, but this program "
                f"reads version {SCHEMA_VERSION}."
            )
        try:
            return cls(
                target=record["target"],
                positive=record["positive"],
                columns=tuple(_column_from_json(column) for column in record["columns"]),
                missing_tokens=tuple(record["missing_tokens"]),
                decimal=record["decimal"],
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"The description of the columns is damaged ({error}): write it again."
            ) from error


def _column_from_json(record: Mapping[str, Any]) -> ColumnSchema:
    tokens = record["missing_tokens"]
    return ColumnSchema(
        name=record["name"],
        kind=ColumnKind(record["kind"]),
        binning=Binning.from_json(record["binning"]),
        missing_tokens=None if tokens is None else tuple(tokens),
    )
