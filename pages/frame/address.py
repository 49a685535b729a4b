"""The current data and runs in the page's address, for reloading and sharing.

``?data=<SHA-256>&run=<id>&frontier=<id>&curve=<id>&comparison=<id>&path=<id>&stability=<id>
&alternatives=<id>&validation=<id>``, and on the Compare page ``&view=<kind of study>``. The
address follows the session's work. The session follows the address only when it begins, or when the
user moves in the browser's history. The address never has values of a case. An id works only for
its owner.

Streamlit can bind a control to the address (``bind="query-params"``). The view of the Compare page
is not bound, because all changes of the address must make one step in the browser's history:
``st.query_params.from_dict`` drops bound values, and other ways to write the address make a step
each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from odt_core.errors import InputError
from odt_core.jobs import Batch, Job, JobKind
from odt_core.storage import NotFoundError, StorageError
from odt_core.storage.rows import no_run
from pages.common.markup import plain
from pages.common.server import job_manager, store
from pages.common.session import Place, Work, owner, this_page, update, work
from pages.common.stored import (
    forget_dataset,
    is_study,
    open_dataset,
    stored_settings,
    take_data,
    take_run,
    take_study,
)
from pages.common.studies import COMPARE_VIEW, STUDY_PAGES

_OPENED = "url_opened"
_LOST = "url_lost"
_VIEW = "view"
log = logging.getLogger("pages.frame.address")


def _own_job(run_id: str, *kinds: JobKind) -> Job:
    """Find a job of this person, which must have one of these kinds."""
    job = job_manager().find(owner(), run_id)
    if job.spec.kind not in kinds:
        raise no_run()
    return job


def _attach_run(run_id: str) -> None:
    """Make the run in an address current.

    Settings of columns and rows that were changed while this run was current are kept.
    """
    job = _own_job(run_id, JobKind.TRAIN, JobKind.ADOPT)
    kept = stored_settings(job.spec.dataset)
    take_run(job)
    if kept.run == run_id and kept.schema is not None:
        open_dataset(job.spec.dataset)


def _attach_frontier(run_id: str) -> None:
    """Make the frontier in an address current."""
    job = _own_job(run_id, JobKind.FRONTIER)
    now = work()
    if now.dataset is None or now.dataset.sha256 != job.spec.dataset:
        take_data(job.spec)
    update(frontier=job)


def _attach_validation(run_id: str) -> None:
    """Make the validation in an address current."""
    update(validation=_own_job(run_id, JobKind.VALIDATE))


def _attach_study(kind: JobKind, run_id: str) -> None:
    """Make the study in an address current."""
    if not is_study(run_id) or store().runs.summary(owner(), run_id).kind != kind:
        raise no_run()
    page = take_study(run_id)
    if page.place is Place.COMPARE:  # the Sensitivity page always begins with the frontier
        st.session_state.setdefault(page.view_key, page.view)


_OPENERS: dict[str, Callable[[str], None]] = {
    "data": open_dataset,
    "frontier": _attach_frontier,
    **{page.name: partial(_attach_study, kind) for kind, page in STUDY_PAGES.items()},
    "validation": _attach_validation,
    "run": _attach_run,
}
"""The parameters of the address, in the order of opening. A run comes last and decides."""
_COMPARE_VIEWS = {
    kind.value: page.view for kind, page in STUDY_PAGES.items() if page.place is Place.COMPARE
}
"""The names of the Compare page's views in the address."""


def follow_address() -> None:
    """Open the data and runs in the address, if the user typed it, or moved in the history."""
    _drop_deleted()
    begins = _OPENED not in st.session_state
    st.session_state[_OPENED] = True
    if not begins and not _is_history_navigation():
        return
    asked = {name: value for name in _OPENERS if (value := st.query_params.get(name))}
    here = address_of(work())
    lost: list[str] = []
    for name, value in asked.items():
        if here.get(name) == value:
            continue
        try:
            _OPENERS[name](value)
        except NotFoundError as error:
            lost.append(str(error))
        except InputError as error:
            lost.append(f"This cannot be shown: {error}")
    if (view := _COMPARE_VIEWS.get(st.query_params.get(_VIEW, ""))) is not None:
        st.session_state[COMPARE_VIEW] = view
    if lost:
        st.session_state[_LOST] = (lost[-1], address_of(work()), this_page())


def _drop_deleted() -> None:
    """Forget data sets that were deleted, in another window or because of their age."""
    now = work()
    current = () if now.dataset is None else (now.dataset.sha256,)
    for sha256 in {*current, *now.made_from.values()}:
        try:
            store().datasets.get(owner(), sha256)
        except NotFoundError:
            forget_dataset(sha256)
        except StorageError:  # the screen stays while the database cannot be reached
            log.exception("the store cannot say whether a data set is still stored")


def _is_history_navigation() -> bool:
    """Whether the user went back or forth in the browser's history.

    Streamlit knows this but has no public name for it. ``st.query_params`` also changes when the
    user follows a link of the dashboard.
    """
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def draw_lost(*, on_runs: bool) -> None:
    """Draw a note that parts of the address cannot be opened, until the user opens something else.

    The Runs page needs no link to itself.
    """
    words, before, page = st.session_state.get(_LOST, ("", {}, ""))
    if not words:
        return
    if before != address_of(work()) or page != this_page():
        del st.session_state[_LOST]
        return
    with st.container(border=True, key="url_lost_here"):
        st.markdown(f"**{plain(words)}**")
        st.caption(
            "It was deleted, or it belongs to somebody else: an address opens only your own data."
        )
        if not on_runs:
            st.page_link(Place.RUNS, label="**See your runs →**")


def address_of(now: Work) -> dict[str, str]:
    """Return the parameters of the address for a session's work."""
    found = {} if now.dataset is None else {"data": now.dataset.sha256}
    for field, run in now.runs.items():
        name = "run" if field == "job" else field
        if name in _OPENERS and run.id and (isinstance(run, Batch) or run.recorded):
            found[name] = run.id
    return found


def write_address(*, on_compare: bool) -> None:
    """Write the current data and runs into the address, and keep other parameters.

    On the Compare page, its view is in the address, too.
    """
    wanted = address_of(work()) | (_shown_view() if on_compare else {})
    now = st.query_params.to_dict()
    ours = {*_OPENERS, _VIEW}
    others = {name: value for name, value in now.items() if name not in ours}
    if {name: value for name, value in now.items() if name in ours} != wanted:
        st.query_params.from_dict(others | wanted)


def _shown_view() -> dict[str, str]:
    """The parameter for the current view of the Compare page."""
    shown = st.session_state.get(COMPARE_VIEW)
    kinds = [kind for kind, view in _COMPARE_VIEWS.items() if view == shown]
    return {_VIEW: kinds[0]} if kinds else {}
