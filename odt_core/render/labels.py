"""The parts of a tree's drawing: HTML-like labels with their sizes.

Text is aligned to the left, with one font in each cell. The browser's font can be narrower than the
font that Graphviz measured; centred lines and changes of font within a line would look askew.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from odt_core.evaluation.leaves import LeafRow
from odt_core.evaluation.rates import Rate
from odt_core.render.text import text_width, wrap
from odt_core.render.theme import Theme
from odt_core.tree import Tree
from odt_core.words import DrawnWords, percent_words, printable

SIZE, LINE = 9.0, 10.8
"""Font size and line height, in points."""

NODE_WIDTH, LEAF_WIDTH = 116.0, 74.0
"""Widest text of a question before it wraps, and least width of a leaf, in points."""

NAME_WIDTH, NARROW_NAME, MANY_LEAVES = 96.0, 60.0, 9
"""Widest name of a class before it wraps, in points; less in trees with many leaves."""

NUMBER_WIDTH = 14.0
"""Space for a leaf's number."""

BAR_HEIGHT = 6

KEY_WIDTH = 110.0
"""Widest name of a class in the legend, in points."""

LIST_WIDTH = 320.0
"""Least width at which the lists below a drawing wrap, in points."""

_KEY_BAR, _KEY_PADDING = 12, 2
"""Width of a bar in the legend, and the padding of the legend's cells, in points."""

_BESIDE_LEGEND = 28.0
"""Space that Graphviz leaves at both sides of a legend together, in points."""


@dataclass(frozen=True)
class Box:
    """The box of a node in the drawing.

    Attributes
    ----------
    html : str
        A table with the port ``box``.
    height, width : float
        Sizes in points.
    """

    html: str
    height: float
    width: float


def decision_box(words: DrawnWords, theme: Theme, is_lit: bool, most: float = NODE_WIDTH) -> Box:
    """Make the box of a question, whose text wraps at `most` points."""
    name = wrap(words.feature, SIZE, most, bold=True)
    question = wrap(f"{words.predicate}?", SIZE, most)
    width = max(_widest(name, bold=True), _widest(question))
    rows = row_of(text_cell(name, width, bold=True, padding=0))
    rows += row_of(text_cell(question, width, padding=0))
    frame = _frame(row_of(f'<TD CELLPADDING="4">{table(rows)}</TD>'), theme.node, theme, is_lit)
    height = LINE * (len(name) + len(question)) + 8 + 2 * _outline(is_lit)
    return Box(frame, height, width + 10)


@dataclass(frozen=True)
class LeafSizes:
    """Sizes that all leaves share, so that they line up.

    Attributes
    ----------
    most, name, share : float
        Width in points at which the class's name wraps, width of the name, and width of a bar and
        the words below it.
    down : bool
        Whether shares stand below the name or beside it.
    """

    most: float
    name: float
    share: float
    down: bool

    @classmethod
    def of(cls, rows: Sequence[LeafRow], down: bool, *, has_bars: bool = True) -> LeafSizes:
        """Choose sizes that suit all leaves of a tree; without bars a leaf is flat and wide."""
        most = NARROW_NAME if has_bars and len(rows) >= MANY_LEAVES else NAME_WIDTH
        name = max(_widest(_leaf_name(row, most), bold=True) for row in rows)
        share = max(_widest(_shares(row)) for row in rows)
        if down:
            share = max(share, name + NUMBER_WIDTH, LEAF_WIDTH)
            name = share - NUMBER_WIDTH
        else:
            lines = [line for row in rows for line in _mark_lines(row)]
            name = max(name, _widest(lines, bold=True) - NUMBER_WIDTH)
        return cls(most, name, share, down)


def _leaf_name(row: LeafRow, most: float) -> list[str]:
    return wrap(row.predicted, SIZE, most, bold=True)


def _shares(row: LeafRow) -> list[str]:
    """The share of positives in plain words, for training and then for test rows."""
    return [f"train {_share(row.train)}"] + ([f"test {_share(row.test)}"] if row.test else [])


def _mark_lines(row: LeafRow) -> list[str]:
    """Reasons not to trust a leaf, each after a sign that is visible without colour."""
    return [line for mark in row.marks for line in wrap(f"! {mark}", SIZE, LEAF_WIDTH, bold=True)]


