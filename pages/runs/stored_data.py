"""The list of stored data sets, with their retention and deletion."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from odt_core.errors import InputError
from odt_core.storage import DatasetRecord
from odt_core.words import ago_words, count_words
from pages.common.markup import name_html, plain
from pages.common.server import show_store_errors, store
from pages.common.session import Place, owner
from pages.common.stored import draw_delete_button, open_dataset, removal_words

CHOICES = {None: "for ever", 30: "30 days", 90: "90 days", 365: "a year", 3653: "ten years"}
MOST_LISTED = 50
_ASKED, _RETENTION = "runs_removal", "runs_retention"


def draw_stored_button() -> None:
    """Draw the button that opens the list of stored data sets."""
    if st.button("Stored data", key="runs_stored"):
        st.session_state.pop(_ASKED, None)
        _show_stored()


@st.dialog("Stored data", width="large")
@show_store_errors()
def _show_stored() -> None:
    _draw_retention()
    records = store().datasets.list(owner())
    if not records:
        st.markdown("No data set is stored.")
        return
    st.markdown(f"**{count_words(len(records), 'data set')}**, the last used first")
    for record in records[:MOST_LISTED]:
        _draw_dataset(record)
    if len(records) > MOST_LISTED:
        st.caption(f"and {count_words(len(records) - MOST_LISTED, 'older data set')}")


def _draw_retention() -> None:
    mine = store().retention(owner())
    options = list(CHOICES) if mine in CHOICES else [*CHOICES, mine]
    chosen = st.selectbox(
        "Keep data sets that are not used",
        options,
        index=options.index(mine),
        format_func=lambda days: CHOICES.get(days, f"{days} days"),
        key=_RETENTION,
        width=280,
        help="An upload or a run counts as a use.",
    )
    if chosen != mine:
        try:
            store().set_retention(owner(), chosen)
        except InputError as error:
            st.error(plain(str(error)))
            return
        mine = store().retention(owner())
    st.caption(
        f"A data set that was not used for {CHOICES.get(mine, f'{mine} days')} is deleted with all "
        "its runs and wiped from the disk."
        if mine
        else "Nothing is deleted unless you delete it."
    )


def _draw_dataset(record: DatasetRecord) -> None:
    with st.container(border=True):
        words, action, removal = st.columns([4, 1, 1], vertical_alignment="center")
        with words:
            size = "only its hash" if not record.stored else _size_words(record.size)
            used = ago_words(record.used_at, datetime.now(UTC))
            st.html(
                f"<b>{name_html(record.name, 60)}</b><br>"
                f'<span style="opacity:.75">{size} · {count_words(record.n_runs, "run")} · '
                f"used {used} · SHA-256 {record.sha256[:12]}…</span>"
            )
        if record.stored and action.button(
            "Open",
            key=f"runs_open_data_{record.sha256}",
            help="Make it the current data set, with your last settings of columns and rows.",
            width="stretch",
        ):
            _open(record.sha256)
        if st.session_state.get(_ASKED) != record.sha256:
            removal.button(
                "Delete …",
                key=f"runs_remove_{record.sha256}",
                on_click=_ask,
                args=(record.sha256,),
                width="stretch",
            )
            return
        st.markdown(removal_words(record))
        with st.container(horizontal=True, horizontal_alignment="right"):
            st.button("Keep", key="runs_remove_keep", on_click=_ask, args=(None,))
            draw_delete_button(record, key="runs_remove_now")


def _open(sha256: str) -> None:
    try:
        open_dataset(sha256)
    except InputError as error:
        st.error(plain(str(error)))
        return
    st.switch_page(Place.DATA)


def _ask(sha256: str | None) -> None:
    st.session_state[_ASKED] = sha256


def _size_words(size: int) -> str:
    for unit, least in (("MB", 2**20), ("KB", 2**10)):
        if size >= least:
            return f"{size / least:,.1f} {unit}"
    return f"{size:,} bytes"
