"""The meaning of a table's columns."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Any

from odt_core.data.binning import Binning
from odt_core.data.cells import CellReading, Joined, check_joined, joined_from_json
from odt_core.data.forms import LIMIT_MARK, NumberForm, form_from_json
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.numeric import DECIMAL_MARKS
from odt_core.errors import MALFORMED, InputError, quoted

SCHEMA_VERSION = 1


class ColumnKind(StrEnum):
    """The use of a column."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"
    IGNORE = "ignore"


@dataclass(frozen=True)
class ColumnSchema:
    """The meaning of one column.

    Attributes
    ----------
    name : str
        The column's name.
    kind : ColumnKind
        How to use the column.
    binning : Binning
        How to divide it into bins, if it is numerical.
    missing_tokens : tuple of str or None
        Texts read as missing in this column; None for the schema's. An empty cell is missing too.
    joined : tuple of (str, str)
        Texts, each with the label that replaces it, such as ``yes`` for ``Yes``.
    form : NumberForm
        The form of its numbers, if it is numerical.
    reference : datetime.date or None
        The date on which ages are counted, if its dates are read as ages.

    Raises
    ------
    InputError
        If a text has two labels, or a label is itself replaced.
    """

    name: str
    kind: ColumnKind
    binning: Binning = Binning()
    missing_tokens: tuple[str, ...] | None = None
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    reference: date | None = None

    def __post_init__(self) -> None:
        check_joined(self.joined, self.name)


