"""The line on top of every page with the current data set and tree."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import verdict
from odt_core.jobs import Job
from odt_core.solution import Status
from odt_core.storage import RunStatus
from odt_core.topology import AnyShape, Shape
from odt_core.words import count_words
from pages.common.drawings import shape_html
from pages.common.markup import html_text, plain, shorten
from pages.common.server import job_manager
from pages.common.session import Work

_STATUS_WORDS = {
    Status.OPTIMAL: "proved optimal in training",
    Status.FEASIBLE: "best found, not proved",
    Status.INFEASIBLE: "no tree meets the floors",
    Status.CANCELLED: "best found before it was stopped",
}
_BAR = (
    "display:flex;flex-wrap:wrap;gap:.1rem 2rem;padding:.4rem .85rem;border-radius:.4rem;"
    "background:color-mix(in srgb,currentColor 6%,transparent);font-size:.9rem;line-height:1.5"
)
_LABEL = "opacity:.7;margin-right:.5rem"


def draw_banner(now: Work) -> None:
    """Draw the line for a session's work."""
    st.html(
        f'<div role="status" aria-label="Current data set and tree" style="{_BAR}">'
        f'<span><span style="{_LABEL}">Data</span>{_data_words(now)}</span>'
        f'<span><span style="{_LABEL}">Tree</span>{_tree_words(now)}</span>'
        "</div>"
    )


def _data_words(now: Work) -> str:
    if now.dataset is None:
        return "none yet"
    words = f"<b>{_short(now.dataset.name)}</b> · {now.dataset.table.n_rows:,} rows"
    if now.schema is not None:
        words += f" · predicting {_short(now.schema.target)} = <b>{_short(now.schema.positive)}</b>"
    return words


def _tree_words(now: Work) -> str:
    job = now.job
    if job is None:
        return "none yet"
    words = f"<b>{_shape_words(job.spec.train.topology)}</b> · {_state_words(job)}"
    if now.dataset is None or job.spec.dataset != now.dataset.sha256:
        return f"{words} · made from {_short(job.spec.table_name)}"
    made_from = (job.spec.read, job.spec.train.schema, job.spec.train.split)
    if made_from != (now.dataset.read, now.schema, now.split):
        return f"{words} · made before the last changes on the Data page"
    return words


def _shape_words(shape: Shape) -> str:
    """The name of a shape, or the drawing of a shape without a name; HTML."""
    if isinstance(shape, AnyShape):
        return _short(shape.name)
    if shape.preset is not None:
        return _short(shape.preset)
    return f"{shape_html(shape)} {count_words(shape.n_nodes, 'question')}"


def _state_words(job: Job) -> str:
    if job.status is RunStatus.QUEUED:
        return "waiting for its turn"
    result = job.as_shown().trained
    if result is None and job.status is RunStatus.RUNNING:
        return "training now"
    if result is None:
        if job.status is RunStatus.INTERRUPTED:
            return "interrupted when its server ended"
        return "stopped before a tree was found" if job.status is RunStatus.CANCELLED else "failed"
    words = _STATUS_WORDS[result.status]
    if result.train is None:
        return words
    found = verdict(job.spec.train.objective, result.train, result.test)
    return f"{html_text(found.short)} · {words}"


def _short(text: str) -> str:
    return html_text(shorten(text, 40))


def draw_problem() -> None:
    """Draw a warning if results cannot be stored now."""
    problem = job_manager().problem
    if problem:
        st.warning(f"{plain(problem)} Results stay on the screen.")
