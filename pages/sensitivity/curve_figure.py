"""The figure of curves over many splits, in three views."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from odt_core.figures import Chart, sweep_chart, sweep_plane_chart
from odt_core.figures.roc import Counts
from odt_core.studies import CurveRow, Sweep
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.settings import SHAPE_NAMES
from pages.common.widgets import start_value
from pages.sensitivity.curve_tree import pick_clicked

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
    rows: Sequence[CurveRow], *, tree: Counts | None = None, is_final: bool = False
) -> str:
    """Draw the curves.

    Parameters
    ----------
    rows : sequence of CurveRow
        The curves' table.
    tree : (Confusion, Confusion or None), optional
        The counts of the tree beside the curves, which the figure marks.
    is_final : bool
        Whether a click on a point chooses a tree.

    Returns
    -------
    str
        The view.
    """
    shown = choose_view()
    draw_chart(
        curve_chart(rows, shown, tree=tree),
        key=f"sens_curve_figure_{shown}",
        on_point=partial(pick_clicked, rows) if is_final else None,
    )
    words = (
        "A point is a mean over splits, filled in training and hollow in test. The dotted line is "
        "for answers by chance."
        if shown == PLANE
        else "Lines are means over splits. Bands reach from the 10th to the 90th percentile of the "
        "test value."
    )
    if is_final:
        words += " Click a point to see its tree."
    if tree is not None:
        words += (
            " The ring is this tree in training. The large diamond is this tree in test, with 95% "
            "intervals."
            if shown == PLANE
            else " The large diamond is this tree in test, with its 95% interval."
            if tree[1] is not None
            else " This tree has no test rows, so the figure does not show it."
        )
    st.caption(words)
    return shown


def curve_chart(rows: Sequence[CurveRow], shown: str, *, tree: Counts | None = None) -> Chart:
    """Make the chart of the curves for one of its views."""
    theme = current_theme()
    if shown == PLANE:
        return sweep_plane_chart(rows, titles=SHAPE_NAMES, tree=tree, theme=theme)
    rate = Sweep.TNR if shown == SPECIFICITY else Sweep.TPR
    return sweep_chart(rows, rate, titles=SHAPE_NAMES, tree=tree, theme=theme)
