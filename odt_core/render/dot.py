"""A tree as a Graphviz drawing.

The same drawing must work in the browser, with an installed ``dot`` and with the graphviz-pure
wheel. So it uses only what all three treat alike: HTML-like tables, one font size (the browser's
page sets its own), and no links. The words on an edge stand at its head, in the first row of the
child's table, right above the child's box. So they line up with the box and need no extra room.
Tables of one level get the same height, so that their boxes line up too.
"""

from __future__ import annotations

import html
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from odt_core.evaluation.leaves import LeafCounts, leaf_table
from odt_core.problem import EncodedData
from odt_core.render.labels import (
    LEAF_WIDTH,
    LINE,
    NODE_WIDTH,
    SIZE,
    Box,
    LeafSizes,
    answer_cell,
    decision_box,
    leaf_box,
    legend,
    legend_width,
    line_leaf_box,
    row_of,
    table,
)
from odt_core.render.theme import LIGHT, Theme
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import (
    NO,
    YES,
    DrawnWords,
    SplitWords,
    absent_words,
    category_lists,
    count_words,
    drawn_words,
    printable,
    split_words,
    typeset_words,
    unseen_value_words,
)

FONT = "Arial"
"""One family name: the wheel and the browser know the letter widths of few families."""

THIN, THICK = 1.0, 6.0
"""Widths in points of an edge that no training row takes, and of an edge that every row takes."""

NODE_GAP, LEVEL_GAP, ROW_GAP = 0.12, 0.45, 0.08
"""Gaps between boxes side by side, and between levels and rows of a drawing to the right, in
inches."""

SIDEWAYS_LEAVES = 9
"""Trees with at least this many leaves grow to the right: downwards they would be too wide."""


class Direction(StrEnum):
    """The direction in which a drawing grows from the root."""

    DOWN = "down"
    RIGHT = "right"


@dataclass(frozen=True)
class Density:
    """How much room a drawing takes.

    Attributes
    ----------
    node_width : float
        Widest text of a question before it wraps, in points.
    level_gap, row_gap : float
        Gaps between levels and between rows of a drawing to the right, in inches.
    has_bars : bool
        Whether leaves have bars above their shares; otherwise a leaf is one line.
    has_values : bool
        Whether edges name values that the question does not name.
    """

    node_width: float = NODE_WIDTH
    level_gap: float = LEVEL_GAP
    row_gap: float = ROW_GAP
    has_bars: bool = True
    has_values: bool = True


ROOMY = Density()
"""The usual density."""


def tree_dot(
    tree: Tree,
    *,
    test: EncodedData | LeafCounts | None = None,
    theme: Theme = LIGHT,
    lit_leaf: int | None = None,
    marked: frozenset[int] = frozenset(),
    with_lists: bool = False,
    direction: Direction | None = None,
    opaque: bool = False,
    on_screen: bool = False,
    density: Density = ROOMY,
) -> str:
    """Write the DOT source of a tree.

    A decision node shows its question. An edge shows the answer and the values that lead to it. It
    is thicker if more training rows take it. A leaf shows the class and, for training and test
    rows, the share of the positive class. Leaves of the positive class are grey, as in the paper.

    Parameters
    ----------
    tree : Tree
        The tree to draw.
    test : EncodedData or LeafCounts, optional
        Test rows, or their numbers in the leaves.
    theme : Theme
        The colours.
    lit_leaf : int, optional
        The leaf, from 0, whose path is highlighted.
    marked : frozenset of int
        Nodes with a highlighted outline, numbered in the order node, left subtree, right subtree.
    with_lists : bool
        Whether to put numbered lists of categories below the whole drawing (for files). A question
        names only a few categories. On screen, the tooltip has the whole list.
    direction : Direction, optional
        Down, or to the right. By default, large trees grow to the right.
    opaque : bool
        Whether to paint the page behind the drawing (for files); transparent by default.
    on_screen : bool
        Whether the graph has a name of its own, because a viewer takes graphs of equal names for
        stages of one drawing, and tooltips have "≤", as the questions do.
    density : Density
        How much room to take; a large tree on a printed page has little.

    Returns
    -------
    str
        The source. Equal arguments always give the same text.
    """
    usual = Direction.DOWN if tree.n_leaves < SIDEWAYS_LEAVES else Direction.RIGHT
    down = (direction or usual) is Direction.DOWN
    nodes = list(_nodes(tree, test, theme, lit_leaf, marked, down, density, on_screen))
    lists = list(category_lists(tree).values()) if with_lists else []
    below = legend(tree, theme, lists, _extent(nodes, down), has_bars=density.has_bars)
    head = _head(tree, theme, down, opaque, density, below)
    body = "\n".join([*head, *_drawn(nodes, theme, down)])
    name = f"tree_{zlib.crc32(body.encode()):08x}" if on_screen else "tree"
    return f"digraph {name} {{\n{body}\n}}\n"


