"""Compare: which shape, cap and cut points do best on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from odt_core.data import Prepared
from odt_core.errors import InputError
from pages.common.charts import hide_old_charts
from pages.common.needs import ReadyData, need_answers, need_data, send_to
from pages.common.opening import CANDIDATES, COMPARE_VIEW, PATH, STABILITY
from pages.common.places import Place
from pages.common.prepared import prepared_rows
from pages.common.text import plain
from pages.common.theme import follow_theme
from pages.explore.compare_parts.candidates import draw_candidates
from pages.explore.compare_parts.path import draw_path
from pages.explore.compare_parts.stability import draw_stability

# What the page can show; each view draws its own controls. (Streamlit would show a docstring.)
VIEWS: dict[str, Callable[[ReadyData, Prepared], None]] = {
    CANDIDATES: draw_candidates,
    PATH: draw_path,
    STABILITY: draw_stability,
}


def draw_page(data: ReadyData) -> None:
    """Draw one of the views below the page's title."""
    try:
        rows = prepared_rows(data.dataset.table, data.schema, data.split)
    except InputError as error:
        send_to(Place.DATA, f"The data cannot be used yet: {plain(str(error))}", "Mend the data")
    need_answers(data, rows)
    with st.container(horizontal=True, vertical_alignment="center", gap="large"):
        st.title("Compare", anchor=False, width="content")
        view = _choose_view()
    VIEWS[view](data, rows)
    hide_old_charts()
    follow_theme()


def _choose_view() -> str:
    """Draw the switch between views, where there are several."""
    first = next(iter(VIEWS))
    if len(VIEWS) == 1:
        return first
    st.session_state.setdefault(COMPARE_VIEW, first)
    return str(
        st.segmented_control(
            "View",
            list(VIEWS),
            key=COMPARE_VIEW,
            persist_state="session",
            required=True,
            label_visibility="collapsed",
        )
    )


draw_page(need_data())
