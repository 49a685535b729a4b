"""The common look of all figures: quiet axes, text in the theme's ink, and no box around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from odt_core.render import Theme
from odt_core.words import printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

FONT_SIZE = 13
FONT = "Arial, sans-serif"
CLEAR = "rgba(0,0,0,0)"
MARGIN = {"l": 70, "r": 22, "t": 36, "b": 48}
"""Space for ticks, titles and one line of legend, in pixels. If the browser had to find it out
(automargin), it would lay the figure out several times, which doubles the time of a step."""
PERCENT = ".2~%"
"""Number format of shares along an axis: as many digits as a tick needs, without rounding."""


def new_figure() -> go.Figure:
    """Make an empty figure. The first one takes a moment, because it imports Plotly."""
    import plotly.graph_objects as go

    return go.Figure()


def add_line(
    figure: go.Figure,
    x: Sequence[float],
    y: Sequence[float],
    name: str,
    color: str,
    *,
    in_legend: bool = True,
    **line: Any,
) -> None:
    """Add a line without marks and hover texts. `line` has Plotly's width, dash and shape."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": color, **line},
        showlegend=in_legend,
        hoverinfo="skip",
    )


def lay_out(
    figure: go.Figure,
    theme: Theme,
    *,
    x: dict[str, Any],
    y: dict[str, Any],
    height: int,
) -> None:
    """Give a figure the common look.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        The figure, which is changed in place.
    theme : Theme
        The colours.
    x, y : dict
        Settings of the axes: title (text), range, tickformat, ...
    height : int
        Height in pixels.
    """
    # one update of everything: updating property by property takes seven times as long
    figure.layout = {
        "template": "none",
        "height": height,
        "margin": MARGIN,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
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
            # At the figure's top. Above the plot, a legend that had more lines stays in place when
            # the window becomes wider, and then covers the points.
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


def error_bars(
    color: str, *, above: Sequence[float], below: Sequence[float], thickness: float, width: int
) -> dict[str, Any]:
    """Write Plotly's error bars.

    Parameters
    ----------
    color : str
        The colour.
    above, below : sequence of float
        The length of each bar above and below its point, in the unit of the axis.
    thickness, width : float, int
        The thickness of a bar and the width of its ends, in pixels.
    """
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "color": color,
        "thickness": thickness,
        "width": width,
    }


def axis_name(name: str, most: int) -> str:
    """Shorten a name from a file to `most` characters, and escape it for Plotly.

    The middle is left out, because names often differ at the end only.
    """
    whole = printable(name)
    if len(whole) > most:
        end = most // 3
        whole = f"{whole[: most - 1 - end].rstrip()}…{whole[-end:].lstrip()}"
    return escaped(whole)


def escaped(text: str) -> str:
    """Escape the signs that Plotly would read as HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def faded(color: str, alpha: float) -> str:
    """Make a colour ``#rrggbb`` transparent."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
