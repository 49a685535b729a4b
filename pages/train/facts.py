"""Facts for reports: model size, solver and use of the rows."""

from __future__ import annotations

import streamlit as st

from odt_core import __version__
from odt_core.data import Prepared
from odt_core.figures import progress_chart
from odt_core.jobs import Job
from odt_core.problem import Problem
from odt_core.training import StoredResult
from odt_core.words import count_words, goal_words, seconds_words, value_words
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.markup import plain, shorten


def draw_facts(job: Job, problem: Problem, rows: Prepared) -> None:
    """Draw the facts of a finished run."""
    result = job.trained
    assert result is not None
    left, right = st.columns(2)
    with left:
        st.markdown("**Solver**")
        st.table(_solver(result, problem), border="horizontal", alt="Solver facts")
    with right:
        st.markdown("**Data**")
        st.table(_data(job, rows), border="horizontal", alt="Where the rows went")
    trace = result.trace
    if len(trace) > 1:
        solved = result.seconds - result.seconds_prepare
        draw_chart(
            progress_chart(trace, problem, theme=current_theme(), until=solved),
            key="train_trace",
        )


def _solver(result: StoredResult, problem: Problem) -> dict[str, str]:
    mip = result.mip
    assert result.total is not None and result.total_bound is not None
    facts = {
        "Goal": plain(goal_words(problem.objective, problem.data.negative_label)),
        "Reached": plain(value_words(problem, result.total)),
        "Proved bound": plain(value_words(problem, result.total_bound)),
        "Proof": plain(result.words.proof),
        "Time": f"{seconds_words(result.seconds)}; of this for preparing the rows "
        f"{seconds_words(result.seconds_prepare)}",
    }
    if mip is None:
        return facts
    return facts | {
        "Integer program": f"{mip.columns:,} variables ({mip.integers:,} integer), "
        f"{mip.rows:,} rows, {mip.nonzeros:,} entries",
        "Solver": f"{plain(mip.solver)}, with the status: {plain(mip.status)}",
    }


def _data(job: Job, rows: Prepared) -> dict[str, str]:
    flow, split = rows.flow, job.spec.train.split
    facts = {
        "File": plain(shorten(job.spec.table_name, 40)),
        "SHA-256": f"`{job.spec.dataset[:16]}…`",
        "Rows": f"{flow.read:,} read, {flow.train:,} train, {flow.test:,} test"
        + (f", {flow.unused:,} unused" if flow.unused else ""),
    }
    for exclusion in flow.excluded:
        facts["Left out"] = f"{count_words(exclusion.rows, 'row')}: {plain(exclusion.reason)}"
    facts["Columns used"] = (
        f"{rows.train.n_features:,}, with {rows.train.n_columns:,} categories or bins"
    )
    if rows.dropped:
        names = ", ".join(plain(shorten(name, 30)) for name in rows.dropped)
        facts["Constant columns"] = names
    facts["Seeds"] = f"split {split.seed}, solver {job.spec.train.seed}"
    facts["Version"] = plain(__version__)
    return facts
