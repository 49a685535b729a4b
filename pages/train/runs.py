"""The Train button."""

from __future__ import annotations

import streamlit as st

from odt_core.jobs import Job
from odt_core.training import TrainSpec
from pages.common.intents import is_pressed, note_press
from pages.common.runs import start_job, unfinished_job
from pages.common.tables import ReadyData
from pages.train.controls import Asked

TRAIN = "Train"


def draw_train_button(asked: Asked, data: ReadyData) -> Job | None:
    """Draw the Train button. If it was pressed, start a run.

    Returns
    -------
    Job or None
        The run for which the button is disabled. The page must watch it.
    """
    if is_pressed(TRAIN) and asked.spec is not None and unfinished_job() is None:
        start_run(data, asked.spec)
    running = unfinished_job()
    with asked.place:
        st.button(
            "Training …" if running else TRAIN,
            key="train_go",
            type="primary",
            width="stretch",
            disabled=running is not None or asked.spec is None,
            **note_press(TRAIN),
        )
    return running


def start_run(data: ReadyData, spec: TrainSpec) -> Job:
    """Queue a training run and make it the session's. A quick run is over on return."""
    return start_job(data.dataset.job(spec))
