"""Tree shapes: reading, numbering, neighbours."""

from __future__ import annotations

import pytest

from odt_core.errors import InputError
from odt_core.topology import (
    PRESETS,
    AnyShape,
    Topology,
    parse_shape,
    unordered_topologies,
)
from tests.properties.strategies import shapes

SHAPES = [text for text in shapes(3) if text != "."]


@pytest.mark.parametrize(
    ("name", "nodes", "depth"),
    [
        ("depth-1", 1, 1),
        ("depth-2", 3, 2),
        ("depth-2.5", 5, 3),
        ("depth-3", 7, 3),
        ("imbalanced", 7, 4),
        ("depth-4", 15, 4),
        ("cues-3", 3, 3),
        ("cues-4", 4, 4),
    ],
)
def test_presets(name, nodes, depth):
    topology = Topology.parse(name)
    assert (topology.n_nodes, topology.n_leaves, topology.depth) == (nodes, nodes + 1, depth)
    assert topology.name == name
    assert topology.text == PRESETS[name]


def test_a_mirror_image_of_a_preset_is_known_as_such():
    assert all(Topology.parse(name).preset == name for name in PRESETS)
    assert Topology.parse("((. .)((. .)(. .)))").preset == "depth-2.5"
    assert Topology.parse("(((. .) .) .)").preset == "cues-3"
    assert Topology.parse("((. .) .)").preset is None


def test_every_preset_is_tested():
    assert len(PRESETS) == 8


@pytest.mark.parametrize("text", SHAPES)
def test_a_shape_reads_back_from_its_text(text):
    topology = Topology.parse(text)
    assert Topology.parse(topology.text) == topology
    assert Topology.parse(" " + text.replace("(", "( ").replace(")", " )")) == topology
    assert topology.text.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("text", SHAPES)
def test_nodes_and_leaves_are_numbered_from_the_root_left_first(text):
    topology = Topology.parse(text)
    children = [child for node in range(topology.n_nodes) for child in topology.children(node)]
    nodes = sorted(child for child in children if child >= 0)
    assert nodes == list(range(1, topology.n_nodes))
    assert sorted(-1 - c for c in children if c < 0) == list(range(topology.n_leaves))
    assert all(
        child > node
        for node in range(topology.n_nodes)
        for child in topology.children(node)
        if child >= 0
    )
    # Read left to right, leaves rise.
    order = list(topology.paths)
    assert order == sorted(order, key=lambda steps: [not left for _, left in steps])


@pytest.mark.parametrize("text", SHAPES)
def test_paths_follow_the_children(text):
    topology = Topology.parse(text)
    for leaf, steps in enumerate(topology.paths):
        child = 0
        for node, goes_left in steps:
            assert child == node
            child = topology.children(node)[0 if goes_left else 1]
        assert child == -1 - leaf


@pytest.mark.parametrize("text", SHAPES)
def test_descendants_are_the_nodes_of_the_subtree(text):
    topology = Topology.parse(text)
    for node in range(topology.n_nodes):
        through = {n for steps in topology.paths for n, _ in steps if (node in dict(steps))}
        above = {
            n
            for steps in topology.paths
            if node in dict(steps)
            for n, _ in steps[: [m for m, _ in steps].index(node)]
        }
        assert set(topology.descendants[node]) == through - above


def test_leaf_neighbours_and_symmetry():
    topology = Topology.parse("(((. .)(. .))(. .))")
    assert [topology.has_two_leaves(node) for node in range(5)] == [0, 0, 1, 1, 1]
    assert [topology.touches_leaf(node) for node in range(5)] == [0, 0, 1, 1, 1]
    assert [topology.is_symmetric(node) for node in range(5)] == [0, 1, 1, 1, 1]
    chain = Topology.parse("cues-3")
    assert [chain.touches_leaf(node) for node in range(3)] == [1, 1, 1]
    assert [chain.has_two_leaves(node) for node in range(3)] == [0, 0, 1]


def test_a_shape_without_a_name_is_called_by_its_text():
    assert Topology.parse("((. .) .)").name == "((. .) .)"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends too early"),
        (".", "no decision node"),
        ("((. .)", "ends too early"),
        ("(. . .)", "does not close"),
        ("(. .) .", "something follows"),
        ("(. x)", "'x' stands where"),
        ("depth-9", "'d' stands where"),
        ("(((((. .) .) .) .) .)", "more than 4 levels"),
    ],
)
def test_one_sentence_refuses_a_wrong_shape(text, reason):
    with pytest.raises(InputError, match="cannot be read") as caught:
        Topology.parse(text)
    assert reason in str(caught.value)
    assert "depth-2" in str(caught.value)


def test_any_shape_is_read_by_its_name() -> None:
    shape = parse_shape("any-7")
    assert shape == AnyShape(7) and parse_shape(shape.name) == shape
    assert (shape.n_nodes, shape.n_leaves, shape.depth, AnyShape(2).depth) == (7, 8, 4, 2)
    assert parse_shape("depth-2") == Topology.parse("depth-2")
    for text in ("any-0", "any-16", "any-99999"):
        with pytest.raises(InputError, match="from 1 to 15"):
            parse_shape(text)


def test_of_mirror_images_there_is_one() -> None:
    numbers = [len(unordered_topologies(k)) for k in range(1, 16)]
    assert sum(numbers) == 66 and numbers[:4] == [1, 1, 2, 3] and numbers[-1] == 1


def test_a_topology_includes_its_parts_and_their_mirror_images() -> None:
    depth_2, cues = Topology.parse("depth-2"), Topology.parse("(. (. .))")
    mirrored = Topology.parse("((. .) .)")
    assert depth_2.includes(cues) and depth_2.includes(mirrored) and cues.includes(mirrored)
    assert not cues.includes(depth_2) and not depth_2.includes(Topology.parse("cues-3"))
