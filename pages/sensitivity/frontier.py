"""A frontier: its job, found or begun; its points, read once; and a point with its floor."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import streamlit as st

from odt_core.errors import InputError
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.jobs.evidence import KnownRuns
from odt_core.problem import Objective
from odt_core.studies import FrontierView, OperatingPoint, Sweep, floor_objective
from odt_core.training import TrainSpec
from pages.common.server import job_manager, store
from pages.common.session import lane, owner, work
from pages.common.tables import ReadyData, table_cache

_KNOWN = "sens_known"
"""Session key of the frontiers' jobs, by their specifications."""
log = logging.getLogger("pages.sensitivity.frontier")


@dataclass(frozen=True, eq=False)
class KeptPoint:
    """A point of a frontier with a floor that it keeps in training.

    Attributes
    ----------
    view : FrontierView
        The frontier.
    index : int
        Index of the point.
    floor : Fraction
        The floor, in [0, 1].
    sweep : Sweep
        The rate that has the floor.
    """

    view: FrontierView
    index: int
    floor: Fraction
    sweep: Sweep

    @property
    def point(self) -> OperatingPoint:
        """The point."""
        return self.view.points[self.index]

    @property
    def objective(self) -> Objective:
        """The objective of the floor."""
        return floor_objective(self.floor, self.sweep)

    @property
    def is_best(self) -> bool:
        """Whether the point is proved the best of the shape's trees at the floor."""
        return self.view.is_best_at(self.index, self.floor, self.sweep)


def frontier_job(data: ReadyData, spec: TrainSpec) -> JobSpec:
    """Return the job that searches the frontier of a specification."""
    return data.dataset.job(spec, JobKind.FRONTIER)


def known_or_new(data: ReadyData, spec: TrainSpec) -> Job:
    """Return the frontier's job from this session or the store, or begin a new search.

    If the script is interrupted, nothing is lost or done twice.
    """
    asked = frontier_job(data, spec)
    known: dict[str, Job] = st.session_state.setdefault(_KNOWN, {})
    name = _text(asked.to_json())
    mine, own_lane, current = owner(), lane(), work().frontier
    if current is not None and _text(current.spec.to_json()) == name:
        return current
    if name not in known:  # a failed job is known, too: its error is shown and it does not restart
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
    except InputError:  # deleted meanwhile, or not readable: search again
        log.info("the stored frontier cannot be read", exc_info=True)
        return None


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True)


def frontier_view(job: Job) -> FrontierView | None:
    """Read the frontier of a job; None if the job has no result."""
    return None if job.result is None else _read(job)


@table_cache
def _read(job: Job) -> FrontierView:
    assert job.result is not None
    return FrontierView.from_json(job.result)
