"""What a browser session is working on, kept across pages.

One frozen record in the session state; pages replace it as a whole through `update`. Widgets keep
their own values with ``persist_state="session"``.
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
        As read.
    sha256 : str
        Of the uploaded bytes, which the store keeps.
    read : ReadOptions
        How it was read.
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
        """A piece of work on this table."""
        return JobSpec(self.sha256, self.name, self.read, train, kind, part)


@dataclass(frozen=True, eq=False)
class Work:
    """A session's work.

    Attributes
    ----------
    dataset : Dataset or None
        The current table.
    schema : Schema or None
        How its columns are used.
    split : SplitSpec or None
        Which rows train.
    job : Job or None
        The last training run; its result is the current tree.
    frontier : Job or None
        The last frontier that was asked for.
    curve : Batch or None
        The last curve that was asked for: one job for each split.
    comparison : Batch or None
        The last comparison that was asked for: one job for each fold.
    path : Batch or None
        The last path by size: the job of all training rows first, then one for each fold.
    stability : Batch or None
        The last refits that were asked for: each job has some of the resamples.
    validation : Job or None
        The last validation that was asked for.
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
    validation: Job | None = None


def work() -> Work:
    """The session's work so far."""
    found = st.session_state.get(_KEY)
    return found if isinstance(found, Work) else Work()


def lane() -> str:
    """The session's name in the queue: sessions take turns."""
    return str(st.session_state.setdefault(_LANE, uuid.uuid4().hex))


def update(**changes: Any) -> Work:
    """Replace parts of the session's work and return the new whole."""
    st.session_state[_KEY] = dataclasses.replace(work(), **changes)
    return work()
