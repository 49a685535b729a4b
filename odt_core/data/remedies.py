"""Changes to a schema that one click makes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from odt_core.data.cells import Joined
from odt_core.data.forms import NumberForm
from odt_core.data.schema import ColumnKind, Schema


class Change(StrEnum):
    """The kind of change that a remedy makes.

    ``use`` changes a column's kind. ``missing`` and ``not-missing`` change which texts are missing.
    ``join`` gives texts one label, or keeps them apart if it has none. ``form`` changes how numbers
    are read. ``group`` and ``ungroup`` decide whether rows with equal values stay together.
    ``confirm`` accepts the guessed outcome. ``units-row`` and ``title`` change the reading of the
    file: without its row of units, or without the lines above the column names.
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
        The kind of change.
    label : str
        The text of the button.
    column : str
        The name of the column, or of the outcome.
    kind : ColumnKind or None
        How to use the column afterwards; None for no change.
    texts : tuple of str
        Texts that become missing, or that are no longer missing.
    joined : tuple of (str, str)
        Texts, each with its new label.
    form : NumberForm
        The new form of the column's numbers.
    reference : datetime.date or None
        The date on which ages are counted.
    with_mark : bool
        Whether a further feature marks the column's limits.
    skip_lines : int
        Number of lines above the column names to skip.
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
    with_mark: bool = False

    def applied(self, schema: Schema) -> Schema:
        """Return the schema after the click.

        Raises
        ------
        InputError
            If the schema does not have the column.
        """
        match self.change:
            case Change.MISSING | Change.NOT_MISSING:
                schema = self._with_tokens(schema)
            case Change.JOIN:
                schema = schema.with_joined(self.column, self.joined)
            case Change.FORM:
                schema = self._with_tokens(schema).with_form(self.column, self.form, self.reference)
                if self.with_mark:
                    schema = schema.with_limit_mark(self.column)
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


def ignore(column: str) -> Remedy:
    """Make the remedy that removes a column from the features."""
    return Remedy(Change.USE, "Ignore it", column, ColumnKind.IGNORE)
