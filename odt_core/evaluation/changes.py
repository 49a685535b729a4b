"""Differences between two trees, node by node from the root."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import printable, typeset_words


@dataclass(frozen=True)
class TreeChanges:
    """Differences between two trees over the same features.

    Attributes
    ----------
    before, after : frozenset of int
        Nodes of each tree that the other tree does not have in the same place, numbered in the
        order node, left subtree, right subtree.
    sentences : tuple of str
        The differences in plain words, as plain text.
    """

    before: frozenset[int]
    after: frozenset[int]
    sentences: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the two trees are the same."""
        return not self.before and not self.after


def tree_changes(before: Tree, after: Tree) -> TreeChanges:
    """Compare two trees from the root down.

    The comparison covers the questions and labels of nodes in the same place. If only one tree
    goes on at a node, all nodes below it count as different.
    """
    gone: set[int] = set()
    new: set[int] = set()
    sentences: list[str] = []

    def visit(old: Node, old_at: int, fresh: Node, fresh_at: int, where: str) -> None:
        both = isinstance(old, Decision) and isinstance(fresh, Decision)
        if not _same(old, fresh):
            gone.update(range(old_at, old_at + (1 if both else _size(old))))
            new.update(range(fresh_at, fresh_at + (1 if both else _size(fresh))))
            sentences.append(f"{where}: {_words(after, fresh)} instead of {_words(before, old)}.")
        if isinstance(old, Decision) and isinstance(fresh, Decision):
            question = typeset_words(after, fresh, 3).question
            visit(old.left, old_at + 1, fresh.left, fresh_at + 1, f"if yes to “{question}”")
            old_right = old_at + 1 + _size(old.left)
            fresh_right = fresh_at + 1 + _size(fresh.left)
            visit(old.right, old_right, fresh.right, fresh_right, f"if no to “{question}”")

    visit(before.root, 0, after.root, 0, "at the root")
    return TreeChanges(
        frozenset(gone), frozenset(new), tuple(s[:1].upper() + s[1:] for s in sentences)
    )


def _same(old: Node, fresh: Node) -> bool:
    """Whether two nodes ask the same question or have the same label."""
    if isinstance(old, Leaf) or isinstance(fresh, Leaf):
        return isinstance(old, Leaf) and isinstance(fresh, Leaf) and old.label == fresh.label
    return old.split == fresh.split


def _words(tree: Tree, node: Node) -> str:
    if isinstance(node, Leaf):
        return f"“{printable(tree.label_name(node.label))}” at once"
    return f"the question “{typeset_words(tree, node, 3).question}”"


def _size(node: Node) -> int:
    return sum(1 for _ in node.walk())
