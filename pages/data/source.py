"""The source of the table (a file, a sample or a stored data set) and its reading options."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from odt_core.data import SAMPLES, ReadOptions, Sample, Schema, Table
from odt_core.data.dialect import DELIMITER_NAMES
from odt_core.storage import NotFoundError
from odt_core.words import ago_words, count_words
from pages.common.markup import name_html, plain, sentence, shorten
from pages.common.server import show_store_errors, store
from pages.common.session import Dataset, owner
from pages.common.stored import draw_delete_button, open_dataset, removal_words
from pages.common.table_requests import (
    draw_left_out,
    draw_other_reading,
    draw_refused,
    draw_uploader,
    request_table,
    tables_loaded,
    without_lines,
)
from pages.common.widgets import show_value
from pages.data.current_table import current, load_sample, load_upload, read_again

PREVIEW_ROWS, FEW_ROWS, PREVIEW_CELLS, PREVIEW_LETTERS = 200, 20, 20_000, 300
PREVIEW_COLUMNS = 1000
"""Limits of the preview: the most rows, the rows that it always has, the most cells, the most
characters of a cell, and the most columns."""
AUTOMATIC = "automatic"
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "iso-8859-1", "cp1250", "cp1251", "cp1253"]
ENCODINGS += ["cp932", "gb18030", "big5", "euc_kr"]
_OPTIONS = {
    "encoding": ("Encoding", ENCODINGS),
    "decimal": ("Decimal mark", [".", ","]),
    "delimiter": ("Delimiter", [",", ";", "\t", "|", " "]),
    "quotechar": ("Quotes", ['"', "'", ""]),
}
"""Reading options that can be automatic, with their labels and values."""
_SKIP, _COMMENT, _UNITS = "skip", "comment", "units"
"""The names of the other reading options in keys."""
MARK_NAMES = {mark: f"{name} {mark}".strip() for mark, name in DELIMITER_NAMES.items()}
MARK_NAMES |= {".": "point .", '"': 'double "', "'": "single '", "": "none"}
_NEXT_STEPS = """
What comes next:

1. **Data**: check the meaning of each column, and choose rows for testing.
2. **Train**: choose the size and the goal of the tree. Nothing is trained before you press the
   button.
3. **Result**: read the tree, and see how well it does on unseen rows.
"""
MOST_LISTED = 6


def draw_welcome() -> None:
    """Draw the page without a data set: a file on the left, samples on the right."""
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header("Your own table", anchor=False)
        st.markdown(
            "It needs one row for each case, one column for each feature, and one column with the "
            "outcome to predict. The first line has the column names."
        )
        _draw_uploader()
        draw_refused()
        draw_other_reading()
        st.caption(
            "The file stays on the computer that runs this dashboard until you delete it, and is "
            "not sent anywhere."
        )
        draw_stored()
        st.markdown(_NEXT_STEPS)
    with right:
        st.header("Or a sample to try", anchor=False)
        for sample in SAMPLES.values():
            _draw_sample_card(sample)


def draw_source() -> None:
    """Draw the current table: its name, its first rows, its reading, and the change of file."""
    dataset = current().dataset
    table = dataset.table
    st.header("Table", anchor=False)
    st.markdown(
        f"{count_words(table.n_rows, 'row')} and {count_words(len(table.columns), 'column')}, "
        f"read as {_reading_words(dataset)}."
    )
    draw_refused()
    draw_other_reading()
    with st.expander("Another file or sample", key=f"data_other_{tables_loaded()}"):
        _draw_uploader()
        _draw_sample_picker()
        draw_stored(but=dataset.sha256)
    with st.expander("Change how it is read", key="data_reading"):
        _draw_reading(dataset)
    _draw_preview(table, current().schema.target)
    draw_removal()


def _draw_uploader() -> None:
    draw_uploader(
        "data_upload",
        load_upload,
        help="In a workbook, the first sheet with a table is read. Encoding, delimiter, decimal "
        "mark and quotes are detected. You can correct them afterwards.",
    )


def _draw_sample_card(sample: Sample) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            st.markdown(f"**{plain(sample.title)}**")
            _draw_sample_button(sample, "Use this sample")
        st.caption(
            f"{plain(_first_sentence(sample.description))} Predicts {plain(sample.target)} = "
            f"{plain(sample.positive)}.",
            help=plain(sample.description),
        )


def _draw_sample_picker() -> None:
    st.markdown("Or a sample:")
    with st.container(horizontal=True, gap="small"):
        for sample in SAMPLES.values():
            _draw_sample_button(sample, plain(sample.title), plain(sample.description))


def _draw_sample_button(sample: Sample, label: str, help: str | None = None) -> None:
    # Several buttons have the label "Use this sample". Their keys differ.
    st.button(
        label,
        key=f"data_sample_{sample.key}",
        help=help,
        on_click=request_table,
        args=(
            f"Making {plain(sample.title)} …",
            f"{plain(sample.title)} cannot be used",
            lambda: load_sample(sample.key),
        ),
    )


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") + "."


def _reading_words(dataset: Dataset) -> str:
    report = dataset.table.report
    name = DELIMITER_NAMES.get(report.delimiter, report.delimiter)
    between = f"{plain(name)} between cells" if report.delimiter else "one cell per line"
    mark = "comma" if report.decimal == "," else "point"
    if report.container:
        return f"{plain(report.container)}, decimal {mark}"
    return f"{plain(report.encoding.upper())}, {between}, decimal {mark}"


def _draw_reading(dataset: Dataset) -> None:
    """Draw the detected reading options, each with a choice of another value."""
    read = dataset.read
    st.caption(
        "These values were detected in the file. Choose others if the rows below look wrong."
    )
    first, second = st.columns(2)
    for place, option in zip((first, first, second, second), _OPTIONS, strict=True):
        with place:
            _draw_option(option, dataset)
    skip = show_value(_read_key(_SKIP), read.skip_lines)
    comment = show_value(_read_key(_COMMENT), read.comment or "")
    draw_left_out(skip, comment, _read_otherwise)
    st.checkbox(
        "The row below the column names holds units",
        key=show_value(_read_key(_UNITS), read.units_row),
        on_change=_read_otherwise,
        help="It is left out.",
    )
    for note in dataset.table.report.notes:
        st.markdown(f"- {sentence(note)}")


def _draw_option(option: str, dataset: Dataset) -> None:
    """Draw one reading option: automatic with the detected value, or the user's value."""
    label, values = _OPTIONS[option]
    chosen, found = getattr(dataset.read, option), getattr(dataset.table.report, option)

    def in_words(value: str) -> str:
        if value == AUTOMATIC:
            return f"{MARK_NAMES.get(found, found)} (found)" if chosen is None else AUTOMATIC
        return MARK_NAMES.get(value, value)

    st.selectbox(
        label,
        list(dict.fromkeys([AUTOMATIC, *values, chosen or AUTOMATIC])),
        key=show_value(_read_key(option), AUTOMATIC if chosen is None else chosen),
        format_func=in_words,
        on_change=_read_otherwise,
    )


