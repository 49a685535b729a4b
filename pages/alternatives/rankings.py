"""Rankings of columns at a question: from this session, from the store, or new."""

from __future__ import annotations

import json

import streamlit as st

from odt_core.alternatives.question import QuestionPart, Ranking
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.jobs.evidence import KnownRuns
from pages.alternatives import keys
from pages.common.current_run import wait_for
from pages.common.server import job_manager, store
from pages.common.session import lane, owner
from pages.common.stored import take_opened_ranking

_KNOWN, _WATCHED = "question_known", "question_watched"
"""Session keys: the rankings by their specifications, and the last specification that began."""


def question_key(run_id: str) -> str:
    """The key of the choice of a question in a run's tree."""
    return f"{keys.QUESTION}_{run_id}"


def _known() -> dict[str, Job]:
    known: dict[str, Job] = st.session_state.setdefault(_KNOWN, {})
    return known


def _name(asked: JobSpec) -> str:
    return json.dumps(asked.to_json(), sort_keys=True)


def known_or_new(asked: JobSpec, run_id: str) -> Job:
    """Return a ranking from this session or the store, or else a new one.

    A new ranking stops the last one, because nobody looks at it any more. Its record names the run
    of the tree, so that the Runs page can open it.

    Parameters
    ----------
    asked : JobSpec
        The ranking.
    run_id : str
        The run of the tree with the question.
    """
    known, name = _known(), _name(asked)
    if name not in known:
        _stop_last(known)
        known[name] = _stored(asked) or job_manager().submit(
            asked, owner=owner(), lane=lane(), rerun_of=run_id
        )
        st.session_state[_WATCHED] = name
        wait_for(known[name])
    return known[name]


def _stop_last(known: dict[str, Job]) -> None:
    """Stop and forget the last ranking, if it is not over."""
    last = str(st.session_state.get(_WATCHED, ""))
    job = known.get(last)
    if job is not None and not job.is_over:
        job_manager().cancel(job)
        del known[last]


def _stored(asked: JobSpec) -> Job | None:
    """Find a stored ranking of the same specification that tried every column."""
    found = KnownRuns(store(), owner()).of_kind(
        JobKind.QUESTION,
        lambda headline: headline.topology == asked.train.topology.name,
        lambda other: other == asked,
        asked.dataset,
    )
    done = (batch for batch in found if Ranking.from_json(batch.results[0]).left == 0)
    batch = next(done, None)
    return None if batch is None else batch.jobs[0]


def forget_ranking(asked: JobSpec, seconds: float) -> None:
    """Forget a ranking, so that columns are ranked again; for callbacks.

    Parameters
    ----------
    asked : JobSpec
        The ranking.
    seconds : float
        The new time limit for each column.
    """
    _known().pop(_name(asked), None)
    st.session_state[keys.RANKING_SECONDS] = seconds


def show_opened_ranking(run_id: str) -> None:
    """Show the ranking that was opened on the Runs page, at its question.

    Call it before the controls are drawn.

    Parameters
    ----------
    run_id : str
        The run of the tree with the question.
    """
    ranking = take_opened_ranking()
    if ranking is None:
        return
    part = ranking.spec.part
    assert isinstance(part, QuestionPart)
    _known()[_name(ranking.spec)] = ranking
    st.session_state[question_key(run_id)] = part.question
    st.session_state[keys.OTHERS] = part.others
    st.session_state[keys.RANKING_SECONDS] = ranking.spec.train.time_limit
