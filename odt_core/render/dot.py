"""A tree as a Graphviz drawing.

One drawing serves the browser, an installed ``dot`` and the graphviz-pure wheel, so it keeps to
what all three do alike: HTML-like tables, one font size (the browser's page sets its own), no
links. The words on an edge stand at its head, in the first row of the child's table, right above
the child's box: they line up with it and cost no room in the layout. Tables of one level get the
same height, so that their boxes line up too.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from odt_core.evaluation.leaves import LeafRow, leaf_table
from odt_core.evaluation.metrics import Rate
from odt_core.problem import EncodedData
from odt_core.render.text import text_width, wrap
from odt_core.render.theme import LIGHT, Theme
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import (
    NO,
    SHORT,
    YES,
    SplitWords,
    count_words,
    percent_words,
    printable,
    split_words,
    unseen_value_words,
)

FONT = "Arial"
"""One family name: the wheel and the browser know the letter widths of a few families only."""

SIZE, LINE = 9.0, 10.8
"""Font size and line height, in points."""

NODE_WIDTH, LEAF_WIDTH = 116.0, 74.0
"""Widest text of a box before it wraps, in points."""

WHOLE = 60
"""Categories that even a drawing with whole lists names, at most."""

NUMBER_WIDTH = 14.0
"""Room for a leaf's number."""

BAR_HEIGHT = 6
THIN, THICK = 1.0, 6.0
"""Widths of an edge that no training row and that every training row takes, in points."""

SIDEWAYS_LEAVES = 9
"""Trees with at least so many leaves grow to the right: downwards they would be too wide."""


class Direction(StrEnum):
    """Which way a drawing grows from the root."""

    DOWN = "down"
    RIGHT = "right"


def tree_dot(
    tree: Tree,
    *,
    test: EncodedData | None = None,
    theme: Theme = LIGHT,
    lit_leaf: int | None = None,
    shorten: bool = True,
    direction: Direction | None = None,
    opaque: bool = False,
) -> str:
    """DOT source of a tree.

    Decision nodes hold their question; edges the answer and the values that give it, as thick as
    the share of training rows that takes them. Leaves hold the predicted class and, for training
    and test rows, a bar and the share of the positive class. Leaves of the positive class are
    grey, of the negative class white, as in the paper.

    Parameters
    ----------
    tree : Tree
        What to draw.
    test : EncodedData, optional
        Test rows, counted in the leaves.
    theme : Theme
        Colours.
    lit_leaf : int, optional
        The leaf, from 0, whose path is lit.
    shorten : bool
        Name only the first few of many categories; the whole list is in the tooltip. Otherwise
        up to `WHOLE` are named.
    direction : Direction, optional
        Down, or to the right for large trees, by default.
    opaque : bool
        Paint the page behind the drawing (for files); transparent by default.

    Returns
    -------
    str
        The same for the same arguments, always.
    """
    if direction is None:
        direction = Direction.DOWN if tree.n_leaves < SIDEWAYS_LEAVES else Direction.RIGHT
    down = direction is Direction.DOWN
    limit = SHORT if shorten else WHOLE
    boxes = list(_boxes(tree, test, theme, lit_leaf, limit, down))
    title = _quoted(f"Decision tree for {printable(tree.target)}")
    lines = [
        "digraph tree {",
        f'  graph [bgcolor="{theme.page if opaque else "transparent"}" tooltip={title} '
        f"rankdir={'TB' if down else 'LR'} ordering=out splines=polyline "
        f"nodesep={0.12 if down else 0.08} ranksep={0.3 if down else 0.45} pad=0.08 margin=0 "
        f'fontname="{FONT}" fontsize={SIZE:g} fontcolor="{theme.muted}" labelloc=b '
        f"label=<{_legend(tree, theme)}>]",
        f'  node [shape=plain fontname="{FONT}" fontsize={SIZE:g} fontcolor="{theme.ink}"]',
        f'  edge [arrowhead=none color="{theme.line}"]',
    ]
    for box in boxes:
        level = [other for other in boxes if other.level == box.level] if down else [box]
        lines.append(f"  n{box.number} [label=<{_label(box, level)}> {_tooltip(box.tooltip)}]")
        if box.parent is not None:
            lines.append(_edge(box, theme, down))
    return "\n".join([*lines, "}"]) + "\n"


