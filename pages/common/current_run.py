"""The session's training run, and other single jobs: start, progress, and what became of them.

A run without a tree never replaces the current tree: the earlier run becomes current again, and the
page says what happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NoReturn

import streamlit as st

from odt_core.figures import progress_chart
from odt_core.jobs import Job, JobSpec
from odt_core.problem import Problem
from odt_core.solution import Status, TracePoint
from odt_core.storage import RunStatus
from odt_core.topology import AnyShape
from odt_core.training import Stage, TrainSpec
from odt_core.words import (
    capitalized,
    count_words,
    gap_words,
    goal_words,
    list_words,
    seconds_words,
    value_words,
)
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.markup import plain
from pages.common.server import job_manager
from pages.common.session import lane, owner, queue_pressed, update, work
from pages.common.settings import load_settings, shape_name
from pages.common.tables import ReadyData

_NOTICE = "train_notice"
MAKE_CURRENT = "Make current"
"""The button that makes a tree of a frontier or a list the current tree."""
CHANGED = "train_changed"
"""Key of the run whose settings the user is changing, for the next run's record."""
QUICK = 0.8
"""Seconds to wait for a quick run's result before its progress is shown."""
STOPPED = 1.5
"""Seconds to wait for the tree of a stopped run."""
_GLANCE = 0.02
"""Seconds between two looks at a run."""
EVERY = 0.5
"""Seconds between two updates."""
STORING = 0.3
"""Seconds to wait for a new result to be stored. Then the page need not be drawn again."""
LOOK_EVERY = 2.0
"""Seconds between two checks whether a result is stored."""


def start_job(spec: JobSpec) -> Job:
    """Queue the requested training run, and make it the session's run.

    A quick run is over on return.
    """
    job = queue_pressed(lambda: _queue(spec)).job
    assert job is not None
    _wait_until(lambda: is_over_or_proved(job), QUICK)
    return job


def _queue(spec: JobSpec) -> dict[str, Job | None]:
    shown = work().job
    earlier = None if shown is None else work().earlier
    if shown is not None and shown.shows_tree:
        job_manager().cancel(shown)  # its tree is already proved
        earlier = shown
    st.session_state[_NOTICE] = ""
    mine, own_lane, changed = owner(), lane(), st.session_state.pop(CHANGED, None)
    job = job_manager().submit(spec, owner=mine, lane=own_lane, rerun_of=changed)
    return {"job": job, "earlier": earlier}


def queue_job(name: str, spec: JobSpec) -> Job:
    """Queue a requested run that is not a training run, and wait for it a moment.

    Its name is that of its field in `Work`.
    """
    mine, own_lane = owner(), lane()
    now = queue_pressed(lambda: {name: job_manager().submit(spec, owner=mine, lane=own_lane)})
    job: Job = getattr(now, name)
    wait_for(job)
    return job


def stop_run(job: Job) -> None:
    """Stop a run, keep its best tree so far, and wait for it a moment."""
    job_manager().cancel(job)
    wait_for(job, STOPPED)


def wait_for(job: Job, seconds: float = QUICK) -> None:
    """Wait until a job is over, but at most `seconds`."""
    _wait_until(lambda: job.is_over, seconds)


def _wait_until(is_so: Callable[[], bool], seconds: float) -> None:
    """Wait until `is_so` is true, but at most `seconds`. The user's next action ends the wait.

    The loop accesses the session's state, where Streamlit can end the script for the user's next
    action. Otherwise a following ``st.rerun`` would discard a click on a link.
    """
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(_GLANCE)
        work()


def settle_run() -> Job | None:
    """Return the session's run. If it ended without a tree, make the earlier run current again."""
    job = work().job
    if job is None or not job.is_over or has_tree(job):
        return job
    st.session_state[_NOTICE] = _without_tree(job)
    return update(job=work().earlier, earlier=None).job


def train_now(data: ReadyData, spec: TrainSpec) -> NoReturn:
    """Train on request of another page than Train, and draw the page again.

    This sets the Train page's controls, so call it before they are drawn.
    """
    load_settings(spec)
    update(schema=spec.schema)
    start_job(data.dataset.job(spec))
    st.rerun()


def unfinished_job() -> Job | None:
    """The session's training run, if it is not over and has no proved tree."""
    job = work().job
    return None if job is None or is_over_or_proved(job) else job


def is_over_or_proved(job: Job) -> bool:
    """Whether a run is over, or has a proved tree that CBC only confirms."""
    return job.is_over or job.shows_tree


def has_tree(job: Job) -> bool:
    """Whether a run is over and has a tree."""
    return job.trained is not None and job.trained.has_tree


def notice() -> str:
    """Say why the last run has no tree, in a sentence or two; empty if it has one.

    Plain text.
    """
    return str(st.session_state.get(_NOTICE, ""))


def _without_tree(job: Job) -> str:
    """Say why a run has no tree, and what to do."""
    if job.trained is None:
        return job.message
    spec, words = job.spec.train, job.trained.words.status
    if job.trained.status is Status.INFEASIBLE:
        return f"{words}. Lower the floor, choose a larger shape, or remove a rule or cap."
    return (
        f"{words}. The goal was the {goal_words(spec.objective)}. Give more time, or choose a "
        "smaller shape or another engine."
    )


