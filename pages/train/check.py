"""The independent check of a proof, which tries every tree."""

from __future__ import annotations

import dataclasses

import streamlit as st

from odt_core.jobs import Job, JobKind
from odt_core.solution import Status
from odt_core.topology import AnyShape
from odt_core.verification import Claim, StoredVerification
from odt_core.words import seconds_words
from pages.common.current_run import EVERY
from pages.common.markup import plain
from pages.common.server import job_manager
from pages.common.session import lane, owner

_CHECK = "train_checked"
"""Session key for the id of a training run and the job that checks its proof."""

_SECONDS, _MORE_SECONDS = 60.0, 600.0


def draw_check(job: Job) -> None:
    """Draw the button below a proof, the check's progress, or its result."""
    assert job.trained is not None
    if job.trained.status is not Status.OPTIMAL or isinstance(job.spec.train.topology, AnyShape):
        return
    checked, check = st.session_state.get(_CHECK, ("", None))
    if checked != job.id:
        st.button(
            "Check this proof by trying every tree",
            key="train_check",
            type="tertiary",
            on_click=_start,
            args=(job, _SECONDS),
            help="A second, simple program tries every tree of this shape on the training rows, "
            "for at most a minute. It shares no code with the search, so it would find a mistake "
            "of the search.",
        )
    elif check.is_over:
        _draw_found(job, check)
    else:
        _watch(check)


def _start(job: Job, seconds: float) -> None:
    result = job.trained
    assert result is not None and result.total is not None and result.errors is not None
    claim = Claim(result.total, result.errors)
    train = dataclasses.replace(job.spec.train, time_limit=seconds)
    spec = dataclasses.replace(job.spec, kind=JobKind.VERIFY, part=claim, train=train)
    check = job_manager().submit(spec, owner=owner(), lane=lane())
    st.session_state[_CHECK] = (job.id, check)


@st.fragment(run_every=EVERY)
def _watch(check: Job) -> None:
    """Draw the progress of the check, and a button that stops it."""
    if check.is_over:
        st.rerun()
    limit = check.spec.train.time_limit
    with st.container(horizontal=True, vertical_alignment="center", key="train_check_line"):
        st.progress(
            min(check.seconds / limit, 1.0),
            text=f"Trying every tree: {seconds_words(check.seconds)} of at most "
            f"{seconds_words(limit)}",
        )
        st.button("Stop", key="train_check_stop", on_click=job_manager().cancel, args=(check,))


def _draw_found(job: Job, check: Job) -> None:
    if check.result is None:
        st.caption(f"The check has no result: {plain(check.message or 'it was stopped')}")
        return
    found = StoredVerification.from_json(check.result)
    words = plain(found.words)
    if found.holds is False:
        st.error(f"**The proof is wrong.** {words} Please report this.")
    elif found.holds:
        st.caption(f"✓ Checked. {words}")
    else:
        st.caption(words)
        if check.spec.train.time_limit < _MORE_SECONDS:
            st.button(
                "Try for ten minutes",
                key="train_check_more",
                type="tertiary",
                on_click=_start,
                args=(job, _MORE_SECONDS),
            )
