"""The frontier of a job, read once, and a point with its floor."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import streamlit as st

from odt_core.jobs import Job
from odt_core.studies import FrontierView, Sweep
from pages.common.tables import table_cache


@dataclass(frozen=True)
class KeptPoint:
    """A point of a frontier with a floor that it keeps in training.

    Attributes
    ----------
    index : int
        Index of the point.
    floor : Fraction
        The floor, in [0, 1].
    sweep : Sweep
        The rate that has the floor.
    """

    index: int
    floor: Fraction
    sweep: Sweep


def frontier_view(job: Job) -> FrontierView | None:
    """Read the frontier of a job; None if the job has no result."""
    return None if job.result is None else _frontier_view(job.id, job)


@table_cache
@st.cache_resource(show_spinner=False, max_entries=6)
def _frontier_view(key: str, _job: Job) -> FrontierView:
    assert _job.result is not None
    return FrontierView.from_json(_job.result)
