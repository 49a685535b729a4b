"""The work of a browser session, across pages.

The session state has one frozen record, which pages replace through `update`. Widgets keep their
values with ``persist_state="session"``.
"""

from __future__ import annotations

import dataclasses
import uuid
from dataclasses import dataclass
from typing import Any

import streamlit as st

from odt_core.data import ReadOptions, Schema, SplitSpec, Table
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.training import TrainSpec
from odt_core.worker.messages import Part

_KEY = "odt_work"
_LANE = "odt_lane"


@dataclass(frozen=True, eq=False)
class Dataset:
    """The current table.

    Attributes
    ----------
    table : Table
        The table.
    sha256 : str
        The hash of the uploaded bytes, which are stored.
    read : ReadOptions
        The reading options.
    """

    table: Table
    sha256: str
    read: ReadOptions

    @property
    def name(self) -> str:
        """The file's or sample's name."""
        return self.table.name

    def job(
        self, train: TrainSpec, kind: JobKind = JobKind.TRAIN, part: Part | None = None
    ) -> JobSpec:
        """Return a job on this table."""
        return JobSpec(self.sha256, self.name, self.read, train, kind, part)


@dataclass(frozen=True, eq=False)
class Work:
    """A session's work.

    Attributes
    ----------
    dataset : Dataset or None
        The current table.
    schema : Schema or None
        The use of its columns.
    split : SplitSpec or None
        The split into training and test rows.
    job : Job or None
        The last training run; its result is the current tree.
    frontier : Job or None
        The last frontier.
    curve : Batch or None
        The last curve: one job for each split.
    comparison : Batch or None
        The last comparison: one job for each fold.
    path : Batch or None
        The last path by size: first the job of all training rows, then one for each fold.
    stability : Batch or None
        The last stability study: each job has some of the resamples.
    alternatives : Batch or None
        The last list of near-optimal trees: one job.
    validation : Job or None
        The last validation.
    """

    dataset: Dataset | None = None
    schema: Schema | None = None
    split: SplitSpec | None = None
    job: Job | None = None
    frontier: Job | None = None
    curve: Batch | None = None
    comparison: Batch | None = None
    path: Batch | None = None
    stability: Batch | None = None
    alternatives: Batch | None = None
    validation: Job | None = None


def work() -> Work:
    """The session's work so far."""
    found = st.session_state.get(_KEY)
    return found if isinstance(found, Work) else Work()


def lane() -> str:
    """The session's name in the queue. Sessions take turns."""
    return str(st.session_state.setdefault(_LANE, uuid.uuid4().hex))


def update(**changes: Any) -> Work:
    """Replace parts of the session's work, and return the new work."""
    st.session_state[_KEY] = dataclasses.replace(work(), **changes)
    return work()
