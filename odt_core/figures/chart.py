"""A figure together with its text alternative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from odt_core.render import Theme

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure for readers who see it, and a text for readers who do not.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        The figure, transparent where the page shows.
    alt : str
        The text; plain.
    theme : Theme
        The colours of the figure.
    """

    figure: go.Figure
    alt: str
    theme: Theme
