"""The view of stability: refits of the current tree on bootstrap resamples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import streamlit as st

from odt_core.data import Prepared
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.studies import (
    RangeRun,
    ResampleRange,
    StabilityResult,
    StabilitySpec,
    gather_stability,
)
from odt_core.studies.stability_words import meaning_words
from odt_core.words import count_words, goal_words, seconds_words
from pages.common.current_run import draw_unstored, has_tree, is_over_or_proved
from pages.common.markup import plain
from pages.common.session import Place, work
from pages.common.settings import shape_name
from pages.common.studies import (
    EVERY,
    draw_stop_button,
    draw_study_button,
    draw_study_progress,
    is_busy,
)
from pages.common.tables import ReadyData
from pages.common.widgets import start_value
from pages.compare.stability_result import (
    draw_columns,
    draw_stability_result,
    draw_verdict,
)

REFIT = "Refit on resamples"
RESAMPLES = "stability_resamples"
MOST = 2000


def draw_stability(data: ReadyData, rows: Prepared) -> None:
    """Draw the refitted problem on the left, and progress and result on the right."""
    batch = work().stability
    busy = is_busy(batch)
    left, right = st.columns([2, 5], gap="large")
    with left:
        job = _tree_job(data)
        resamples = _draw_resamples(batch)
        draw_study_button(
            REFIT,
            "Refitting …",
            None if job is None else partial(_jobs, job, resamples),
            key="stability_go",
            busy=busy,
            is_first=batch is None,
        )
        _draw_what(job, rows)
    with right:
        if batch is None:
            _draw_preview(grouped=data.schema.group is not None)
        elif busy:
            _watch(batch)
        else:
            draw_unstored(*batch.jobs)
            _say_other_tree(batch, job)
            draw_stability_result(batch, stability_of(batch))


def _jobs(job: Job, resamples: int) -> list[JobSpec]:
    parts = StabilitySpec(resamples).parts()
    return [replace(job.spec, kind=JobKind.STABILITY, part=part) for part in parts]


def _tree_job(data: ReadyData) -> Job | None:
    """The current tree's run, if it has the current data set."""
    job = work().job
    if job is None or not is_over_or_proved(job) or not has_tree(job.as_shown()):
        return None
    return job if job.spec.dataset == data.dataset.sha256 else None


def _draw_resamples(batch: Batch | None) -> int:
    n = StabilitySpec().resamples if batch is None else _n_resamples(batch.jobs)
    return int(
        st.number_input(
            "Resamples",
            1,
            MOST,
            step=50,
            key=start_value(RESAMPLES, min(n, MOST)),
            persist_state="session",
            help="Each resample needs one search for the best tree. 200 is usual; 1,000 give "
            "steadier numbers.",
        )
        or 1
    )


def _n_resamples(jobs: Iterable[Job]) -> int:
    parts = [job.spec.part for job in jobs]
    return sum(part.n for part in parts if isinstance(part, ResampleRange))


def _draw_what(job: Job | None, rows: Prepared) -> None:
    """Describe the refitted problem."""
    if job is None:
        st.caption("Refits need a tree: train a tree first.")
        st.page_link(Place.TRAIN, label="**Train a tree →**")
        return
    spec = job.spec.train
    shape = shape_name(spec.topology)
    goal = goal_words(spec.objective, rows.train.negative_label)
    st.caption(
        plain(
            f"Each refit solves the current tree's problem: {shape}, {goal}, with the same cap, "
            "rules and smallest leaf. The time limit of a refit is "
            f"{seconds_words(spec.time_limit)}."
        )
    )


def stability_of(batch: Batch) -> StabilityResult:
    """The result of the finished resamples."""
    return gather_stability([RangeRun.from_json(result) for result in batch.results])


def _say_other_tree(batch: Batch, job: Job | None) -> None:
    """Draw a note if the result belongs to another tree."""
    spec = batch.jobs[0].spec
    if job is not None and spec.train != job.spec.train:
        st.warning(
            "These refits belong to another tree. Refit again to see how stable the current tree "
            "is."
        )


def _draw_preview(*, grouped: bool) -> None:
    with st.container(border=True):
        st.header("Nothing is refitted yet", anchor=False)
        st.markdown(
            "Would other patients give the same tree? **Refit on resamples** draws many resamples "
            "of the training rows and finds the best tree for each. It shows which columns the "
            "trees ask about, where they cut, for which rows the answer changes, and by how much "
            "the rates on the training rows are too good."
        )
        st.caption(plain(meaning_words(grouped=grouped)))


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw the progress and the result so far."""
    total = _n_resamples(batch.jobs)
    done = _n_resamples(job for job in batch.jobs if job.is_over)
    draw_study_progress(batch, f"{done:,} of {count_words(total, 'resample')}")
    draw_stop_button(batch, key="stability_cancel")
    found = stability_of(batch)
    if found.fitted:
        st.caption("So far:")
        draw_verdict(found)
        draw_columns(found, "stability_columns_partial")
