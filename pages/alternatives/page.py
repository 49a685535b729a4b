"""The Alternatives page: near-optimal trees, and changes of the current tree."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from odt_core.jobs import Job
from pages.alternatives.near import draw_near
from pages.alternatives.question import draw_one_question
from pages.common.current_run import settle_run, unfinished_job, watch_run
from pages.common.drawings import hide_old_charts
from pages.common.layout import choose_page_view, follow_theme
from pages.common.session import Place, work
from pages.common.studies import ALTERNATIVES_VIEW, NEAR_OPTIMAL, ONE_QUESTION
from pages.common.tables import ReadyData, need_data, need_rows, problem_of, send_to

# The views, each with its own controls. Streamlit would show a docstring here.
VIEWS: dict[str, Callable[[ReadyData, Job], None]] = {
    NEAR_OPTIMAL: draw_near,
    ONE_QUESTION: draw_one_question,
}


def draw_page(data: ReadyData) -> None:
    """Draw the chosen view below the page's title."""
    need_rows(data)
    view = choose_page_view("Alternatives", ALTERNATIVES_VIEW, VIEWS)
    if view == NEAR_OPTIMAL and work().job is None and work().alternatives is not None:
        draw_near(data, None)  # a list that was opened on the Runs page needs no current tree
    else:
        VIEWS[view](data, need_tree())
    hide_old_charts()
    follow_theme()


def need_tree() -> Job:
    """Return the current run, which has a tree. Without a tree, link to the Train page."""
    running = unfinished_job()
    if running is not None:
        watch_run(running, problem_of(running))
        st.stop()
    job = settle_run()
    if job is None or job.as_shown().trained is None:
        send_to(
            Place.TRAIN,
            "This page starts from a trained tree: train a tree first. Then you see here which "
            "other trees are as good.",
            "Train a tree",
        )
    return job.as_shown()


draw_page(need_data())
