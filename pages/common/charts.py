"""Charts of the pages: how each is drawn, and that none stands beside its old self."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import plotly.graph_objects as go

_CHART = ":has(> [data-testid=stFullScreenFrame] .js-plotly-plot)"
"""What makes an element of the page one with a figure."""


def draw_chart(
    figure: go.Figure, *, key: str, alt: str, on_point: Callable[[Any], None] | None = None
) -> None:
    """Draw a figure in its own colours.

    Parameters
    ----------
    figure : Figure
        With the page's theme.
    key : str
        Of the chart.
    alt : str
        What it shows, for those who do not see it.
    on_point : callable, optional
        Called with the custom data of a point that is clicked.
    """
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config={"displayModeBar": False},
        on_select="ignore" if on_point is None else partial(_tell_clicked, key, on_point),
        selection_mode="points",
        alt=alt,
    )


def _tell_clicked(key: str, on_point: Callable[[Any], None]) -> None:
    event: Any = st.session_state.get(key)
    for point in event["selection"]["points"] if event else []:
        on_point(point.get("customdata"))


def hide_old_charts() -> None:
    """Hide a chart from the moment the one that takes its place is drawn.

    For Streamlit a chart with new data is another element, and the old one goes a moment later.
    """
    st.html(
        f"<style>[data-testid=stElementContainer][data-stale=false]{_CHART} "
        f"~ [data-testid=stElementContainer][data-stale=true]{_CHART} {{ display: none; }}</style>"
    )
