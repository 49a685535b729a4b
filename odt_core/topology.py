"""Tree shapes: decision nodes and their children (paper, section 4.2).

A topology is a full binary tree: every decision node has exactly two children, each a decision
node or a leaf. Its text form writes a leaf as ``.`` and a decision node as ``(left right)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property

from odt_core.errors import InputError

MAX_LEVELS = 4
MAX_NODES = 15

PRESETS: dict[str, str] = {
    "depth-1": "(. .)",
    "depth-2": "((. .)(. .))",
    "depth-2.5": "(((. .)(. .))(. .))",
    "depth-3": "(((. .)(. .))((. .)(. .)))",
    "imbalanced": "((((. .)(. .))(. .))(. .))",
    "depth-4": "((((. .)(. .))((. .)(. .)))(((. .)(. .))((. .)(. .))))",
    "cues-3": "(. (. (. .)))",
    "cues-4": "(. (. (. (. .))))",
}


@dataclass(frozen=True)
class Topology:
    """A full binary tree with at most four levels of decisions.

    Decision nodes are numbered from 0 in the order node, left subtree, right subtree, as in the
    paper's figures (which count from 1). Leaves are numbered from 0, left to right.

    Attributes
    ----------
    left, right : tuple of int
        The children of each decision node: ``c >= 0`` is decision node ``c``; ``c < 0`` is leaf
        ``-1 - c``.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Topology:
        """Read a preset's name or the text form.

        Raises
        ------
        InputError
            If `text` is neither, or has more than four levels of decisions.
        """
        source = PRESETS.get(text.strip(), text)
        symbols = [symbol for symbol in source if not symbol.isspace()]
        left: list[int] = []
        right: list[int] = []
        position = n_leaves = 0

        def fail(reason: str) -> InputError:
            return InputError(
                f"The topology {text!r} cannot be read ({reason}): give one of "
                f"{', '.join(PRESETS)}, or a shape such as '((. .)(. .))' in which a leaf is "
                "'.' and a decision node is '(left right)'."
            )

        def subtree(level: int) -> int:
            nonlocal position, n_leaves
            if position == len(symbols):
                raise fail("it ends too early")
            symbol = symbols[position]
            position += 1
            if symbol == ".":
                n_leaves += 1
                return -n_leaves
            if symbol != "(":
                raise fail(f"{symbol!r} stands where '.' or '(' should")
            if level == MAX_LEVELS:
                raise fail(f"it has more than {MAX_LEVELS} levels of decisions")
            node = len(left)
            left.append(0)
            right.append(0)
            left[node] = subtree(level + 1)
            right[node] = subtree(level + 1)
            if position == len(symbols) or symbols[position] != ")":
                raise fail("a decision node does not close after two children")
            position += 1
            return node

        root = subtree(0)
        if position != len(symbols):
            raise fail("something follows the tree")
        if root < 0:
            raise fail("it has no decision node")
        return cls(tuple(left), tuple(right))

    @property
    def n_nodes(self) -> int:
        """Number of decision nodes."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.left) + 1

    @cached_property
    def depth(self) -> int:
        """Levels of decisions on the longest path."""

        def levels(child: int) -> int:
            return 0 if child < 0 else 1 + max(levels(self.left[child]), levels(self.right[child]))

        return levels(0)

    @cached_property
    def text(self) -> str:
        """The text form. Topologies are equal if and only if their texts are."""
        return self.shape(0)

    def to_json(self) -> str:
        """Write the text form."""
        return self.text

    @classmethod
    def from_json(cls, text: str) -> Topology:
        """Read the text form (see `parse`)."""
        return cls.parse(text)

    @cached_property
    def name(self) -> str:
        """The preset's name, or the text form of other shapes."""
        return next((name for name, text in PRESETS.items() if text == self.text), self.text)

    @cached_property
    def preset(self) -> str | None:
        """The name of the preset that this is, perhaps with left and right exchanged."""
        for name, text in PRESETS.items():
            other = Topology.parse(text)
            if other.n_nodes == self.n_nodes and other.includes(self):
                return name
        return None

    def shape(self, child: int) -> str:
        """Return the text form of the subtree at `child` (numbered as in `left`)."""
        if child < 0:
            return "."
        left, right = self.shape(self.left[child]), self.shape(self.right[child])
        space = " " if left == "." or right == "." else ""
        return f"({left}{space}{right})"

    def children(self, node: int) -> tuple[int, int]:
        """Return the left and the right child of a decision node."""
        return self.left[node], self.right[node]

    def has_two_leaves(self, node: int) -> bool:
        """Whether both children are leaves."""
        return self.left[node] < 0 and self.right[node] < 0

    def touches_leaf(self, node: int) -> bool:
        """Whether a child is a leaf."""
        return self.left[node] < 0 or self.right[node] < 0

    def is_symmetric(self, node: int) -> bool:
        """Whether the two subtrees have the same shape (paper, section 4.3.2)."""
        return self.shape(self.left[node]) == self.shape(self.right[node])

    def includes(self, other: Topology) -> bool:
        """Whether this topology includes another topology or a mirror image of it.

        If branches may be empty, each tree of the other topology is then also a tree of this
        topology.
        """

        def covers(mine: int, theirs: int) -> bool:
            if theirs < 0:
                return True
            if mine < 0:
                return False
            (a, b), (c, d) = self.children(mine), other.children(theirs)
            return (covers(a, c) and covers(b, d)) or (covers(a, d) and covers(b, c))

        return covers(0, 0)

    @cached_property
    def paths(self) -> tuple[tuple[tuple[int, bool], ...], ...]:
        """The path to each leaf from the root, as steps (decision node, goes left)."""
        found: dict[int, tuple[tuple[int, bool], ...]] = {}

        def walk(child: int, steps: tuple[tuple[int, bool], ...]) -> None:
            if child < 0:
                found[-1 - child] = steps
                return
            walk(self.left[child], (*steps, (child, True)))
            walk(self.right[child], (*steps, (child, False)))

        walk(0, ())
        return tuple(found[leaf] for leaf in range(self.n_leaves))

    @cached_property
    def descendants(self) -> tuple[tuple[int, ...], ...]:
        """The decision nodes of the subtree at each decision node, including itself."""

        def below(node: int) -> tuple[int, ...]:
            nodes: tuple[int, ...] = (node,)
            for child in self.children(node):
                if child >= 0:
                    nodes += below(child)
            return nodes

        return tuple(below(node) for node in range(self.n_nodes))


