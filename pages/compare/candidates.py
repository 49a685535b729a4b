"""The view of candidates: settings on the left, progress and result on the right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import FAIRNESS, can_ask_about_sets
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.studies import Comparison, FoldRun, compare_runs
from odt_core.words import count_words
from pages.common.current_run import draw_unstored
from pages.common.session import work
from pages.common.studies import (
    EVERY,
    draw_stop_button,
    draw_study_button,
    draw_study_progress,
    is_busy,
)
from pages.common.tables import ReadyData
from pages.compare.figure import CHOSEN, draw_comparison_figure
from pages.compare.plan import Plan, draw_plan
from pages.compare.result import draw_comparison, train_pressed

COMPARE = "Compare the candidates"


def draw_candidates(data: ReadyData, rows: Prepared) -> None:
    """Draw the settings on the left, and the preview, progress or result on the right."""
    batch = work().comparison
    busy, found = is_busy(batch), None
    if batch is not None and not busy:
        found = comparison_of(batch)
        train_pressed(data, batch, found)
    left, right = st.columns([2, 5], gap="large")
    with left:
        button = st.container()
        plan = draw_plan(data, rows)
    with button:
        draw_study_button(
            COMPARE,
            "Comparing …",
            None if plan is None else partial(_jobs, data, plan),
            key="compare_go",
            busy=busy,
            is_first=batch is None,
        )
    with right:
        if batch is None:
            _draw_preview(rows)
        elif found is None:
            _watch(batch)
        else:
            draw_unstored(*batch.jobs)
            draw_comparison(data, batch, found)


def _jobs(data: ReadyData, plan: Plan) -> list[JobSpec]:
    """Make a job for each fold. Its result shows the new best candidate at first."""
    st.session_state.pop(CHOSEN, None)
    parts = plan.comparison.fold_parts()
    return [data.dataset.job(plan.spec, JobKind.COMPARE, part) for part in parts]


def comparison_of(batch: Batch) -> Comparison:
    """The comparison from the finished folds."""
    runs = FoldRun.of_results(batch.results)
    return compare_runs(runs, batch.jobs[0].spec.train.objective, len(batch.jobs))


def _draw_preview(rows: Prepared) -> None:
    with st.container(border=True):
        st.header("Nothing is compared yet", anchor=False)
        st.markdown(
            "A larger tree fits its training rows better, but new rows decide. **Compare the "
            "candidates** divides the training rows many times. Each time it finds the best tree "
            "of every combination chosen here, and tests it on the rows left out. CART and a "
            "baseline that always predicts the same class are fitted on the same rows."
        )
        if can_ask_about_sets(rows.train.features):
            st.caption(FAIRNESS)


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw the progress and the comparison so far."""
    draw_study_progress(batch, f"{batch.n_done} of {count_words(len(batch.jobs), 'fold')}")
    draw_stop_button(batch, key="compare_cancel")
    found = comparison_of(batch)
    if found.rows:
        st.caption("So far:")
        draw_comparison_figure(found, "compare_partial")
