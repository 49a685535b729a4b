"""The progress of a run, while the page stays usable."""

from __future__ import annotations

import streamlit as st

from odt_core.figures import progress_chart
from odt_core.jobs import Job
from odt_core.problem import Problem
from odt_core.solution import TracePoint
from odt_core.words import capitalized, gap_words, seconds_words, value_words
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.runs import EVERY, draw_job_progress, is_over_or_proved, stop_run
from pages.common.text import plain


@st.fragment(run_every=EVERY)
def watch_run(job: Job, problem: Problem) -> None:
    """Draw a run's progress. Draw the page again when the run is over.

    Parameters
    ----------
    job : Job
        A queued or running job.
    problem : Problem
        Its problem, which gives totals and bounds their meaning.
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


@st.fragment(run_every=EVERY)
def watch_confirmation(job: Job) -> None:
    """Draw the progress of a confirmation. Draw the page again when it is over."""
    if job.is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"CBC is confirming the tree on the integer program · {seconds_words(job.seconds)}",
            width="content",
        )
        st.button(
            "Skip this check",
            key="train_skip_check",
            type="tertiary",
            on_click=stop_run,
            args=(job,),
            disabled=job.cancelled_at is not None,
            help="The exact search has already proved the tree. CBC confirms it on the paper's "
            "integer program.",
        )


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
