"""The settings, the start and the progress of a frontier."""

from __future__ import annotations

import streamlit as st

from odt_core.errors import InputError
from odt_core.jobs import Job
from odt_core.problem import EncodedData
from odt_core.solution import Status
from odt_core.studies import FrontierView, is_quick
from odt_core.topology import PRESETS, Topology
from odt_core.training import TrainSpec
from odt_core.words import capitalized, count_words, seconds_words
from pages.common.controls import draw_cap
from pages.common.current_run import EVERY, draw_job_progress, queue_job, wait_for
from pages.common.drawings import load_viewer
from pages.common.markup import plain
from pages.common.server import job_manager
from pages.common.session import is_pressed, note_press, update, work
from pages.common.settings import (
    DEFAULT_SHAPE,
    MOST_SECONDS,
    SHAPE_NAMES,
    asked_words,
    frontier_spec,
)
from pages.common.tables import ReadyData
from pages.common.widgets import start_value
from pages.sensitivity.frontier import frontier_job, frontier_view, known_or_new

SHAPE, MAX_CARD, SECONDS = "sens_shape", "sens_max_card", "sens_seconds"
FIND = "Find the frontier"
CAP_WIDTH = 205


def draw_frontier_settings(data: ReadyData, rows: EncodedData) -> None:
    """Draw shape, cap and time limit in one row, with the button that starts the search.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    rows : EncodedData
        Its training rows.
    """
    remember_frontier()
    if not is_pressed(FIND):
        _find_at_once(data, rows)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shape = st.selectbox(
            "Shape of the tree",
            list(PRESETS),
            format_func=lambda name: SHAPE_NAMES[name],
            key=SHAPE,
            persist_state="session",
            width=190,
            help="The search finds every best trade-off of this shape.",
        )
        cap = draw_cap(MAX_CARD, CAP_WIDTH)
        limit = st.number_input(
            "Time limit in seconds",
            min_value=1,
            max_value=MOST_SECONDS,
            step=30,
            key=SECONDS,
            persist_state="session",
            width=170,
            help="If the time runs out, the page says which part of the frontier is proved.",
        )
        job = work().frontier
        busy = job is not None and not job.is_over
        st.button(
            "Searching …" if busy else FIND,
            key="sens_go",
            type="primary" if job is None or busy else "secondary",
            disabled=busy,
            **note_press(FIND),
        )
        pressed = is_pressed(FIND)
        found = frontier_view(job) if job is not None and job.is_over else None
        if job is not None and found is not None and not pressed:
            st.caption(found_words(found, job.spec.train), width="stretch")
    if not pressed or busy:
        return
    try:
        spec = frontier_spec(data, [str(shape)], cap, limit)
    except InputError as error:
        st.error(plain(str(error)))
        return
    queue_job("frontier", frontier_job(data, spec))
    st.rerun()


def _find_at_once(data: ReadyData, rows: EncodedData) -> None:
    """Find the frontier for the settings if there is none yet and it takes about a second."""
    job = work().frontier
    if job is not None and job.spec.dataset == data.dataset.sha256:
        return
    shape, cap = st.session_state[SHAPE], st.session_state.get(MAX_CARD)
    if not is_quick(rows, Topology.parse(shape), cap):
        return
    spec = frontier_spec(data, [shape], cap, float(st.session_state[SECONDS]))
    found = known_or_new(data, spec)
    update(frontier=found)
    wait_for(found)


def remember_frontier() -> None:
    """Begin with the settings of the frontier on the page, or else with the current tree's."""
    now = work()
    job = now.frontier or now.job
    name = DEFAULT_SHAPE if job is None else job.spec.train.topology.name
    start_value(SHAPE, name if name in PRESETS else DEFAULT_SHAPE)
    if job is not None and MAX_CARD not in st.session_state:
        st.session_state[MAX_CARD] = job.spec.train.max_card
    limit = 60.0 if now.frontier is None else now.frontier.spec.train.time_limit
    start_value(SECONDS, max(1, round(limit)))


def found_words(found: FrontierView, spec: TrainSpec) -> str:
    """Say what a search has found, for which shape, and how much is proved; Markdown."""
    count = count_words(len(found.points), "best trade-off")
    took = f"{capitalized(asked_words(spec))}: {count} in {seconds_words(found.seconds)}"
    if found.status is Status.OPTIMAL:
        return plain(f"{took}, each proved on the training rows; no other exists.")
    proved = sum(point.proved for point in found.points)
    how = "It was stopped" if found.status is Status.CANCELLED else "Time ran out"
    return plain(
        f"{took}. {how} before all were proved: {proved} of them are proved (filled), and no tree "
        "lies beyond the dotted line."
    )


def draw_preview() -> None:
    """Draw what the page shows before the first frontier: what the button finds."""
    with st.container(border=True):
        st.header("No frontier yet", anchor=False)
        st.markdown(
            "Fewer missed cases usually mean more false alarms. **Find the frontier** finds "
            "*every* best trade-off of the shape on the training rows. Each comes with its tree "
            "and a proof that no tree is better. Then a slider goes from one tree to the next."
        )
    load_viewer()


@st.fragment(run_every=EVERY)
def watch_frontier(job: Job) -> None:
    """Draw the progress of a search. Draw the page again when the search is over."""
    if job.is_over:
        st.rerun()
    draw_job_progress(job, "every trade-off")
    st.button(
        "Stop, and keep what was found",
        key="sens_cancel",
        on_click=job_manager().cancel,
        args=(job,),
        disabled=job.cancelled_at is not None,
    )
    st.caption("You can use or leave the page meanwhile. The search continues.")
