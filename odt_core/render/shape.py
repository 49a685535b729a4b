"""Small pictures of tree shapes, for the choice of a topology."""

from __future__ import annotations

import html
from dataclasses import dataclass

from odt_core.render.alternative import topology_alt_text
from odt_core.render.theme import LIGHT, Theme
from odt_core.topology import Topology

WIDTH, HEIGHT, MARGIN = 120.0, 80.0, 9.0
"""Size of every picture in pixels. It is the same for all shapes, so that they line up."""

MOST_ACROSS, MOST_DOWN = 17.0, 19.0
"""Largest distance between leaves and between levels, in pixels."""


@dataclass(frozen=True)
class _Position:
    x: float
    y: float


def topology_svg(topology: Topology, theme: Theme = LIGHT) -> str:
    """Draw a tree shape as a small SVG: dots are questions, squares are leaves.

    Parameters
    ----------
    topology : Topology
        The shape.
    theme : Theme
        The colours.
    """
    across = min(MOST_ACROSS, (WIDTH - 2 * MARGIN) / max(topology.n_leaves - 1, 1))
    points = _layout(topology, across)
    lines, marks = [], []
    half = min(4.0, 0.34 * across)
    for child, point in points.items():
        if child >= 0:
            for below in topology.children(child):
                end = points[below]
                lines.append(f"M{point.x:g} {point.y:g}L{end.x:g} {end.y:g}")
            marks.append(f'<circle cx="{point.x:g}" cy="{point.y:g}" r="{half + 0.6:g}"/>')
        else:
            marks.append(
                f'<rect x="{point.x - half:g}" y="{point.y - half:g}" width="{2 * half:g}" '
                f'height="{2 * half:g}" rx="1" fill="{theme.page}" stroke="{theme.ink}"/>'
            )
    title = html.escape(topology_alt_text(topology))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<path d="{"".join(lines)}" fill="none" stroke="{theme.line}" stroke-width="1.5"/>'
        f'<g fill="{theme.second}" stroke-width="1.2">{"".join(marks)}</g></svg>'
    )


def _layout(topology: Topology, across: float) -> dict[int, _Position]:
    """Place the nodes (numbered as in `Topology.left`): leaves evenly, parents between them."""
    down = min(MOST_DOWN, (HEIGHT - 2 * MARGIN) / topology.depth)
    left = (WIDTH - across * (topology.n_leaves - 1)) / 2
    top = (HEIGHT - down * topology.depth) / 2
    points: dict[int, _Position] = {}

    def place(child: int, level: int) -> float:
        if child < 0:
            x = left + across * (-1 - child)
        else:
            x = sum(place(below, level + 1) for below in topology.children(child)) / 2
        points[child] = _Position(round(x, 2), round(top + down * level, 2))
        return x

    place(0, 0)
    return points
