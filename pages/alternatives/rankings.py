"""Rankings of columns at a question: from this session, from the store, or new."""

from __future__ import annotations

import json
from typing import NoReturn

import streamlit as st

from odt_core.alternatives.question import Others, QuestionPart, Ranking
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.jobs.evidence import KnownRuns
from odt_core.storage import NotFoundError
from pages.alternatives import keys
from pages.common.people import owner
from pages.common.places import Place
from pages.common.runs import QUICK, wait_for
from pages.common.server import job_manager, store
from pages.common.state import lane
from pages.common.stored import take_run
from pages.common.studies import ALTERNATIVES_VIEW, ONE_QUESTION

OTHERS_WORDS = {
    Others.FREE: "Everything",
    Others.BELOW: "Not the questions above",
    Others.KEPT: "Nothing",
}
"""The options for what else may change with a question."""
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
        wait_for(known[name], QUICK)
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


def ranked_tree(ranking_id: str) -> Job:
    """Return the run of the tree whose question was ranked.

    Raises
    ------
    NotFoundError
        If the person has no such ranking, or the run of its tree was deleted.
    """
    run_id: str | None = ranking_id
    while run_id is not None:  # a ranking may repeat another one
        job = job_manager().find(owner(), run_id)
        if job.spec.kind is not JobKind.QUESTION:
            return job
        run_id = store().runs.summary(owner(), run_id).rerun_of
    raise NotFoundError(
        "The run of this ranking's tree was deleted, so the ranking cannot be opened."
    )


def open_ranking(ranking_id: str) -> NoReturn:
    """Make a ranking's tree current, and show the ranking at its question.

    Raises
    ------
    NotFoundError
        If the person has no such ranking, or its tree's run or data set was deleted.
    """
    ranking = job_manager().find(owner(), ranking_id)
    part = ranking.spec.part
    if not isinstance(part, QuestionPart) or part.question is None:
        raise NotFoundError("This ranking does not name a question of a tree.")
    tree = ranked_tree(ranking_id)
    take_run(tree)
    _known()[_name(ranking.spec)] = ranking
    st.session_state[question_key(tree.id)] = part.question
    st.session_state[keys.OTHERS] = part.others
    st.session_state[keys.RANKING_SECONDS] = ranking.spec.train.time_limit
    st.session_state[ALTERNATIVES_VIEW] = ONE_QUESTION
    st.switch_page(Place.ALTERNATIVES)
