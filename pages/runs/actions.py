"""The actions on ticked runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import streamlit as st

from odt_core.errors import InputError
from odt_core.storage import RunRecord, RunStatus
from odt_core.words import count_words
from pages.common.controls import draw_file
from pages.common.current_run import CHANGED
from pages.common.markup import file_stem, plain, shorten
from pages.common.server import job_manager, store
from pages.common.session import Place, lane, owner, update
from pages.common.settings import load_settings, run_name
from pages.common.stored import is_study, open_run, take_data, take_run
from pages.runs.outcome import can_be_opened
from pages.runs.table import choose_runs

LONGEST_NAME, LONGEST_NOTE = 200, 20_000
_NOTICE = "runs_notice"
_NAME, _NOTE = "runs_name", "runs_note"


def draw_actions(records: Sequence[RunRecord]) -> None:
    """Draw the buttons for the ticked runs."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if len(records) == 1:
            _draw_for_one(records[0])
        if any(not record.summary.is_over for record in records):
            st.button(
                "Stop",
                key="runs_stop",
                help="A run that has begun keeps its best tree so far.",
                on_click=_stop,
                args=([record.summary.id for record in records],),
            )
        if st.button("Delete …", key="runs_delete"):
            _ask_to_delete(records)
        st.button(
            "Untick all", key="runs_untick", type="tertiary", on_click=choose_runs, args=((),)
        )


def draw_notice() -> None:
    """Draw why the last action failed, once."""
    notice = st.session_state.pop(_NOTICE, "")
    if notice:
        st.error(plain(notice))


def open_or_tick(run_id: str) -> None:
    """Tick a run and open it. If that fails, the page shows the reason above the run's record."""
    choose_runs([run_id])
    _try(lambda: open_run(run_id))


def _draw_for_one(record: RunRecord) -> None:
    run = record.summary
    opened = can_be_opened(record)
    if st.button(
        "Open" if run.is_over else "Watch",
        key="runs_open",
        type="primary" if opened else "secondary",
        disabled=not opened,
        help="Makes the run current, with its data, columns, split and settings."
        if opened
        else "It has no result yet.",
    ):
        _try(lambda: open_run(run.id))
    if run.is_over and st.button(
        "Run again",
        key="runs_again",
        type="primary" if run.status is RunStatus.INTERRUPTED else "secondary",
        help="Queues the same run again, with the same data, settings and seed.",
    ):
        _try(lambda: _run_again(run.id))
    members = run.members
    if (
        members is not None
        and run.is_over
        and members.n > members.done
        and st.button(
            "Go on",
            key="runs_go_on",
            help="Queues the study's stopped, interrupted and failed runs again.",
        )
    ):
        _try(lambda: job_manager().resume_study(owner(), run.id))
        st.rerun()
    if (
        run.kind in ("train", "adopt")
        and members is None
        and st.button(
            "Change and run again",
            key="runs_change",
            help="Opens the Train page with this run's settings. Change them there, and press "
            "Train.",
        )
    ):
        _try(lambda: _change_and_run_again(run.id))
    if st.button("Rename, note …", key="runs_rename"):
        _ask_for_words(record)
    _draw_export(record)


def _run_again(run_id: str) -> None:
    """Queue a run, or a study with all its runs, again, and tick it."""
    if is_study(run_id):
        new = job_manager().rerun_study(owner(), run_id).id or ""
    else:
        new = job_manager().rerun(owner(), run_id, lane()).id
    choose_runs([new])
    st.rerun()


def _change_and_run_again(run_id: str) -> NoReturn:
    """Set the Train page's controls to a run's settings, with its data, and go there."""
    job = job_manager().find(owner(), run_id)
    if job.trained is not None and job.trained.has_tree:
        take_run(job)
    else:
        take_data(job.spec)
        load_settings(job.spec.train)
        update(job=None)
    st.session_state[CHANGED] = run_id
    st.switch_page(Place.TRAIN)


def _try(action: Callable[[], object]) -> None:
    """Run an action, or show on the page why it fails."""
    try:
        action()
    except InputError as error:
        st.session_state[_NOTICE] = str(error)
        st.rerun()


def _stop(run_ids: Sequence[str]) -> None:
    for run_id in run_ids:
        if is_study(run_id):
            job_manager().cancel_study(job_manager().find_study(owner(), run_id))
        else:
            job_manager().cancel(job_manager().find(owner(), run_id))


@st.dialog("Name and note")
def _ask_for_words(record: RunRecord) -> None:
    run = record.summary
    with st.form("runs_words", border=False):
        name = st.text_input(
            "Name",
            value=run.name,
            placeholder=run_name(run),
            max_chars=LONGEST_NAME,
            key=f"{_NAME}_{run.id}",
        )
        note = st.text_area(
            "Note",
            value=run.note,
            max_chars=LONGEST_NOTE,
            key=f"{_NOTE}_{run.id}",
            placeholder="Why this run, what it showed …",
        )
        saved = st.form_submit_button("Save", type="primary")
    if not saved:
        return
    try:
        store().runs.rename(owner(), run.id, name or "")
        store().runs.annotate(owner(), run.id, note or "")
    except InputError as error:
        st.error(plain(str(error)))
        return
    st.rerun()


@st.dialog("Delete for good?")
def _ask_to_delete(records: Sequence[RunRecord]) -> None:
    for record in records[:5]:
        st.markdown(f"- {plain(shorten(run_name(record.summary), 80))}")
    if len(records) > 5:
        st.markdown(f"- and {count_words(len(records) - 5, 'other run')}")
    st.caption(
        "This deletes their trees, results and notes, but not their data. It cannot be undone."
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep", key="runs_keep"):
            st.rerun()
        words = f"Delete {count_words(len(records), 'run')}"
        if st.button(words, key="runs_delete_now", type="primary"):
            try:
                store().runs.delete(owner(), [record.summary.id for record in records])
            except InputError as error:
                st.error(plain(str(error)))
                return
            choose_runs(())
            st.rerun()


def _draw_export(record: RunRecord) -> None:
    run = record.summary
    stem = file_stem(run.table_name or "run", run.headline.topology or run.kind)
    with st.popover("Export", key="runs_export"):
        st.caption(
            "The export is one JSON file with the complete run. You can import it here or "
            "elsewhere."
        )
        for with_data, label in ((False, "Without the data"), (True, "With the data")):
            name = f"{stem}{'-with-data' if with_data else ''}.run.json"
            draw_file(label, _exporter(run.id, with_data), name, "application/json")


def _exporter(run_id: str, with_data: bool) -> Callable[[], bytes]:
    person = owner()  # the file is made outside the session
    return lambda: store().exchange.export_run(person, run_id, with_data=with_data).encode()
