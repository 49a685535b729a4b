"""What the columns of a table mean."""

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
from odt_core.data.forms import NumberForm, form_from_json
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.numeric import DECIMAL_MARKS
from odt_core.errors import MALFORMED, InputError

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
    joined : tuple of (str, str)
        Texts and the labels that they count as, such as ``yes`` and ``Yes``.
    form : NumberForm
        How its numbers are written, if it is numerical.
    reference : datetime.date or None
        The date on which its ages are counted, if its dates are read as ages.

    Raises
    ------
    InputError
        If a text is joined with two labels, or a label is itself replaced.
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
    group : str or None
        A column whose equal values mark rows of one patient, site or the like: these rows are
        never divided between training and test.
    target_missing : tuple of str or None
        Texts read as missing in the outcome; None for `missing_tokens`.
    target_joined : tuple of (str, str) or None
        Texts of the outcome and the labels that they count as; None if nobody has decided yet.
    guessed : bool
        Whether the outcome was guessed from the values alone, and nobody has confirmed it.

    Raises
    ------
    InputError
        If a column is named twice, the decimal mark is neither point nor comma, the outcome is
        the group, or labels are joined in a circle.
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
                f"The outcome {self.target!r} cannot be the group: name another column whose rows "
                "belong together."
            )
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
        found = self._by_name.get(name)
        if found is None:
            if name == self.target:
                raise InputError(f"The column {name!r} is the outcome, not a feature.")
            raise InputError(f"There is no column {name!r}: check its spelling.")
        return found

    def tokens_of(self, name: str) -> tuple[str, ...]:
        """The texts read as missing in a column or in the outcome."""
        return self.reading_of(name).missing_tokens

    def reading_of(self, name: str) -> CellReading:
        """How the cells of a column or of the outcome are read; others as the table's own."""
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
        tokens = self.missing_tokens if own is None else own
        return CellReading(tokens, self.decimal, column.joined, column.form, column.reference)

    @cached_property
    def _by_name(self) -> dict[str, ColumnSchema]:
        return {column.name: column for column in self.columns}

    def with_kind(self, name: str, kind: ColumnKind) -> Schema:
        """The same with a column used otherwise."""
        return self._replace(name, kind=ColumnKind(kind))

    def with_kinds(self, kinds: Mapping[str, ColumnKind]) -> Schema:
        """The same with several columns used otherwise."""
        return self._replace_all({name: {"kind": ColumnKind(kind)} for name, kind in kinds.items()})

    def with_binning(self, name: str, binning: Binning) -> Schema:
        """The same with a column binned otherwise."""
        return self._replace(name, binning=binning)

    def with_column_missing(self, name: str, tokens: Sequence[str] | None) -> Schema:
        """The same with a column's own missing tokens (None for the schema's)."""
        return self._replace(name, missing_tokens=None if tokens is None else tuple(tokens))

    def with_missing_tokens(self, tokens: Sequence[str]) -> Schema:
        """The same with other missing tokens."""
        return dataclasses.replace(self, missing_tokens=tuple(tokens))

    def with_joined(self, name: str, joined: Joined) -> Schema:
        """The same with texts of a column, or of the outcome, counted as labels.

        For the outcome the positive label follows its text.
        """
        if name != self.target:
            return self._replace(name, joined=joined)
        positive = dict(joined).get(self.positive, self.positive)
        return dataclasses.replace(self, target_joined=joined, positive=positive)

    def with_form(self, name: str, form: NumberForm, reference: date | None = None) -> Schema:
        """The same with a column read as numbers of this form; ages need a reference date."""
        return self._replace(name, kind=ColumnKind.NUMERICAL, form=form, reference=reference)

    def with_target_missing(self, tokens: Sequence[str] | None) -> Schema:
        """The same with the outcome's own missing tokens (None for the schema's)."""
        own = None if tokens is None else tuple(tokens)
        return dataclasses.replace(self, target_missing=own)

    def with_group(self, group: str | None) -> Schema:
        """The same with rows of equal values in a column kept together; it is no feature then."""
        schema = dataclasses.replace(self, group=group)
        return schema if group is None else schema.with_kind(group, ColumnKind.IGNORE)

    def confirmed(self) -> Schema:
        """The same with the outcome confirmed by the user."""
        return dataclasses.replace(self, guessed=False)

    def with_target(self, target: str, positive: str) -> Schema:
        """The same with another outcome; the former one becomes an ignored column."""
        if target == self.target:
            return dataclasses.replace(self, positive=positive, guessed=False)
        columns = (
            *(column for column in self.columns if column.name != target),
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
        """A plain dictionary, complete enough for `from_json`."""
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
                **_additions(record),
            )
        except MALFORMED as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"The description of the columns is damaged ({error}): write it again."
            ) from error


def _additions(record: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that records of older programs lack."""
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
