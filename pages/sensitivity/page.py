"""The Sensitivity page: every best trade-off of a shape, and its rates in test."""

from __future__ import annotations

import streamlit as st

from odt_core.jobs import Job
from odt_core.problem import EncodedData
from pages.common.current_run import changes_since, draw_changes, draw_unstored
from pages.common.drawings import hide_old_charts
from pages.common.layout import choose_page_view, draw_part, follow_theme
from pages.common.markup import plain
from pages.common.session import work
from pages.common.studies import CURVES, FRONTIER, SENSITIVITY_VIEW
from pages.common.tables import ReadyData, need_data, need_rows
from pages.sensitivity.curves import draw_curves
from pages.sensitivity.explorer import explore
from pages.sensitivity.frontier import frontier_view
from pages.sensitivity.frontier_search import (
    draw_frontier_settings,
    draw_preview,
    watch_frontier,
)


def draw_page(data: ReadyData) -> None:
    """Draw one of two views: the frontier with its trees, or curves over many splits."""
    rows = need_rows(data)
    view = choose_page_view("Sensitivity", SENSITIVITY_VIEW, [FRONTIER, CURVES])
    if view == CURVES:
        draw_curves(data)
    else:
        _draw_frontier(data, rows.train)
    hide_old_charts()
    follow_theme()


def _draw_frontier(data: ReadyData, rows: EncodedData) -> None:
    draw_part(draw_frontier_settings, data, rows)
    job = work().frontier
    if job is None:
        draw_preview()
    elif not job.is_over:
        watch_frontier(job)
    elif (view := frontier_view(job)) is not None and view.points:
        draw_part(_draw_remarks, job, data)
        explore(job, view)
    else:
        st.error(
            plain(
                job.message
                or "No trade-off was found in time: give more time, or choose a smaller shape."
            )
        )


def _draw_remarks(job: Job, data: ReadyData) -> None:
    """Draw warnings about a frontier."""
    changed = changes_since(job, data, None)
    draw_changes(changed, "This frontier was found", "Press **Find the frontier**")
    draw_unstored(job)


draw_page(need_data())
