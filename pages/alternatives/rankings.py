"""Rankings of columns at a question: those that this session knows, and those in the store."""

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
"""What else may change with a question."""
_KNOWN, _WATCHED = "question_known", "question_watched"
"""In the session: the rankings by their specification, and the one that was begun last."""


def question_key(run_id: str) -> str:
    """The key of the choice of a question of a run's tree."""
    return f"{keys.QUESTION}_{run_id}"


def _known() -> dict[str, Job]:
    known: dict[str, Job] = st.session_state.setdefault(_KNOWN, {})
    return known


def _name(asked: JobSpec) -> str:
    return json.dumps(asked.to_json(), sort_keys=True)


def known_or_new(asked: JobSpec, run_id: str) -> Job:
    """Return a ranking from this session or the store, or else a new one.

    A new one stops the ranking that began before it, because nobody looks at that any more. It
    names the run of the tree, so that it can be opened from Runs.

    Parameters
    ----------
    asked : JobSpec
        The ranking.
    run_id : str
        The run of the tree at whose question columns are ranked.
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
    """Stop the ranking that was begun last, and forget it if it was not done."""
    last = str(st.session_state.get(_WATCHED, ""))
    job = known.get(last)
    if job is not None and not job.is_over:
        job_manager().cancel(job)
        del known[last]


def _stored(asked: JobSpec) -> Job | None:
    """A finished ranking of the same specification in which every column was tried."""
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
    """Return the run of the tree at whose question columns were ranked.

    Raises
    ------
    NotFoundError
        If the person has no such ranking, or its tree is not there any more.
    """
    run_id: str | None = ranking_id
    while run_id is not None:  # a ranking may repeat another one
        job = job_manager().find(owner(), run_id)
        if job.spec.kind is not JobKind.QUESTION:
            return job
        run_id = store().runs.summary(owner(), run_id).rerun_of
    raise NotFoundError("The tree of this ranking is not here, so the ranking cannot be opened.")


def open_ranking(ranking_id: str) -> NoReturn:
    """Show a ranking at the question of its tree, which becomes current.

    Raises
    ------
    NotFoundError
        If the person has no such ranking, or its tree or data set is not there any more.
    """
    ranking = job_manager().find(owner(), ranking_id)
    part = ranking.spec.part
    if not isinstance(part, QuestionPart) or part.question is None:
        raise NotFoundError("This ranking does not say at which question of a tree it was made.")
    tree = ranked_tree(ranking_id)
    take_run(tree)
    _known()[_name(ranking.spec)] = ranking
    st.session_state[question_key(tree.id)] = part.question
    st.session_state[keys.OTHERS] = part.others
    st.session_state[keys.RANKING_SECONDS] = ranking.spec.train.time_limit
    st.session_state[ALTERNATIVES_VIEW] = ONE_QUESTION
    st.switch_page(Place.ALTERNATIVES)