def _drawn(nodes: Sequence[_Placed], theme: Theme, down: bool) -> Iterator[str]:
    """Each node and the edge to it."""
    for node in nodes:
        level = [other for other in nodes if other.level == node.level] if down else [node]
        yield f"  n{node.number} [label=<{_label(node, level)}> {_tooltip(node.tooltip)}]"
        if node.parent is not None:
            yield _edge(node, theme, down)


def _head(
    tree: Tree, theme: Theme, down: bool, opaque: bool, density: Density, below: str
) -> list[str]:
    """The attributes of the drawing, with the text below it, and of all nodes and edges."""
    title = quoted(f"Decision tree for {printable(tree.target)}")
    return [
        f'  graph [bgcolor="{theme.page if opaque else "transparent"}" tooltip={title} '
        f"rankdir={'TB' if down else 'LR'} ordering=out splines=polyline "
        f"nodesep={NODE_GAP if down else density.row_gap} "
        f"ranksep={0.3 if down else density.level_gap} "
        f'pad=0.08 margin=0 labelloc=b fontname="{FONT}" fontsize={SIZE:g} '
        f'fontcolor="{theme.muted}" '
        f"label=<{below}>]",
        f'  node [shape=plain fontname="{FONT}" fontsize={SIZE:g} fontcolor="{theme.ink}"]',
        f'  edge [arrowhead=none color="{theme.line}"]',
    ]


@dataclass(frozen=True)
class _Placed:
    """A node of the drawing and its place in the tree.

    Attributes
    ----------
    number, parent, level : int
        Number in the order node, left subtree, right subtree; number of the parent; depth from 0.
    answer : str
        The answer that leads to the node, as an HTML cell; empty at the root.
    answer_lines : int
        Number of lines of the answer.
    box : Box
        The node's box.
    share : float
        Share of the training rows that reach the node.
    is_lit : bool
        Whether the node is on the highlighted path.
    tooltip, edge_tooltip : str
        The full text of the node and of the edge to it.
    """

    number: int
    parent: int | None
    level: int
    answer: str
    answer_lines: int
    box: Box
    share: float
    is_lit: bool
    tooltip: str
    edge_tooltip: str


@dataclass(frozen=True)
class _Arrival:
    """The edge by which the drawing comes to a node: its start and its answer."""

    parent: int | None = None
    level: int = 0
    answer: str = ""
    tooltip: str = ""


def _nodes(
    tree: Tree,
    test: EncodedData | LeafCounts | None,
    theme: Theme,
    lit_leaf: int | None,
    marked: frozenset[int],
    down: bool,
    density: Density = ROOMY,
    on_screen: bool = False,
) -> Iterator[_Placed]:
    """Make all nodes with their text and sizes."""
    rows = leaf_table(tree, test)
    sizes = LeafSizes.of(rows, down, has_bars=density.has_bars)
    lit = _lit_numbers(tree, lit_leaf)
    n_rows = max(tree.root.n, 1)
    lists = {place: at for at, place in enumerate(category_lists(tree), start=1)}
    number = leaf_number = decision_number = -1

    def visit(node: Node, arrival: _Arrival) -> Iterator[_Placed]:
        nonlocal number, leaf_number, decision_number
        number += 1
        here, is_lit = number, number in lit
        if isinstance(node, Leaf):
            leaf_number += 1
            row = rows[leaf_number]
            draw_leaf = leaf_box if density.has_bars else line_leaf_box
            box = draw_leaf(row, sizes, theme, is_lit or here in marked)
            tooltip = f"Leaf {row.number}: {row.predicted} if {row.rule}"
        else:
            decision_number += 1
            words = drawn_words(tree, node, lists.get(decision_number))
            if not density.has_values:
                words = words.brief
            box = decision_box(words, theme, is_lit or here in marked, density.node_width)
            whole = typeset_words(tree, node) if on_screen else split_words(tree, node)
            tooltip = f"{whole.question} ({count_words(node.n, 'training row')}) "
            tooltip = (tooltip + absent_words(tree, node)).strip()
        cell, lines = "", 0
        if arrival.answer:
            width = max(box.width, LEAF_WIDTH)
            cell, lines = answer_cell(arrival.answer, width, is_lit)
        yield _Placed(
            number=here,
            parent=arrival.parent,
            level=arrival.level,
            answer=cell,
            answer_lines=lines,
            box=box,
            share=node.n / n_rows,
            is_lit=is_lit,
            tooltip=tooltip,
            edge_tooltip=arrival.tooltip,
        )
        if isinstance(node, Decision):
            for child, next_arrival in _branches(tree, node, words, whole, here, arrival.level + 1):
                yield from visit(child, next_arrival)

    yield from visit(tree.root, _Arrival())


