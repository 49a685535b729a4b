"""The figures of a comparison: candidates with intervals, and rates against questions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from odt_core.figures import Chart, comparison_chart, questions_chart
from odt_core.studies import Comparison
from odt_core.studies.comparison_words import measure_words
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.widgets import start_value

CHOSEN = "compare_chosen"
"""Key of the chosen candidate's name."""
_SHOWN = "compare_figure_shown"
INTERVALS, QUESTIONS = "With intervals", "Against questions"


def draw_comparison_figure(found: Comparison, key: str, *, is_final: bool = False) -> str:
    """Draw one of a comparison's figures, with the switch between them.

    Parameters
    ----------
    found : Comparison
        The comparison so far.
    key : str
        The chart's key.
    is_final : bool
        Whether a click on a point chooses a candidate.

    Returns
    -------
    str
        The figure's name.
    """
    shown = str(
        st.segmented_control(
            "Figure",
            [INTERVALS, QUESTIONS],
            key=start_value(_SHOWN, INTERVALS),
            persist_state="session",
            required=True,
            label_visibility="collapsed",
        )
    )
    draw_chart(
        make_chart(found, shown),
        key=f"{key}_{shown}",
        on_point=partial(_choose_clicked, found) if is_final else None,
    )
    words = (
        f"A point is the mean {measure_words(found)} on the test rows of the folds, with its 95% "
        "interval."
    )
    if shown == INTERVALS:
        words += " A vertical mark is the mean in training."
    st.caption(f"{words} Click a point to choose it." if is_final else words)
    return shown


def make_chart(found: Comparison, shown: str) -> Chart:
    """Make one of a comparison's charts in the page's colours."""
    make = comparison_chart if shown == INTERVALS else questions_chart
    return make(found, theme=current_theme())


def _choose_clicked(found: Comparison, place: object) -> None:
    """Choose the tree of the point that was clicked."""
    rows = found.scored
    if isinstance(place, int) and not rows[place].is_baseline:
        st.session_state[CHOSEN] = rows[place].words
