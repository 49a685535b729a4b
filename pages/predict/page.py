"""The Predict page: a frozen tree on one case, on a file of cases, and its validation."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.common.layout import follow_theme
from pages.common.messages import show_store_errors
from pages.common.studies import MANY_CASES, ONE_CASE, PREDICT_VIEW, VALIDATION
from pages.predict.case import draw_case
from pages.predict.frozen import FrozenTree, choose_tree
from pages.predict.many import draw_many
from pages.predict.validation import draw_validation

# The views. Streamlit would show a docstring here.
VIEWS: dict[str, Callable[[FrozenTree], None]] = {
    ONE_CASE: draw_case,
    MANY_CASES: draw_many,
    VALIDATION: draw_validation,
}


@show_store_errors()
def draw_page() -> None:
    """Draw the choice of a tree, and the chosen view below it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="large"):
        st.title("Predict", anchor=False, width="content")
        st.session_state.setdefault(PREDICT_VIEW, ONE_CASE)
        view = st.segmented_control(
            "View",
            list(VIEWS),
            key=PREDICT_VIEW,
            persist_state="session",
            required=True,
            label_visibility="collapsed",
        )
    frozen = choose_tree()
    VIEWS[str(view)](frozen)
    follow_theme()


draw_page()
