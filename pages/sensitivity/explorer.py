"""The frontier's explorer: tree and curves side by side under one slider."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import DecisionCurve, decision_curve
from odt_core.figures import Chart, benefit_chart, roc_chart
from odt_core.jobs import Job
from odt_core.problem import EncodedData
from odt_core.studies import FrontierView, frontier_csv
from pages.common.controls import draw_figure_downloads, draw_file, draw_formula_switch, result_json
from pages.common.drawings import draw_chart, draw_tree
from pages.common.layout import current_theme, draw_part
from pages.common.markup import file_stem
from pages.common.tables import rows_of
from pages.common.widgets import start_value
from pages.sensitivity.adoption import draw_adopt
from pages.sensitivity.chosen_point import ChosenPoint, draw_point_choice
from pages.sensitivity.comparison import draw_comparison, draw_pin
from pages.sensitivity.point import (
    assumed_words,
    draw_floor,
    draw_point,
    threshold_of,
)

_SHOWN = "sens_figure"
ROC, BENEFIT = "ROC plane", "Decision curve"
THRESHOLDS = tuple(step / 100 for step in range(1, 100))


@st.fragment
def explore(job: Job, view: FrontierView) -> None:
    """Draw everything that depends on the slider. Nothing here needs a solver.

    Parameters
    ----------
    job : Job
        The finished search.
    view : FrontierView
        The frontier.
    """
    rows = rows_of(job)
    chosen = ChosenPoint(job, view)
    draw_part(draw_point_choice, chosen, rows.train.positive_label)
    draw_part(draw_floor, chosen)
    left, right = st.columns([6, 5], gap="medium")
    between = st.container()
    draw_point(chosen, rows.test)  # before the drawings, which are slowest in the browser
    with left:
        draw_tree(chosen.point.tree, rows.test, key="sens_tree")
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_adopt(job, chosen.kept)
            draw_pin(chosen)
            _draw_downloads(job, chosen)
    with right:
        _draw_figures(chosen, rows)
    if chosen.compared is not None:
        with between:
            draw_comparison(chosen, rows.test)


def _draw_figures(chosen: ChosenPoint, rows: Prepared) -> None:
    shown = st.segmented_control(
        "Figure",
        [ROC, BENEFIT],
        key=start_value(_SHOWN, ROC),
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    if shown == BENEFIT:
        _draw_benefit(chosen, rows)
    else:
        _draw_roc(chosen)


def _draw_roc(chosen: ChosenPoint) -> None:
    draw_chart(_roc_maker(chosen)(), key="sens_roc", on_point=chosen.on_point)
    words = (
        "Click a point to see its tree. The ring is the chosen tree in training. The large diamond "
        "is the chosen tree in test, with 95% intervals."
    )
    if chosen.compared is not None:
        color = "black" if current_theme().name == "light" else "white"
        words += f" The tree that you put aside is {color}."
    st.caption(words)


def _roc_maker(chosen: ChosenPoint) -> Callable[[], Chart]:
    """Read the choice now, and make the chart on demand: files are made outside the session."""
    view, index, compared = chosen.view, chosen.index, chosen.compared
    floor, sweep = chosen.floor, chosen.sweep
    return lambda: roc_chart(
        view,
        chosen=index,
        compared=compared,
        floor=floor,
        sweep=sweep,
        theme=current_theme(),
    )


def _draw_benefit(chosen: ChosenPoint, rows: Prepared) -> None:
    data, which = (rows.train, "training") if rows.test is None else (rows.test, "test")
    curves = [("this tree", _curve(chosen, chosen.index, data))]
    if chosen.compared is not None:
        curves.append(("compared tree", _curve(chosen, chosen.compared, data)))
    draw_chart(
        benefit_chart(
            curves,
            threshold=None if chosen.ratio is None else threshold_of(chosen.ratio),
            theme=current_theme(),
        ),
        key="sens_benefit",
    )
    words = f"The curves are for the {which} rows. Leaves are ranked by their training risk."
    if chosen.ratio is not None:
        of = "for your costs" if chosen.asked_ratio else f"of {assumed_words(chosen)}"
        words += f" The vertical line is the threshold {of}."
    st.caption(words)


def _curve(chosen: ChosenPoint, index: int, data: EncodedData) -> DecisionCurve:
    tree = chosen.view.points[index].tree
    return decision_curve(tree, tree.leaf_counts(data), THRESHOLDS)


def _draw_downloads(job: Job, chosen: ChosenPoint) -> None:
    """Draw the button that opens the list of the frontier's files."""
    stem = f"{file_stem(job.spec.table_name, job.spec.train.topology.name)}-frontier"
    with st.popover("Download", width="content"):
        keep = draw_formula_switch("sens_keep_formulas")
        draw_file(
            "Points (CSV)",
            lambda: frontier_csv(chosen.view.points, keep_formulas=keep),
            f"{stem}.csv",
            "text/csv",
        )
        draw_file(
            "Points and trees (JSON)", lambda: result_json(job), f"{stem}.json", "application/json"
        )
        draw_figure_downloads(_roc_maker(chosen), stem)
