"""Trees and charts on the page."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from odt_core.figures import Chart
from odt_core.problem import EncodedData
from odt_core.render import (
    LIGHT,
    Direction,
    Theme,
    drawn_width,
    topology_alt_text,
    topology_svg,
    tree_dot,
    tree_summary,
)
from odt_core.topology import Topology
from odt_core.tree import Tree
from odt_core.words import category_lists
from pages.common.layout import current_theme
from pages.common.markup import html_text, isolate
from pages.common.widgets import start_value

# Streamlit gives the frames and toolbars of its elements neither keys nor names. Styles for them
# need its test ids.
_CHART = ":has(> [data-testid=stFullScreenFrame] .js-plotly-plot)"
"""Selector of the page's elements that hold a figure."""


def draw_chart(chart: Chart, *, key: str, on_point: Callable[[Any], None] | None = None) -> None:
    """Draw a chart in its own colours.

    A click on a point calls `on_point` with the custom data of the point.
    """
    st.plotly_chart(
        chart.figure,
        key=key,
        theme=None,
        config={"displayModeBar": False},
        on_select="ignore" if on_point is None else partial(_pass_clicks, key, on_point),
        selection_mode="points",
        alt=chart.alt,
    )


def _pass_clicks(key: str, on_point: Callable[[Any], None]) -> None:
    event: Any = st.session_state.get(key)
    for point in event["selection"]["points"] if event else []:
        on_point(point.get("customdata"))


def hide_old_charts() -> None:
    """Hide an old chart as soon as its replacement is drawn.

    A chart with new data is a new element, and Streamlit removes the old element a moment later.
    """
    st.html(
        f"<style>[data-testid=stElementContainer][data-stale=false]{_CHART} "
        f"~ [data-testid=stElementContainer][data-stale=true]{_CHART} {{ display: none; }}</style>"
    )


_DIRECTION = "train_direction"
_AS_FITS = "as it fits"
_ARROWS = {Direction.DOWN: "↓ down", Direction.RIGHT: "→ right"}

SCALE = 0.7
"""The smallest scale of a drawing. A wider drawing scrolls, so that it stays readable."""

ENLARGED = 1.3
"""The scale of a drawing if the page has room for it."""

NARROW = 560
"""The width in pixels below which trees grow down, because phones scroll down anyway."""

PIXELS = 4 / 3
"""Pixels in a point."""


def draw_tree(
    tree: Tree,
    test: EncodedData | None,
    *,
    key: str,
    direction: Direction | None = None,
    marked: frozenset[int] = frozenset(),
    lit_leaf: int | None = None,
) -> None:
    """Draw a tree in the page's colours, with the counts of test rows in the leaves.

    It fits the width of its box. If it would be too small to read, it scrolls instead, and a shadow
    marks the hidden side.

    Parameters
    ----------
    key : str
        The key of the drawing's frame.
    direction : Direction, optional
        The direction of growth; by default it suits the width of the box.
    marked : frozenset of int
        Nodes with a highlighted outline, numbered in the order node, left subtree, right subtree.
    lit_leaf : int, optional
        The leaf, from 0, with a highlighted path.
    """
    theme = current_theme()
    widths = {way: PIXELS * drawn_width(tree, test, way) for way in Direction}
    ways = _ways(widths) if direction is None else [direction]
    styles = (_frame_style(key, theme), *(_size_style(key, way, widths[way]) for way in ways))
    choice = _choice_style(key, SCALE * widths[Direction.DOWN]) if len(ways) > 1 else ""
    st.html(f"<style>{' '.join(styles)} {choice}</style>")
    with st.container(key=key):
        for way in ways:
            # The drawing has a name of its own. For equal names, Streamlit's viewer prepares an
            # animation of every line from the old to the new drawing and never shows it. This
            # blocks the page for 0.2 s.
            dot = tree_dot(
                tree,
                test=test,
                theme=theme,
                direction=way,
                marked=marked,
                lit_leaf=lit_leaf,
                on_screen=True,
            )
            with st.container(key=f"{key}_{way}"):
                st.graphviz_chart(isolate(dot), alt=tree_summary(tree), width="stretch")
    _draw_lists(tree)


def _ways(widths: dict[Direction, float]) -> list[Direction]:
    """The directions to draw: down, and also right if that is narrower and a box may need it.

    The widths are in pixels, at full size.
    """
    down, right = widths[Direction.DOWN], widths[Direction.RIGHT]
    return [*Direction] if right < down and NARROW < SCALE * down else [Direction.DOWN]


