"""The place of a drawn tree's questions in the shape for which the tree was found.

A drawn tree is canonical. Questions that do not divide rows have vanished, and the subtrees of a
node may have changed sides. So this module arranges the shape as the tree is drawn. A rule moves
with its node. A problem and its mirror image have the same trees, so the arranged problem has the
same optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from odt_core.topology import Topology
from odt_core.training import NodeRuleSpec
from odt_core.tree import Decision, Leaf, Node, Tree

R = TypeVar("R")


@dataclass(frozen=True)
class PlacedNode(Generic[R]):
    """A decision node of a shape, with its rule and its question in the tree.

    Attributes
    ----------
    left, right : PlacedNode or None
        Its children; None for a leaf.
    rule : R or None
        The rule for the node.
    question : int or None
        The place in `Tree.decisions` of the question here; None without a question.
    """

    left: PlacedNode[R] | None = None
    right: PlacedNode[R] | None = None
    rule: R | None = None
    question: int | None = None

    def walk(self) -> Iterator[PlacedNode[R]]:
        """Iterate over the decision nodes in the order node, left subtree, right subtree."""
        yield self
        for child in (self.left, self.right):
            if child is not None:
                yield from child.walk()

    @property
    def topology(self) -> Topology:
        """The shape of this subtree."""

        def text(place: PlacedNode[R] | None) -> str:
            return "." if place is None else f"({text(place.left)}{text(place.right)})"

        return Topology.parse(text(self))

    @property
    def rules(self) -> tuple[tuple[int, R], ...]:
        """The rules, each with its node's number in `topology`."""
        found = ((node, place.rule) for node, place in enumerate(self.walk()))
        return tuple((node, rule) for node, rule in found if rule is not None)

    def number_of(self, question: int) -> int:
        """Return the number in `topology` of the node of a question, which must have one here."""
        return [place.question for place in self.walk()].index(question)

    def changed(
        self, node: int, change: Callable[[PlacedNode[R]], PlacedNode[R] | None]
    ) -> PlacedNode[R] | None:
        """Return the shape with another subtree at a decision node.

        Parameters
        ----------
        node : int
            The node's number in `topology`.
        change : callable
            Takes the node and returns its replacement; None for a leaf.
        """
        numbers = iter(range(node + 1))

        def visit(place: PlacedNode[R] | None) -> PlacedNode[R] | None:
            number = None if place is None else next(numbers, None)
            if place is None or number is None:
                return place
            if number == node:
                return change(place)
            left = visit(place.left)
            return replace(place, left=left, right=visit(place.right))

        return visit(self)


Place = PlacedNode[NodeRuleSpec] | None


def placed_nodes(topology: Topology, rules: Mapping[int, R]) -> PlacedNode[R]:
    """Make the nodes of a topology, with their rules."""

    def visit(child: int) -> PlacedNode[R] | None:
        if child < 0:
            return None
        left, right = topology.children(child)
        return PlacedNode(visit(left), visit(right), rules.get(child))

    root = visit(0)
    assert root is not None
    return root


def drawn_nodes(
    tree: Tree, top: int, rule: Callable[[Decision], NodeRuleSpec | None]
) -> PlacedNode[NodeRuleSpec]:
    """Make the nodes of a subtree of a drawn tree, in its own shape.

    Parameters
    ----------
    tree : Tree
        The tree.
    top : int
        The place in `Tree.decisions` of the subtree's first question.
    rule : callable
        Returns the rule for a node.
    """
    numbers = {id(node): number for number, node in enumerate(tree.decisions)}

    def visit(node: Decision) -> PlacedNode[NodeRuleSpec]:
        left, right = (
            visit(child) if isinstance(child, Decision) else None
            for child in (node.left, node.right)
        )
        return PlacedNode(left, right, rule(node), numbers[id(node)])

    return visit(tree.decisions[top])


def arrange(tree: Tree, shape: PlacedNode[NodeRuleSpec]) -> PlacedNode[NodeRuleSpec] | None:
    """Arrange a shape as its tree is drawn, and enter each question's place.

    Parameters
    ----------
    tree : Tree
        The tree. Its features include all that the rules name.
    shape : PlacedNode
        The shape and its rules, in any order of left and right.

    Returns
    -------
    PlacedNode or None
        The shape of the same problem; None if the tree does not fit the shape and its rules.
    """
    numbers = {id(node): number for number, node in enumerate(tree.decisions)}

    def visit(node: Node, place: Place) -> tuple[Place] | None:
        """Arrange the subtree at a place, and wrap it in a tuple; None if the tree does not fit."""
        if isinstance(node, Leaf):
            return (place,)
        if place is None:
            return None
        for left, right in _sides(tree, node, place):
            yes, no = visit(node.left, left), visit(node.right, right)
            if yes is not None and no is not None:
                return (replace(place, left=yes[0], right=no[0], question=numbers[id(node)]),)
        # otherwise the node here sends every row one way
        below = visit(node, place.left)
        if below is not None:
            return (replace(place, left=below[0]),)
        below = visit(node, place.right)
        return None if below is None else (replace(place, right=below[0]),)

    found = visit(tree.root, shape)
    return None if found is None else found[0]


def _sides(
    tree: Tree, node: Decision, place: PlacedNode[NodeRuleSpec]
) -> tuple[tuple[Place, Place], ...]:
    """The ways to match a place's subtrees with a question's; none if a rule forbids it."""
    as_is = (place.left, place.right)
    if place.rule is not None:
        rule = place.rule.resolve(tree.features)
        if rule.split is not None:
            return (as_is,) if rule.split == node.split else ()
        if rule.features is not None and node.split.feature not in rule.features:
            return ()
    return (as_is, as_is[::-1])
