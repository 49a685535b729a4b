"""A tree's drawing for one printed page: short names with a key, and lists that have room.

On screen, a card can be long. On paper it has one page, so a large drawing gets the rest of that
page. If something does not fit, the card says where to find it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from odt_core.render import Density, Direction, tree_dot, tree_svg
from odt_core.reports.derivation import Derivation
from odt_core.reports.page import own_size
from odt_core.tree import Tree
from odt_core.words import SHORT, category_lists, list_words, printable

LONGEST_NAME, LONGEST_CLASS, LONGEST_CATEGORY = 26, 16, 20
"""The most characters of a column, a class and a category. Longer names are shortened."""

MOST_KEYS = 2000
"""The most characters of the key. A longer key leaves out categories and lists, but no columns."""

SMALLEST_PRINT = 0.72
"""The smallest scale at which a whole drawing is printed. Its text then has 6.5 points."""

PAPER_WIDTH, PAPER_HEIGHT, KEY_LINE, KEY_LETTERS = 535.0, 560.0, 8.8, 155
"""Approximate size of a drawing with its key on a printed page, in points. Then the height of a
line of the key in points, and its length in characters."""

LEGIBLE = 0.83
"""The scale at which text has 7.5 points. A drawing with this scale need not be denser."""

DENSITIES = (
    Density(116, 0.3, has_values=False),
    Density(84, 0.22, has_values=False),
    Density(116, 0.22, 0.04, has_bars=False, has_values=False),
    Density(84, 0.18, 0.03, has_bars=False, has_values=False),
)
"""The densities to try, the most legible first."""


@dataclass(frozen=True)
class PaperTree:
    """A drawing for paper, with its key.

    Attributes
    ----------
    svg : bytes
        The drawing.
    keys : tuple of (str, str)
        Marks of shortened names with the whole names, and lists of categories; plain text.
    left_out : str
        A sentence that names what does not fit on the page; empty if everything fits.
    """

    svg: bytes
    keys: tuple[tuple[str, str], ...]
    left_out: str


def fit(svg: bytes, width: float, height: float) -> float:
    """Compute the largest scale at which a drawing fits into a place of this size, in points."""
    own_width, own_height = own_size(svg)
    return min(width / own_width, height / own_height)


def paper_tree(derivation: Derivation) -> PaperTree:
    """Make the most legible drawing of a tree that fits on a page, with its key."""
    short, keys, left_out = _shortened(derivation.tree)
    letters = sum(len(mark) + len(text) for mark, text in keys)
    rest = PAPER_HEIGHT - KEY_LINE * -(-letters // KEY_LETTERS)
    height = max(rest, PAPER_HEIGHT / 4)  # the key of very long names alone may fill the page
    best, scale = b"", 0.0
    for density in DENSITIES:
        test, direction = derivation.test_leaves, Direction.RIGHT
        svg = tree_svg(tree_dot(short, test=test, direction=direction, density=density))
        own = fit(svg, PAPER_WIDTH, height)
        if own > scale:
            best, scale = svg, own
        if own >= LEGIBLE:
            break
    return PaperTree(best, tuple(keys), left_out)


def _shortened(tree: Tree) -> tuple[Tree, list[tuple[str, str]], str]:
    """Shorten a tree's names. Return the tree, the key, and a sentence on what does not fit."""
    marks = (f"({number})" for number in _letters())
    keys: list[tuple[str, str]] = []

    def short(name: str, most: int) -> str:
        whole = printable(name)
        if len(whole) <= most:
            return name
        mark = next(marks)
        keys.append((mark, whole))
        return f"{_cut(whole, most)}... {mark}"

    features = list(tree.features)
    for g in tree.asked_features:
        features[g] = dataclasses.replace(features[g], name=short(features[g].name, LONGEST_NAME))
    labels = [short(label, LONGEST_CLASS) for label in (tree.positive_label, tree.negative_label)]
    room = max(MOST_KEYS - sum(len(text) for _, text in keys), 0)
    long = [
        (g, code)
        for g in tree.asked_features
        if not tree.features[g].is_numerical
        for code in sorted(_drawn_codes(tree, g))
        if len(printable(tree.features[g].values[code])) > LONGEST_CATEGORY
    ]
    lists = list(category_lists(tree).values())
    texts = [*(tree.features[g].values[code] for g, code in long), *lists]
    has_room = sum(map(len, texts)) <= room
    for g, code in long:
        values, whole = list(features[g].values), tree.features[g].values[code]
        values[code] = (
            short(whole, LONGEST_CATEGORY)
            if has_room
            else f"{_cut(printable(whole), LONGEST_CATEGORY)}..."
        )
        features[g] = dataclasses.replace(features[g], values=tuple(values))
    if has_room:
        keys += [(f"List {number}", text) for number, text in enumerate(lists, start=1)]
    renamed = dataclasses.replace(
        tree, features=tuple(features), positive_label=labels[0], negative_label=labels[1]
    )
    return renamed, keys, "" if has_room else _left_out(len(lists), bool(long))


def _drawn_codes(tree: Tree, g: int) -> set[int]:
    """The categories of a feature that a drawing may name (see `odt_core.words.drawn_words`)."""
    found: set[int] = set()
    n_values = tree.features[g].n_values
    for node in tree.decisions:
        if node.split.feature == g:
            left = node.split.left
            for side in (left, frozenset(range(n_values)) - left):
                seen = sorted(side & node.observed if node.observed else side)
                found |= set(seen[:SHORT])
            absent = tree.absent(node)
            found |= absent if len(absent) == 1 else frozenset()
    return found


def _left_out(n_lists: int, has_long_names: bool) -> str:
    """Say what is not printed, and where to find it."""
    lists = "List 1" if n_lists == 1 else f"Lists 1 to {n_lists}"
    parts = [lists] if n_lists else []
    parts += ["the whole names of categories"] if has_long_names else []
    text = list_words(parts, " and ")
    verb = "has" if parts == ["List 1"] else "have"
    return (
        f"{text[0].upper()}{text[1:]} {verb} no room on this page: look at this card on screen, or "
        "at the report."
    )


def _cut(name: str, most: int) -> str:
    """Cut a name, between words if that keeps more than half of it."""
    begin = name[:most]
    at = begin.rfind(" ")
    return begin[:at] if at > most // 2 else begin.rstrip()


def _letters() -> Iterator[str]:
    """A, B, ..., Z, A1, B1, ..."""
    for lap in count():
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            yield f"{letter}{lap or ''}"
