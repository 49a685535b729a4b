"""The Train page: shape, goal and limits on the left, the tree and its tests on the right."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import sample_size
from odt_core.jobs import JobKind
from pages.common.current_run import changes_since, notice, settle_run, watch_run
from pages.common.layout import follow_theme
from pages.common.markup import plain
from pages.common.tables import ReadyData, need_data, need_rows, problem_of
from pages.train.controls import draw_controls, draw_train_button
from pages.train.preview import draw_preview
from pages.train.result import draw_result, watch_confirmation


def draw_page(data: ReadyData) -> None:
    """Draw the controls on the left, and the preview, the progress or the result on the right."""
    rows = need_rows(data)
    left, right = st.columns([2, 5], gap="large")
    with left:
        st.title("Train", anchor=False)
        asked = draw_controls(data, rows)
        running = draw_train_button(asked, data)
        if asked.spec is not None:  # only a remark: it never blocks training
            asked.place.caption(plain(sample_size(rows.train, asked.spec.topology).words))
    with right:
        job = running or settle_run()
        if notice():
            st.error(plain(notice()))
        if job is None:
            draw_preview(rows, asked.problem, asked.spec)
        elif running:
            # The run may have ended after the button was drawn. Then its progress draws the page
            # again, so that the button does not stay disabled.
            watch_run(job, problem_of(job))
        else:
            # This container is always there, so that what is below keeps its position. Otherwise a
            # menu that is open would close at the end of the confirmation.
            with st.container():
                if not job.is_over:
                    watch_confirmation(job)
            adopted = job.spec.kind is JobKind.ADOPT
            draw_result(job.as_shown(), changes_since(job, data, None if adopted else asked.spec))
    follow_theme()


draw_page(need_data())
