"""The choice of a tree to apply: the current tree or another run's tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from odt_core.data import ColumnEncoder, Encoder
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.jobs import Job, JobKind
from odt_core.problem import EncodedData
from odt_core.storage import NotFoundError, RunQuery, RunStatus, RunSummary
from odt_core.tree import Tree
from pages.common.markup import shorten
from pages.common.server import job_manager, store
from pages.common.session import Place, owner, work
from pages.common.settings import run_name
from pages.common.tables import rows_of, send_to

TREE = "predict_tree"
_SEEN = "predict_current_seen"
"""Session key of the run that was current when the page was last drawn."""
MOST_RUNS = 100
"""The most runs in the choice."""


@dataclass(frozen=True, eq=False)
class FrozenTree:
    """A tree that is applied and never refitted.

    Attributes
    ----------
    job : Job
        The tree's run.
    model : Model
        The tree with the conversion of cells to codes.
    """

    job: Job
    model: Model

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.model.tree

    @cached_property
    def columns(self) -> tuple[ColumnEncoder, ...]:
        """The codes of each feature, and how its cells are read."""
        return Encoder.from_json(self.model.encoder).columns

    @cached_property
    def ranges(self) -> dict[int, tuple[float, float]]:
        """The range of the training numbers of each numerical feature, if known."""
        return {
            g: column.training_range
            for g, column in enumerate(self.columns)
            if column.training_range is not None
        }

    @cached_property
    def test(self) -> EncodedData | None:
        """The test rows of its run; None without test rows, or if its data set is not stored."""
        try:
            return rows_of(self.job).test
        except InputError:
            return None


def choose_tree() -> FrozenTree:
    """Draw the choice of a run. If no run has a tree, end the page with a link."""
    current = work().job
    runs = {run.id: run for run in _runs_with_trees()}
    options = list(runs)
    if current is not None and current.as_shown().model is not None:
        options = [current.id, *(run_id for run_id in options if run_id != current.id)]
    if not options:
        send_to(
            Place.TRAIN,
            "This page applies a tree to new cases. There is no tree yet: train a tree first.",
            "Train a tree",
        )
    _follow_current(current, options)
    chosen = st.selectbox(
        "Tree",
        options,
        key=TREE,
        persist_state="session",
        format_func=lambda run_id: _name(run_id, runs, current),
        width=420,
        help="The tree does not change: it is not trained again.",
    )
    job = _job(str(chosen), current)
    if job.model is None:
        st.error("This run has no tree. Run it again, or choose another run.")
        st.stop()
    return FrozenTree(job, Model.from_json(job.model))


def _follow_current(current: Job | None, options: list[str]) -> None:
    """Choose the current tree, unless the user chose another tree since it became current."""
    seen = st.session_state.get(_SEEN)
    now = None if current is None else current.id
    if now != seen and now in options:
        st.session_state[TREE] = now
    elif st.session_state.get(TREE) not in options:
        st.session_state[TREE] = options[0]
    st.session_state[_SEEN] = now


def _runs_with_trees() -> tuple[RunSummary, ...]:
    query = RunQuery(
        kinds=(JobKind.TRAIN.value, JobKind.ADOPT.value),
        statuses=(RunStatus.DONE,),
        limit=MOST_RUNS,
    )
    runs = store().runs.list(owner(), query).runs
    return tuple(run for run in runs if run.metrics.errors is not None)


def _name(run_id: str, runs: dict[str, RunSummary], current: Job | None) -> str:
    is_current = current is not None and run_id == current.id
    run = runs.get(run_id)
    if run is None:  # not stored yet
        assert current is not None
        words = current.spec.train.topology.name
        table = current.spec.table_name
    else:
        words, table = run_name(run), run.table_name
    name = f"{shorten(words, 40)} · {shorten(table, 30)}"
    return f"{name} (current)" if is_current else name


def _job(run_id: str, current: Job | None) -> Job:
    if current is not None and current.id == run_id:
        return current.as_shown()
    try:
        return job_manager().find(owner(), run_id)
    except NotFoundError:  # deleted in another window
        del st.session_state[TREE]
        st.rerun()
