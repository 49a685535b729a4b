"""Changes to a schema that one click makes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from odt_core.data.cells import Joined
from odt_core.data.forms import NumberForm
from odt_core.data.schema import ColumnKind, Schema


class Change(StrEnum):
    """What a remedy changes.

    ``use`` is a column's kind; ``missing`` and ``not-missing`` are texts; ``join`` are labels (none
    of them: they stay apart); ``form`` is how numbers are written; ``group`` and ``ungroup`` say
    whether rows with equal values stay together; ``confirm`` accepts the guessed outcome;
    ``units-row`` and ``title`` are not about the schema: the file is to be read without its row of
    units, or without the lines above the column names.
    """

    USE = "use"
    MISSING = "missing"
    NOT_MISSING = "not-missing"
    JOIN = "join"
    FORM = "form"
    GROUP = "group"
    UNGROUP = "ungroup"
    CONFIRM = "confirm"
    UNITS_ROW = "units-row"
    TITLE = "title"


@dataclass(frozen=True)
class Remedy:
    """A change that one click makes.

    Attributes
    ----------
    change : Change
        What is changed.
    label : str
        What the button says.
    column : str
        The column, or the outcome.
    kind : ColumnKind or None
        How the column is used afterwards; None for as before.
    texts : tuple of str
        Texts that become missing, or no longer are.
    joined : tuple of (str, str)
        Texts and the labels that they will count as.
    form : NumberForm
        How the column's numbers are written.
    reference : datetime.date or None
        The date on which ages are counted.
    skip_lines : int
        How many lines above the column names to skip.
    """

    change: Change
    label: str
    column: str
    kind: ColumnKind | None = None
    texts: tuple[str, ...] = ()
    joined: Joined = ()
    form: NumberForm = NumberForm.PLAIN
    skip_lines: int = 0
    reference: date | None = None

    def applied(self, schema: Schema) -> Schema:
        """The schema after the click.

        Raises
        ------
        InputError
            If the schema does not know the column.
        """
        match self.change:
            case Change.MISSING | Change.NOT_MISSING:
                schema = self._with_tokens(schema)
            case Change.JOIN:
                schema = schema.with_joined(self.column, self.joined)
            case Change.FORM:
                schema = self._with_tokens(schema).with_form(self.column, self.form, self.reference)
            case Change.GROUP:
                schema = schema.with_group(self.column)
            case Change.UNGROUP:
                schema = schema.with_group(None)
            case Change.CONFIRM:
                schema = schema.confirmed()
        if self.kind is not None and self.column != schema.target:
            schema = schema.with_kind(self.column, self.kind)
        return schema

    def _with_tokens(self, schema: Schema) -> Schema:
        if not self.texts:
            return schema
        tokens = schema.tokens_of(self.column)
        if self.change is Change.NOT_MISSING:
            tokens = tuple(token for token in tokens if token not in self.texts)
        else:
            tokens = tuple(dict.fromkeys((*tokens, *self.texts)))
        if self.column == schema.target:
            return schema.with_target_missing(tokens)
        return schema.with_column_missing(self.column, tokens)


def ignore(column: str, label: str = "Ignore it") -> Remedy:
    """Do not use a column as a feature."""
    return Remedy(Change.USE, label, column, ColumnKind.IGNORE)
