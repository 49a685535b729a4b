"""A tree on the screen."""

from __future__ import annotations

import streamlit as st

from odt_core.problem import EncodedData
from odt_core.render import Direction, tree_dot, tree_summary
from odt_core.tree import Tree
from pages.common.theme import current_theme

_DIRECTION = "train_direction"
_CHOSEN = "train_direction_chosen"
_ARROWS = {Direction.DOWN: "↓", Direction.RIGHT: "→"}

SCALE = 0.72
"""How far a drawing may shrink to fit; a wider one is scrolled, so that it can be read."""
_LEAF_ACROSS, _LEAF_ALONG, _LEVEL_ALONG = 118, 245, 185
"""About how much room a leaf, and a level of questions, takes at full size, in pixels."""


def draw_tree(
    tree: Tree,
    test: EncodedData | None,
    *,
    key: str,
    direction: Direction | None = None,
    marked: frozenset[int] = frozenset(),
) -> None:
    """Draw a tree in the page's colours, with its test rows counted in the leaves.

    Parameters
    ----------
    tree : Tree
        What to draw.
    test : EncodedData or None
        Test rows.
    key : str
        Name of the frame.
    direction : Direction, optional
        Which way it grows; what reads best by default.
    marked : frozenset of int
        Nodes whose outline is lit, in the order node, left subtree, right subtree.
    """
    chosen = direction or natural_direction(tree)
    least = SCALE * _width(tree, chosen)
    st.html(
        f"<style>.st-key-{key} {{ overflow-x: auto; }} "
        f".st-key-{key} .stGraphVizChart svg {{ min-width: {least:.0f}px; }}</style>"
    )
    # Where names are equal, Streamlit's viewer prepares a morph of every line of the old drawing
    # into the new one, a point for each pixel, and never plays it: 0.2 s in which the page stands.
    dot = tree_dot(
        tree,
        test=test,
        theme=current_theme(),
        direction=chosen,
        marked=marked,
        own_name=True,
    )
    with st.container(key=key):
        st.graphviz_chart(dot, alt=tree_summary(tree))


def load_viewer() -> None:
    """Have the browser load what draws trees, out of sight, while the settings are chosen.

    Otherwise the first tree would wait most of a second for it.
    """
    st.html("<style>.st-key-viewer { display: none; }</style>")
    with st.container(key="viewer"):
        st.graphviz_chart("digraph {}", alt="No tree yet")


def chosen_direction(tree: Tree) -> Direction:
    """The direction that the user chose for the page's tree, or what reads best."""
    return st.session_state.get(_CHOSEN) or natural_direction(tree)


def choose_direction(tree: Tree) -> None:
    """Draw the choice of direction."""
    st.session_state[_DIRECTION] = chosen_direction(tree)
    st.segmented_control(
        "The tree grows",
        list(Direction),
        format_func=lambda direction: f"{_ARROWS[direction]} {direction.value}",
        key=_DIRECTION,
        required=True,
        label_visibility="collapsed",
        on_change=_take_direction,
    )


def _take_direction() -> None:
    st.session_state[_CHOSEN] = st.session_state[_DIRECTION]


def natural_direction(tree: Tree) -> Direction:
    """Down, as in the paper, or to the right where that is narrower."""
    return min(Direction, key=lambda direction: _width(tree, direction))


def _width(tree: Tree, direction: Direction) -> int:
    """About how wide a drawing is at full size, in pixels."""
    if direction is Direction.DOWN:
        return tree.n_leaves * _LEAF_ACROSS
    return tree.depth * _LEVEL_ALONG + _LEAF_ALONG
