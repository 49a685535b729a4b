"""Make the chosen tree the current model."""

from __future__ import annotations

import dataclasses

import streamlit as st

from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.studies import Adoption, floor_objective
from pages.common.runs import has_something_to_show, start_job
from pages.common.state import work
from pages.explore.sensitivity_parts.choose import Choice
from pages.explore.sensitivity_parts.view import FrontierView, ViewPoint


def draw_adopt(job: Job, view: FrontierView, choice: Choice) -> None:
    """The button, or the word that this tree is current."""
    point = view.points[choice.index]
    current = work().job
    if _is_current(current, point):
        st.markdown("✓ **This is the current tree**", width="content")
        return
    busy = current is not None and not has_something_to_show(current)
    if st.button(
        "Adopt this tree",
        key="sens_adopt",
        type="primary",
        disabled=busy,
        help="Make it the current model: predict with it, export it, compare it.",
    ):
        start_job(adoption_job(job, view, point))
        st.rerun()


def adoption_job(job: Job, view: FrontierView, point: ViewPoint) -> JobSpec:
    """The run that turns a point into the current result, kept under its own floor."""
    objective = floor_objective(point.train.tp, point.train.n_positive)
    return dataclasses.replace(
        job.spec,
        kind=JobKind.ADOPT,
        train=dataclasses.replace(job.spec.train, objective=objective),
        part=Adoption(point.assignment, point.proved, view.seconds),
    )


def _is_current(job: Job | None, point: ViewPoint) -> bool:
    if job is None or job.result is None or not isinstance(job.spec.part, Adoption):
        return False
    return job.spec.part.assignment == point.assignment
