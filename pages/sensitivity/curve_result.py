"""The result of curves over many splits: a tree beside the curves, tables below."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from odt_core.jobs import Batch
from odt_core.studies import CurveRow, CurveRun, Spread, curve_csv, curve_table
from odt_core.training import conditions_of
from odt_core.words import count_words, number_words, percent_words, seconds_words
from pages.common.controls import draw_figure_downloads, draw_file
from pages.common.markup import file_stem, html_text, plain, plain_table, value_html
from pages.common.settings import SHAPE_NAMES
from pages.common.studies import draw_study_failure
from pages.common.tables import ReadyData
from pages.sensitivity.curve_figure import (
    curve_chart,
    draw_curve_figure,
)
from pages.sensitivity.curve_tree import draw_curve_tree, draw_pick


def rows_of_curves(batch: Batch) -> tuple[CurveRow, ...]:
    """The table of the finished splits."""
    return curve_table(CurveRun.of_results(batch.results))


def tree_and_figure() -> list[DeltaGenerator]:
    """The columns of the tree and of the curves.

    During the study the figure has the same place. Streamlit removes an element at once only if
    another element takes its place. Otherwise the page would show the old and the new figure
    together for a moment.
    """
    return st.columns([6, 5], gap="medium")


@st.fragment
def draw_curve_result(data: ReadyData, batch: Batch) -> None:
    """Draw a tree and the curves side by side, and the tables below.

    Parameters
    ----------
    data : ReadyData
        The current data set, with the split that the tree is trained on.
    batch : Batch
        The study, which is over.
    """
    rows = rows_of_curves(batch)
    with st.container():
        draw_study_failure(batch, nothing="" if rows else "It was stopped before the first split.")
        if rows:
            st.caption(plain(_made_words(batch, rows)))
    if not rows:
        return
    left, right = tree_and_figure()
    with left:
        tree = draw_curve_tree(data, batch, draw_pick(rows))
    with right:
        shown = draw_curve_figure(rows, tree=tree, is_final=True)
        stem = file_stem(batch.jobs[0].spec.table_name, "curves")
        with st.popover("Download", width="content"):
            draw_file("Table (CSV)", lambda: curve_csv(rows), f"{stem}.csv", "text/csv")
            draw_figure_downloads(
                lambda: curve_chart(rows, shown, tree=tree),
                f"{stem}-{shown.lower().replace(' ', '-')}",
            )
    _draw_tables(rows)


def _made_words(batch: Batch, rows: Sequence[CurveRow]) -> str:
    """Say which splits and floors the curves have, and what is not proved; plain text."""
    n_done = len(batch.results)
    words = f"{count_words(n_done, 'split')} in {seconds_words(batch.seconds)}"
    if n_done < len(batch.jobs):
        words += f", of {len(batch.jobs)}"
    unproved = sum(row.n - row.proved for row in rows)
    words += f", floors on training {rows[0].sweep.word}"
    spec = batch.jobs[0].spec
    conditions = ", ".join(conditions_of(spec.train))
    words += f", {conditions}." if conditions else "."
    if unproved:
        words += (
            f" {count_words(unproved, 'tree is', 'trees are')} not proved best at the floor: give "
            f"more than {seconds_words(spec.train.time_limit)}, the time limit of the frontier."
        )
    return f"{spec.table_name}: {words}"


def _draw_tables(rows: Sequence[CurveRow]) -> None:
    """Draw the paper's table for each shape: means and standard deviations."""
    st.header("Over all splits", anchor=False)
    shapes = list(dict.fromkeys(row.topology for row in rows))
    columns = st.columns(min(len(shapes), 2), gap="large")
    for place, shape in enumerate(shapes):
        name = SHAPE_NAMES.get(shape, shape)
        columns[place % len(columns)].html(
            plain_table(
                f"{name}: means over splits with standard deviations",
                [
                    f'<b style="white-space:nowrap">{html_text(name)}</b><br>floor',
                    "Training TPR",
                    "Training TNR",
                    "Test TPR",
                    "Test TNR",
                    "Test below floor",
                ],
                [_cells(row) for row in rows if row.topology == shape],
            )
        )
    st.caption(
        "The tables have means over splits, each with its standard deviation in percentage "
        "points. The CSV file has the variances, as in the paper."
    )


def _cells(row: CurveRow) -> list[str]:
    spreads = (row.train_tpr, row.train_tnr, row.test_tpr, row.test_tnr)
    return [
        f"{number_words(100 * row.level)}%",
        *(_spread(spread) for spread in spreads),
        value_html(f"{row.below}", f"of {row.n}"),
    ]


def _spread(spread: Spread) -> str:
    deviation = "" if spread.variance is None else f"± {100 * spread.variance**0.5:.1f}"
    return value_html(percent_words(spread.mean), deviation)
