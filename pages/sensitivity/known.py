"""Frontiers that were found before, so that the same one is not searched for again."""

from __future__ import annotations

import json
import logging
from typing import Any

import streamlit as st

from odt_core.errors import InputError
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.jobs.evidence import KnownRuns
from odt_core.training import TrainSpec
from pages.common.people import owner
from pages.common.server import job_manager, store
from pages.common.state import lane, work
from pages.common.tables import ReadyData

_ASKED = "sens_known"
log = logging.getLogger("pages.sensitivity.known")


def frontier_job(data: ReadyData, spec: TrainSpec) -> JobSpec:
    """The search for the frontier of a specification."""
    return data.dataset.job(spec, JobKind.FRONTIER)


def known_or_new(data: ReadyData, spec: TrainSpec) -> Job:
    """The frontier of a specification: this session's, one that is stored, or else a new search.

    Nothing here is lost or done twice if the script ends on the way.
    """
    asked = frontier_job(data, spec)
    known: dict[str, Job] = st.session_state.setdefault(_ASKED, {})
    name = _text(asked.to_json())
    mine, own_lane, current = owner(), lane(), work().frontier
    if current is not None and _text(current.spec.to_json()) == name:
        return current
    if name not in known:  # also one that failed: what it says is shown, and it is not begun anew
        found = _stored(mine, asked)
        known[name] = found or job_manager().submit(asked, owner=mine, lane=own_lane)
    return known[name]


def _stored(mine: str, asked: JobSpec) -> Job | None:
    """A finished frontier of the same specification."""
    shape = (asked.train.topology.name, asked.train.max_card)
    found = KnownRuns(store(), mine).of_kind(
        JobKind.FRONTIER,
        lambda headline: (headline.topology, headline.max_card) == shape,
        lambda other: other == asked,
        asked.dataset,
    )
    try:
        batch = next(found, None)
        return None if batch is None or batch.id is None else job_manager().find(mine, batch.id)
    except InputError:  # deleted meanwhile, or out of reach: search anew
        log.info("the stored frontier cannot be read", exc_info=True)
        return None


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True)
