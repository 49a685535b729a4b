"""The thumbnail of a tree, and the figure of what columns are worth."""

from __future__ import annotations

import graphviz
import pytest

from odt_core.problem import Feature, FeatureKind, Split
from odt_core.render import (
    DARK,
    LIGHT,
    ColumnMark,
    columns_alt_text,
    columns_figure,
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


def marks(*without: float | None) -> list[ColumnMark]:
    return [
        ColumnMark(f"c{i} <b>", i / len(without), each, is_proved=i != 1)
        for i, each in enumerate(without)
    ]


def test_the_figure_has_both_parts_with_what_is_not_proved_hollow() -> None:
    figure = columns_figure(marks(3.0, 4.0, None, 5.0), best=3.0, unit="errors")
    names = [trace.name for trace in figure.data]
    assert names == ["trees that ask about it", "best tree without it", "best found, not proved"]
    proved, found = figure.data[1:]
    assert list(proved.x) == [3.0, 5.0] and list(found.x) == [4.0]
    assert proved.marker.color == LIGHT.accent and found.marker.color == LIGHT.page
    assert all("<b>" not in text for text in figure.layout.yaxis.ticktext)
    low, high = figure.layout.xaxis2.range
    assert low < 3 and high > 5


def test_the_alternative_text_says_the_same() -> None:
    text = columns_alt_text(marks(3.0, 4.0, None), 3.0, "errors")
    assert "the best tree has 3 errors" in text
    assert "the best without it has 4 errors, not proved" in text
