"""Stored data sets: open one, or delete the current one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from odt_core.errors import InputError
from odt_core.storage import NotFoundError
from odt_core.words import ago_words, count_words
from pages.common.markup import name_html, plain, sentence, shorten
from pages.common.server import show_store_errors, store
from pages.common.session import owner
from pages.common.stored import delete_dataset, forget_dataset, open_dataset, removal_words
from pages.common.table_requests import request_table
from pages.data.schema_edits import current

MOST_LISTED = 6


@show_store_errors()
def draw_stored(*, but: str = "") -> None:
    """Draw the last data sets, each with a button that opens it.

    Parameters
    ----------
    but : str
        The SHA-256 of a data set to leave out.
    """
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
    dataset, _, _ = current()
    try:
        record = store().datasets.get(owner(), dataset.sha256)
    except NotFoundError:
        return
    with st.popover("Delete this data set …", key="data_remove", width="content"):
        st.markdown(removal_words(record))
        if st.button("Delete for good", key="data_remove_now", type="primary", width="stretch"):
            try:
                delete_dataset(record.sha256, record.name)
            except InputError as error:
                st.error(sentence(str(error)))
                return
            forget_dataset(record.sha256)
            st.rerun()