def _read_key(option: str) -> str:
    """The key of a control. A control that is folded away would send the value of another file."""
    return f"data_read_{option}_{current().dataset.sha256[:8]}"


def _read_otherwise() -> None:
    """Request a reading with all options, because several may have changed at once.

    After a reading, a box that is folded away still sends the words of the earlier detected value.
    They stand for the present one.
    """
    now = current().dataset.read
    chosen = {option: st.session_state[_read_key(option)] for option in _OPTIONS}
    named = {
        option: value
        for option, value in chosen.items()
        if value in _OPTIONS[option][1] or value == getattr(now, option)
    }
    read = without_lines(
        ReadOptions(**named, units_row=st.session_state[_read_key(_UNITS)]),
        st.session_state[_read_key(_SKIP)],
        st.session_state[_read_key(_COMMENT)],
    )
    if read != now:
        read_differently(read)


def read_differently(read: ReadOptions, schema: Schema | None = None) -> None:
    """Request a reading of the current file with other options; for callbacks.

    An earlier reading is restored with its schema.
    """
    dataset = current().dataset
    name = plain(shorten(dataset.name, 40))
    request_table(
        f"Reading {plain(dataset.name)} …",
        f"{name} keeps its earlier reading",
        lambda: read_again(dataset, read, schema),
        lambda other: read_again(dataset, other),
    )


def _draw_preview(table: Table, target: str) -> None:
    n_columns = len(table.columns)
    shown = min(table.n_rows, max(FEW_ROWS, min(PREVIEW_ROWS, PREVIEW_CELLS // n_columns)))
    st.dataframe(
        table.head(shown, PREVIEW_COLUMNS).apply(
            lambda column: column.str.slice(0, PREVIEW_LETTERS)
        ),
        key="data_preview",
        height=390,
        hide_index=True,
        column_config={target: st.column_config.TextColumn(pinned=True, help="The outcome")},
        alt=f"The first {shown} rows of the table, as read",
        lazy=False,
    )
    st.caption(
        "All rows are shown. Every cell is as in the file."
        if shown == table.n_rows
        else f"The first {shown:,} of {table.n_rows:,} rows are shown. Every cell is as in the "
        "file."
    )


@show_store_errors()
def draw_stored(*, but: str = "") -> None:
    """Draw the last data sets, each with a button that opens it, except the data set `but`."""
    records = [
        record
        for record in store().datasets.list(owner())
        if record.stored and record.sha256 != but
    ]
    if not records:
        return
    st.markdown("**Used before**")
    now = datetime.now(UTC)
    for record in records[:MOST_LISTED]:
        with st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            runs = count_words(record.n_runs, "run")
            st.html(
                f"{name_html(record.name, 40)}<br>"
                f'<span style="opacity:.75;font-size:.88rem">{runs} · used '
                f"{ago_words(record.used_at, now)}</span>"
            )
            st.button(
                "Go on",
                key=f"data_stored_{record.sha256}",
                help=plain(record.name),
                on_click=request_table,
                args=(
                    f"Reading {plain(record.name)} …",
                    f"{plain(shorten(record.name, 40))} cannot be used",
                    partial(open_dataset, record.sha256),
                ),
            )
    if len(records) > MOST_LISTED:
        older = count_words(len(records) - MOST_LISTED, "older data set is", "older data sets are")
        st.caption(f"{older} on the Runs page, under Stored data.")


@show_store_errors()
def draw_removal() -> None:
    """Draw the button that deletes the current data set with its runs."""
    try:
        record = store().datasets.get(owner(), current().dataset.sha256)
    except NotFoundError:
        return
    with st.popover("Delete this data set …", key="data_remove", width="content"):
        st.markdown(removal_words(record))
        draw_delete_button(record, key="data_remove_now", width="stretch")
