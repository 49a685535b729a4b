"""The table of runs. The store searches, sorts and pages it, not the browser."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import streamlit as st

from odt_core.jobs import JobKind
from odt_core.storage import RunQuery, RunStatus, RunSummary, SortKey
from odt_core.words import capitalized, count_words, printable
from pages.common.markup import plain, shorten
from pages.common.server import show_store_errors, store
from pages.common.session import is_pressed, owner, press, this_page, work
from pages.common.settings import KIND_WORDS, kind_words, shape_of
from pages.common.widgets import start_value
from pages.runs.outcome import has_page
from pages.runs.words import FILTER_WORDS, STATUS_COLOURS, badge_words, goal_of, progress_words

OPEN = "Open"
"""The button of a run that is over."""
PER_PAGE = 25
MOST_SIDE_BY_SIDE = 4
ROW_HEIGHT = 36
"""The height of a row in pixels."""
SORTS = {
    "Newest first": (SortKey.QUEUED, True),
    "Oldest first": (SortKey.QUEUED, False),
    "Name": (SortKey.NAME, False),
    "Data": (SortKey.TABLE, False),
    "Status": (SortKey.STATUS, False),
    "Shape": (SortKey.TOPOLOGY, False),
    "Goal": (SortKey.GOAL, False),
    "Fewest training errors": (SortKey.ERRORS, False),
    "Best test accuracy": (SortKey.TEST_ACCURACY, True),
    "Best test sensitivity": (SortKey.TEST_TPR, True),
    "Best test specificity": (SortKey.TEST_TNR, True),
    "Smallest gap": (SortKey.GAP, False),
    "Longest": (SortKey.SECONDS, True),
}
_CHOSEN = "runs_chosen"
_SEARCH, _KINDS, _SORT = "runs_search", "runs_kinds", "runs_sort"
_STATUSES, _ONLY_HERE = "runs_statuses", "runs_only_here"
_SHOWN = "runs_shown"
_PAGE = "runs_page"
_ASKED = "runs_asked"
_SEEN = "runs_seen"
_CLICK = "runs_click"


def chosen_runs() -> tuple[str, ...]:
    """Ids of the ticked runs."""
    return tuple(st.session_state.get(_CHOSEN, ()))


def choose_runs(run_ids: Sequence[str]) -> None:
    """Tick only these runs."""
    st.session_state[_CHOSEN] = tuple(run_ids)
    st.session_state.pop(_SHOWN, None)


def draw_filters() -> RunQuery:
    """Draw the filters and the order of the list."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search",
            key=_SEARCH,
            persist_state="session",
            placeholder="name, note, file, outcome, shape, goal …",
            max_chars=200,
            width="stretch",
            help="Find runs that contain all these words, in any place.",
        )
        kinds = st.multiselect(
            "What",
            list(KIND_WORDS),
            format_func=lambda kind: KIND_WORDS[kind],
            key=_KINDS,
            persist_state="session",
            placeholder="all",
            width=230,
        )
        order = st.selectbox(
            "Order",
            list(SORTS),
            key=start_value(_SORT, next(iter(SORTS))),
            persist_state="session",
            width=220,
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        statuses = st.pills(
            "Status",
            list(FILTER_WORDS),
            format_func=lambda status: FILTER_WORDS[status],
            selection_mode="multi",
            wrap=True,
            key=_STATUSES,
            persist_state="session",
            label_visibility="collapsed",
        )
        here = work().dataset
        only = here is not None and st.checkbox(
            "Only the current data set",
            key=_ONLY_HERE,
            persist_state="session",
            help=plain(shorten(here.name, 60)),
        )
    sort, descending = SORTS.get(str(order), (SortKey.QUEUED, True))
    return RunQuery(
        search=search or "",
        statuses=tuple(RunStatus(status) for status in statuses),
        kinds=tuple(JobKind(kind).value for kind in kinds),
        dataset=here.sha256 if only and here is not None else None,
        sort=sort,
        descending=descending,
        limit=PER_PAGE,
        offset=_offset((search, tuple(kinds), order, tuple(statuses), only)),
    )


def _offset(asked: tuple[Any, ...]) -> int:
    """Index of the page's first run. New filters begin at the first page."""
    if st.session_state.get(_ASKED) != asked:
        st.session_state[_ASKED] = asked
        _turn_to(1)
    return PER_PAGE * (_page() - 1)


def _page() -> int:
    """The number of the page, from 1."""
    key, first = st.session_state[_PAGE]
    return int(st.session_state.get(key, first))


def _turn_to(page: int) -> None:
    # Streamlit does not let a script set the value of a widget with a default. So each page of the
    # list has a new widget.
    st.session_state[_PAGE] = (f"{_PAGE}_{uuid.uuid4().hex}", page)


def draw_pages(total: int) -> None:
    """Draw the number of runs, and the choice of a page."""
    pages = max(-(-total // PER_PAGE), 1)
    if _page() > pages:  # the last page was deleted
        _turn_to(pages)
        st.rerun()
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.caption(count_words(total, "run"))
        if pages > 1:
            key, first = st.session_state[_PAGE]
            st.pagination(pages, default=first, key=key)


@show_store_errors()
def draw_table(query: RunQuery) -> None:
    """Draw a page of runs. The rest of the page draws the ticked runs.

    When it runs alone as a fragment, it draws the page again if ticks or statuses change.
    """
    if is_pressed(OPEN):
        st.rerun()
    runs = store().runs.list(owner(), query).runs
    if not runs:
        st.info("No run matches. Remove a word or a filter to see more.")
        return
    ids = [run.id for run in runs]
    _carry_ticks(ids)
    event: Any = st.dataframe(
        _frame(runs),
        key=_key(ids),
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height="content",
        row_height=ROW_HEIGHT,
        placeholder="–",
        column_config={
            **_COLUMNS,
            "open": st.column_config.ButtonColumn(
                OPEN,
                width=62,
                type="tertiary",
                key=_CLICK,
                on_click=_press_open,
                args=(this_page(), ids),
            ),
        },
        lazy=False,
        alt="One row for each run, with status, data, settings and key metrics",
    )
    ticked = [ids[row] for row in event["selection"]["rows"] if row < len(ids)]
    _take_ticks(ids, ticked)
    _follow_changes(runs)


def _press_open(page: str, ids: Sequence[str]) -> None:
    """Store which of the runs that the browser shows was clicked."""
    press(OPEN, page, ids[st.session_state[_CLICK]["row"]])


def _key(ids: Sequence[str]) -> str:
    # Ticks are positions, so a list of other runs needs another key.
    return f"runs_table_{abs(hash(tuple(ids)))}"


def _carry_ticks(ids: Sequence[str]) -> None:
    """If the list changed, tick the same runs at their new positions."""
    key = _key(ids)
    if st.session_state.get(_SHOWN) == key and key in st.session_state:
        return
    st.session_state[_SHOWN] = key
    rows = [ids.index(run_id) for run_id in chosen_runs() if run_id in ids]
    st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def _take_ticks(ids: Sequence[str], ticked: Sequence[str]) -> None:
    """Store the ticks of this page of the list, and keep the ticks of other pages."""
    before = chosen_runs()
    kept = [run_id for run_id in before if run_id not in ids or run_id in ticked]
    now = (*kept, *(run_id for run_id in ticked if run_id not in kept))
    if now != before:
        st.session_state[_CHOSEN] = now
        st.rerun()


def _follow_changes(runs: Sequence[RunSummary]) -> None:
    """Draw the page again if a run began or ended, or a ticked run has a better tree."""
    chosen = chosen_runs()
    now = {run.id: (run.status, run.id in chosen and run.improved_at) for run in runs}
    before = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = now
    if before is not None and before != now:
        st.rerun()


def _share(label: str, help: str | None = None, *, width: int = 78) -> Any:
    return st.column_config.NumberColumn(label, help=help, format="%.1f%%", width=width)


_COLUMNS = {
    "name": st.column_config.TextColumn("Run", width=150),
    "open": None,  # the button, which needs the ids of the runs
    "status": st.column_config.MultiselectColumn(
        "Status",
        options=list(STATUS_COLOURS),
        color=list(STATUS_COLOURS.values()),
        width=126,
    ),
    "data": st.column_config.TextColumn("Data", width=116),
    "shape": st.column_config.TextColumn("Shape", width=116),
    "goal": st.column_config.TextColumn("Goal", width=108),
    "errors": st.column_config.NumberColumn(
        "Training wrong", width=104, help="The number of training rows with a wrong answer"
    ),
    "test_tpr": _share("Test TPR", "Sensitivity"),
    "test_tnr": _share("Test TNR", "Specificity"),
    "test_accuracy": _share("Test accuracy", width=92),
    "took": st.column_config.TextColumn(
        "Time", width=84, help="The time so far, or the total time"
    ),
    "queued": st.column_config.DatetimeColumn("Queued", width=136, format="D MMM YYYY, HH:mm"),
    "note": st.column_config.TextColumn("Note", width=200),
    "kind": st.column_config.TextColumn("What", width=80),
    "outcome": st.column_config.TextColumn("Outcome", width=150),
    "cap": st.column_config.NumberColumn(
        "Largest set", width=92, help="The most categories on one side of a question (max.card)"
    ),
    "train_tpr": _share("Training TPR", "Sensitivity", width=92),
    "train_tnr": _share("Training TNR", "Specificity", width=92),
    "seed": st.column_config.NumberColumn("Seed", width=60),
}
"""The table's columns, the most important first. At 1440 pixels all but the note fit."""


def _frame(runs: Sequence[RunSummary]) -> pd.DataFrame:
    now = datetime.now(UTC)
    return pd.DataFrame([_row(run, now) for run in runs], columns=list(_COLUMNS)).astype(
        {"cap": "Int64", "errors": "Int64"}
    )


def _row(run: RunSummary, now: datetime) -> dict[str, Any]:
    headline, metrics = run.headline, run.metrics
    outcome = f"{headline.target} = {headline.positive}" if headline.target else ""
    return {
        "name": printable(run.name or kind_words(run.kind)),
        "open": _open_words(run),
        "status": [badge_words(run)],
        "took": progress_words(run, now),
        "data": printable(run.table_name),
        "outcome": printable(shorten(outcome, 60)),
        "kind": kind_words(run.kind),
        "shape": capitalized(shape_of(run)),
        "cap": headline.max_card,
        "goal": goal_of(run),
        "errors": metrics.errors,
        "train_tpr": _percent(metrics.train_tpr),
        "train_tnr": _percent(metrics.train_tnr),
        "test_tpr": _percent(metrics.test_tpr),
        "test_tnr": _percent(metrics.test_tnr),
        "test_accuracy": _percent(metrics.test_accuracy),
        "queued": run.queued_at,
        "note": printable(shorten(run.note, 200)),
        "seed": headline.seed,
    }


def _open_words(run: RunSummary) -> str:
    """Label of the run's button; empty if no page can show its result or progress."""
    if not has_page(run) or run.status is RunStatus.FAILED:
        return ""
    return OPEN if run.is_over else "Watch"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
