"""Tree shapes: which decision nodes there are and how they hang together (paper, section 4.2).

A topology is a full binary tree: every decision node has exactly two children, each a decision
node or a leaf. Its text form writes a leaf as ``.`` and a decision node as ``(left right)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
        """The text form; two topologies are the same exactly when their texts are."""
        return self.shape(0)

    @cached_property
    def name(self) -> str:
        """The preset's name, or the text form of a shape that has none."""
        return next((name for name, text in PRESETS.items() if text == self.text), self.text)

    def shape(self, child: int) -> str:
        """Text form of the subtree at `child` (numbered as in `left`)."""
        if child < 0:
            return "."
        left, right = self.shape(self.left[child]), self.shape(self.right[child])
        space = " " if left == "." or right == "." else ""
        return f"({left}{space}{right})"

    def children(self, node: int) -> tuple[int, int]:
        """Left and right child of a decision node."""
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

    @cached_property
    def paths(self) -> tuple[tuple[tuple[int, bool], ...], ...]:
        """For each leaf, the (decision node, goes left) steps that lead to it from the root."""
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
        """For each decision node, itself and the decision nodes below it."""

        def below(node: int) -> tuple[int, ...]:
            nodes: tuple[int, ...] = (node,)
            for child in self.children(node):
                if child >= 0:
                    nodes += below(child)
            return nodes

        return tuple(below(node) for node in range(self.n_nodes))
