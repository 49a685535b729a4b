"""What the user decides about the current table; each change replaces the session's schema.

The schema is the only record of the user's choices. Where the outcome or the missing values
change, columns are proposed anew, and what the user had set by hand is carried over: a kind that
differs from the former proposal, bins, and missing values of one column.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from odt_core.data import (
    DEFAULT_MISSING_TOKENS,
    USUAL_SPLIT,
    Binning,
    ColumnKind,
    NumberForm,
    ReadOptions,
    Remedy,
    Schema,
    SplitSpec,
    Table,
)
from pages.common.state import Dataset, update, work
from pages.data.derived import class_counts, proposal


def current() -> tuple[Dataset, Schema, SplitSpec]:
    """The session's data set with its schema and split; there must be one."""
    now = work()
    if now.dataset is None or now.schema is None or now.split is None:
        raise RuntimeError("there is no data set")
    return now.dataset, now.schema, now.split


def adopt(
    table: Table,
    sha256: str,
    read: ReadOptions,
    target: str | None = None,
    positive: str | None = None,
) -> None:
    """Make a table the current one.

    The same file read otherwise keeps what was chosen before, as far as columns still have the
    same names.

    Parameters
    ----------
    table, sha256, read : Table, str, ReadOptions
        The table, its bytes' name in the store, and how they were read.
    target, positive : str, optional
        The outcome and its positive label, where they are known; else they are proposed.

    Raises
    ------
    InputError
        If no column can be the outcome; the data set before stays.
    """
    dataset = Dataset(table, sha256, read)
    now = work()
    if now.dataset is None or now.schema is None or now.dataset.table.sha256 != table.sha256:
        schema = proposal(dataset, target, DEFAULT_MISSING_TOKENS)
        if positive is not None:
            schema = schema.with_target(schema.target, positive)
        update(dataset=dataset, schema=schema, split=USUAL_SPLIT)
        return
    kept_target = now.schema.target if now.schema.target in table.columns else None
    fresh = proposal(dataset, kept_target, now.schema.missing_tokens)
    update(dataset=dataset, schema=_carried(now.dataset, now.schema, dataset, fresh))


def choose_target(target: str) -> None:
    """Predict another column; the positive class is proposed."""
    dataset, schema, _ = current()
    if target == schema.target:
        return
    fresh = proposal(dataset, target, schema.missing_tokens)
    update(schema=_carried(dataset, schema, dataset, fresh))


def choose_positive(positive: str) -> None:
    """Take another label as positive."""
    _, schema, _ = current()
    update(schema=schema.with_target(schema.target, positive))


def choose_missing(tokens: Sequence[str]) -> None:
    """Read other texts as missing, in every column without tokens of its own."""
    dataset, schema, _ = current()
    distinct = tuple(dict.fromkeys(token.strip() for token in tokens if token.strip()))
    fresh = proposal(dataset, schema.target, distinct)
    update(schema=_carried(dataset, schema, dataset, fresh))


def choose_column_missing(column: str, tokens: Sequence[str] | None) -> None:
    """Read texts as missing in one column only; None for the table's own tokens."""
    _, schema, _ = current()
    update(schema=schema.with_column_missing(column, tokens))


def choose_reference(column: str, reference: date) -> None:
    """Count the ages of a column on another date."""
    _, schema, _ = current()
    update(schema=schema.with_form(column, schema.column(column).form, reference))


def apply_remedies(remedies: Iterable[Remedy]) -> None:
    """Make the changes of one click."""
    _, schema, _ = current()
    for remedy in remedies:
        schema = remedy.applied(schema)
    update(schema=schema)


def restore(schema: Schema) -> None:
    """Take a click back."""
    update(schema=schema)


def choose_group(column: str | None) -> None:
    """Keep rows with equal values in a column together; None for no column."""
    _, schema, _ = current()
    update(schema=schema.with_group(column))


def choose_kinds(kinds: Mapping[str, ColumnKind]) -> None:
    """Use columns otherwise."""
    _, schema, _ = current()
    update(schema=schema.with_kinds(kinds))


def choose_binning(columns: Iterable[str], binning: Binning) -> None:
    """Cut columns into other bins."""
    _, schema, _ = current()
    for column in columns:
        schema = schema.with_binning(column, binning)
    update(schema=schema)


def edited_kinds(dataset: Dataset, schema: Schema) -> dict[str, ColumnKind]:
    """Columns that the user has set to another kind than proposed."""
    proposed = proposal(dataset, schema.target, schema.missing_tokens)
    before = {column.name: column.kind for column in proposed.columns}
    return {c.name: c.kind for c in schema.columns if before[c.name] is not c.kind}


def has_edits(dataset: Dataset, schema: Schema) -> bool:
    """Whether the user has changed a column's kind, or how its cells are read."""
    return any(c.joined or c.form is not NumberForm.PLAIN for c in schema.columns) or bool(
        edited_kinds(dataset, schema)
    )


def propose_again() -> None:
    """Drop every change to kinds, bins, joined labels and missing values of single columns."""
    dataset, schema, _ = current()
    fresh = proposal(dataset, schema.target, schema.missing_tokens)
    kept = dataclasses.replace(schema, columns=fresh.columns)
    update(schema=kept.with_group(kept.group))


def choose_split(split: SplitSpec) -> None:
    """Divide the rows otherwise."""
    update(split=split)


def _carried(old_data: Dataset, old: Schema, new_data: Dataset, fresh: Schema) -> Schema:
    """A fresh proposal with the choices made under the old one."""
    edited = edited_kinds(old_data, old)
    known = {column.name: column for column in old.columns}
    columns = tuple(
        column
        if column.name not in known
        else dataclasses.replace(known[column.name], kind=edited.get(column.name, column.kind))
        for column in fresh.columns
    )
    schema = dataclasses.replace(fresh, columns=columns)
    if old.group is None or old.group in known.keys() & fresh_names(fresh):
        schema = schema.with_group(old.group)
    if old.target != schema.target:
        return schema
    schema = dataclasses.replace(
        schema,
        target_joined=old.target_joined,
        target_missing=_carried_missing(old, fresh),
        guessed=old.guessed,
    )
    if old.positive in class_counts(new_data, schema):
        return dataclasses.replace(schema, positive=old.positive)
    return dataclasses.replace(schema, target_joined=None)


def fresh_names(schema: Schema) -> set[str]:
    """The columns besides the outcome."""
    return {column.name for column in schema.columns}


def _carried_missing(old: Schema, fresh: Schema) -> tuple[str, ...] | None:
    """The outcome's own missing texts beside the table's, which may have changed."""
    if old.target_missing is None:
        return fresh.target_missing
    own = [text for text in old.target_missing if text not in old.missing_tokens]
    return tuple(dict.fromkeys((*fresh.missing_tokens, *own)))
