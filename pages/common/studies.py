"""Studies of many runs: the page of each kind, their start and their progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.words import seconds_words
from pages.common.markup import plain
from pages.common.server import job_manager
from pages.common.session import Place, is_pressed, note_press, owner, queue_pressed

EVERY = 0.7
"""Seconds between two updates of a running study."""
MOST_SECONDS_EACH = 3600
"""The longest time limit of each run of a study, in seconds."""

SENSITIVITY_VIEW, COMPARE_VIEW, PREDICT_VIEW = "sens_view", "compare_view", "predict_view"
ALTERNATIVES_VIEW = "alternatives_view"
"""Keys of the switches between a page's views."""
FRONTIER, CURVES = "Frontier and trees", "Curves over many splits"
"""The views of the Sensitivity page."""
CANDIDATES, PATH, STABILITY = "Candidates", "Path by size", "Stability"
"""The views of the Compare page."""
NEAR_OPTIMAL, ONE_QUESTION = "Near-optimal trees", "Change a question"
"""The views of the Alternatives page."""
ONE_CASE, MANY_CASES, VALIDATION = "One case", "Many cases", "Validation"
"""The views of the Predict page."""


@dataclass(frozen=True)
class StudyPage:
    """The page of a kind of study.

    Attributes
    ----------
    name : str
        The study's name in the session's work and in the address.
    place : Place
        The page.
    view : str
        The page's view.
    view_key : str
        The key of the switch between these views.
    """

    name: str
    place: Place
    view: str
    view_key: str


STUDY_PAGES = {
    JobKind.CURVE: StudyPage("curve", Place.SENSITIVITY, CURVES, SENSITIVITY_VIEW),
    JobKind.COMPARE: StudyPage("comparison", Place.COMPARE, CANDIDATES, COMPARE_VIEW),
    JobKind.PATH: StudyPage("path", Place.COMPARE, PATH, COMPARE_VIEW),
    JobKind.ALTERNATIVES: StudyPage(
        "alternatives", Place.ALTERNATIVES, NEAR_OPTIMAL, ALTERNATIVES_VIEW
    ),
    JobKind.STABILITY: StudyPage("stability", Place.COMPARE, STABILITY, COMPARE_VIEW),
}


def is_busy(batch: Batch | None) -> bool:
    """Whether a study is not over.

    A page calls this once and keeps the answer. If the study ends while the page is drawn, the
    progress draws the page again, so that the button does not stay disabled.
    """
    return batch is not None and not batch.is_over


def draw_study_button(
    words: str,
    meanwhile: str,
    specs: Callable[[], Sequence[JobSpec]] | None,
    *,
    key: str,
    busy: bool,
    is_first: bool,
    width: Literal["stretch", "content"] = "stretch",
) -> None:
    """Draw the button that begins a study. After a press, queue its runs and draw the page again.

    Parameters
    ----------
    words, meanwhile : str
        The label, and the label during a study.
    specs : callable or None
        Makes the specifications of the study's runs; None if the settings have an error.
    busy : bool
        Whether a study of this kind is not over.
    is_first : bool
        Whether the page shows no study of this kind, so that this button is the next step.
    """
    can_begin = specs is not None and not busy
    st.button(
        meanwhile if busy else words,
        key=key,
        type="primary" if is_first or busy else "secondary",
        width=width,
        disabled=not can_begin,
        **note_press(words),
    )
    if specs is None or busy or not is_pressed(words):
        return
    runs, mine = specs(), owner()
    name = STUDY_PAGES[runs[0].kind].name
    queue_pressed(lambda: {name: job_manager().submit_study(runs, owner=mine)})
    st.rerun()


def draw_study_progress(batch: Batch, words: str) -> None:
    """Draw the progress of a study, in words and with the remaining time.

    Draw the page again when the study is over.
    """
    if batch.is_over:
        st.rerun()
    left = batch.seconds_left
    if left is not None:
        words += f", about {seconds_words(max(left, 1.0))} left"
    st.progress(batch.n_done / len(batch.jobs), text=words)


def draw_stop_button(batch: Batch, *, key: str) -> None:
    """Draw the button that ends a study early."""
    st.button(
        "Stop, and keep what is done",
        key=key,
        on_click=job_manager().cancel_study,
        args=(batch,),
        disabled=batch.was_cancelled,
    )


def draw_study_failure(batch: Batch, *, nothing: str) -> None:
    """Draw the failure of a study that is over, or the note `nothing` if it has no result."""
    if batch.failure:
        st.error(plain(batch.failure))
    elif nothing:
        st.info(nothing)
