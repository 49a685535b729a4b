"""Our figures as files, without a network and without a browser.

HTML holds plotly.js itself. Plotly makes pictures only by way of a Chrome, which a bare machine
lacks, so SVG and PNG are drawn again by matplotlib from the Plotly figure: one description of each
figure, two ways to draw it. Only what our figures use is understood: lines, markers, filled bands,
error bars.
"""

from __future__ import annotations

import io
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from odt_core import MADE_BY

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH = 760
"""Of a picture, in pixels."""
DPI = 100
PNG_DPI = 200
"""Twice a screen's, so that PNG files stay crisp in documents."""

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
    """A figure's file type."""

    HTML = "html"
    SVG = "svg"
    PNG = "png"

    @property
    def mime(self) -> str:
        """Its media type."""
        return {"html": "text/html", "svg": "image/svg+xml", "png": "image/png"}[self.value]


def figure_file(figure: go.Figure, kind: FigureFormat, alt: str = "") -> bytes:
    """A figure as a file.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        One of this package's figures, with the page painted behind.
    kind : FigureFormat
        The file type.
    alt : str
        What it shows: goes into the file as a title, and under the figure in HTML.
    """
    if kind is FigureFormat.HTML:
        return _html(figure, alt)
    return _picture(figure, kind, alt)


def _html(figure: go.Figure, alt: str) -> bytes:
    import html

    body = figure.to_html(
        full_html=False,
        include_plotlyjs=True,
        config={"displaylogo": False, "toImageButtonOptions": {"format": "svg"}},
    )
    page = figure.layout.paper_bgcolor or "#ffffff"
    ink = figure.layout.font.color or "#000000"
    words = html.escape(alt)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="generator" content="{MADE_BY}"><title>{words[:80]}</title></head>'
        f'<body style="margin:1rem;background:{page};color:{ink};font-family:sans-serif">'
        f"{body}<p>{words}</p></body></html>"
    ).encode()


def _picture(figure: go.Figure, kind: FigureFormat, alt: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    layout = figure.layout
    height = layout.height or 400
    drawing = Figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI, layout="constrained")
    drawing.set_facecolor(layout.paper_bgcolor)
    axes = drawing.add_subplot()
    for trace in figure.data:
        _draw_trace(axes, trace)
    _draw_axes(axes, layout)
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


def _draw_trace(axes: Any, trace: Any) -> None:
    x, y = list(trace.x), list(trace.y)
    label = trace.name if trace.showlegend is not False else "_nolegend_"
    if trace.fill == "toself":
        axes.fill(x, y, color=_color(trace.fillcolor), linewidth=0, label="_nolegend_")
        return
    mode = trace.mode or ""
    line, marker = trace.line, trace.marker
    ink = _color(line.color if line and line.color else marker.color)
    style: dict[str, Any] = {"label": label, "linestyle": "none", "color": ink}
    if "lines" in mode:
        style |= {
            "linestyle": _DASHES.get(line.dash or "solid", "-"),
            "linewidth": (line.width or 2) * 0.8,
            "drawstyle": _STEPS.get(line.shape or "", "default"),
        }
    axes.plot(x, y, **style, **_marker_style(trace))
    if "markers" in mode and _has_several_colors(marker.color):
        size = ((marker.size or 8) * 0.65) ** 2
        axes.scatter(x, y, s=size, c=[_color(each) for each in marker.color], zorder=3,
                     edgecolors=_color(marker.line.color or ink))  # fmt: skip
    for direction, error in (("xerr", trace.error_x), ("yerr", trace.error_y)):
        if error is not None and error.array is not None:
            spans = [list(error.arrayminus), list(error.array)]
            axes.errorbar(x, y, **{direction: spans}, fmt="none", ecolor=_color(error.color),
                          elinewidth=1.2, capsize=3)  # fmt: skip


def _has_several_colors(color: Any) -> bool:
    return color is not None and not isinstance(color, str) and len(set(color)) > 1


def _marker_style(trace: Any) -> dict[str, Any]:
    if "markers" not in (trace.mode or ""):
        return {}
    marker = trace.marker
    symbol = marker.symbol or "circle"
    color = marker.color if marker.color is not None else trace.line.color
    if not isinstance(color, str):
        color = trace.line.color if _has_several_colors(color) else color[0]
    hollow = symbol.endswith("-open")
    edge = marker.line.color if marker.line and marker.line.color else color
    return {
        "marker": _MARKERS.get(symbol.removesuffix("-open"), "o"),
        "markersize": (marker.size or 8) * 0.65,
        "markerfacecolor": "none" if hollow else _color(color),
        "markeredgecolor": _color(color if hollow else edge),
        "markeredgewidth": marker.line.width if marker.line and marker.line.width else 1.0,
    }


def _draw_axes(axes: Any, layout: Any) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ink = _color(layout.font.color)
    axes.set_facecolor(_color(layout.plot_bgcolor))
    for axis, settings, limit in (
        (axes.xaxis, layout.xaxis, axes.set_xlim),
        (axes.yaxis, layout.yaxis, axes.set_ylim),
    ):
        axis.set_label_text((settings.title.text or "").replace("<br>", "\n"), color=ink)
        axis.grid(True, color=_color(settings.gridcolor), linewidth=0.8)
        axis.set_tick_params(colors=ink, color=_color(settings.tickcolor))
        axis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
        if (settings.tickformat or "").endswith("%"):
            axis.set_major_formatter(FuncFormatter(_percent))
        if settings.range:
            limit(*settings.range)
        if settings.tickvals is not None:
            names = [name.replace("<br>", "\n") for name in settings.ticktext]
            axis.set_ticks(list(settings.tickvals), labels=names)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    columns = 2 if len(labels) == 4 else 3
    # matplotlib fills columns; the figure on screen reads along its rows
    order = [i for first in range(columns) for i in range(first, len(labels), columns)]
    axes.legend(
        [handles[i] for i in order], [labels[i] for i in order],
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, frameon=False, labelcolor=ink,
        fontsize=9, borderaxespad=0.3,
    )  # fmt: skip


def _percent(share: float, _place: int) -> str:
    """A tick in percent, never rounded to less than it stands for."""
    return f"{100 * share:.6g}%".replace("-", "\N{MINUS SIGN}")


def _color(text: Any) -> Any:
    """A Plotly colour as matplotlib takes it."""
    if isinstance(text, str) and text.startswith("rgba("):
        red, green, blue, alpha = (float(part) for part in text[5:-1].split(","))
        return (red / 255, green / 255, blue / 255, alpha)
    return text
