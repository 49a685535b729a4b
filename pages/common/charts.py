"""A chart that is drawn again and again must not stand beside its old self."""

from __future__ import annotations

import streamlit as st

_CHART = ":has(> [data-testid=stFullScreenFrame] .js-plotly-plot)"
"""What makes an element of the page one with a figure."""


def hide_old_charts() -> None:
    """Hide a chart from the moment the one that takes its place is drawn.

    For Streamlit a chart with new data is another element, and the old one goes a moment later.
    """
    st.html(
        f"<style>[data-testid=stElementContainer][data-stale=false]{_CHART} "
        f"~ [data-testid=stElementContainer][data-stale=true]{_CHART} {{ display: none; }}</style>"
    )
