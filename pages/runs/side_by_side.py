"""Runs side by side: trees, 2x2 tables, settings, and metrics with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from odt_core.errors import InputError
from odt_core.evaluation import ReportedRate
from odt_core.jobs import JobSpec
from odt_core.storage import RunRecord
from odt_core.topology import Topology
from odt_core.words import ago_words
from pages.common.drawings import draw_tree, shape_html
from pages.common.markup import html_text, name_html, plain, plain_table, shorten
from pages.common.results import DASH, draw_counts, draw_rates, draw_verdict, reported_html
from pages.common.server import job_manager
from pages.common.session import owner
from pages.common.settings import kind_words
from pages.common.tables import rows_of
from pages.runs.outcome import RunOutcome, outcome_of
from pages.runs.words import SHAPE, STATUS_COLOURS, badge_words, settings_of

PER_ROW = 2
"""The most runs in one row, so that their trees are readable. Further runs follow below."""
LONGEST_SETTING = 120
"""The most characters of a setting."""


def draw_side_by_side(records: Sequence[RunRecord]) -> None:
    """Draw each run in its own column, with settings and metrics below."""
    outcomes = [outcome_of(record) for record in records]
    names = _distinct_names(records)
    if len({_rows_of(record) for record in records}) > 1:
        st.info(
            "These runs differ in data, columns or split, so their results come from different "
            "rows: compare them with care."
        )
    if len(records) == 1:
        _draw_head(names[0], records[0], outcomes[0])
        _draw_one(names[0], records[0], outcomes[0])
    else:
        _draw_several(names, records, outcomes)


def _draw_one(name: str, record: RunRecord, outcome: RunOutcome) -> None:
    left, right = st.columns([3, 2], gap="large")
    if outcome.tree is None or outcome.train is None:
        with left:
            _draw_settings([name], [record])
        return
    with left:
        _draw_its_tree(record, outcome)
    with right:
        _draw_settings([name], [record])
    left, right = st.columns([1, 1], gap="large")
    with left:
        _draw_counts(outcome)
    with right:
        draw_rates(outcome.train, outcome.test)


def _draw_several(
    names: Sequence[str], records: Sequence[RunRecord], outcomes: Sequence[RunOutcome]
) -> None:
    for first in range(0, len(records), PER_ROW):
        for column, name, record, outcome in zip(
            st.columns(PER_ROW, gap="medium"),
            names[first:],
            records[first:],
            outcomes[first:],
            strict=False,
        ):
            with column:
                _draw_head(name, record, outcome)
                _draw_its_tree(record, outcome)
                _draw_counts(outcome)
    has_rates = any(each.train is not None for each in outcomes)  # a study has none
    if len(records) > 2 or not has_rates:  # the tables need the full width
        _draw_settings(names, records)
        if has_rates:
            _draw_metrics(names, outcomes)
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        _draw_settings(names, records)
    with right:
        _draw_metrics(names, outcomes)


def _draw_its_tree(record: RunRecord, outcome: RunOutcome) -> None:
    """Draw a run's tree, with test rows in the leaves if its data set is stored."""
    if outcome.tree is None:
        return
    try:
        test = rows_of(job_manager().find(owner(), record.summary.id)).test
    except InputError:
        test = None
    draw_tree(outcome.tree, test, key=f"runs_tree_{record.summary.id}")
    if test is None and outcome.test is not None:
        st.caption("Its data set is not stored here, so the leaves count training rows only.")


def _distinct_names(records: Sequence[RunRecord]) -> list[str]:
    """Distinct names of the runs, without the shape, which the settings name; plain text."""
    names = [record.summary.name or kind_words(record.summary.kind) for record in records]
    if len(set(names)) == len(names):
        return names
    return [f"{letter}: {name}" for letter, name in zip("ABCD", names, strict=False)]


def _rows_of(record: RunRecord) -> tuple[object, ...]:
    """The settings that decide which rows train and test, and their meaning."""
    try:
        spec = JobSpec.from_json(record.spec)
    except InputError:  # a run of another version: compare the whole record
        return record.summary.dataset, repr(record.spec)
    return record.summary.dataset, spec.read, spec.train.schema, spec.train.split


def _draw_head(name: str, record: RunRecord, outcome: RunOutcome) -> None:
    run, now = record.summary, datetime.now(UTC)
    words = badge_words(run)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(shorten(name, 44))}**", width="content")
        st.badge(words, color=STATUS_COLOURS[words])  # type: ignore[arg-type]
    st.caption(f"{plain(shorten(run.table_name, 40))} · {ago_words(run.queued_at, now)}")
    if run.note:
        st.caption(plain(shorten(run.note, 300)))
    if outcome.remark and outcome.remark.lower() != words:
        st.markdown(plain(shorten(outcome.remark, 400)))
    if outcome.objective is not None and outcome.train is not None:
        draw_verdict(outcome.objective, outcome.train, outcome.test)


def _draw_counts(outcome: RunOutcome) -> None:
    """Draw the 2x2 tables, always with the test table if there are test rows."""
    if outcome.tree is None or outcome.train is None:
        return
    draw_counts("Training", outcome.train.confusion, outcome.tree)
    if outcome.test is None:
        st.markdown("**Test** · no rows")
    else:
        draw_counts("Test", outcome.test.confusion, outcome.tree)


def _draw_settings(names: Sequence[str], records: Sequence[RunRecord]) -> None:
    """Draw the settings, with differences in bold."""
    settings = [settings_of(record) for record in records]
    rows = []
    for field in dict.fromkeys(field for found in settings for field in found):
        values = [found.get(field, "") for found in settings]
        if not any(values):
            continue
        differs = len(set(values)) > 1
        cells = [_setting_html(field, value) if value else DASH for value in values]
        rows.append([field, *(f"<b>{cell}</b>" if differs else cell for cell in cells)])
    rows.append(["Software", *(_software(record) for record in records)])
    st.markdown("**Settings**")
    is_wide = len(records) > 1
    st.html(plain_table("Settings of the runs", ["", *_heads(names)], rows, is_wide=is_wide))
    if is_wide:
        st.caption("Differences are in bold.")


def _setting_html(field: str, value: str) -> str:
    """Write a setting. A shape without a name is also drawn."""
    words = name_html(value, LONGEST_SETTING)
    if field != SHAPE:
        return words
    drawn = [_drawn(text) for text in value.split(", ") if text.startswith("(")]
    return " ".join([*drawn, words])


def _drawn(text: str) -> str:
    try:
        return shape_html(Topology.parse(text))
    except InputError:  # an imported file can have any text
        return ""


def _software(record: RunRecord) -> str:
    version = (record.versions or {}).get("odt-studio")
    return html_text(str(version)) if version else DASH


def _heads(names: Sequence[str]) -> list[str]:
    return [name_html(name, 28) for name in names]


def _draw_metrics(names: Sequence[str], outcomes: Sequence[RunOutcome]) -> None:
    rows = []
    for measure in ReportedRate:
        rows.append(
            [f"{measure}, training", *(reported_html(measure, each.train) for each in outcomes)]
        )
        rows.append(["in test", *(reported_html(measure, each.test) for each in outcomes)])
    st.markdown("**Results**")
    head = ["", *_heads(names)]
    st.html(plain_table("Metrics with 95% intervals", head, rows, is_wide=True))
    st.caption("The rates have 95% intervals. Only test rows say what to expect of new cases.")
