"""Studies, which consist of many runs: the page of each kind, how one begins, how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.words import seconds_words
from pages.common.intents import do_pressed, is_pressed, press_on
from pages.common.people import owner
from pages.common.places import Place
from pages.common.server import job_manager
from pages.common.state import Work
from pages.common.text import plain

EVERY = 0.7
"""Seconds between two looks at a study that goes on."""

SENSITIVITY_VIEW, COMPARE_VIEW, PREDICT_VIEW = "sens_view", "compare_view", "predict_view"
ALTERNATIVES_VIEW = "alternatives_view"
"""Keys of the switches between a page's views."""
FRONTIER, CURVES = "Frontier and trees", "Curves over many splits"
"""The views of the Sensitivity page."""
CANDIDATES, PATH, STABILITY = "Candidates", "Path by size", "Stability"
"""The views of the Compare page."""
NEAR_OPTIMAL = "Near-optimal trees"
"""The views of the Alternatives page."""
ONE_CASE, MANY_CASES, VALIDATION = "One case", "Many cases", "Validation"
"""The views of the Predict page."""


@dataclass(frozen=True)
class StudyPage:
    """Where a kind of study is shown.

    Attributes
    ----------
    name : str
        The study's name in the session's work and in the address.
    place : Place
        The page.
    view : str
        Which of the page's views.
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
    JobKind.STABILITY: StudyPage("stability", Place.COMPARE, STABILITY, COMPARE_VIEW),
}


def studies_of(now: Work) -> dict[str, Batch]:
    """The studies of a session's work, by their names there."""
    found = {page.name: getattr(now, page.name) for page in STUDY_PAGES.values()}
    return {name: batch for name, batch in found.items() if batch is not None}


def is_busy(batch: Batch | None) -> bool:
    """Whether a study goes on.

    A page asks once and holds to it: a study that ends while the page is drawn is watched all the
    same, which draws the page anew, or else its button would stay disabled.
    """
    return batch is not None and not batch.is_over


def draw_study_button(
    words: str,
    meanwhile: str,
    *,
    key: str,
    busy: bool,
    is_first: bool,
    is_ready: bool,
    width: Literal["stretch", "content"] = "stretch",
) -> bool:
    """Draw the button that begins a study.

    Parameters
    ----------
    words, meanwhile : str
        What the button says, and what it says while a study goes on.
    key : str
        Of the button.
    busy : bool
        Whether a study of this kind goes on.
    is_first : bool
        Whether no study of this kind is shown, so that this is the page's next step.
    is_ready : bool
        Whether the settings can be used.
    width : str
        ``stretch`` or ``content``.

    Returns
    -------
    bool
        Whether it was pressed and a study can begin.
    """
    can_begin = is_ready and not busy
    st.button(
        meanwhile if busy else words,
        key=key,
        type="primary" if is_first or busy else "secondary",
        width=width,
        disabled=not can_begin,
        **press_on(words),
    )
    return can_begin and is_pressed(words)


def begin_study(specs: Sequence[JobSpec]) -> None:
    """Queue the runs of the study whose button was pressed, and make it current."""
    name, mine = STUDY_PAGES[specs[0].kind].name, owner()
    do_pressed(lambda: {name: Batch.submit(job_manager(), specs, owner=mine)})


def draw_study_progress(batch: Batch, words: str) -> None:
    """Draw how far a study is.

    Parameters
    ----------
    batch : Batch
        The study.
    words : str
        What is done; the time that is left is added to it.
    """
    left = batch.seconds_left
    if left is not None:
        words += f", about {seconds_words(max(left, 1.0))} left"
    st.progress(batch.n_done / len(batch.jobs), text=words)


def draw_stop_button(batch: Batch, *, key: str) -> None:
    """Draw the button that ends a study early."""
    st.button(
        "Stop, and keep what is done",
        key=key,
        on_click=batch.cancel,
        args=(job_manager(),),
        disabled=batch.was_cancelled,
    )


def draw_study_failure(batch: Batch, *, nothing: str) -> None:
    """Say why a study failed or, where `nothing` came of it without a failure, that.

    Parameters
    ----------
    batch : Batch
        A study that is over.
    nothing : str
        What to say if nothing came of it; empty if something did.
    """
    if batch.failure:
        st.error(plain(batch.failure))
    elif nothing:
        st.info(nothing)
