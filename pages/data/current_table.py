"""The current table, and the user's edits of its schema. Each edit replaces the session's schema.

A table comes from a file or a sample, or from the same file with other options. If a file cannot be
used, the earlier table stays current.

The schema is the only record of the edits. If the outcome or the missing values change, columns
are proposed again, and the user's own settings are kept: a kind other than the earlier proposal,
bins, and missing values of single columns.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from odt_core.data import (
    SAMPLES,
    USUAL_SPLIT,
    Binning,
    ColumnKind,
    ColumnSummary,
    NumberForm,
    ReadOptions,
    Remedy,
    Schema,
    Table,
    infer_schema,
    summarize_columns,
    target_labels,
)
from odt_core.data.limits import mark_source
from odt_core.data.stray_lines import single_column_refusal
from odt_core.errors import InputError
from pages.common.server import store
from pages.common.session import Dataset, owner, update
from pages.common.table_requests import withdraw_table
from pages.common.tables import ReadyData, read_upload, ready_data, table_of


def load_upload(name: str, content: bytes, read: ReadOptions) -> None:
    """Read an uploaded file and make it current.

    Raises
    ------
    InputError
        If the file is too large or is not a usable table.
    """
    table = read_upload(name, content, read)
    try:
        set_table(table, store().datasets.put(owner(), content, name).sha256, read)
    except InputError as error:
        if len(table.columns) == 1 and not table.report.container:
            raise single_column_refusal(str(error), table, read) from error
        raise


def load_sample(key: str) -> None:
    """Make a built-in sample current."""
    sample, name = SAMPLES[key], f"{key}.csv"
    content, read = sample.csv(), ReadOptions()
    table = table_of(hashlib.sha256(content).hexdigest(), read, name, content)
    sha256 = store().datasets.put(owner(), content, name).sha256
    set_table(table, sha256, read, target=sample.target, positive=sample.positive)


def read_again(dataset: Dataset, read: ReadOptions, schema: Schema | None = None) -> None:
    """Read the current file with other options, and restore the schema of an earlier reading.

    Raises
    ------
    InputError
        If it is not a usable table with these options. The data set stays unchanged.
    """
    content = store().datasets.read(owner(), dataset.sha256)
    table = table_of(dataset.sha256, read, dataset.name, content, withdraw_table)
    set_table(table, dataset.sha256, read)
    if schema is not None:
        update(schema=schema)


def current() -> ReadyData:
    """Return the session's data set, which must exist, with its schema and split."""
    data = ready_data()
    assert data is not None
    return data


def summaries() -> dict[str, ColumnSummary]:
    """Describe the current table's columns, by their names."""
    table, schema = current().dataset.table, current().schema
    names = (*table.columns, *(column.name for column in schema.columns))
    readings = {name: schema.reading_of(name) for name in names}
    found = summarize_columns(table, schema.target, readings, schema.positive)
    return {summary.name: summary for summary in found}


def set_table(
    table: Table,
    sha256: str,
    read: ReadOptions,
    target: str | None = None,
    positive: str | None = None,
) -> None:
    """Make a table current. Without a target and a positive label, they are proposed.

    If it is the same file with other reading options, the earlier edits are kept for columns
    with the same names.

    Raises
    ------
    InputError
        If no column can be the outcome. The earlier data set stays current.
    """
    dataset, before = Dataset(table, sha256, read), ready_data()
    if before is None or before.dataset.table.sha256 != table.sha256:
        schema = infer_schema(table, target, positive)
        update(dataset=dataset, schema=schema, split=USUAL_SPLIT)
        return
    old = before.schema
    kept_target = old.target if old.target in table.columns else None
    update(dataset=dataset, schema=_proposed_again(table, kept_target, old.missing_tokens))


def choose_target(target: str) -> None:
    """Predict another column, and propose the positive class."""
    data = current()
    if target != data.schema.target:
        tokens = data.schema.missing_tokens
        update(schema=_proposed_again(data.dataset.table, target, tokens))


def change_schema(change: Callable[[Schema], Schema]) -> None:
    """Change the current table's schema."""
    update(schema=change(current().schema))


def choose_missing(tokens: Sequence[str]) -> None:
    """Set the texts that count as missing in all columns without texts of their own."""
    data = current()
    distinct = tuple(dict.fromkeys(token.strip() for token in tokens if token.strip()))
    update(schema=_proposed_again(data.dataset.table, data.schema.target, distinct))


def apply_remedies(remedies: Iterable[Remedy]) -> None:
    """Apply the remedies of one click."""
    schema = current().schema
    for remedy in remedies:
        schema = remedy.applied(schema)
    update(schema=schema)


def choose_kinds(kinds: Mapping[str, ColumnKind]) -> None:
    """Set the kinds of columns."""
    change_schema(lambda schema: schema.with_kinds(kinds))


def choose_binning(columns: Iterable[str], binning: Binning) -> None:
    """Set the bins of columns."""
    schema = current().schema
    for column in columns:
        schema = schema.with_binning(column, binning)
    update(schema=schema)


def edited_kinds(data: ReadyData) -> dict[str, ColumnKind]:
    """Return the columns whose kind differs from the proposal."""
    schema = data.schema
    proposed = infer_schema(data.dataset.table, schema.target, missing_tokens=schema.missing_tokens)
    before = {column.name: column.kind for column in proposed.columns}
    return {c.name: c.kind for c in schema.columns if before.get(c.name, c.kind) is not c.kind}


def has_edits() -> bool:
    """Whether the user has changed a column's kind or the reading of its cells."""
    data = current()
    return any(c.joined or c.form is not NumberForm.PLAIN for c in data.schema.columns) or bool(
        edited_kinds(data)
    )


def propose_again() -> None:
    """Drop all changes to kinds, bins, joined labels and missing values of single columns."""
    table, schema = current().dataset.table, current().schema
    fresh = infer_schema(table, schema.target, missing_tokens=schema.missing_tokens)
    kept = dataclasses.replace(schema, columns=fresh.columns)
    update(schema=kept.with_group(kept.group))


def _proposed_again(table: Table, target: str | None, missing_tokens: tuple[str, ...]) -> Schema:
    """Propose a schema, and apply the current edits to it."""
    fresh = infer_schema(table, target, missing_tokens=missing_tokens)
    edited, old = edited_kinds(current()), current().schema
    known = {column.name: column for column in old.columns}
    columns = tuple(
        column
        if column.name not in known
        else dataclasses.replace(known[column.name], kind=edited.get(column.name, column.kind))
        for column in fresh.columns
    )
    names = {column.name for column in fresh.columns}
    marks = (c for c in old.columns if mark_source(table, c.name) in names)
    schema = dataclasses.replace(fresh, columns=(*columns, *marks))
    if old.group is None or old.group in known.keys() & names:
        schema = schema.with_group(old.group)
    if old.target != schema.target:
        return schema
    schema = dataclasses.replace(
        schema,
        target_joined=old.target_joined,
        target_missing=_carried_missing(old, fresh),
        guessed=old.guessed,
    )
    if old.positive in target_labels(table, schema):
        return dataclasses.replace(schema, positive=old.positive)
    return dataclasses.replace(schema, target_joined=None)


def _carried_missing(old: Schema, fresh: Schema) -> tuple[str, ...] | None:
    """The outcome's own missing texts, in addition to the table's, which may have changed."""
    if old.target_missing is None:
        return fresh.target_missing
    own = [text for text in old.target_missing if text not in old.missing_tokens]
    return tuple(dict.fromkeys((*fresh.missing_tokens, *own)))