@dataclass(frozen=True)
class _Box:
    """A node of the drawing, before it is laid out.

    Attributes
    ----------
    number, parent, level : int
        In the order node, left subtree, right subtree; the parent's number; from 0 at the root.
    answer : str
        The answer that leads here, as an HTML cell; empty at the root.
    answer_lines : int
        How many lines it takes.
    content : str
        The box as an HTML table.
    height : float
        Its height, in points.
    share : float
        Share of the training rows that pass here.
    is_lit : bool
        Whether it is on the lit path.
    tooltip, edge_tooltip : str
        The whole words of the node and of the edge to it.
    """

    number: int
    parent: int | None
    level: int
    answer: str
    answer_lines: int
    content: str
    height: float
    share: float
    is_lit: bool
    tooltip: str
    edge_tooltip: str


@dataclass(frozen=True)
class _Arrival:
    """How the drawing comes to a node: from which, by what answer, for which values."""

    parent: int | None = None
    level: int = 0
    answer: str = ""
    values: str = ""
    tooltip: str = ""


def _boxes(
    tree: Tree,
    test: EncodedData | None,
    theme: Theme,
    lit_leaf: int | None,
    limit: int | None,
    down: bool,
) -> Iterator[_Box]:
    """All nodes, put into words and measured."""
    rows = leaf_table(tree, test)
    sizes = _LeafSizes.of(rows, down)
    lit = _lit_numbers(tree, lit_leaf)
    n_rows = max(tree.root.n, 1)
    number = leaf_number = -1

    def visit(node: Node, arrival: _Arrival) -> Iterator[_Box]:
        nonlocal number, leaf_number
        number += 1
        here, is_lit = number, number in lit
        if isinstance(node, Leaf):
            leaf_number += 1
            row = rows[leaf_number]
            content, height, width = _leaf(row, sizes, theme, is_lit)
            tooltip = f"Leaf {row.number}: {row.predicted} if {row.rule}"
        else:
            content, height, width = _decision(tree, node, theme, is_lit, limit)
            question = split_words(tree, node).question
            tooltip = f"{question} ({count_words(node.n, 'training row')})"
        answer, answer_lines = _answer(arrival, max(width, LEAF_WIDTH), is_lit)
        yield _Box(
            number=here,
            parent=arrival.parent,
            level=arrival.level,
            answer=answer,
            answer_lines=answer_lines,
            content=content,
            height=height,
            share=node.n / n_rows,
            is_lit=is_lit,
            tooltip=tooltip,
            edge_tooltip=arrival.tooltip,
        )
        if isinstance(node, Decision):
            for child, next_arrival in _branches(tree, node, here, arrival.level + 1, limit):
                yield from visit(child, next_arrival)

    yield from visit(tree.root, _Arrival())


def _branches(
    tree: Tree, node: Decision, number: int, level: int, limit: int | None
) -> Iterator[tuple[Node, _Arrival]]:
    """Both children of a decision node, yes first."""
    short, whole = _typeset(tree, node, limit), split_words(tree, node)
    new = unseen_value_words(tree.features[node.split.feature])
    for child, answer, values, tip in (
        (node.left, YES, short.yes, whole.yes),
        (node.right, NO, short.no, whole.no),
    ):
        unseen = f", or {new}" if new and whole.unseen == answer else ""
        rows = count_words(child.n, "training row")
        tooltip = f"{whole.feature}, {answer}: {tip}{unseen} ({rows})"
        yield child, _Arrival(number, level, answer, values, tooltip)


def _lit_numbers(tree: Tree, lit_leaf: int | None) -> frozenset[int]:
    """Numbers of the nodes from the root to the lit leaf."""
    if lit_leaf is None:
        return frozenset()
    number, node, found = 0, tree.root, {0}
    for _, goes_left in tree.paths[lit_leaf]:
        assert isinstance(node, Decision)
        number += 1 if goes_left else 1 + _size(node.left)
        node = node.left if goes_left else node.right
        found.add(number)
    return frozenset(found)


def _size(node: Node) -> int:
    """Nodes of a subtree."""
    return 1 if isinstance(node, Leaf) else 1 + _size(node.left) + _size(node.right)


# --- the parts of a label: HTML, height and width in points ---------------------------------
# Text is set to the left, one font to a cell: where the browser's own font is narrower than the
# one Graphviz measured, centred lines and changes of font within a line would come out askew.


def _decision(
    tree: Tree, node: Decision, theme: Theme, is_lit: bool, limit: int | None
) -> tuple[str, float, float]:
    # A long set is counted here and named on the edge; to name it twice would fill the drawing.
    named = len(node.split.left) <= SHORT or tree.features[node.split.feature].is_numerical
    words = _typeset(tree, node, limit if named else 0)
    name = wrap(words.feature, SIZE, NODE_WIDTH, bold=True)
    question = wrap(f"{words.predicate}?", SIZE, NODE_WIDTH)
    width = max(_widest(name, bold=True), _widest(question))
    rows = _row(_cell(name, width, bold=True, padding=0)) + _row(_cell(question, width, padding=0))
    box = _frame(_row(f'<TD CELLPADDING="4">{_table(rows)}</TD>'), theme, theme.node, is_lit, True)
    return box, LINE * (len(name) + len(question)) + 8 + 2 * _border(is_lit), width + 10


