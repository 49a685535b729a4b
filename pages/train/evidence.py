"""Evidence for a tree's sheets from other runs and studies."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import partial

import streamlit as st

from odt_core.data import Prepared
from odt_core.export import Model
from odt_core.jobs import Batch, Job, JobKind, JobManager
from odt_core.jobs.evidence import (
    KnownRuns,
    find_evidence,
    held_out_groups,
    is_quick_frontier,
)
from odt_core.reports import Evidence, SheetFormat
from odt_core.studies import FrontierView
from pages.common.server import job_manager, store
from pages.common.session import Work, lane, owner, work
from pages.common.tables import table_of_run
from pages.train.groups import GROUPS

QUICK_LIMIT = 10.0
"""Seconds that a sheet waits for a frontier that probably takes about one second."""
_GLANCE = 0.05


def evidence_of(job: Job, model: Model, rows: Prepared) -> Callable[[SheetFormat], Evidence]:
    """Return a function that gathers a sheet's evidence. It may run after the page is drawn."""
    known = KnownRuns(store(), owner(), _at_hand(work()))
    search = partial(_quick_frontier, job, rows, job_manager(), owner(), lane())
    table, column = table_of_run(job), st.session_state.get(GROUPS)
    first = column if isinstance(column, str) and column in table.columns else None

    def gather(sheet: SheetFormat) -> Evidence:
        found = find_evidence(model, known)
        if sheet is SheetFormat.CARD:
            return found
        return dataclasses.replace(
            found,
            frontier=found.frontier or search(),
            groups=held_out_groups(model, table, first) if sheet is SheetFormat.REPORT else (),
        )

    return gather


def _at_hand(now: Work) -> tuple[Batch, ...]:
    """The studies of this session, which may not be stored yet."""
    others = (run for name, run in now.runs.items() if name not in ("job", "earlier"))
    return tuple(
        run if isinstance(run, Batch) else Batch((run,), owner=run.owner) for run in others
    )


def _quick_frontier(
    job: Job, rows: Prepared, manager: JobManager, person: str, in_lane: str
) -> FrontierView | None:
    """Find the frontier of a tree's shape, if the search is expected to be quick and ends in time.

    It is a job, so that the Sensitivity page can use its result.
    """
    if not is_quick_frontier(job.spec.train, rows):
        return None
    asked = dataclasses.replace(job.spec, kind=JobKind.FRONTIER, part=None)
    search = manager.submit(asked, owner=person, lane=in_lane)
    deadline = time.monotonic() + QUICK_LIMIT
    while not search.is_over and time.monotonic() < deadline:
        time.sleep(_GLANCE)
    return None if search.result is None else FrontierView.from_json(search.result)
