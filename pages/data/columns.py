"""The use of each column: an editable table, and buttons for several columns at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from odt_core.data import (
    BinMethod,
    ColumnKind,
    ColumnSchema,
    ColumnSummary,
    Schema,
    Severity,
    check_schema,
)
from odt_core.exact import shortest_decimal
from odt_core.words import count_words, number_words, percent_words
from pages.common.markup import plain, shorten
from pages.common.tables import ReadyData
from pages.common.widgets import show_value, start_value
from pages.data.current_table import choose_kinds, current, has_edits, propose_again, summaries

MOST_ROWS = 12
"""The most rows of the table without scrolling."""

_EDITOR, _KIND = "data_columns", "Use as"
_SEVERAL, _SEVERAL_KIND = "data_several", "data_several_kind"

_KIND_WORDS = {
    ColumnKind.CATEGORICAL: "categorical",
    ColumnKind.NUMERICAL: "numerical",
    ColumnKind.IGNORE: "ignore",
}


_SEVERITY_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}


def draw_columns() -> None:
    """Draw the editable table of columns."""
    data = current()
    schema, found = data.schema, summaries()
    st.header("Columns", anchor=False)
    st.markdown(f"{_use_words(schema)} Change the use of a column in the table.")
    frame = _column_frame(data, found)
    edited = st.data_editor(
        frame,
        key=_editor_key(data),
        column_config=_column_config(),
        disabled=[name for name in frame.columns if name != _KIND],
        hide_index=True,
        height="content" if len(frame) <= MOST_ROWS else 440,
        alt="The columns and how each is used; the second column can be edited",
    )
    kinds = _edited(schema, edited[_KIND])
    if kinds:
        choose_kinds(kinds)
        st.rerun()  # the rest of the page depends on it
    with st.container(horizontal=True, gap="small"):
        with st.popover("Change several columns"):
            _draw_several(schema)
        _draw_codes(schema, found)
        if has_edits():
            st.button(
                "Propose all again",
                key="data_propose",
                on_click=propose_again,
                help="Forget your changes to kinds, bins and missing values.",
            )


def _draw_codes(schema: Schema, found: Mapping[str, ColumnSummary]) -> None:
    """Draw a button that makes all categorical columns of numbers numerical."""
    codes = [
        column.name
        for column in schema.columns
        if column.kind is ColumnKind.CATEGORICAL
        and found[column.name].is_numeric
        and found[column.name].n_distinct > 2
    ]
    if codes:
        st.button(
            f"Use {count_words(len(codes), 'column')} of numbers as numerical",
            key="data_codes",
            help="A few whole numbers are proposed as categorical, because they may be codes. If "
            "their order matters, as in a score, use them as numerical: "
            + plain(shorten(", ".join(codes), 300)),
            on_click=choose_kinds,
            args=(dict.fromkeys(codes, ColumnKind.NUMERICAL),),
        )


def _editor_key(data: ReadyData) -> str:
    """The table's key. It changes with the listed columns, as Streamlit keeps edits by row."""
    return f"{_EDITOR}_{hash((data.dataset.sha256, data.dataset.read, data.schema.target))}"


def _use_words(schema: Schema) -> str:
    n = dict.fromkeys(ColumnKind, 0)
    for column in schema.columns:
        n[column.kind] += 1
    used = [
        count_words(n[kind], f"{_KIND_WORDS[kind]} feature")
        for kind in (ColumnKind.CATEGORICAL, ColumnKind.NUMERICAL)
        if n[kind]
    ]
    words = " and ".join(used) or "No feature"
    ignored = n[ColumnKind.IGNORE]
    return f"{words}; {count_words(ignored, 'column')} ignored." if ignored else f"{words}."


def _column_config() -> dict[str, Any]:
    column = st.column_config
    return {
        "Column": column.TextColumn(pinned=True, width=120),
        _KIND: column.SelectboxColumn(
            options=list(_KIND_WORDS.values()),
            required=True,
            width=106,
            help="Categorical: any set of values may go one way. Numerical: the values are "
            "cut at a threshold. Ignore: the column is not used.",
        ),
        "Note": column.TextColumn(
            width=88, help="The findings about the column. The section Worth knowing explains them."
        ),
        "Values": column.NumberColumn(
            width=58, help="The number of distinct values, without missing values."
        ),
        "Missing": column.TextColumn(width=80, help="The rows without a value."),
        "Distribution": column.BarChartColumn(
            width=112, y_min=0, help="The rows by value. Many numbers are grouped in intervals."
        ),
        "Holds": column.TextColumn(
            width=190, help="The range of the numbers, or the most frequent values."
        ),
    }