@dataclass(frozen=True)
class _LeafSizes:
    """What all leaves have in common, so that they line up.

    Attributes
    ----------
    name, share : float
        Width of the class's name, and of a bar and the words below it, in points.
    name_lines : int
        Lines of the longest class name.
    down : bool
        Whether shares stand below the name, else beside it.
    """

    name: float
    share: float
    name_lines: int
    down: bool

    @classmethod
    def of(cls, rows: Sequence[LeafRow], down: bool) -> _LeafSizes:
        names = [_leaf_name(row) for row in rows]
        name = max(_widest(lines, bold=True) for lines in names)
        share = max(_widest(_shares(row)) for row in rows)
        if down:
            share = max(share, name + NUMBER_WIDTH, LEAF_WIDTH)
            name = share - NUMBER_WIDTH
        return cls(name, share, max(len(lines) for lines in names), down)


def _leaf_name(row: LeafRow) -> list[str]:
    return wrap(row.predicted, SIZE, LEAF_WIDTH - NUMBER_WIDTH, bold=True)


def _shares(row: LeafRow) -> list[str]:
    """The share of positives in words, for training and then for test rows."""
    return [f"train {_share(row.train)}"] + ([f"test {_share(row.test)}"] if row.test else [])


def _leaf(row: LeafRow, sizes: _LeafSizes, theme: Theme, is_lit: bool) -> tuple[str, float, float]:
    """Class and number, then for training and test rows a bar and the share of positives."""
    number = f'<FONT COLOR="{theme.muted}">{row.number}</FONT>'
    title = _table(
        _row(
            _cell(_leaf_name(row), sizes.name, bold=True, padding=0)
            + f'<TD ALIGN="RIGHT" WIDTH="{NUMBER_WIDTH:.0f}">{number}</TD>'
        )
    )
    rates = [row.train] if row.test is None else [row.train, row.test]
    shares = [
        _row(f'<TD CELLPADDING="1">{_bar(theme, rate, round(sizes.share))}</TD>')
        + _row(_cell([line], sizes.share, padding=1))
        for line, rate in zip(_shares(row), rates, strict=True)
    ]
    share_height = BAR_HEIGHT + 4 + LINE + 2
    fill = theme.positive if row.label else theme.negative
    title_cell = f'<TD CELLPADDING="3">{title}</TD>'
    if sizes.down:
        rows = _row(title_cell)
        rows += "".join(_row(f'<TD CELLPADDING="1">{_table(share)}</TD>') for share in shares)
        height = (
            LINE * len(_leaf_name(row)) + 6 + 2 * _border(is_lit) + len(shares) * (share_height + 2)
        )
        return _frame(rows, theme, fill, is_lit, False), height, sizes.share + 6
    cells = "".join(f'<TD CELLPADDING="3">{_table(share)}</TD>' for share in shares)
    width = sizes.name + NUMBER_WIDTH + (sizes.share + 8) * len(shares)
    height = max(share_height, LINE * sizes.name_lines) + 8
    return _frame(_row(title_cell + cells), theme, fill, is_lit, False), height, width


def _share(rate: Rate) -> str:
    if rate.value is None:
        return "no rows"
    return f"{percent_words(rate.value, 0)} of {rate.n:,}"


def _bar(theme: Theme, rate: Rate, width: int) -> str:
    """The positive share filled, from the left, and the rest empty."""
    filled = round(width * (rate.value or 0))
    if 0 < rate.successes < rate.n:
        filled = min(max(filled, 1), width - 1)
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{part}" HEIGHT="{BAR_HEIGHT}"{fill}></TD>'
        for part, fill in ((filled, f' BGCOLOR="{theme.bar}"'), (width - filled, ""))
        if part
    )
    return _table(_row(cells), f'BORDER="1" COLOR="{theme.line}"')


def _border(is_lit: bool) -> int:
    """Width of a box's outline, in points."""
    return 3 if is_lit else 1


def _frame(rows: str, theme: Theme, fill: str, is_lit: bool, rounded: bool) -> str:
    color, border = theme.accent if is_lit else theme.line, _border(is_lit)
    style = ' STYLE="ROUNDED"' if rounded else ""
    return _table(rows, f'PORT="box" BORDER="{border}" COLOR="{color}" BGCOLOR="{fill}"{style}')