def leaf_box(row: LeafRow, sizes: LeafSizes, theme: Theme, is_lit: bool) -> Box:
    """Make a leaf's box: class, number, and a bar and share for training and test rows."""
    number = f'<FONT COLOR="{theme.muted}">{row.number}</FONT>'
    title = row_of(
        text_cell(_leaf_name(row, sizes.most), sizes.name, bold=True, padding=0)
        + f'<TD ALIGN="RIGHT" WIDTH="{NUMBER_WIDTH:.0f}">{number}</TD>'
    )
    rates = [row.train] if row.test is None else [row.train, row.test]
    shares = [
        row_of(f'<TD CELLPADDING="1">{_bar(theme, rate, round(sizes.share))}</TD>')
        + row_of(text_cell([line], sizes.share, padding=1))
        for line, rate in zip(_shares(row), rates, strict=True)
    ]
    marks = _mark_lines(row)
    width = sizes.name + NUMBER_WIDTH
    warning = row_of(text_cell(marks, width, bold=True, padding=0)) if marks else ""
    cells = [f'<TD CELLPADDING="{1 if sizes.down else 3}">{table(share)}</TD>' for share in shares]
    if sizes.down:
        cells += [f'<TD CELLPADDING="3">{table(warning)}</TD>'] if marks else []
        cells.insert(0, f'<TD CELLPADDING="3">{table(title)}</TD>')
    else:
        head = table(row_of(f"<TD>{table(title)}</TD>") + warning)
        cells.insert(0, f'<TD CELLPADDING="3">{head}</TD>')
    rows = "".join(row_of(cell) for cell in cells) if sizes.down else row_of("".join(cells))
    fill = theme.positive if row.label else theme.negative
    frame = _frame(rows, fill, theme, is_lit, style="")
    share_height = BAR_HEIGHT + 4 + LINE + 2
    edges = 6 + 2 * _outline(is_lit)
    name_height = LINE * len(_leaf_name(row, sizes.most))
    mark_height = LINE * len(marks)
    if sizes.down:
        height = name_height + edges + len(shares) * (share_height + 2)
        return Box(frame, height + (mark_height + 6 if marks else 0), sizes.share + 6)
    width += (sizes.share + 8) * len(shares)
    return Box(frame, max(share_height, name_height + mark_height) + edges, width)


def line_leaf_box(row: LeafRow, sizes: LeafSizes, theme: Theme, is_lit: bool) -> Box:
    """Make a leaf's box without bars: class, number and shares on one line, for large trees."""
    name, marks = _leaf_name(row, sizes.most), _mark_lines(row)
    number = f'<FONT COLOR="{theme.muted}">{row.number}</FONT>'
    cells = text_cell(name, sizes.name, bold=True, padding=0)
    cells += f'<TD ALIGN="RIGHT" WIDTH="{NUMBER_WIDTH:.0f}">{number}</TD>'
    cells += "".join(text_cell([f"  {line}"], sizes.share, padding=1) for line in _shares(row))
    width = sizes.name + NUMBER_WIDTH + (sizes.share + 2) * len(_shares(row))
    rows = row_of(f"<TD>{table(row_of(cells))}</TD>")
    rows += row_of(text_cell([" ".join(marks)], width, bold=True, padding=0)) if marks else ""
    inner = row_of(f'<TD CELLPADDING="2">{table(rows)}</TD>')
    fill = theme.positive if row.label else theme.negative
    height = LINE * (len(name) + bool(marks)) + 4 + 2 * _outline(is_lit)
    return Box(_frame(inner, fill, theme, is_lit, style=""), height, width + 4)


def _share(rate: Rate) -> str:
    if rate.value is None:
        return "no rows"
    return f"{percent_words(rate.value, 0)} of {rate.n:,}"


def _bar(theme: Theme, rate: Rate, width: int) -> str:
    """Draw a bar whose left part, the positive share, is filled."""
    filled = round(width * (rate.value or 0))
    if 0 < rate.successes < rate.n:
        filled = min(max(filled, 1), width - 1)
    cells = "".join(
        f'<TD FIXEDSIZE="TRUE" WIDTH="{part}" HEIGHT="{BAR_HEIGHT}"{fill}></TD>'
        for part, fill in ((filled, f' BGCOLOR="{theme.second}"'), (width - filled, ""))
        if part
    )
    return table(row_of(cells), f'BORDER="1" COLOR="{theme.line}"')


def _outline(is_lit: bool) -> int:
    """Width of a box's outline, in points."""
    return 3 if is_lit else 1


def _frame(
    rows: str, fill: str, theme: Theme, is_lit: bool, *, style: str = ' STYLE="ROUNDED"'
) -> str:
    color = theme.accent if is_lit else theme.line
    return table(
        rows, f'PORT="box" BORDER="{_outline(is_lit)}" COLOR="{color}" BGCOLOR="{fill}"{style}'
    )


