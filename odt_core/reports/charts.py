"""Figures of studies as pictures in a page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from odt_core.render import FigureFormat, figure_file
from odt_core.reports.page import escaped
from odt_core.words import printable

if TYPE_CHECKING:
    import plotly.graph_objects as go


def chart_html(figure: go.Figure, alt: str, caption: str = "") -> str:
    """Write a figure as a part of a page, which needs ``Page(has_pictures=True)``.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        A figure of `odt_core.render` with an opaque background.
    alt : str
        The text for screen readers; plain text.
    caption : str
        The explanation below the figure; plain text.
    """
    svg = figure_file(figure, FigureFormat.SVG, printable(alt))
    data = base64.b64encode(svg).decode()
    below = f"<figcaption>{escaped(caption)}</figcaption>" if caption else ""
    return (
        f'<figure class="chart"><img alt="{escaped(alt)}" src="data:image/svg+xml;base64,{data}">'
        f"{below}</figure>"
    )
