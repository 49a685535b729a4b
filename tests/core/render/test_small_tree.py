"""The thumbnail of a tree."""

from __future__ import annotations

import graphviz
import pytest

from odt_core.problem import Feature, FeatureKind, Split
from odt_core.render import (
    DARK,
    LIGHT,
    small_tree_dot,
)
from odt_core.tree import Decision, Leaf, Tree

NAME = 'a very long "name" <b> \\ of a column'


@pytest.fixture
def tree() -> Tree:
    features = (Feature(NAME, FeatureKind.CATEGORICAL, ("a", "b")),)
    root = Decision(
        Split(0, frozenset({0})), Leaf(False, 3, 1), Leaf(True, 0, 4), frozenset({0, 1})
    )
    return Tree(root, features)


def test_a_thumbnail_names_columns_and_outcomes(tree: Tree) -> None:
    for theme in (LIGHT, DARK):
        dot = small_tree_dot(tree, theme=theme)
        assert dot.count("->") == 2 and "style=dashed" in dot and "style=solid" in dot
        assert 'label="+"' in dot and 'label="−"' in dot
        assert "a very long" in dot and theme.ink in dot
        assert "<b>" not in dot


def test_a_thumbnail_is_a_drawing(tree: Tree) -> None:
    source = graphviz.Source(small_tree_dot(tree))
    assert source.source.startswith("digraph small_")