def answer_cell(answer: str, width: float, is_lit: bool) -> tuple[str, int]:
    """Make the cell of an answer; return it with its number of lines.

    On the highlighted path all text is bold, so that colour is not the only sign. The cell's port
    is ``answer``.
    """
    lines = wrap(answer, SIZE, width, bold=is_lit)
    widest = _widest(lines, bold=is_lit)
    cell = text_cell(lines, widest, bold=is_lit, padding=1, align="CENTER", port=' PORT="answer"')
    return cell, len(lines)


def table(rows: str, attributes: str = 'BORDER="0"') -> str:
    """Make a table without space between or around its cells."""
    return f'<TABLE {attributes} CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'


def row_of(cells: str) -> str:
    """Make a row of a table."""
    return f"<TR>{cells}</TR>"


def text_cell(
    lines: Sequence[str],
    width: float,
    *,
    bold: bool = False,
    padding: int,
    align: str = "LEFT",
    port: str = "",
) -> str:
    """Put lines of text into a cell of at least the given width.

    Each line has a row of its own, because Graphviz sets bold lines of one cell closer together.
    """
    # Graphviz refuses a bold text without letters, which a name of invisible signs becomes.
    texts = [f"<B>{_text(line)}</B>" if bold and line else _text(line) for line in lines]
    text = "".join(row_of(f'<TD ALIGN="{align}">{each}</TD>') for each in texts)
    return f'<TD{port} CELLPADDING="{padding}" WIDTH="{width + 2 * padding:.0f}">{table(text)}</TD>'


def legend(
    tree: Tree, theme: Theme, lists: Sequence[str], width: float, *, has_bars: bool = True
) -> str:
    """Explain bars and percentages, positive class first, and add the numbered lists.

    Parameters
    ----------
    tree : Tree
        Gives the names of the classes.
    theme : Theme
        The colours.
    lists : sequence of str
        Whole lists of categories; they wrap at `width` points.
    width : float
        Width of the drawing in points.
    has_bars : bool
        Whether the leaves have bars.
    """
    *classes, note = _legend_texts(tree)
    keys = "".join(
        f'<TD CELLPADDING="{_KEY_PADDING}">{_bar(theme, rate, _KEY_BAR)}</TD>'
        + text_cell([name], text_width(name, SIZE), padding=_KEY_PADDING)
        for name, rate in zip(classes, (Rate(1, 1), Rate(0, 1)), strict=True)
    )
    wrapped = [
        wrap(f"List {number}, {text}", SIZE, max(width, LIST_WIDTH))
        for number, text in enumerate(lists, start=1)
    ]
    widest = max((_widest(lines) for lines in wrapped), default=0.0)
    # An empty cell takes the remaining space. Otherwise Graphviz would stretch the keys.
    room = f'<TD WIDTH="{widest:.0f}"></TD>' if wrapped else ""
    rows = row_of(f"<TD>{table(row_of(keys + room))}</TD>") if has_bars else ""
    rows += row_of(text_cell([note], text_width(note, SIZE), padding=_KEY_PADDING))
    rows += "".join(row_of(text_cell(lines, widest, padding=3)) for lines in wrapped)
    return table(rows)


def legend_width(tree: Tree) -> float:
    """Estimate the width of a legend without lists and of the space beside it, in points."""
    *classes, note = (text_width(text, SIZE) + 2 * _KEY_PADDING for text in _legend_texts(tree))
    bar = _KEY_BAR + 2 * _outline(is_lit=False) + 2 * _KEY_PADDING
    return max(sum(classes) + len(classes) * bar, note) + _BESIDE_LEGEND


def _legend_texts(tree: Tree) -> tuple[str, str, str]:
    """The names of the classes, positive class first, and what the percentages count."""
    positive = _clipped(printable(tree.positive_label))
    negative = _clipped(printable(tree.negative_label))
    return positive, negative, f"percentages: rows of {positive}"


def _clipped(name: str) -> str:
    """Cut a name that is too long for one line."""
    line = wrap(name, SIZE, KEY_WIDTH)[0]
    return line if line == name else f"{line}..."


def _widest(lines: Sequence[str], *, bold: bool = False) -> float:
    return max((text_width(line, SIZE, bold=bold) for line in lines), default=0.0)


def _text(text: str) -> str:
    r"""Write text in a label. A zero-width space keeps Graphviz from reading ``\N`` and such."""
    return html.escape(text.replace("\\", "\\\N{ZERO WIDTH SPACE}"))
