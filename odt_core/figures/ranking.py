"""Columns that a question could be about: the loss of the whole tree with each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from odt_core.figures.chart import Chart
from odt_core.figures.layout import MARGIN, add_line, axis_name, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.words import count_words, number_words, percent_words, printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_BARS = 14
"""Largest number of columns that are drawn."""
LINE, FRAME = 26, 100
BAR = 0.7
"""Thickness of a bar, in places. Plotly would choose another one for each colour."""
LETTER = 8
"""Approximate width of a letter, in pixels."""
NAME = 18
"""The most characters of a column's name beside its bar."""


@dataclass(frozen=True)
class ColumnBar:
    """A column that a question could be about.

    Attributes
    ----------
    name : str
        The column.
    loss : float
        The loss of the best tree found with the column there.
    least : float
        A proved lower bound on that loss. If the two are equal, the loss is proved.
    is_current : bool
        Whether the question is about this column now.
    """

    name: str
    loss: float
    least: float
    is_current: bool = False

    @property
    def is_proved(self) -> bool:
        """Whether no tree with the column there loses less."""
        return self.least >= self.loss


def ranking_chart(
    bars: Sequence[ColumnBar],
    loss_name: str,
    *,
    without: float | None = None,
    is_share: bool = False,
    theme: Theme = LIGHT,
) -> Chart:
    """Draw a bar for each column.

    Parameters
    ----------
    bars : sequence of ColumnBar
        The columns by rising loss. The first `MOST_BARS` are drawn.
    loss_name : str
        The quantity that is counted.
    without : float, optional
        The loss without the question, which a line shows.
    is_share : bool
        Whether losses are shares in [0, 1].
    theme : Theme
        The colours.
    """
    shown = bars[:MOST_BARS]
    top = max([bar.loss for bar in shown] + ([] if without is None else [without]), default=0.0)
    figure = new_figure()
    for name, color, is_current in (
        ("current column", theme.accent, True),
        ("other columns", theme.second, False),
    ):
        places = [at for at, bar in enumerate(shown) if bar.is_current is is_current]
        if places:
            _add_bars(figure, [(at, shown[at]) for at in places], name, color, theme, is_share)
    if without is not None:
        ends, name = [-0.6, max(len(shown), 1) - 0.4], "without this question"
        add_line(figure, [without] * 2, ends, name, theme.muted, width=1.6, dash="dot")
    lay_out(
        figure,
        theme,
        x={
            "title": loss_name,
            "range": [0, 1.12 * top or 1.0],
            "tickformat": ".2~%" if is_share else ",.6~g",
        },
        y={
            "range": [max(len(shown), 1) - 0.4, -0.6],
            "tickvals": list(range(len(shown))),
            "ticktext": [axis_name(bar.name, NAME) for bar in shown],
            "showgrid": False,
        },
        height=FRAME + LINE * max(len(shown), 2),
    )
    figure.layout.annotations = [_value(at, bar, theme, is_share) for at, bar in enumerate(shown)]
    figure.layout.barmode = "overlay"
    longest = max((min(len(bar.name), NAME) for bar in shown), default=0)
    figure.layout.margin = {**MARGIN, "l": 24 + LETTER * longest}
    return Chart(figure, _alt_text(bars, loss_name, is_share), theme)


def _add_bars(
    figure: go.Figure,
    bars: Sequence[tuple[int, ColumnBar]],
    name: str,
    color: str,
    theme: Theme,
    is_share: bool,
) -> None:
    """Add bars of one colour. If a loss is not proved, the bar is hollow above the lower bound."""
    figure.add_bar(
        x=[bar.least if bar.is_proved else bar.loss for _, bar in bars],
        y=[at for at, _ in bars],
        width=BAR,
        orientation="h",
        name=name,
        marker={
            "color": [color if bar.is_proved else theme.grid for _, bar in bars],
            "line": {"width": 1.5, "color": color},
        },
        customdata=[bar.name for _, bar in bars],
        hovertext=[
            f"{axis_name(bar.name, 60)}: {value_text(bar, is_share)}"
            f"{', proved' if bar.is_proved else ', not proved'}"
            for _, bar in bars
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _value(at: int, bar: ColumnBar, theme: Theme, is_share: bool) -> dict[str, Any]:
    """A bar's loss beside the bar, with the page's colour behind it, so that it hides lines."""
    return {
        "x": bar.loss,
        "y": at,
        "text": value_text(bar, is_share),
        "showarrow": False,
        "xanchor": "left",
        "xshift": 3,
        "bgcolor": theme.page,
        "borderpad": 1,
    }


def value_text(bar: ColumnBar, is_share: bool) -> str:
    """Write a bar's loss. If it is not proved, write the range from its lower bound."""
    write = percent_words if is_share else number_words
    return write(bar.loss) if bar.is_proved else f"{write(bar.least)} to {write(bar.loss)}"


def _alt_text(bars: Sequence[ColumnBar], loss_name: str, is_share: bool) -> str:
    """Describe the bars in plain words."""
    parts = [
        f"{printable(bar.name)}{' (current)' if bar.is_current else ''} {value_text(bar, is_share)}"
        for bar in bars[:MOST_BARS]
    ]
    left = len(bars) - len(parts)
    more = f", and {count_words(left, 'other column')}" if left else ""
    return f"The fewest {loss_name} with each column at this question: {', '.join(parts)}{more}."