@dataclass(frozen=True)
class Schema:
    """The meaning of a table.

    Attributes
    ----------
    target : str
        The name of the outcome column.
    positive : str
        The label that counts as positive. All others are negative.
    columns : tuple of ColumnSchema
        The other columns. A column of the table that is not listed here is ignored.
    missing_tokens : tuple of str
        Texts read as missing in every column without tokens of its own, including the target.
    decimal : str
        The decimal mark of the numbers, ``.`` or ``,``.
    group : str or None
        A column whose equal values mark rows that belong together, such as those of one patient or
        site. These rows are never divided between training and test.
    target_missing : tuple of str or None
        Texts read as missing in the outcome; None to use `missing_tokens`.
    target_joined : tuple of (str, str) or None
        Texts of the outcome, each with its label; None if nobody has decided yet.
    guessed : bool
        Whether the outcome was guessed from values, and nobody has confirmed it.

    Raises
    ------
    InputError
        If a column is listed twice, if the decimal mark is neither point nor comma, if the outcome
        is the group, or if labels are joined in a circle.
    """

    target: str
    positive: str
    columns: tuple[ColumnSchema, ...]
    missing_tokens: tuple[str, ...] = DEFAULT_MISSING_TOKENS
    decimal: str = "."
    group: str | None = None
    target_missing: tuple[str, ...] | None = None
    target_joined: Joined | None = None
    guessed: bool = False

    def __post_init__(self) -> None:
        check_joined(self.target_joined or (), self.target)
        if self.group == self.target:
            raise InputError(
                f"The outcome {quoted(self.target)} cannot be the group: name another column whose "
                "rows belong together."
            )
        counts = Counter(column.name for column in self.columns)
        twice = next((name for name, count in counts.items() if count > 1), None)
        if twice is not None:
            raise InputError(
                f"The column {quoted(twice)} is described twice: keep one description."
            )
        if self.decimal not in DECIMAL_MARKS:
            raise InputError(
                f"The decimal mark {self.decimal!r} cannot be used: give a point or a comma."
            )

    @property
    def features(self) -> tuple[ColumnSchema, ...]:
        """Columns that are not ignored."""
        return tuple(c for c in self.columns if c.kind is not ColumnKind.IGNORE)

    def column(self, name: str) -> ColumnSchema:
        """Return the description of a column.

        Raises
        ------
        InputError
            If there is no such column.
        """
        found = self._by_name.get(name)
        if found is None:
            if name == self.target:
                raise InputError(f"The column {quoted(name)} is the outcome, not a feature.")
            raise InputError(f"There is no column {quoted(name)}: check its spelling.")
        return found

    def tokens_of(self, name: str) -> tuple[str, ...]:
        """The texts read as missing in a column or in the outcome."""
        return self.reading_of(name).missing_tokens

    def reading_of(self, name: str) -> CellReading:
        """The rules for the cells of a column or of the outcome, or the table's own rules."""
        if name == self.target:
            column = ColumnSchema(
                name,
                ColumnKind.CATEGORICAL,
                missing_tokens=self.target_missing,
                joined=self.target_joined or (),
            )
        else:
            column = self._by_name.get(name) or ColumnSchema(name, ColumnKind.IGNORE)
        own = column.missing_tokens
        if own is None and (marked := self._by_name.get(name.removesuffix(LIMIT_MARK))):
            own = marked.missing_tokens
        tokens = self.missing_tokens if own is None else own
        return CellReading(tokens, self.decimal, column.joined, column.form, column.reference)

    @cached_property
    def _by_name(self) -> dict[str, ColumnSchema]:
        return {column.name: column for column in self.columns}

    def with_kind(self, name: str, kind: ColumnKind) -> Schema:
        """Return the schema with another kind for a column."""
        return self._replace(name, kind=ColumnKind(kind))

    def with_kinds(self, kinds: Mapping[str, ColumnKind]) -> Schema:
        """Return the schema with other kinds for several columns."""
        return self._replace_all({name: {"kind": ColumnKind(kind)} for name, kind in kinds.items()})

    def with_binning(self, name: str, binning: Binning) -> Schema:
        """Return the schema with another binning for a column."""
        return self._replace(name, binning=binning)

    def with_column_missing(self, name: str, tokens: Sequence[str] | None) -> Schema:
        """Return the schema with a column's own missing tokens (None for the schema's)."""
        return self._replace(name, missing_tokens=None if tokens is None else tuple(tokens))

    def with_joined(self, name: str, joined: Joined) -> Schema:
        """Return the schema with labels for texts of a column or of the outcome.

        If the text of the outcome's positive label gets another label, that label is positive.
        """
        if name != self.target:
            return self._replace(name, joined=joined)
        positive = dict(joined).get(self.positive, self.positive)
        return dataclasses.replace(self, target_joined=joined, positive=positive)

    def with_form(self, name: str, form: NumberForm, reference: date | None = None) -> Schema:
        """Return the schema with a form for a column's numbers; ages need a reference date."""
        return self._replace(name, kind=ColumnKind.NUMERICAL, form=form, reference=reference)

    def with_limit_mark(self, name: str) -> Schema:
        """Return the schema with a feature after a column that marks its limits, such as ``<0.5``.

        A text that is missing in the column is missing in the mark. See `odt_core.data.limits`.
        """
        mark = ColumnSchema(name + LIMIT_MARK, ColumnKind.CATEGORICAL)
        columns = [column for column in self.columns if column.name != mark.name]
        columns.insert(columns.index(self.column(name)) + 1, mark)
        return dataclasses.replace(self, columns=tuple(columns))

    def with_target_missing(self, tokens: Sequence[str] | None) -> Schema:
        """Return the schema with the outcome's own missing tokens (None for the schema's)."""
        own = None if tokens is None else tuple(tokens)
        return dataclasses.replace(self, target_missing=own)

    def with_group(self, group: str | None) -> Schema:
        """Return the schema with another group column, which is then not a feature."""
        schema = dataclasses.replace(self, group=group)
        return schema if group is None else schema.with_kind(group, ColumnKind.IGNORE)

    def confirmed(self) -> Schema:
        """Return the schema with the outcome confirmed by the user."""
        return dataclasses.replace(self, guessed=False)

    def with_target(self, target: str, positive: str) -> Schema:
        """Return the schema with another outcome. The former outcome becomes an ignored column."""
        if target == self.target:
            return dataclasses.replace(self, positive=positive, guessed=False)
        gone = {target, target + LIMIT_MARK}
        columns = (
            *(column for column in self.columns if column.name not in gone),
            ColumnSchema(self.target, ColumnKind.IGNORE),
        )
        return dataclasses.replace(
            self,
            target=target,
            positive=positive,
            columns=columns,
            group=None if target == self.group else self.group,
            target_missing=None,
            target_joined=None,
            guessed=False,
        )

    def _replace(self, name: str, **changes: Any) -> Schema:
        return self._replace_all({name: changes})

    def _replace_all(self, changes: Mapping[str, Mapping[str, Any]]) -> Schema:
        new = {
            name: dataclasses.replace(self.column(name), **fields)
            for name, fields in changes.items()
        }
        columns = tuple(new.get(column.name, column) for column in self.columns)
        return dataclasses.replace(self, columns=columns)

    def to_json(self) -> dict[str, Any]:
        """Write the schema as a dictionary that `from_json` can read."""
        return {
            "version": SCHEMA_VERSION,
            "target": self.target,
            "positive": self.positive,
            "missing_tokens": list(self.missing_tokens),
            "decimal": self.decimal,
            "group": self.group,
            "target_missing": None if self.target_missing is None else list(self.target_missing),
            "target_joined": None if self.target_joined is None else dict(self.target_joined),
            "guessed": self.guessed,
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind.value,
                    "binning": column.binning.to_json(),
                    "missing_tokens": None
                    if column.missing_tokens is None
                    else list(column.missing_tokens),
                    "joined": dict(column.joined),
                    "form": column.form.value,
                    "reference": None if column.reference is None else str(column.reference),
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
            If the record has another version or is damaged.
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
                **_additions(record),
            )
        except MALFORMED as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"The description of the columns is damaged ({error}): write it again."
            ) from error


def _additions(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that records of older programs lack."""
    missing, joined = record.get("target_missing"), record.get("target_joined")
    return {
        "group": record.get("group"),
        "target_missing": None if missing is None else tuple(missing),
        "target_joined": None if joined is None else joined_from_json(joined),
        "guessed": bool(record.get("guessed", False)),
    }


def _column_from_json(record: Mapping[str, Any]) -> ColumnSchema:
    tokens = record["missing_tokens"]
    form, reference = form_from_json(record)
    return ColumnSchema(
        name=record["name"],
        kind=ColumnKind(record["kind"]),
        binning=Binning.from_json(record["binning"]),
        missing_tokens=None if tokens is None else tuple(tokens),
        joined=joined_from_json(record.get("joined")),
        form=form,
        reference=reference,
    )
