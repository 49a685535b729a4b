"""Cached results from a table and its settings.

The cache key is the hash of the file's bytes and the settings, never the table: hashing a large
table is slow and only uses a sample of its rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from odt_core.data import (
    CellReading,
    ColumnSummary,
    Finding,
    Flow,
    ReadOptions,
    Schema,
    SplitSpec,
    Table,
    check_schema,
    infer_schema,
    prepare,
    summarize_columns,
    target_labels,
)
from odt_core.errors import InputError
from odt_core.problem import Feature
from pages.common.session import Dataset
from pages.common.tables import table_cache
from pages.data.bars import ClassCounts

KEPT = 16
"""The most cached results of each kind, for all sessions together."""


@dataclass(frozen=True)
class TableKey:
    """The identity of a table: its bytes and the reading options."""

    sha256: str
    read: ReadOptions

    @classmethod
    def of(cls, dataset: Dataset) -> TableKey:
        return cls(dataset.table.sha256, dataset.read)

    def digest(self) -> str:
        """Return a short text for the keys of widgets that belong to the table."""
        return hashlib.sha256(repr((self.sha256, self.read)).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class SplitRows:
    """The use of the rows, if the settings have no error.

    Attributes
    ----------
    train, test : ClassCounts
        The numbers of rows of each class; `test` may be empty.
    flow : Flow
        The numbers of rows read, left out and used.
    negative_label : str
        The name of the negative class.
    dropped : tuple of str
        Features that are constant in the training rows.
    features : tuple of Feature
        The features, with the categories and bins of the training rows.
    findings : tuple of Finding
        Findings about the split.
    """

    train: ClassCounts
    test: ClassCounts
    flow: Flow
    negative_label: str
    dropped: tuple[str, ...]
    features: tuple[Feature, ...]
    findings: tuple[Finding, ...] = ()


def class_counts(dataset: Dataset, schema: Schema) -> dict[str, int]:
    """Count the rows of each label of the outcome, with the schema's reading."""
    bare = replace(schema, columns=())
    return _class_counts(TableKey.of(dataset), bare, dataset.table)


@table_cache
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _class_counts(key: TableKey, schema: Schema, _table: Table) -> dict[str, int]:
    return target_labels(_table, schema)


def proposal(dataset: Dataset, target: str | None, tokens: Sequence[str]) -> Schema:
    """Propose a schema.

    Raises
    ------
    InputError
        If no column can be the outcome.
    """
    return _proposal(TableKey.of(dataset), target, tuple(tokens), dataset.table)


@table_cache
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _proposal(key: TableKey, target: str | None, tokens: tuple[str, ...], _table: Table) -> Schema:
    return infer_schema(_table, target=target, missing_tokens=tokens)


def summaries(dataset: Dataset, schema: Schema) -> dict[str, ColumnSummary]:
    """Summarise every column except the outcome, with the schema's reading."""
    usual = CellReading(schema.missing_tokens, schema.decimal)
    names = [schema.target, *(column.name for column in schema.columns)]
    readings = ((name, schema.reading_of(name)) for name in names)
    own = tuple(
        (name, reading)
        for name, reading in readings
        if reading != usual or name not in dataset.table.factors
    )
    key, outcome = TableKey.of(dataset), (schema.target, schema.positive)
    found = _described(key, *outcome, usual, own, dataset.table)
    return {name: found[name] for name in names[1:]}


@table_cache
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _described(
    key: TableKey,
    target: str,
    positive: str,
    usual: CellReading,
    own: tuple[tuple[str, CellReading], ...],
    _table: Table,
) -> dict[str, ColumnSummary]:
    readings = dict.fromkeys(_table.columns, usual) | dict(own)
    return {
        summary.name: summary for summary in summarize_columns(_table, target, readings, positive)
    }


def findings(dataset: Dataset, schema: Schema) -> tuple[Finding, ...]:
    """Return what is wrong or odd about a table and its schema, errors first."""
    return _findings(TableKey.of(dataset), schema, dataset.table)


@table_cache
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _findings(key: TableKey, schema: Schema, _table: Table) -> tuple[Finding, ...]:
    return check_schema(_table, schema)


def rows(dataset: Dataset, schema: Schema, split: SplitSpec) -> SplitRows | str:
    """Return the use of the rows, or a sentence that says why they cannot be used."""
    return _rows(TableKey.of(dataset), schema, split, dataset.table)


@table_cache
@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _rows(key: TableKey, schema: Schema, split: SplitSpec, _table: Table) -> SplitRows | str:
    try:
        prepared = prepare(_table, schema, split)
    except InputError as error:
        return str(error)
    train, test = prepared.train, prepared.test
    return SplitRows(
        train=ClassCounts("Training", train.n_positive, train.n_negative),
        test=ClassCounts("Test", 0, 0)
        if test is None
        else ClassCounts("Test", test.n_positive, test.n_negative),
        flow=prepared.flow,
        negative_label=train.negative_label,
        dropped=prepared.dropped,
        features=prepared.train.features,
        findings=prepared.divided,
    )
