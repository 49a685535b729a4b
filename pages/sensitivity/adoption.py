"""The button that makes the chosen tree the current tree."""

from __future__ import annotations

import dataclasses

import streamlit as st

from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.studies import Adoption
from pages.common.current_run import (
    EVERY,
    MAKE_CURRENT,
    is_over_or_proved,
    start_job,
    unfinished_job,
)
from pages.common.session import forget_press, is_pressed, note_press, work
from pages.sensitivity.frontier import KeptPoint


def draw_adopt(job: Job, kept: KeptPoint) -> None:
    """Draw the button that makes the chosen tree current, or a note that it is current."""
    spec = adoption_job(job, kept)
    running = unfinished_job()
    if _is_current(work().job, spec):
        st.markdown("✓ **This is the current tree**", width="content")
        forget_press()
    elif running is not None:
        _wait_for(running)
        forget_press()
    else:
        st.button(
            MAKE_CURRENT,
            key="sens_adopt",
            type="primary",
            help="Makes this the current tree. Then you can predict with it and export it.",
            **note_press(MAKE_CURRENT),
        )
        if is_pressed(MAKE_CURRENT):
            start_job(spec)
            st.rerun()


@st.fragment(run_every=EVERY)
def _wait_for(running: Job) -> None:
    """Draw a disabled button during a run. Draw the page again when the run is over."""
    if is_over_or_proved(running):
        st.rerun()
    st.button(
        MAKE_CURRENT,
        key="sens_adopt_later",
        disabled=True,
        help="A training run is not finished: wait for it, or stop it on the Train page.",
    )


def adoption_job(job: Job, kept: KeptPoint) -> JobSpec:
    """Return the run that makes a point the current result, with its floor."""
    return dataclasses.replace(
        job.spec,
        kind=JobKind.ADOPT,
        train=dataclasses.replace(job.spec.train, objective=kept.objective),
        part=Adoption(kept.point.assignment, kept.is_best, kept.view.seconds),
    )


def _is_current(job: Job | None, spec: JobSpec) -> bool:
    """Whether this tree is current, for the same rows and any floor."""
    if job is None or job.result is None:
        return False
    return _tree_and_rows(job.spec) == _tree_and_rows(spec)


def _tree_and_rows(spec: JobSpec) -> tuple[object, ...] | None:
    """The tree and the rows of an adopted tree; None for a run that trained its tree."""
    if not isinstance(spec.part, Adoption):
        return None
    train = spec.train
    rows = (spec.dataset, spec.read, train.schema, train.split, train.feature_selection)
    return (*rows, train.topology, spec.part.assignment)
