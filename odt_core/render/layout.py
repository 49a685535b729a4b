"""What all figures have in common: quiet axes, words in the theme's ink, no box around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from odt_core.render.theme import Theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

FONT_SIZE = 13
FONT = "Arial, sans-serif"
MARGIN = {"l": 70, "r": 22, "t": 36, "b": 48}
"""Room for ticks, titles and one line of legend, in pixels. Left to the browser to find out
(automargin), it lays the figure out again and again: twice the time of a step."""
PERCENT = ".2~%"
"""Format of shares along an axis: as many digits as a tick needs, so that none is rounded."""


def lay_out(
    figure: go.Figure,
    theme: Theme,
    *,
    x: dict[str, Any],
    y: dict[str, Any],
    height: int,
    opaque: bool = False,
) -> None:
    """Give a figure the product's look.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Changed in place.
    theme : Theme
        Colours.
    x, y : dict
        Settings of the axes: title (text), range, tickformat ...
    height : int
        In pixels.
    opaque : bool
        Paint the page behind, for files.
    """
    page = theme.page if opaque else "rgba(0,0,0,0)"
    # as a whole: an update property by property takes seven times as long
    figure.layout = {
        "template": "none",
        "height": height,
        "margin": MARGIN,
        "paper_bgcolor": page,
        "plot_bgcolor": page,
        "font": {"color": theme.ink, "size": FONT_SIZE, "family": FONT},
        "hoverlabel": {
            "bgcolor": theme.page,
            "bordercolor": theme.line,
            "font": {"color": theme.ink},
        },
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            # at the figure's top: above the plot, plotly leaves a legend that had more lines where
            # it was when the window becomes wider, across the points
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": FONT_SIZE},
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "xaxis": _axis(x, theme),
        "yaxis": _axis(y, theme),
    }


def _axis(settings: dict[str, Any], theme: Theme) -> dict[str, Any]:
    axis = {
        "gridcolor": theme.grid,
        "zeroline": False,
        "tickcolor": theme.line,
        "linecolor": theme.line,
        **settings,
    }
    if isinstance(axis.get("title"), str):
        axis["title"] = {"text": axis["title"], "standoff": 6, "font": {"size": FONT_SIZE}}
    return axis


def faded(color: str, alpha: float) -> str:
    """A colour ``#rrggbb`` that lets the page through."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
