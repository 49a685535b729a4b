"""Encoded rows for the screen: the same as the worker trains on, made once and kept."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import streamlit as st

from odt_core.data import Prepared, Schema, SplitSpec, Table, prepare
from odt_core.jobs import Job
from odt_core.problem import Problem
from odt_core.training import FeatureSelection, build_problem
from pages.common.files import table_of
from pages.common.server import store
from pages.common.state import work
from pages.common.table_caches import table_cache


def prepared_rows(table: Table, schema: Schema, split: SplitSpec) -> Prepared:
    """A table's training and test rows.

    Raises
    ------
    InputError
        If the table does not fit the schema or the split.
    """
    report = table.report
    key = json.dumps(
        [
            table.sha256,
            [report.encoding, report.delimiter, report.quotechar, _content(table)],
            schema.to_json(),
            split.to_json(),
        ]
    )
    return _prepared(hashlib.sha256(key.encode()).hexdigest(), table, schema, split)


def _content(table: Table) -> str:
    """Tells which lines of the file are the table's rows, and under which names."""
    lines = b"" if table.lines is None else table.lines.tobytes()
    return hashlib.sha256(lines + repr(table.columns).encode()).hexdigest()


@table_cache
@st.cache_resource(show_spinner=False, max_entries=6)
def _prepared(key: str, _table: Table, _schema: Schema, _split: SplitSpec) -> Prepared:
    return prepare(_table, _schema, _split)


def rows_of(job: Job) -> Prepared:
    """The rows that a run was trained and tested on."""
    return prepared_rows(table_of_run(job), job.spec.train.schema, job.spec.train.split)


def table_of_run(job: Job) -> Table:
    """The table that a run reads."""
    dataset, spec = work().dataset, job.spec
    if dataset is not None and (dataset.sha256, dataset.read) == (spec.dataset, spec.read):
        return dataset.table
    path = store().datasets.path(job.owner, spec.dataset)
    return table_of(spec.dataset, spec.read, spec.table_name, path)


def problem_of(job: Job) -> Problem:
    """What a run solves; features that its selection left out are not forbidden here."""
    spec = dataclasses.replace(job.spec.train, feature_selection=FeatureSelection.NONE)
    return build_problem(rows_of(job), spec)
