"""The view Path by size: settings on the left, progress, figure and tree on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from odt_core.data import Folding, Prepared
from odt_core.errors import InputError
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.studies import PathPart, PathSpec, PathView
from odt_core.topology import MAX_NODES
from odt_core.training import RulesSpec, TrainSpec
from odt_core.words import count_words, goal_words, seconds_words
from pages.common.controls import choose_floor, choose_goal, draw_cap
from pages.common.current_run import draw_unstored
from pages.common.markup import plain
from pages.common.session import work
from pages.common.settings import frontier_spec, objective_of_train
from pages.common.studies import (
    EVERY,
    MOST_SECONDS_EACH,
    draw_stop_button,
    draw_study_button,
    draw_study_progress,
    is_busy,
)
from pages.common.tables import ReadyData, prepared_rows
from pages.common.widgets import start_value
from pages.compare.path_result import (
    CHOSEN,
    draw_path_figure,
    draw_path_result,
    train_pressed,
)
from pages.compare.plan import has_large_sets

FIND = "Find the path"
MOST, FOLDS, CAP, SECONDS = "path_most", "path_folds", "path_max_card", "path_seconds"
"""Keys of the widgets."""
NO_FOLDS = 0
MOST_FOLDS = 20


@dataclass(frozen=True)
class _PathPlan:
    spec: TrainSpec
    path: PathSpec


def draw_path(data: ReadyData, rows: Prepared) -> None:
    """Draw the settings on the left, and the preview, progress or result on the right."""
    batch = work().path
    busy = is_busy(batch)
    if batch is not None and not busy:
        train_pressed(data, batch)
    left, right = st.columns([2, 5], gap="large")
    with left:
        button = st.container()
        plan = _draw_plan(data, rows)
    with button:
        draw_study_button(
            FIND,
            "Searching …",
            None if plan is None else partial(_jobs, data, plan),
            key="path_go",
            busy=busy,
            is_first=batch is None,
        )
    with right:
        if batch is None:
            _draw_preview()
        elif busy:
            _watch(batch)
        else:
            draw_unstored(*batch.jobs)
            draw_path_result(data, batch, view_of(batch))


def _jobs(data: ReadyData, plan: _PathPlan) -> list[JobSpec]:
    """Make the jobs of a path. Its result shows the new elbow at first."""
    st.session_state.pop(CHOSEN, None)
    return [data.dataset.job(plan.spec, JobKind.PATH, part) for part in plan.path.parts()]


def _draw_plan(data: ReadyData, rows: Prepared) -> _PathPlan | None:
    """Draw and read the settings; None after an error, which the page shows."""
    _remember_plan()
    try:
        goal = choose_goal(rows.train.positive_label, rows.train.negative_label)
        objective = objective_of_train(goal, choose_floor(goal))
        most = st.number_input(
            "Most questions",
            1,
            MAX_NODES,
            key=MOST,
            persist_state="session",
            help="The search finds the best tree of any shape with at most 0, 1, 2, ... questions, "
            "up to this number, on at most four levels. Larger numbers take longer.",
        )
        cap = draw_cap(CAP) if has_large_sets(rows) else None
        folds = st.number_input(
            "Folds",
            NO_FOLDS,
            MOST_FOLDS,
            key=FOLDS,
            persist_state="session",
            help="The training rows are divided into this many parts. Each part tests trees from "
            "the other parts. 0 means no test.",
        )
        limit = st.number_input(
            "Time limit in seconds",
            1,
            MOST_SECONDS_EACH,
            key=SECONDS,
            persist_state="session",
            help="The time limit of the path on all training rows, and of each fold. Points that "
            "are not proved in time are hollow.",
        )
        spec = frontier_spec(data, ["depth-1"], cap, limit)
        # rules for single nodes apply to one shape only
        spec = replace(spec, objective=objective, rules=RulesSpec(spec.rules.forbidden))
        if folds == 1:
            raise InputError("One fold leaves no rows to train on: give 0, or at least 2.")
        folding = Folding(int(folds)) if folds else None
        if folding is not None:  # raises if the folds are wrong
            first = replace(data.split, fold=next(iter(folding)))
            prepared_rows(data.dataset.table, data.schema, first)
        plan = _PathPlan(spec, PathSpec(int(most or 1), folding))
    except InputError as error:
        st.error(plain(str(error)))
        return None
    tested = f", and on {count_words(int(folds), 'fold')} of them" if folds else ""
    st.caption(
        plain(
            f"The search runs on the {count_words(rows.train.n_rows, 'training row')}{tested}. The "
            f"goal is {goal_words(objective, rows.train.negative_label)}."
        )
    )
    return plan


def _remember_plan() -> None:
    """Begin with the settings of the path on the page, or else with the defaults."""
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
            start_value(CAP, spec.train.max_card)
    for key, value in values.items():
        start_value(key, value)


def view_of(batch: Batch) -> PathView | None:
    """Return the path so far; None before the path on all training rows has a tree."""
    whole = batch.jobs[0].result or batch.jobs[0].best
    if whole is None:
        return None
    return PathView.of([whole, *(job.result for job in batch.jobs[1:] if job.result is not None)])


def _draw_preview() -> None:
    with st.container(border=True):
        st.header("No path yet", anchor=False)
        st.markdown(
            "How many questions are worth asking? **Find the path** looks for the best tree of "
            "*any* shape with at most 0, 1, 2, ... questions, and proves each. With more questions "
            "the training errors only fall. The errors on unseen rows stop falling at some number, "
            "where a larger tree no longer pays."
        )


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw the progress and the path so far."""
    total, first = len(batch.jobs), batch.jobs[0]
    words = "The path on all training rows" if total == 1 else f"{batch.n_done} of {total} paths"
    if batch.seconds_left is None:
        limit = seconds_words(first.spec.train.time_limit)
        words += f": {seconds_words(first.seconds)} of at most {limit} for one"
    draw_study_progress(batch, words)
    draw_stop_button(batch, key="path_cancel")
    view = view_of(batch)
    if view is not None:
        st.caption("So far:")
        draw_path_figure(view, "path_partial")