@dataclass(frozen=True)
class AnyShape:
    """All shapes with at most four levels and at most so many decision nodes.

    Attributes
    ----------
    most_questions : int
        The largest number of decision nodes, from 1 to 15.

    Raises
    ------
    InputError
        If the number is out of range.
    """

    most_questions: int

    def __post_init__(self) -> None:
        if not 1 <= self.most_questions <= MAX_NODES:
            raise InputError(
                f"A tree of any shape cannot have at most {self.most_questions} questions here: "
                f"give a whole number from 1 to {MAX_NODES}."
            )

    @property
    def name(self) -> str:
        """The name, such as ``any-7``."""
        return f"any-{self.most_questions}"

    @property
    def words(self) -> str:
        """The shapes in words, to follow ``a tree``: ``of any shape with at most 7 questions``."""
        questions = "1 question" if self.most_questions == 1 else f"{self.most_questions} questions"
        return f"of any shape with at most {questions}"

    def to_json(self) -> str:
        """Write the name."""
        return self.name

    @classmethod
    def from_json(cls, text: str) -> AnyShape:
        """Read the name (see `parse_shape`)."""
        shape = parse_shape(text)
        if not isinstance(shape, AnyShape):
            raise TypeError(f"{text!r} is a single shape")
        return shape

    @property
    def n_nodes(self) -> int:
        """The largest number of decision nodes."""
        return self.most_questions

    @property
    def n_leaves(self) -> int:
        """The largest number of leaves."""
        return self.most_questions + 1

    @property
    def depth(self) -> int:
        """The largest number of levels of decisions."""
        return min(self.most_questions, MAX_LEVELS)


Shape = AnyShape | Topology
"""The shape of a tree: one topology, or any with at most so many questions."""


def parse_shape(text: str) -> Shape:
    """Read a name such as ``any-7``, or a topology (see `Topology.parse`).

    Raises
    ------
    InputError
        If `text` is neither.
    """
    number = re.fullmatch(r"any-([0-9]{1,9})", text.strip())
    return AnyShape(int(number[1])) if number else Topology.parse(text)


@cache
def unordered_topologies(n_nodes: int) -> tuple[Topology, ...]:
    """List all topologies with so many decision nodes, and of mirror images only one.

    Parameters
    ----------
    n_nodes : int
        From 1 to 15.

    Returns
    -------
    tuple of Topology
        The topologies, with fewer levels first.
    """
    texts = [text for text in _unordered_texts(MAX_LEVELS) if text.count("(") == n_nodes]
    found = [Topology.parse(text) for text in texts]
    return tuple(sorted(found, key=lambda topology: topology.depth))


@cache
def _unordered_texts(levels: int) -> tuple[str, ...]:
    """The text forms of subtrees with at most so many levels, including the leaf."""
    if levels == 0:
        return (".",)
    below = _unordered_texts(levels - 1)
    pairs = ((a, b) for i, a in enumerate(below) for b in below[: i + 1])
    return (".", *(f"({a}{b})" for a, b in pairs))