def changes_since(job: Job, data: ReadyData, spec: TrainSpec | None) -> list[str]:
    """Name the settings that changed since the shown tree was trained."""
    then = job.spec
    found = []
    if (then.dataset, then.read) != (data.dataset.sha256, data.dataset.read):
        found.append("the data set")
    elif then.train.schema != data.schema:
        found.append("the columns")
    if then.train.split != data.split:
        found.append("the split")
    if spec is None:
        return found
    for name, fields in _SETTINGS:
        if any(getattr(then.train, field) != getattr(spec, field) for field in fields):
            found.append(name)
    return found


_SETTINGS = (
    ("the shape", ("topology",)),
    ("the largest set of categories", ("max_card",)),
    ("the goal", ("objective",)),
    ("the time limit", ("time_limit",)),
    ("the engine", ("engine", "threads", "seed")),
    ("the smallest leaf", ("smallest_leaf",)),
    ("the conditions", ("feature_selection", "least_features", "forbid_empty_branches")),
    ("the expert rules", ("rules",)),
    ("the switches of the integer program", ("mip",)),
)


def draw_changes(changed: Sequence[str], made: str, remedy: str) -> None:
    """Draw a warning that a result does not have the current settings; nothing if it has.

    Parameters
    ----------
    changed : sequence of str
        The settings that changed (see `changes_since`).
    made : str
        What was made before: ``This tree was trained``.
    remedy : str
        What the user can do, as Markdown: ``Press Train``.
    """
    if changed:
        names = list_words(changed, " and ")
        st.warning(f"{made} before you changed {names}. {remedy} to bring it up to date.")


def draw_job_progress(job: Job, sought: str) -> None:
    """Draw a job's headline and the used part of its time limit.

    The headline says what the job searches for: ``the best tree``.
    """
    st.header(_headline(job, sought), anchor=False)
    limit = job.spec.train.time_limit
    at_most = f" of at most {seconds_words(limit)}" if job.seconds <= limit else ""
    st.progress(min(job.seconds / limit, 1.0), text=seconds_words(job.seconds) + at_most)


def _headline(job: Job, sought: str) -> str:
    if job.cancelled_at is not None:
        return "Stopping: keeping what is done" if job.stage is Stage.FINISHING else "Stopping …"
    if job.status is RunStatus.QUEUED:
        ahead = job_manager().position(job)
        return (
            f"Waiting: {count_words(ahead, 'run is', 'runs are')} ahead"
            if ahead
            else "Waiting for a free solver process"
        )
    if job.stage is Stage.PREPARING:
        return "Preparing the rows"
    if job.stage is Stage.COMPILING:
        return "Preparing the search, once on this machine"
    if job.stage is Stage.FINISHING:
        return "Counting the rows"
    shape = job.spec.train.topology
    of = "" if isinstance(shape, AnyShape) else "the shape "
    return f"Searching for {sought} of {of}{plain(shape_name(shape))}"


@st.fragment(run_every=EVERY)
def watch_run(job: Job, problem: Problem) -> None:
    """Draw a run's progress. Draw the page again when the run is over.

    The run's problem gives totals and bounds their meaning.
    """
    if is_over_or_proved(job):
        st.rerun()
    draw_job_progress(job, "the best tree")
    trace = list(job.progress)
    # One element for all sentences, so that the chart below keeps its position. Otherwise the
    # browser would show it twice for a moment.
    st.markdown("  \n".join(plain(sentence) for sentence in _sentences(problem, trace)))
    st.button(
        "Stop, and keep the best tree" if _best(trace) is not None else "Cancel",
        key="train_cancel",
        on_click=stop_run,
        args=(job,),
        disabled=job.cancelled_at is not None,
    )
    if trace:
        draw_chart(
            progress_chart(trace, problem, theme=current_theme(), until=job.seconds),
            key="train_progress",
        )
    st.caption("You can use or leave the page meanwhile. The run continues.")


def _best(trace: list[TracePoint]) -> int | None:
    return next((p.incumbent for p in reversed(trace) if p.incumbent is not None), None)


def _sentences(problem: Problem, trace: list[TracePoint]) -> list[str]:
    """Describe the best tree so far, and how much better another tree could be."""
    best = _best(trace)
    bound = next((p.bound for p in reversed(trace) if p.bound is not None), None)
    if best is None:
        return ["No tree found yet."]
    found = [f"Best tree so far: {value_words(problem, best)}."]
    if bound is None:
        found.append("How much better a tree could be is not known yet.")
    else:
        found.append(f"{capitalized(gap_words(problem, max(bound - best, 0)))}.")
    return found


def draw_unstored(*jobs: Job) -> None:
    """Draw a warning as long as the result of jobs that are over is not stored.

    The page checks again and again, because storing may first fail after the result is drawn.
    """
    _wait_until(lambda: _are_stored(jobs) or bool(_reason(jobs)), STORING)
    if not _are_stored(jobs):
        st.fragment(_watch_unstored, run_every=LOOK_EVERY)(jobs)


def _are_stored(jobs: Sequence[Job]) -> bool:
    return all(map(job_manager().is_stored, jobs))


def _reason(jobs: Sequence[Job]) -> str:
    """Say why a result could not be stored; empty if that was not tried yet."""
    return next(filter(None, map(job_manager().unstored, jobs)), "")


def _watch_unstored(jobs: Sequence[Job]) -> None:
    if _are_stored(jobs):
        st.rerun()
    if reason := _reason(jobs):
        st.warning(
            f"**This result is not stored yet.** {plain(reason)} It is in memory, and will be "
            "stored as soon as possible. If the server ends before that, the result is lost."
        )
