"""The Runs page: find, open, compare, repeat and delete runs."""

from __future__ import annotations

import streamlit as st

from odt_core.errors import InputError
from odt_core.storage import NotFoundError, RunQuery, RunRecord, RunStatus
from odt_core.words import count_words
from pages.common.layout import draw_part, follow_theme
from pages.common.markup import plain, sentence
from pages.common.server import job_manager, show_store_errors, store
from pages.common.session import Place, forget_press, owner, pressed_about, say, work
from pages.runs.actions import draw_actions, draw_notice, open_or_tick
from pages.runs.run_file import check_run_file
from pages.runs.side_by_side import draw_side_by_side
from pages.runs.stored_data import draw_stored_button
from pages.runs.table import (
    MOST_SIDE_BY_SIDE,
    OPEN,
    choose_runs,
    chosen_runs,
    draw_filters,
    draw_pages,
    draw_table,
)

# Streamlit shows a string that stands alone in a page's file, so constants have comments here.
EVERY = 1.0  # seconds between two updates while runs wait or run
_ROUND = "runs_import_round"  # in the session: the number of imports so far
LIVE = RunQuery(statuses=(RunStatus.QUEUED, RunStatus.RUNNING), limit=1)


@show_store_errors()
def draw_page() -> None:
    """Draw the table, and below it the ticked runs."""
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.title("Runs", anchor=False, width="content")
        with st.container(horizontal=True, width="content"):
            _draw_import()
            draw_stored_button()
    draw_part(_draw_missing_runs)
    if (clicked := pressed_about(OPEN)) is not None:
        forget_press()
        open_or_tick(clicked)
    if not store().runs.list(owner(), RunQuery(limit=0)).total:
        _draw_empty()
        return
    query = draw_filters()
    is_live = bool(store().runs.list(owner(), LIVE).total)
    # Always a fragment, because its elements are one level deeper than others. Otherwise the
    # table would become a new element when the last run ends, and a tick could be lost.
    st.fragment(draw_table, run_every=EVERY if is_live else None)(query)
    draw_pages(store().runs.list(owner(), query).total)
    _draw_chosen()
    follow_theme()


def _draw_missing_runs() -> None:
    """Draw a note that runs are missing from the table because they are not stored yet."""
    n = job_manager().n_unentered(owner())
    if n:
        st.warning(
            f"{count_words(n, 'run is', 'runs are')} not stored yet, and not in this table: see "
            "the message above."
        )


def _draw_import() -> None:
    """Draw the button that opens the uploader for a run's file, and import the file."""
    with st.popover("Import", key="runs_import"):
        number = int(st.session_state.get(_ROUND, 0))
        file = st.file_uploader(
            "A run's JSON file",
            type="json",
            key=f"runs_import_{number}",  # a new key empties the uploader
            help="Choose a file from 'Export'. The run appears in the table and is not started.",
        )
        if file is None:
            return
        try:
            run = store().exchange.import_run(owner(), file.getvalue(), check_run_file)
        except InputError as error:
            st.error(sentence(str(error)))
            return
    st.session_state[_ROUND] = number + 1
    choose_runs([run.id])
    say(f"Imported {plain(run.name or file.name)}.")
    st.rerun()


def _draw_empty() -> None:
    with st.container(border=True, key="runs_empty"):
        st.header("No runs yet", anchor=False)
        st.markdown(
            "This page keeps every training run and study with its data, settings and results, "
            "until you delete it. You can open runs again, repeat them, compare them side by side, "
            "or export them as files."
        )
        if work().dataset is None:
            st.page_link(Place.DATA, label="**Choose data →**")
        else:
            st.page_link(Place.TRAIN, label="**Train a tree →**")


def _draw_chosen() -> None:
    records = _records()
    draw_notice()
    if not records:
        st.caption(
            "Open a run from its row, or tick it at the left to see it here. Tick up to four runs "
            "to compare them side by side."
        )
        return
    with st.container(border=True, key="runs_chosen_ones"):
        draw_actions(records)
        if len(records) > MOST_SIDE_BY_SIDE:
            st.info(
                f"{len(records)} runs are ticked: untick some to compare at most "
                f"{MOST_SIDE_BY_SIDE} side by side."
            )
            return
        try:
            draw_side_by_side(records)
        except InputError as error:
            st.error(plain(str(error)))


def _records() -> tuple[RunRecord, ...]:
    """The ticked runs that still exist."""
    try:
        return store().runs.get_many(owner(), chosen_runs())
    except NotFoundError:  # deleted in another window
        choose_runs([run_id for run_id in chosen_runs() if _exists(run_id)])
        st.rerun()


def _exists(run_id: str) -> bool:
    try:
        store().runs.summary(owner(), run_id)
    except NotFoundError:
        return False
    return True


draw_page()
