"""Validation of the frozen tree on another file, or on another part of its own file."""

from __future__ import annotations

import dataclasses

import numpy as np
import streamlit as st

from odt_core.data import Schema, Table
from odt_core.data.ordering import natural_order
from odt_core.data.profile import profile_column
from odt_core.errors import InputError
from odt_core.evaluation import subgroup_columns
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.problem import MISSING
from odt_core.studies import PartOfTable, ValidationSpec
from pages.common.current_run import EVERY, queue_job
from pages.common.layout import draw_part
from pages.common.markup import plain, sentence, shorten
from pages.common.server import job_manager
from pages.common.session import Dataset, is_pressed, note_press, work
from pages.predict.files import choose_file
from pages.predict.frozen import FrozenTree
from pages.predict.validation_result import draw_validation_result

WORDS = "Validate"
VALIDATE = "predict_validate"
PART, PART_COLUMN = "predict_part", "predict_part_column"
ALL_ROWS, SOME_ROWS = "All rows that did not train it", "Some of them, by a column"
MOST_VALUES = 300
"""The most values in the choice. Values with the most rows come first."""


def draw_validation(frozen: FrozenTree) -> None:
    """Draw the choice of rows and the button on the left, and the last validation on the right."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        st.header("The rows", anchor=False)
        dataset = choose_file(frozen)
        spec = None if dataset is None else draw_part(_choose_rows, frozen, dataset)
        running = _draw_button(spec)
    with right:
        job = running or work().validation
        if job is None:
            _draw_empty()
        elif not job.is_over:
            _watch(job)
        else:
            _draw_found(job, frozen)


def _choose_rows(frozen: FrozenTree, dataset: Dataset) -> JobSpec | None:
    """Draw the choice of rows, and return the validation's job; None after an error."""
    part = None
    chosen = st.radio("Which rows", [ALL_ROWS, SOME_ROWS], key=PART, persist_state="session")
    if dataset.sha256 == frozen.job.spec.dataset:
        _draw_same_file(frozen.job.spec.train.schema.group, is_whole=chosen == ALL_ROWS)
    if chosen == SOME_ROWS:
        try:
            part = _choose_part(dataset.table, frozen)
        except InputError as error:
            st.caption(plain(str(error)))
            return None
    return dataclasses.replace(
        dataset.job(frozen.job.spec.train, JobKind.VALIDATE),
        part=ValidationSpec(frozen.model, frozen.job.id, part),
    )


def _draw_same_file(group: str | None, *, is_whole: bool) -> None:
    """Draw a note on the training file."""
    words = "This is the tree's training file. Its training rows are left out"
    if group is not None:
        words += f", and all rows of the same {plain(shorten(group, 30))}"
    words += "."
    if is_whole:
        words += " Its test rows remain: another file says more about new cases."
    st.caption(words)


def _choose_part(table: Table, frozen: FrozenTree) -> PartOfTable:
    schema = frozen.job.spec.train.schema
    columns = _columns(table, schema)
    if not columns:
        raise InputError(
            "No column divides the rows: every column is constant, or has a different value in "
            "each row."
        )
    if st.session_state.get(PART_COLUMN) not in columns:
        st.session_state[PART_COLUMN] = columns[0]
    column = str(
        st.selectbox(
            "Column",
            columns,
            key=PART_COLUMN,
            persist_state="session",
            format_func=lambda name: shorten(name, 60),
            help="The column may have a site, a year or a group.",
        )
    )
    values = _values(table, schema, column)
    key = f"predict_part_values_{table.sha256[:12]}_{columns.index(column)}"
    chosen = st.multiselect(
        "Values",
        values,
        key=key,
        persist_state="session",
        format_func=lambda value: shorten(value, 60),
    )
    return PartOfTable(column, tuple(chosen))


def _columns(table: Table, schema: Schema) -> list[str]:
    """The columns that can divide the rows. Columns that make groups come first."""
    key = ("subgroup columns", schema)
    found = [*table.remember(key, lambda: subgroup_columns(table, schema))]
    others = [name for name in table.columns if name not in found and name != schema.target]
    return found + others


def _values(table: Table, schema: Schema, column: str) -> list[str]:
    """The most frequent values of a column, at most `MOST_VALUES`, in natural order."""
    profile = profile_column(table, column, schema.reading_of(column))
    frequent = np.argsort(-np.where(profile.missing, 0, profile.counts), kind="stable")
    kept = [int(code) for code in frequent[:MOST_VALUES] if not profile.missing[code]]
    texts = [str(profile.factor.values[code].as_py()) for code in kept]
    values = [texts[place] for place in natural_order(texts, profile.reading.decimal)]
    return [*values, MISSING] if profile.n_missing else values


def _draw_button(spec: JobSpec | None) -> Job | None:
    """Draw the button. Return the running validation, if any."""
    job = work().validation
    if is_pressed(WORDS) and spec is not None and (job is None or job.is_over):
        job = queue_job("validation", spec)
    running = job if job is not None and not job.is_over else None
    st.button(
        "Validating …" if running else WORDS,
        key=VALIDATE,
        type="primary",
        width="stretch",
        disabled=spec is None or running is not None,
        **note_press(WORDS),
    )
    return running


def _draw_empty() -> None:
    with st.container(border=True):
        st.markdown(
            "**The unchanged tree on rows that did not train it.** Choose another file with known "
            "outcomes, such as patients of another hospital or a later year, or another part of "
            "the training file. You see how many cases the tree finds and misses there, whether "
            "its risks and floors hold, and how groups differ."
        )


@st.fragment(run_every=EVERY)
def _watch(job: Job) -> None:
    if job.is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Validating on {plain(shorten(job.spec.table_name, 40))} …")
        st.button("Stop", key="predict_stop", on_click=job_manager().cancel, args=(job,))


def _draw_found(job: Job, frozen: FrozenTree) -> None:
    if job.result is None:
        why = job.message or "It was stopped."
        st.error(sentence(why), title="This validation has no result")
        return
    part = job.spec.part
    if isinstance(part, ValidationSpec) and part.run != frozen.job.id:
        st.info(
            "This validation belongs to another tree. Press Validate to validate the chosen tree."
        )
    draw_validation_result(job)
