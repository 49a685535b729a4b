"""The view of candidates: settings on the left; progress and the result on the right."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import FAIRNESS
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.studies import Comparison, FoldRun, compare_runs
from odt_core.words import count_words, seconds_words
from pages.common.needs import ReadyData
from pages.common.outage import draw_unstored
from pages.common.people import owner
from pages.common.presses import do_pressed, is_pressed, press_on
from pages.common.server import job_manager
from pages.common.state import work
from pages.explore.compare_parts.figure import CHOSEN, draw_comparison_figure
from pages.explore.compare_parts.plan import Plan, draw_plan
from pages.explore.compare_parts.result import draw_comparison, train_pressed

EVERY = 0.7
"""Seconds between two looks."""
COMPARE = "Compare the candidates"


def draw_candidates(data: ReadyData, rows: Prepared) -> None:
    """Draw the settings, and on the right what will happen, is happening, or came out."""
    batch = work().comparison
    busy = batch is not None and not batch.is_over
    found = None
    if batch is not None and not busy:
        found = comparison_of(batch)
        train_pressed(data, batch, found)
    left, right = st.columns([2, 5], gap="large")
    with left:
        button = st.container()
        plan = draw_plan(data, rows)
        button.button(
            "Comparing …" if busy else COMPARE,
            key="compare_go",
            type="secondary" if batch is not None and not busy else "primary",
            width="stretch",
            disabled=busy or plan is None,
            **press_on(COMPARE),
        )
    if is_pressed(COMPARE) and plan is not None and not busy:
        _start(data, plan)
        st.rerun()
    with right:
        if batch is None:
            _draw_preview()
        elif found is None:
            _watch(batch)
        else:
            draw_unstored(*batch.jobs)
            draw_comparison(data, batch, found)


def _start(data: ReadyData, plan: Plan) -> None:
    dataset, mine = data.dataset, owner()
    jobs = [
        JobSpec(dataset.sha256, dataset.name, dataset.read, plan.spec, JobKind.COMPARE, part)
        for part in plan.comparison.fold_parts()
    ]
    do_pressed(lambda: {"comparison": Batch.submit(job_manager(), jobs, owner=mine)})
    st.session_state.pop(CHOSEN, None)  # the new best is chosen


def comparison_of(batch: Batch) -> Comparison:
    """What the folds that are done come to."""
    runs = [FoldRun.from_json(run) for result in batch.results for run in result["runs"]]
    return compare_runs(runs, batch.jobs[0].spec.train.objective)


def _draw_preview() -> None:
    with st.container(border=True):
        st.header("Nothing is compared yet", anchor=False)
        st.markdown(
            "A larger tree fits its training rows better, but new rows decide. **Compare the "
            "candidates** divides the training rows again and again, finds the best tree of every "
            "combination chosen here on each part, and tests it on the rows left out. CART and a "
            "baseline that always says the same class stand beside, fitted on the same rows."
        )
        st.caption(FAIRNESS)


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw how far the folds are, and what is known so far."""
    if batch.is_over:
        st.rerun()
    done, total, left = batch.n_done, len(batch.jobs), batch.seconds_left
    text = f"{done} of {count_words(total, 'fold')}"
    if left is not None:
        text += f", about {seconds_words(max(left, 1.0))} left"
    st.progress(done / total, text=text)
    st.button(
        "Stop, and keep what is done",
        key="compare_cancel",
        on_click=batch.cancel,
        args=(job_manager(),),
        disabled=batch.was_cancelled,
    )
    found = comparison_of(batch)
    if found.rows:
        st.caption("So far:")
        draw_comparison_figure(found, "compare_partial")
