"""Figures as files, made without a network and without a browser.

HTML files include plotly.js itself. Plotly can make pictures only with a Chrome, which many
machines lack. So matplotlib draws SVG and PNG files from the Plotly figure: each figure is
described once and drawn in two ways. This module understands only what our figures use: lines,
markers, filled bands, error bars, horizontal bars, and panels one below the other.
"""

from __future__ import annotations

import html
import io
import math
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from odt_core import MADE_BY
from odt_core.figures.chart import Chart
from odt_core.render import Theme
from odt_core.words import printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH = 760
"""Width of a picture, in pixels."""
DPI = 100
PNG_DPI = 200
"""Resolution of PNG files: twice that of a screen, so that they are sharp in documents."""

_DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}
_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "cross": "P",
    "x": "X",
    "line-ns": "|",
}
_STEPS = {"hv": "steps-post", "vh": "steps-pre"}


class FigureFormat(StrEnum):
    """The file type of a figure."""

    HTML = "html"
    SVG = "svg"
    PNG = "png"

    @property
    def mime(self) -> str:
        """The media type."""
        return {"html": "text/html", "svg": "image/svg+xml", "png": "image/png"}[self.value]


def chart_file(chart: Chart, kind: FigureFormat) -> bytes:
    """Write a chart as a file, with the page of its theme behind the figure.

    Its text becomes the file's title and, in HTML, the text below the figure.
    """
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure(chart.figure)
    figure.update_layout(paper_bgcolor=chart.theme.page, plot_bgcolor=chart.theme.page)
    alt = printable(chart.alt)
    if kind is FigureFormat.HTML:
        return _html(figure, alt, chart.theme)
    return _picture(figure, kind, alt)


def _html(figure: go.Figure, alt: str, theme: Theme) -> bytes:
    body = figure.to_html(
        full_html=False,
        include_plotlyjs=True,
        config={"displaylogo": False, "toImageButtonOptions": {"format": "svg"}},
    )
    words = html.escape(alt)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="generator" content="{MADE_BY}"><title>{words[:80]}</title></head>'
        f'<body style="margin:1rem;background:{theme.page};color:{theme.ink};'
        'font-family:sans-serif">'
        f"{body}<p>{words}</p></body></html>"
    ).encode()


def _picture(figure: go.Figure, kind: FigureFormat, alt: str) -> bytes:
    import matplotlib as mpl

    # Names may hold dollar signs. An SVG keeps text as text, so the reader's fonts show any script.
    with mpl.rc_context({"text.parse_math": False, "svg.fonttype": "none"}):
        return _drawn(figure, kind, alt)


def _drawn(figure: go.Figure, kind: FigureFormat, alt: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    layout = figure.layout
    height = layout.height or 400
    drawing = Figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI, layout="constrained")
    drawing.set_facecolor(layout.paper_bgcolor)
    numbers = list(dict.fromkeys(_axis_number(trace) for trace in figure.data))
    for place, number in enumerate(numbers):
        axes = drawing.add_subplot(len(numbers), 1, place + 1)
        _draw_traces(axes, [trace for trace in figure.data if _axis_number(trace) == number])
        _draw_axes(axes, layout, number)
        if len(numbers) > 1:
            title = _plain(layout.annotations[place].text)
            axes.set_title(title, loc="left", fontsize=10, color=_color(layout.font.color))
    out = io.BytesIO()
    if kind is FigureFormat.SVG:
        FigureCanvasSVG(drawing).print_svg(
            out, metadata={"Title": alt, "Date": None, "Creator": MADE_BY}
        )
    else:
        FigureCanvasAgg(drawing).figure.savefig(
            out, format="png", dpi=PNG_DPI, metadata={"Software": MADE_BY}
        )
    return out.getvalue()


def _axis_number(trace: Any) -> str:
    """The number of a trace's axes in the figure, as Plotly writes it: empty for the first."""
    return (trace.xaxis or "x").removeprefix("x")


def _draw_traces(axes: Any, traces: list[Any]) -> None:
    ends: dict[float, float] = {}
    for trace in traces:
        if trace.type == "bar":
            _draw_bars(axes, trace, ends)
        else:
            _draw_trace(axes, trace)


def _draw_bars(axes: Any, trace: Any, ends: dict[float, float]) -> None:
    """Draw horizontal bars. Each starts at the end of the previous bar in the same row."""
    lefts = [ends.get(place, 0.0) for place in trace.y]
    axes.barh(
        list(trace.y), list(trace.x), left=lefts, height=0.7, linewidth=0,
        color=_color(trace.marker.color), label=trace.name,
    )  # fmt: skip
    for place, left, length in zip(trace.y, lefts, trace.x, strict=True):
        ends[place] = left + length