def _answer(arrival: _Arrival, width: float, is_lit: bool) -> tuple[str, int]:
    """The answer and its values, and how many lines they take.

    On the lit path all is bold, so that colour is not the only sign.
    """
    if not arrival.answer:
        return "", 0
    lines = wrap(f"{arrival.answer}: {arrival.values}", SIZE, width, bold=is_lit)
    widest = _widest(lines, bold=is_lit)
    cell = _cell(lines, widest, bold=is_lit, padding=1, align="CENTER", port=' PORT="answer"')
    return cell, len(lines)


def _label(box: _Box, level: Sequence[_Box]) -> str:
    """A node's whole label: its answer, its box, and blanks up to the height of its level."""
    rows = ""
    if box.answer:
        rows += _blank(LINE * (max(other.answer_lines for other in level) - box.answer_lines))
        rows += _row(box.answer)
    rows += _row(f"<TD>{box.content}</TD>")
    rows += _blank(max(other.height for other in level) - box.height)
    return _table(rows)


def _blank(height: float) -> str:
    return _row(f'<TD HEIGHT="{height:.0f}"></TD>') if height >= 1 else ""


def _table(rows: str, attributes: str = 'BORDER="0"') -> str:
    return f'<TABLE {attributes} CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'


def _row(cells: str) -> str:
    return f"<TR>{cells}</TR>"


def _cell(
    lines: Sequence[str],
    width: float,
    *,
    bold: bool = False,
    padding: int,
    align: str = "LEFT",
    port: str = "",
) -> str:
    """Lines of text in a cell of at least the given width.

    Each line has a row of its own: Graphviz sets bold lines of one cell closer than plain ones.
    """
    text = "".join(
        _row(f'<TD ALIGN="{align}">{f"<B>{_text(line)}</B>" if bold else _text(line)}</TD>')
        for line in lines
    )
    return (
        f'<TD{port} CELLPADDING="{padding}" WIDTH="{width + 2 * padding:.0f}">{_table(text)}</TD>'
    )


def _edge(box: _Box, theme: Theme, down: bool) -> str:
    width = THIN + (THICK - THIN) * box.share
    ends = ("box:s", "answer:n") if down else ("box:e", "box:w")
    color = f' color="{theme.accent}"' if box.is_lit else ""
    return (
        f"  n{box.parent}:{ends[0]} -> n{box.number}:{ends[1]} "
        f"[penwidth={width:.2f}{color} {_tooltip(box.edge_tooltip)}]"
    )


def _legend(tree: Tree, theme: Theme) -> str:
    """What bars and percentages mean, positive class first."""
    positive, negative = printable(tree.positive_label), printable(tree.negative_label)
    keys = "".join(
        f'<TD CELLPADDING="2">{_bar(theme, rate, 12)}</TD>'
        + _cell([name], text_width(name, SIZE), padding=2)
        for name, rate in (
            (_clipped(positive), Rate(1, 1, None, None)),
            (_clipped(negative), Rate(0, 1, None, None)),
        )
    )
    note = f"percentages: rows of {_clipped(positive)}"
    return _table(
        _row(f"<TD>{_table(_row(keys))}</TD>")
        + _row(_cell([note], text_width(note, SIZE), padding=2))
    )


def _clipped(name: str, width: float = 110.0) -> str:
    """A name's beginning, where it is too long for one line."""
    line = wrap(name, SIZE, width)[0]
    return line if line == name else f"{line}..."


def _widest(lines: Sequence[str], *, bold: bool = False) -> float:
    return max(text_width(line, SIZE, bold=bold) for line in lines)


def _text(text: str) -> str:
    r"""Text inside a label; a blank of no width keeps Graphviz from reading ``\N`` and its kind."""
    return html.escape(text.replace("\\", "\\\N{ZERO WIDTH SPACE}"))


def _typeset(tree: Tree, node: Decision, limit: int | None) -> SplitWords:
    """The words of a split, with the sign for "at most" where they cannot hold a user's name."""
    words = split_words(tree, node, limit)
    if not tree.features[node.split.feature].is_numerical:
        return words
    predicate, yes, no = (
        text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
        for text in (words.predicate, words.yes, words.no)
    )
    return replace(words, predicate=predicate, yes=yes, no=no)


def _tooltip(text: str) -> str:
    return f"tooltip={_quoted(text)}"


def _quoted(text: str) -> str:
    """A DOT string, in which Graphviz reads character entities and backslashes.

    It reads some attributes twice, others once, so no escape keeps a backslash in all of them: a
    sign that looks the same stands in for it.
    """
    escaped = html.escape(text, quote=False).replace("\\", "\N{REVERSE SOLIDUS OPERATOR}")
    return '"' + escaped.replace('"', '\\"') + '"'
