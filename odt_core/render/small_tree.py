"""A tree as a thumbnail: the columns of its questions, and the classes that it predicts."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from odt_core.render.dot import FONT, quoted
from odt_core.render.theme import LIGHT, Theme
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import printable, typeset_words

NAME, LEAST_NAME, LINE = 18, 9, 38
"""The largest and smallest limit on the characters of a name, and the characters of a level."""
POSITIVE, NEGATIVE = "+", "−"
"""The signs of the two classes in the leaves."""


def small_tree_dot(tree: Tree, *, theme: Theme = LIGHT) -> str:
    """Write the DOT source of a thumbnail.

    A box names the column of a question, and its tooltip has the whole question. A solid line is
    the answer yes, and a dashed line is no. A leaf has a plus sign for the positive class and a
    minus sign for the negative class.

    Parameters
    ----------
    tree : Tree
        The tree.
    theme : Theme
        The colours.
    """
    lines = [
        f'  graph [bgcolor="transparent" tooltip={quoted(f"Tree for {printable(tree.target)}")} '
        f'ordering=out nodesep=0.12 ranksep=0.22 pad=0.05 margin=0 fontname="{FONT}"]',
        f'  node [fontname="{FONT}" fontsize=11 fontcolor="{theme.ink}" color="{theme.line}" '
        'margin="0.07,0.04" height=0.26 width=0.26 style=filled]',
        f'  edge [arrowhead=none color="{theme.line}" penwidth=1.4]',
        *_lines(tree, theme),
    ]
    body = "\n".join(lines)
    return f"digraph small_{zlib.crc32(body.encode()):08x} {{\n{body}\n}}\n"


def _lines(tree: Tree, theme: Theme) -> Iterator[str]:
    """The nodes in the order node, left subtree, right subtree, each with the edge to it."""
    numbers = iter(range(2 * tree.n_leaves))
    most = min(max(LINE // _widest(tree), LEAST_NAME), NAME)

    def visit(node: Node, line: str) -> Iterator[str]:
        here = next(numbers)
        if isinstance(node, Leaf):
            box = _leaf(tree, node, theme)
        else:
            box = _question(tree, node, theme, most)
        yield f"  n{here} [{box}]"
        if line:
            yield line.format(here)
        if isinstance(node, Decision):
            yield from visit(node.left, f"  n{here} -> n{{}} [style=solid tooltip=yes]")
            yield from visit(node.right, f"  n{here} -> n{{}} [style=dashed tooltip=no]")

    return visit(tree.root, "")


def _widest(tree: Tree) -> int:
    """The largest number of questions on one level; 1 for a tree without questions."""
    level, widest = [tree.root], 1
    while level:
        questions = [node for node in level if isinstance(node, Decision)]
        widest = max(widest, len(questions))
        level = [child for node in questions for child in (node.left, node.right)]
    return widest


def _question(tree: Tree, node: Decision, theme: Theme, most: int) -> str:
    name = _short(printable(tree.features[node.split.feature].name), most)
    return (
        f'shape=box label={quoted(name)} fillcolor="{theme.node}" '
        f"tooltip={quoted(typeset_words(tree, node).question)}"
    )


def _leaf(tree: Tree, leaf: Leaf, theme: Theme) -> str:
    fill = theme.positive if leaf.label else theme.negative
    sign = POSITIVE if leaf.label else NEGATIVE
    return (
        f'shape=circle fixedsize=true label="{sign}" fillcolor="{fill}" '
        f"tooltip={quoted(printable(tree.label_name(leaf.label)))}"
    )


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
