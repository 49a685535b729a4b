"""The view Path by size: settings on the left; progress, the figure and a tree on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from odt_core.data import Folding, Prepared
from odt_core.errors import InputError
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.solution import Status
from odt_core.studies import PathPart, PathSpec, PathView
from odt_core.topology import MAX_NODES
from odt_core.training import RulesSpec, TrainSpec
from odt_core.words import count_words, goal_words, seconds_words
from pages.build.train_parts.goals import choose_floor, choose_goal
from pages.common.needs import ReadyData
from pages.common.outage import draw_unstored
from pages.common.people import owner
from pages.common.presses import do_pressed, is_pressed, press_on
from pages.common.server import job_manager
from pages.common.state import work
from pages.common.text import plain
from pages.explore.compare_parts.path_result import (
    CHOSEN,
    draw_path_figure,
    draw_path_result,
    train_pressed,
)
from pages.explore.compare_parts.plan import FEW_CATEGORIES, MOST_SECONDS, chosen_objective
from pages.explore.sensitivity_parts.frontiers import frontier_spec

EVERY = 0.7
"""Seconds between two looks."""
FIND = "Find the path"
MOST, FOLDS, CAP, SECONDS = "path_most", "path_folds", "path_max_card", "path_seconds"
"""Keys of the widgets."""
NO_FOLDS = 0
MOST_FOLDS = 20


@dataclass(frozen=True)
class _Plan:
    spec: TrainSpec
    path: PathSpec


def draw_path(data: ReadyData, rows: Prepared) -> None:
    """Draw the settings, and on the right what will happen, is happening, or came out."""
    batch = work().path
    busy = batch is not None and not batch.is_over
    if batch is not None and not busy:
        train_pressed(data, batch)
    left, right = st.columns([2, 5], gap="large")
    with left:
        button = st.container()
        plan = _draw_plan(data, rows)
        button.button(
            "Searching …" if busy else FIND,
            key="path_go",
            type="secondary" if batch is not None and not busy else "primary",
            width="stretch",
            disabled=busy or plan is None,
            **press_on(FIND),
        )
    if is_pressed(FIND) and plan is not None and not busy:
        _start(data, plan)
        st.rerun()
    with right:
        if batch is None:
            _draw_preview()
        elif busy:
            _watch(batch)
        else:
            draw_unstored(*batch.jobs)
            draw_path_result(data, batch, view_of(batch))


def _draw_plan(data: ReadyData, rows: Prepared) -> _Plan | None:
    """Draw the settings; what they describe, or None with an error on the page."""
    _remember_plan()
    try:
        goal = choose_goal(rows.train.positive_label, rows.train.negative_label)
        objective = chosen_objective(goal, choose_floor(goal))
        most = st.number_input(
            "Questions at most",
            1,
            MAX_NODES,
            key=MOST,
            persist_state="session",
            help="The best tree of any shape with at most 0, 1, 2, ... questions is found, up to "
            "this number, on at most four levels. Larger numbers take longer.",
        )
        cap = _choose_cap(rows)
        folds = st.number_input(
            "Folds",
            NO_FOLDS,
            MOST_FOLDS,
            key=FOLDS,
            persist_state="session",
            help="The training rows are dealt out into so many parts. Each part tests trees that "
            "were found on the others; 0 leaves this out.",
        )
        limit = st.number_input(
            "Seconds at most",
            1,
            MOST_SECONDS,
            key=SECONDS,
            persist_state="session",
            help="For the path on all training rows, and again for each fold. What is not proved "
            "then is drawn hollow.",
        )
        spec = frontier_spec(data, ["depth-1"], cap, limit)
        # rules of single nodes go with one shape only
        spec = replace(spec, objective=objective, rules=RulesSpec(spec.rules.forbidden))
        if folds == 1:
            raise InputError("One fold leaves no rows to train on: give 0, or at least 2.")
        folding = Folding(int(folds)) if folds else None
        plan = _Plan(spec, PathSpec(int(most or 1), folding))
    except InputError as error:
        st.error(plain(str(error)))
        return None
    tested = f", and on {count_words(int(folds), 'fold')} of them" if folds else ""
    st.caption(
        plain(
            f"On the {count_words(rows.train.n_rows, 'training row')}{tested}; "
            f"{goal_words(objective, rows.train.negative_label)}."
        )
    )
    return plan


def _choose_cap(rows: Prepared) -> int | None:
    if all(f.is_numerical or f.n_values <= FEW_CATEGORIES for f in rows.train.features):
        return None
    cap = st.number_input(
        "Largest set of categories",
        min_value=1,
        value=None,
        placeholder="no cap",
        key=CAP,
        persist_state="session",
        help="At most so many categories of a column on one side of a question.",
    )
    return None if cap is None else int(cap)


def _remember_plan() -> None:
    """Begin with the settings of the path that is shown, else with the usual ones."""
    batch = work().path
    values: dict[str, int] = {MOST: 7, FOLDS: 5, SECONDS: 60}
    if batch is not None and batch.jobs:
        spec, part = batch.jobs[0].spec, batch.jobs[0].spec.part
        assert isinstance(part, PathPart)
        values = {
            MOST: part.most_questions,
            FOLDS: len(batch.jobs) - 1,
            SECONDS: max(1, round(spec.train.time_limit)),
        }
        if spec.train.max_card is not None:
            st.session_state.setdefault(CAP, spec.train.max_card)
    for key, value in values.items():
        st.session_state.setdefault(key, value)


def _start(data: ReadyData, plan: _Plan) -> None:
    dataset, mine = data.dataset, owner()
    jobs = [
        JobSpec(dataset.sha256, dataset.name, dataset.read, plan.spec, JobKind.PATH, part)
        for part in plan.path.parts()
    ]
    do_pressed(lambda: {"path": Batch.submit(job_manager(), jobs, owner=mine)})
    st.session_state.pop(CHOSEN, None)  # the new elbow is chosen


def view_of(batch: Batch) -> PathView | None:
    """What is known so far; None before the path on all training rows has a tree."""
    whole = batch.jobs[0].result or batch.jobs[0].best
    if whole is None:
        return None
    folds = [job.result for job in batch.jobs[1:] if job.result is not None]
    complete = [fold for fold in folds if fold["status"] != Status.CANCELLED]
    return PathView.of([whole, *complete])


def _draw_preview() -> None:
    with st.container(border=True):
        st.header("No path is found yet", anchor=False)
        st.markdown(
            "How many questions are worth asking? **Find the path** looks for the best tree of "
            "*any* shape with at most 0, 1, 2, ... questions, and proves each. Training errors "
            "only fall with more questions. The errors on rows not seen stop falling at some "
            "number: that is where a larger tree no longer pays."
        )


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw how far the path and its folds are, and what is known so far."""
    if batch.is_over:
        st.rerun()
    done, total, left = batch.n_done, len(batch.jobs), batch.seconds_left
    text = "The path on all training rows" if total == 1 else f"{done} of {total} paths"
    if left is not None:
        text += f", about {seconds_words(max(left, 1.0))} left"
    else:
        first = batch.jobs[0]
        limit = seconds_words(first.spec.train.time_limit)
        text += f": {seconds_words(first.seconds)} of at most {limit} for one"
    st.progress(done / total, text=text)
    st.button(
        "Stop, and keep what is done",
        key="path_cancel",
        on_click=batch.cancel,
        args=(job_manager(),),
        disabled=batch.was_cancelled,
    )
    view = view_of(batch)
    if view is not None:
        st.caption("So far:")
        draw_path_figure(view, "path_partial")