def _frame_style(key: str, theme: Theme) -> str:
    """Style for scrolling, with a shadow at each side that hides a part."""
    shade, size = "rgba(110, 125, 133, 0.55)", "0.8rem calc(100% - 4px) no-repeat"
    page = theme.page
    return (
        f".st-key-{key} > * {{ overflow-x: auto; background: "
        f"linear-gradient(to right, {page} 30%, transparent) left / 2.5rem 100% no-repeat local, "
        f"linear-gradient(to left, {page} 30%, transparent) right / 2.5rem 100% no-repeat local, "
        # two pixels from the edges, because rounding would leave a thin line of them uncovered
        f"linear-gradient(to right, {shade}, transparent) left 2px center / {size} scroll, "
        f"linear-gradient(to left, {shade}, transparent) right 2px center / {size} scroll; }} "
        # The button that enlarges the drawing would lie outside the scrolled part.
        f".st-key-{key} [data-testid=stElementToolbar] {{ top: 0 !important; }} "
        f"@media (hover: none) {{ .st-key-{key} [data-testid=stElementToolbar] "
        f"{{ opacity: 1 !important; }} }} "
    )


def _size_style(key: str, way: Direction, width: float) -> str:
    """Style for the width of a drawing; `width` is its full size in pixels."""
    chart = f".st-key-{key}_{way} .stGraphVizChart"
    frame = f".st-key-{key}_{way} [data-testid=stFullScreenFrame]"
    return (
        f"{chart} {{ width: 100%; }} {chart} svg {{ width: 100%; height: auto; "
        f"min-width: {SCALE * width:.0f}px; max-width: {ENLARGED * width:.0f}px; }} "
        f'{frame}:has(button[aria-label^="Close fullscreen"]) .stGraphVizChart svg '
        f"{{ min-width: {ENLARGED * width:.0f}px; max-width: {2 * width:.0f}px; }}"
    )


def _choice_style(key: str, fits: float) -> str:
    """Style that chooses a drawing: down in a box wider than `fits` pixels or a narrow box."""
    down, right = (f".st-key-{key}_{way}" for way in (Direction.DOWN, Direction.RIGHT))
    return (
        f".st-key-{key} {{ container-type: inline-size; }} {right} {{ display: none; }} "
        f"@container (min-width: {NARROW}px) and (max-width: {fits:.0f}px) "
        f"{{ {down} {{ display: none; }} {right} {{ display: flex; }} }}"
    )


def _draw_lists(tree: Tree) -> None:
    """Draw the numbered lists of categories in an expander."""
    lists = category_lists(tree)
    if not lists:
        return
    items = "".join(
        f"<p style='margin:.3rem 0'><b>List {number}</b>, {html_text(text)}</p>"
        for number, text in enumerate(lists.values(), start=1)
    )
    name = "List 1 in full" if len(lists) == 1 else f"Lists 1 to {len(lists)} in full"
    st.html(f"<details style='font-size:.9rem'><summary>{name}</summary>{items}</details>")


def load_viewer() -> None:
    """Let the browser load the viewer of trees in advance, with an invisible drawing.

    Otherwise the first tree would appear almost a second later.
    """
    st.html("<style>.st-key-viewer { display: none; }</style>")
    with st.container(key="viewer"):
        st.graphviz_chart("digraph {}", alt="No tree yet")


def chosen_direction() -> Direction | None:
    """The user's direction for the page's tree; None for the direction that fits."""
    chosen = st.session_state.get(_DIRECTION, _AS_FITS)
    return None if chosen == _AS_FITS else Direction(chosen)


def choose_direction() -> None:
    """Draw the choice of the direction."""
    st.segmented_control(
        "The tree grows",
        [_AS_FITS, *_ARROWS],
        format_func=lambda way: _ARROWS.get(way, way),
        key=start_value(_DIRECTION, _AS_FITS),
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )


# Streamlit stores a choice by its label, which includes the picture. If the picture had the page's
# colours, the choice would be lost on a switch between light and dark.
_ON_ANY_PAGE = dataclasses.replace(
    LIGHT, page="#9aa5ab", ink="#7d898f", line="#7d898f", second="#23879a"
)


def shape_uri(topology: Topology) -> str:
    """Return the shape's picture as a data URI."""
    picture = topology_svg(topology, _ON_ANY_PAGE).encode()
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


def shape_html(topology: Topology) -> str:
    """Write the shape's picture, as high as a line of text."""
    return (
        f'<img src="{shape_uri(topology)}" alt="{html_text(topology_alt_text(topology))}" '
        'style="height:1.7em;vertical-align:-.45em">'
    )