def _column_frame(data: ReadyData, found: Mapping[str, ColumnSummary]) -> pd.DataFrame:
    schema, notes, n_rows = data.schema, _notes(data), data.dataset.table.n_rows
    return pd.DataFrame(
        {
            "Column": [column.name for column in schema.columns],
            _KIND: [_KIND_WORDS[column.kind] for column in schema.columns],
            "Note": [notes.get(column.name, "") for column in schema.columns],
            "Values": [found[column.name].n_distinct for column in schema.columns],
            "Missing": [_missing_words(found[c.name].n_missing, n_rows) for c in schema.columns],
            "Distribution": [list(found[c.name].distribution) for c in schema.columns],
            "Holds": [_holds(column, found[column.name]) for column in schema.columns],
        }
    )


def _missing_words(n_missing: int, n_rows: int) -> str:
    if not n_missing:
        return ""
    return f"{n_missing:,} ({percent_words(n_missing / n_rows)})"


def _holds(column: ColumnSchema, summary: ColumnSummary) -> str:
    """Describe the range and bins of numbers, or the most frequent values."""
    if column.kind is ColumnKind.NUMERICAL and summary.range is not None:
        low, high = map(number_words, summary.range)
        return f"{low} to {high}; {binning_words(column)}"
    values = ", ".join(shorten(value, 30) for value, _ in summary.most_common[:4])
    return values + (", …" if summary.n_distinct > 4 else "")


def binning_words(column: ColumnSchema) -> str:
    """Describe the bins of a numerical column."""
    binning = column.binning
    if binning.method is BinMethod.CUTS:
        return "cut at " + ", ".join(map(shortest_decimal, binning.cuts))
    if binning.method is BinMethod.DECILES:
        return "deciles"
    if binning.method is BinMethod.EVERY:
        return "every value"
    return f"up to {binning.n_bins} bins"


def _notes(data: ReadyData) -> dict[str, str]:
    """The number of the gravest findings about each column, such as "1 warning"."""
    found: dict[str, list[Severity]] = {}
    for finding in check_schema(data.dataset.table, data.schema):
        if finding.column is not None:
            found.setdefault(finding.column, []).append(finding.severity)
    return {name: _note(severities) for name, severities in found.items()}


def _note(severities: Sequence[Severity]) -> str:
    gravest = next(severity for severity in Severity if severity in severities)
    return count_words(severities.count(gravest), _SEVERITY_WORDS[gravest])


def _edited(schema: Schema, words: Iterable[str]) -> dict[str, ColumnKind]:
    """The kinds that differ from the schema. `words` has one entry for each column, in order."""
    kind_of = {text: kind for kind, text in _KIND_WORDS.items()}
    return {
        column.name: kind_of[word]
        for column, word in zip(schema.columns, words, strict=True)
        if word in kind_of and kind_of[word] is not column.kind
    }


def _draw_several(schema: Schema) -> None:
    names = [column.name for column in schema.columns]
    chosen = [name for name in st.session_state.get(_SEVERAL, []) if name in names]
    show_value(_SEVERAL, chosen)  # without the current outcome
    st.multiselect("Columns", names, key=_SEVERAL, placeholder="Choose columns")
    st.segmented_control(
        "Use them as",
        list(ColumnKind),
        key=start_value(_SEVERAL_KIND, ColumnKind.CATEGORICAL),
        required=True,
        format_func=lambda kind: plain(_KIND_WORDS[kind]),
    )
    st.button("Apply", key="data_several_apply", on_click=_apply_several)


def _apply_several() -> None:
    kind, chosen = ColumnKind(st.session_state[_SEVERAL_KIND]), st.session_state[_SEVERAL]
    choose_kinds(dict.fromkeys(chosen, kind))
    st.session_state[_SEVERAL] = []
