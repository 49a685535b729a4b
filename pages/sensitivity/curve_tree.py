"""The tree beside the curves: the best tree for a floor on the current split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import streamlit as st

from odt_core.evaluation import metrics
from odt_core.figures.roc import Counts
from odt_core.jobs import Batch, Job
from odt_core.studies import CurveRow, Sweep
from odt_core.topology import Topology
from odt_core.words import list_words, number_words
from pages.common.current_run import changes_since, wait_for
from pages.common.drawings import draw_tree
from pages.common.markup import plain
from pages.common.results import draw_verdict
from pages.common.settings import SHAPE_NAMES
from pages.common.tables import ReadyData, rows_of
from pages.sensitivity.adoption import draw_adopt
from pages.sensitivity.chosen_point import DEFAULT_FLOOR
from pages.sensitivity.frontier import KeptPoint, frontier_view, known_or_new
from pages.sensitivity.frontier_search import watch_frontier
from pages.sensitivity.point import unproved_words

_SHAPE, _FLOOR = "sens_curve_shape", "sens_curve_floor"


@dataclass(frozen=True)
class Picked:
    """A point of the curves.

    Attributes
    ----------
    shape : str
        The shape's name.
    level : Fraction
        The floor, in [0, 1].
    sweep : Sweep
        The rate that has the floor.
    """

    shape: str
    level: Fraction
    sweep: Sweep


def draw_pick(rows: Sequence[CurveRow]) -> Picked:
    """Draw the choice of a shape and a floor. A click on a point also sets it."""
    shapes = list(dict.fromkeys(row.topology for row in rows))
    levels = sorted({row.level for row in rows})
    if st.session_state.get(_SHAPE) not in shapes:
        st.session_state[_SHAPE] = shapes[0]
    if st.session_state.get(_FLOOR) not in levels:
        above = [level for level in levels if level >= DEFAULT_FLOOR]
        st.session_state[_FLOOR] = above[0] if above else levels[-1]
    sweep = rows[0].sweep
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shape = st.selectbox(
            "Shape of the tree",
            shapes,
            format_func=lambda name: SHAPE_NAMES.get(name, name),
            key=_SHAPE,
            persist_state="session",
            width=170,
        )
        level = st.selectbox(
            f"Floor on {sweep.word}",
            levels,
            format_func=lambda level: f"{number_words(100 * level)}%",
            key=_FLOOR,
            persist_state="session",
            width=150,
            help="A click on a point of the figure also chooses shape and floor.",
        )
    return Picked(str(shape), Fraction(level), sweep)


def pick_clicked(rows: Sequence[CurveRow], place: object) -> None:
    """Choose the shape and the floor of the point that was clicked in a figure of the curves."""
    shapes = list(dict.fromkeys(row.topology for row in rows))
    if isinstance(place, list) and len(place) == 2:
        shape = shapes[int(place[0])]
        levels = [row.level for row in rows if row.topology == shape]
        st.session_state[_SHAPE] = shape
        st.session_state[_FLOOR] = levels[int(place[1])]


def draw_curve_tree(data: ReadyData, batch: Batch, picked: Picked) -> Counts | None:
    """Draw the best tree of a shape under a floor, trained on the current split.

    Returns
    -------
    (Confusion, Confusion or None) or None
        The tree's counts in training and test; None until there is a tree.
    """
    first = batch.jobs[0]
    changed = [name for name in changes_since(first, data, None) if name != "the split"]
    if changed:
        st.info(
            f"These curves were made before you changed {list_words(changed, ' and ')}. Run them "
            "again to see their trees here."
        )
        return None
    shape = Topology.parse(picked.shape)
    spec = replace(first.spec.train, schema=data.schema, split=data.split, topology=shape)
    job = known_or_new(data, spec)
    wait_for(job)
    if not job.is_over:
        watch_frontier(job)
        return None
    view = frontier_view(job)
    if view is None or not view.points:
        st.error(plain(job.message or "No tree was found in time."))
        return None
    index = view.at_level(picked.level, picked.sweep)
    if index is None:
        st.info("No tree of this shape keeps this floor on the current training rows.")
        return None
    kept = KeptPoint(view, index, picked.level, picked.sweep)
    _draw_found(job, kept)
    return kept.point.train, kept.point.test


def _draw_found(job: Job, kept: KeptPoint) -> None:
    point = kept.point
    draw_tree(point.tree, rows_of(job).test, key="sens_curve_tree")
    test = None if point.test is None else metrics(point.test)
    draw_verdict(kept.objective, metrics(point.train), test)
    if not kept.is_best:
        st.caption(plain(unproved_words(kept)))
    draw_adopt(job, kept)
