"""Small pictures of tree shapes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from odt_core.render import DARK, LIGHT, topology_alt_text, topology_svg
from odt_core.topology import PRESETS, Topology
from tests.properties.strategies import shapes

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = [*PRESETS.values(), *(text for text in shapes(3) if text != ".")]


@pytest.mark.parametrize("text", TEXTS)
def test_a_shape_shows_its_nodes_and_leaves_inside_one_common_frame(text):
    topology = Topology.parse(text)
    root = ElementTree.fromstring(topology_svg(topology))
    assert root.attrib["viewBox"] == "0 0 120 80"
    circles, squares = list(root.iter(f"{SVG}circle")), list(root.iter(f"{SVG}rect"))
    assert len(circles) == topology.n_nodes and len(squares) == topology.n_leaves
    for circle in circles:
        r = float(circle.attrib["r"])
        assert r <= float(circle.attrib["cx"]) <= 120 - r
        assert r <= float(circle.attrib["cy"]) <= 80 - r
    lefts = sorted(float(s.attrib["x"]) for s in squares)
    size = float(squares[0].attrib["width"])
    assert lefts[0] >= 0 and lefts[-1] + size <= 120
    # Leaves stand apart, so that they can be counted.
    assert all(b - a > size * 1.2 for a, b in zip(lefts, lefts[1:], strict=False))
    (path,) = root.iter(f"{SVG}path")
    assert path.attrib["d"].count("M") == 2 * topology.n_nodes


def test_a_shape_has_a_text_alternative_and_the_themes_colours():
    topology = Topology.parse("depth-2")
    for theme in (LIGHT, DARK):
        svg = topology_svg(topology, theme)
        root = ElementTree.fromstring(svg)
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"] == topology_alt_text(topology)
        assert theme.second in svg and theme.page in svg