def _draw_trace(axes: Any, trace: Any) -> None:
    x, y = _numbers(trace.x), _numbers(trace.y)
    label = trace.name if trace.showlegend is not False else "_nolegend_"
    if trace.fill == "toself":
        axes.fill(x, y, color=_color(trace.fillcolor), linewidth=0, label="_nolegend_")
        return
    mode = trace.mode or ""
    line, marker = trace.line, trace.marker
    ink = _color(line.color if line and line.color else _one_color(marker))
    style: dict[str, Any] = {"label": label, "linestyle": "none", "color": ink}
    if "lines" in mode:
        style |= {
            "linestyle": _DASHES.get(line.dash or "solid", "-"),
            "linewidth": (line.width or 2) * 0.8,
            "drawstyle": _STEPS.get(line.shape or "", "default"),
        }
    if _has_several(marker.color) or _has_several(marker.size):
        axes.plot(x, y, **style)
        _draw_marks(axes, x, y, marker, ink)
    else:
        axes.plot(x, y, **style, **_marker_style(trace))
    if "text" in mode:
        for place, text in zip(zip(x, y, strict=True), trace.text, strict=True):
            axes.annotate(_plain(text), place, xytext=(7, 0), textcoords="offset points",
                          va="center", fontsize=9, color=ink)  # fmt: skip
    for direction, error in (("xerr", trace.error_x), ("yerr", trace.error_y)):
        if error is not None and error.array is not None:
            spans = [list(error.arrayminus), list(error.array)]
            axes.errorbar(x, y, **{direction: spans}, fmt="none", ecolor=_color(error.color),
                          elinewidth=1.2, capsize=3 if error.width else 0)  # fmt: skip


def _draw_marks(axes: Any, x: list[float], y: list[float], marker: Any, ink: Any) -> None:
    """Draw marks that differ in colour or size."""
    size: Any = marker.size or 8
    sizes = list(size) if _has_several(size) else [_one(size)] * len(x)
    colors = map(_color, marker.color) if _has_several(marker.color) else [ink] * len(x)
    outline = _color(marker.line.color) if marker.line.color else ink
    axes.scatter(
        x, y, s=[(0.65 * each) ** 2 for each in sizes], c=list(colors),
        marker=_MARKERS.get(marker.symbol or "circle", "o"), alpha=marker.opacity, zorder=3,
        edgecolors=outline, clip_on=False,
    )  # fmt: skip


def _numbers(values: Any) -> list[float]:
    """A trace's coordinates; a missing coordinate becomes NaN and is not drawn."""
    return [math.nan if value is None else value for value in values]


def _one_color(marker: Any) -> Any:
    """A marker's colour, or its outline's colour if each mark has its own colour."""
    if marker.color is None or isinstance(marker.color, str):
        return marker.color
    return marker.line.color or marker.color[0]


def _one(values: Any) -> Any:
    """The value of a property that all marks share."""
    return values if values is None or isinstance(values, str | int | float) else values[0]


def _has_several(values: Any) -> bool:
    """Whether a property has different values for different marks."""
    return _one(values) is not values and len(set(values)) > 1


def _marker_style(trace: Any) -> dict[str, Any]:
    if "markers" not in (trace.mode or ""):
        return {}
    marker = trace.marker
    symbol = marker.symbol or "circle"
    color = _one(marker.color) if marker.color is not None else trace.line.color
    hollow = symbol.endswith("-open")
    edge = marker.line.color if marker.line and marker.line.color else color
    return {
        "marker": _MARKERS.get(symbol.removesuffix("-open"), "o"),
        "markersize": (_one(marker.size) or 8) * 0.65,
        "markerfacecolor": "none" if hollow else _color(color),
        "markeredgecolor": _color(color if hollow else edge),
        "markeredgewidth": marker.line.width if marker.line and marker.line.width else 1.0,
    }


def _draw_axes(axes: Any, layout: Any, number: str) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ink = _color(layout.font.color)
    axes.set_facecolor(_color(layout.plot_bgcolor))
    for axis, settings, limit in (
        (axes.xaxis, layout[f"xaxis{number}"], axes.set_xlim),
        (axes.yaxis, layout[f"yaxis{number}"], axes.set_ylim),
    ):
        axis.set_label_text(_plain(settings.title.text or ""), color=ink)
        if settings.showgrid is not False and settings.gridcolor:
            axis.grid(True, color=_color(settings.gridcolor), linewidth=0.8)
        axis.set_tick_params(colors=ink, color=_color(settings.tickcolor or layout.font.color))
        axis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
        if (settings.tickformat or "").endswith("%"):
            axis.set_major_formatter(FuncFormatter(_percent))
        if settings.range:
            limit(*settings.range)
        if settings.tickvals is not None:
            names = settings.ticktext or [f"{value:,}" for value in settings.tickvals]
            axis.set_ticks(list(settings.tickvals), labels=[_plain(name) for name in names])
        if settings.autorange == "reversed":
            axis.set_inverted(True)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    columns = 2 if len(labels) == 4 else 3
    # matplotlib fills column by column, but the figure on screen reads row by row
    order = [i for first in range(columns) for i in range(first, len(labels), columns)]
    if not labels:
        return
    axes.legend(
        [handles[i] for i in order], [labels[i] for i in order],
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, frameon=False, labelcolor=ink,
        fontsize=9, borderaxespad=0.3,
    )  # fmt: skip


def _plain(text: str) -> str:
    """Convert text for Plotly, which reads HTML, to plain text for matplotlib."""
    return html.unescape(text.replace("<br>", "\n"))


def _percent(share: float, _place: int) -> str:
    """Write a tick as a percentage, with all its digits."""
    return f"{100 * share:.6g}%".replace("-", "\N{MINUS SIGN}")


def _color(text: Any) -> Any:
    """Convert a Plotly colour for matplotlib."""
    if isinstance(text, str) and text.startswith("rgba("):
        red, green, blue, alpha = (float(part) for part in text[5:-1].split(","))
        return (red / 255, green / 255, blue / 255, alpha)
    return text
