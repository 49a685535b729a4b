"""The figure of curves over many splits, in three views."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from odt_core.render import (
    RocPoint,
    SweepSeries,
    sweep_alt_text,
    sweep_figure,
    sweep_roc_figure,
)
from odt_core.studies import CurveRow
from odt_core.studies.figure_points import curve_series
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.settings import SHAPE_NAMES
from pages.common.widgets import start_value
from pages.sensitivity.curve_tree import pick_clicked

if TYPE_CHECKING:
    import plotly.graph_objects as go

SHOWN = "sens_curve_shown"
SENSITIVITY, SPECIFICITY, PLANE = "Sensitivity", "Specificity", "ROC plane"


def choose_view() -> str:
    """Draw the choice of the figure's view."""
    return str(
        st.segmented_control(
            "Figure",
            [SENSITIVITY, SPECIFICITY, PLANE],
            key=start_value(SHOWN, SENSITIVITY),
            persist_state="session",
            required=True,
            label_visibility="collapsed",
        )
    )


def draw_curve_figure(
    rows: Sequence[CurveRow], *, tree: RocPoint | None = None, is_final: bool = False
) -> str:
    """Draw the curves.

    Parameters
    ----------
    rows : sequence of CurveRow
        The curves' table.
    tree : RocPoint, optional
        The rates of the tree beside the curves, which the figure marks.
    is_final : bool
        Whether a click on a point chooses a tree.

    Returns
    -------
    str
        The view.
    """
    shown = choose_view()
    draw_chart(
        curve_figure(rows, shown, tree=tree),
        key=f"sens_curve_figure_{shown}",
        alt=curve_alt_text(rows, shown),
        on_point=partial(pick_clicked, rows) if is_final else None,
    )
    words = (
        "Means over splits. Filled: training; hollow: test. Dotted: answers by chance."
        if shown == PLANE
        else "Lines: means over splits. Bands: 10th to 90th percentile of the test value."
    )
    if is_final:
        words += " Click a point to see its tree."
    if tree is not None:
        words += (
            " Ring: this tree in training. Large diamond: this tree in test, with 95% intervals."
            if shown == PLANE
            else " Large diamond: this tree in test, with its 95% interval."
            if tree.test is not None
            else " This tree has no test rows, so the figure does not show it."
        )
    st.caption(words)
    return shown


def curve_figure(
    rows: Sequence[CurveRow], shown: str, *, tree: RocPoint | None = None, opaque: bool = False
) -> go.Figure:
    """Make the figure of the curves for one of its views."""
    theme = current_theme()
    tprs, tnrs = _series(rows, "tpr"), _series(rows, "tnr")
    if shown == PLANE:
        return sweep_roc_figure(tprs, tnrs, tree=tree, theme=theme, opaque=opaque)
    if shown == SPECIFICITY:
        return sweep_figure(tnrs, "specificity", tree=tree, theme=theme, opaque=opaque)
    return sweep_figure(tprs, "sensitivity", tree=tree, theme=theme, opaque=opaque)


def curve_alt_text(rows: Sequence[CurveRow], shown: str) -> str:
    """Describe a view of the curves in words."""
    said = {
        SENSITIVITY: sweep_alt_text(_series(rows, "tpr"), "sensitivity"),
        SPECIFICITY: sweep_alt_text(_series(rows, "tnr"), "specificity"),
    }
    return said.get(shown) or f"ROC plane of the means over splits. {' '.join(said.values())}"


def _series(rows: Sequence[CurveRow], rate: str) -> list[SweepSeries]:
    return curve_series(rows, rate, SHAPE_NAMES)