def _branches(
    tree: Tree, node: Decision, words: DrawnWords, whole: SplitWords, number: int, level: int
) -> Iterator[tuple[Node, _Arrival]]:
    """Yield both children of a decision node, yes first."""
    new = unseen_value_words(tree.features[node.split.feature])
    for child, answer, drawn, values in (
        (node.left, YES, words.yes, whole.yes),
        (node.right, NO, words.no, whole.no),
    ):
        unseen = f", or {new}" if new and whole.unseen == answer else ""
        rows = count_words(child.n, "training row")
        tooltip = f"{whole.feature}, {answer}: {values}{unseen} ({rows})"
        yield child, _Arrival(number, level, drawn, tooltip)


def drawn_width(tree: Tree, test: EncodedData | None, direction: Direction) -> float:
    """Estimate the width of a drawing at full size, in points."""
    down = direction is Direction.DOWN
    nodes = list(_nodes(tree, test, LIGHT, None, frozenset(), down))
    return max(_extent(nodes, down), legend_width(tree))


def _extent(nodes: Sequence[_Placed], down: bool) -> float:
    """The width of a drawing: of its leaves side by side, or of its levels."""
    parents = {node.parent for node in nodes}
    if down:
        leaves = [node.box.width for node in nodes if node.number not in parents]
        return sum(leaves) + NODE_GAP * 72 * (len(leaves) - 1)
    widest: dict[int, float] = {}
    for node in nodes:
        widest[node.level] = max(widest.get(node.level, 0.0), node.box.width)
    return sum(widest.values()) + LEVEL_GAP * 72 * (len(widest) - 1)


def _lit_numbers(tree: Tree, lit_leaf: int | None) -> frozenset[int]:
    """Numbers of the nodes from the root to the highlighted leaf."""
    if lit_leaf is None:
        return frozenset()
    number, node, found = 0, tree.root, {0}
    for _, goes_left in tree.paths[lit_leaf]:
        assert isinstance(node, Decision)
        number += 1 if goes_left else 1 + sum(1 for _ in node.left.walk())
        node = node.left if goes_left else node.right
        found.add(number)
    return frozenset(found)


def _label(node: _Placed, level: Sequence[_Placed]) -> str:
    """A node's whole label: its answer, its box, and blank space up to the height of its level."""
    rows = ""
    if node.answer:
        rows += _blank(LINE * (max(other.answer_lines for other in level) - node.answer_lines))
        rows += row_of(node.answer)
    rows += row_of(f"<TD>{node.box.html}</TD>")
    rows += _blank(max(other.box.height for other in level) - node.box.height)
    return table(rows)


def _blank(height: float) -> str:
    return row_of(f'<TD HEIGHT="{height:.0f}"></TD>') if height >= 1 else ""


def _edge(node: _Placed, theme: Theme, down: bool) -> str:
    width = THIN + (THICK - THIN) * node.share
    ends = ("box:s", "answer:n") if down else ("box:e", "box:w")
    color = f' color="{theme.accent}"' if node.is_lit else ""
    return (
        f"  n{node.parent}:{ends[0]} -> n{node.number}:{ends[1]} "
        f"[penwidth={width:.2f}{color} {_tooltip(node.edge_tooltip)}]"
    )


def _tooltip(text: str) -> str:
    return f"tooltip={quoted(text)}"


def quoted(text: str) -> str:
    """Write a DOT string. Graphviz interprets character entities and backslashes in it.

    It interprets some attributes twice and others once, so no escape keeps a backslash in all of
    them. A character that looks the same replaces it.
    """
    escaped = html.escape(text, quote=False).replace("\\", "\N{REVERSE SOLIDUS OPERATOR}")
    return '"' + escaped.replace('"', '\\"') + '"'
