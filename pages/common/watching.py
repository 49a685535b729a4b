"""What every run that goes on shows: what it is doing, and how much of its time is spent."""

from __future__ import annotations

import streamlit as st

from odt_core.jobs import Job
from odt_core.storage import RunStatus
from odt_core.topology import AnyShape
from odt_core.training import Stage
from odt_core.words import count_words, seconds_words
from pages.common.server import job_manager
from pages.common.shapes import shape_name
from pages.common.text import plain

EVERY = 0.5
"""Seconds between two looks."""


def draw_how_far(job: Job, sought: str) -> None:
    """Draw a job's headline and how much of its time limit is spent.

    Parameters
    ----------
    job : Job
        Queued or running.
    sought : str
        What the search is for: ``the best tree``.
    """
    st.header(_headline(job, sought), anchor=False)
    limit = job.spec.train.time_limit
    st.progress(
        min(job.seconds / limit, 1.0),
        text=f"{seconds_words(job.seconds)} of at most {seconds_words(limit)}",
    )


def _headline(job: Job, sought: str) -> str:
    if job.cancelled_at is not None:
        return "Stopping …"
    if job.status is RunStatus.QUEUED:
        ahead = job_manager().position(job)
        return (
            f"Waiting: {count_words(ahead, 'run is', 'runs are')} ahead"
            if ahead
            else "Waiting for a free solver process"
        )
    if job.stage is Stage.PREPARING:
        return "Preparing the rows"
    if job.stage is Stage.FINISHING:
        return "Counting the rows"
    shape = job.spec.train.topology
    of = "" if isinstance(shape, AnyShape) else "the shape "
    return f"Searching for {sought} of {of}{plain(shape_name(shape))}"
