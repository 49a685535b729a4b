"""The preview of a training run."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.problem import Problem
from odt_core.render import topology_alt_text
from odt_core.topology import AnyShape, Topology
from odt_core.training import TrainSpec
from odt_core.words import count_words, goal_words, list_words, seconds_words
from pages.common.drawings import load_viewer, shape_uri
from pages.common.markup import plain, shorten
from pages.common.settings import shape_name
from pages.train.shape import shape_words


def draw_preview(rows: Prepared, problem: Problem | None, spec: TrainSpec | None) -> None:
    """Describe the run that Train will start."""
    with st.container(border=True):
        st.header("Nothing is trained yet", anchor=False)
        if problem is None or spec is None:
            st.markdown("One of the settings cannot be used. See the note beside it.")
            return
        words = st.container()
        if isinstance(spec.topology, Topology):
            picture, words = st.columns([1, 3], vertical_alignment="center")
            alt = topology_alt_text(spec.topology)
            picture.image(shape_uri(spec.topology), width="stretch", alt=alt)
        with words:
            for line in _lines(rows, problem, spec):
                st.markdown(line)
    load_viewer()


def _lines(rows: Prepared, problem: Problem, spec: TrainSpec) -> list[str]:
    """Describe the run in sentences; Markdown."""
    train, test = rows.train, rows.test
    positive, target = (plain(shorten(t, 40)) for t in (train.positive_label, train.target))
    tested = (
        f"and tests it on the other **{count_words(test.n_rows, 'row')}**"
        if test is not None
        else "and does not test it, because every row is a training row"
    )
    of = "" if isinstance(spec.topology, AnyShape) else "the shape "
    return [
        f"Train looks for the best tree of {of}**{plain(shape_name(spec.topology))}** "
        f"({shape_words(spec.topology)}) on **{count_words(train.n_rows, 'training row')}** "
        f"{tested}.",
        f"It predicts **{target}**, positive class **{positive}** "
        f"({train.n_positive:,} of the training rows), from "
        f"{count_words(train.n_features, 'column')} with {train.n_columns:,} categories or bins.",
        f"Goal: {plain(goal_words(spec.objective, train.negative_label))}{_floor_rows(problem)}.",
        f"It stops when the tree is proved optimal, or after at most "
        f"{seconds_words(spec.time_limit)}. Press **Train** to start.",
    ]


def _floor_rows(problem: Problem) -> str:
    """Say how many rows the floors require."""
    gains, data = problem.gains, problem.data
    found = []
    if gains.min_tp:
        found.append((gains.min_tp, data.n_positive, data.positive_label))
    if gains.min_tn:
        found.append((gains.min_tn, data.n_negative, data.negative_label))
    if not found:
        return ""
    parts = [f"{least:,} of {of:,} rows of {plain(shorten(name, 30))}" for least, of, name in found]
    return f" (that is {list_words(parts, ' and ')})"
