"""Changes of a tree at one question, each as the specification of a new training run.

A change becomes a rule for the question's decision node, or cuts the shape there. Rules of earlier
changes stay, so changes add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from odt_core.alternatives.placement import PlacedNode, arrange, drawn_nodes, shape_nodes
from odt_core.alternatives.question import Loss, QuestionPart, Reach
from odt_core.errors import InputError
from odt_core.solution import Status
from odt_core.topology import AnyShape
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec, node_rule_words
from odt_core.tree import Decision, Tree
from odt_core.words import number_words, printable


class Others(StrEnum):
    """Which other questions may change with one."""

    FREE = "free"
    """All of them."""
    BELOW = "below"
    """All but those on the way to it, so that the same rows come to it."""
    KEPT = "kept"
    """None."""


Change = Callable[[PlacedNode[NodeRuleSpec]], PlacedNode[NodeRuleSpec] | None]


@dataclass(frozen=True)
class PlacedTree:
    """A trained tree whose questions are known as decision nodes of its specification's shape.

    Attributes
    ----------
    spec : TrainSpec
        How it was trained.
    tree : Tree
        The tree; it asks at least one question.
    root : PlacedNode
        The shape, arranged as the tree is drawn.
    """

    spec: TrainSpec
    tree: Tree
    root: PlacedNode[NodeRuleSpec]

    @classmethod
    def of(cls, spec: TrainSpec, tree: Tree) -> PlacedTree:
        """Place a tree in the shape that it was trained for.

        A tree of any shape gets its own.

        Raises
        ------
        InputError
            If the tree asks nothing, or is not one of the specification's.
        """
        if not tree.decisions:
            raise InputError("This tree asks nothing, so it has no question to change.")
        if isinstance(spec.topology, AnyShape):
            return cls(spec, tree, drawn_nodes(tree, 0, lambda node: None))
        rules = {rule.node - 1: rule for rule in spec.rules.nodes}
        root = arrange(tree, shape_nodes(spec.topology, rules))
        if root is None:
            raise InputError("This tree does not have the shape and rules of its run.")
        return cls(spec, tree, root)

    @property
    def arranged(self) -> TrainSpec:
        """The same problem, with its shape arranged as the tree is drawn."""
        return self._with(self.root)

    def rules_words(self) -> tuple[str, ...]:
        """The rules for single questions in words, with the questions' numbers in the drawing."""
        found = []
        for place in self.root.walk():
            if place.rule is None:
                continue
            number = 0 if place.question is None else place.question + 1
            words = node_rule_words(replace(place.rule, node=number))
            found.append(words.replace("question 0:", "a question that is not asked:", 1))
        return tuple(found)

    def _with(self, root: PlacedNode[NodeRuleSpec]) -> TrainSpec:
        nodes = tuple(replace(rule, node=node + 1) for node, rule in root.rules)
        rules = RulesSpec(self.spec.rules.forbidden, nodes)
        return replace(self.spec, topology=root.topology, rules=rules)

    # ------------------------------------------------------------ what else may change

    def _base(self, question: int, others: Others) -> PlacedNode[NodeRuleSpec]:
        """The shape with the rules that keep other questions."""
        if others is Others.FREE:
            return self.root
        if others is Others.KEPT:
            asked = self.tree.decisions[question]
            own = next(place.rule for place in self.root.walk() if place.question == question)
            free = None if own is None or own.feature is not None else own
            return drawn_nodes(
                self.tree, 0, lambda node: free if node is asked else self._fixed_rule(node)
            )
        root = _with_path_kept(self.root, question, self._fixed_at)
        assert root is not None
        return root

    def _fixed_rule(self, node: Decision) -> NodeRuleSpec:
        return fixed_rule(self.tree, node)

    def _fixed_at(self, question: int) -> NodeRuleSpec:
        return fixed_rule(self.tree, self.tree.decisions[question])

    def _changed(self, question: int, others: Others, change: Change) -> TrainSpec:
        base = self._base(question, others)
        node = base.number_of(question)
        assert node is not None
        root = base.changed(node, change)
        if root is None:
            raise InputError("The first question cannot become a leaf: a tree asks at least one.")
        return self._with(root)

    def ranking_of(self, question: int, others: Others) -> tuple[TrainSpec, QuestionPart]:
        """The problem in which columns are ranked at a question, and where.

        Parameters
        ----------
        question : int
            Its place in `Tree.decisions`.
        others : Others
            Which other questions may change.
        """
        base = self._base(question, others)
        node = base.number_of(question)
        assert node is not None
        return self._with(base), QuestionPart(node, len(self.tree.features))

    # ------------------------------------------------------------ what a question may become

    def ask_column(self, question: int, column: str, others: Others = Others.FREE) -> TrainSpec:
        """The question is about this column; the search chooses categories or cut point.

        Parameters
        ----------
        question, others
            As in `ranking_of`.
        column : str
            A feature's name.
        """
        return self.ask_exactly(question, NodeRuleSpec(0, features=(column,)), others)

    def ask_exactly(
        self, question: int, rule: NodeRuleSpec, others: Others = Others.FREE
    ) -> TrainSpec:
        """The question keeps this rule. The rule's own node number is ignored."""
        return self._changed(question, others, lambda place: replace(place, rule=rule))

    def never_ask(self, question: int, others: Others = Others.FREE) -> TrainSpec:
        """The question is not about the column that it is about now.

        Columns that an earlier rule excludes stay excluded. While questions above it are free, the
        tree could turn them round and ask the column at a question that takes this one's place; so
        it is excluded there, too.

        Raises
        ------
        InputError
            If the rule allows no other column.
        """
        split = self.tree.decisions[question].split
        name = self.tree.features[split.feature].name
        base = self._base(question, others)
        node = base.number_of(question)
        assert node is not None
        root = base
        for at in interchangeable(base, node):
            changed = root.changed(at, lambda place: _excluding(place, name, question))
            assert changed is not None
            root = changed
        return self._with(root)

    def keep_subtree(self, question: int) -> TrainSpec:
        """The question and all below it stay as they are; the answers of leaves follow the rows."""
        return self._changed(
            question,
            Others.FREE,
            lambda place: drawn_nodes(self.tree, question, self._fixed_rule),
        )

    def make_leaf(self, question: int, others: Others = Others.FREE) -> TrainSpec:
        """A leaf takes the question's place.

        Raises
        ------
        InputError
            If it is the first question.
        """
        return self._changed(question, others, lambda place: None)


def _excluding(
    place: PlacedNode[NodeRuleSpec], name: str, question: int
) -> PlacedNode[NodeRuleSpec]:
    """A node that may not ask a column any more."""
    rule = place.rule
    if rule is None or rule.feature is not None:
        return replace(place, rule=NodeRuleSpec(0, never=(name,)))
    if rule.features is None:
        never = tuple(dict.fromkeys((*rule.never, name)))
        return replace(place, rule=replace(rule, never=never))
    others = tuple(other for other in rule.features if other != name)
    if not others:
        raise InputError(
            f"By an earlier change, question {question + 1} may only be about {printable(name)}: "
            "undo that change, or ask another column."
        )
    return replace(place, rule=replace(rule, features=others))


def _with_path_kept(
    place: PlacedNode[NodeRuleSpec] | None, question: int, fixed: Callable[[int], NodeRuleSpec]
) -> PlacedNode[NodeRuleSpec] | None:
    """A shape with the questions above one fixed; None if the question is not below the place.

    A node on the way that asks nothing goes, or else it could begin to ask.
    """
    if place is None:
        return None
    if place.question == question:
        return place
    left = _with_path_kept(place.left, question, fixed)
    right = _with_path_kept(place.right, question, fixed)
    if left is None and right is None:
        return None
    if place.question is None:
        return left or right
    rule = fixed(place.question)
    return replace(place, left=left or place.left, right=right or place.right, rule=rule)


def interchangeable(root: PlacedNode[NodeRuleSpec], node: int) -> tuple[int, ...]:
    """Nodes that can take a node's place where questions above it are turned round, itself first.

    Parameters
    ----------
    root : PlacedNode
        The shape. A question that is fixed cannot be turned round.
    node : int
        The node's number in the shape.
    """
    places = list(root.walk())
    numbers = {id(place): number for number, place in enumerate(places)}

    def visit(place: PlacedNode[NodeRuleSpec]) -> list[int] | None:
        """The nodes below a place that take the node's; None if it is not there."""
        if numbers[id(place)] == node:
            return [node]
        for child, other in ((place.left, place.right), (place.right, place.left)):
            found = None if child is None else visit(child)
            if child is None or found is None:
                continue
            is_fixed = place.rule is not None and place.rule.feature is not None
            if is_fixed or other is None or child.topology != other.topology:
                return found
            first, second = numbers[id(child)], numbers[id(other)]
            return [*found, *(at - first + second for at in found)]
        return None

    return tuple(visit(root) or ())


def fixed_rule(tree: Tree, node: Decision) -> NodeRuleSpec:
    """The rule that fixes a node's question as it is; the number of its node is left open."""
    feature, left = tree.features[node.split.feature], node.split.left
    low = [code for code in left if code < feature.n_ordered]
    is_low = feature.is_numerical and 0 < len(low) < feature.n_ordered and max(low) < len(low)
    if not is_low:
        names = tuple(feature.values[code] for code in sorted(left))
        return NodeRuleSpec(0, feature=feature.name, categories=names)
    missing_left = feature.has_missing and feature.n_values - 1 in left
    return NodeRuleSpec(
        0, feature=feature.name, threshold=feature.cuts[len(low) - 1], missing_left=missing_left
    )


def rules_cost_words(loss: Loss, ruled: Reach, free: Reach) -> str:
    """What rules cost against the best tree without them, and how far that is proved.

    Parameters
    ----------
    loss : Loss
        The loss that both minimise.
    ruled : Reach
        The tree with the rules.
    free : Reach
        The best tree without them, on the same rows.
    """
    if ruled.total is None or free.total is None:
        return "What the rules cost is not known: no tree was found to compare with."
    mine, best = loss.value(ruled.total), loss.value(free.total)
    both = f"{loss.number(mine)} against {loss.number(best)}"
    if ruled.status is Status.OPTIMAL and free.status is Status.OPTIMAL:
        if mine == best:
            return (
                f"The rules cost nothing: without them the best tree has {loss.words(best)}, too."
            )
        more = _more_words(loss, mine - best)
        return f"The rules cost {more} than the best tree without rules ({both})."
    compared = f"This tree has {loss.words(mine)}, and the best one found without rules has "
    compared += f"{loss.number(best)}."
    if ruled.bound is None or free.bound is None:
        return f"{compared} Not both are proved, so what the rules cost is not known."
    least = max(loss.value(ruled.bound) - best, Fraction(0))
    most = mine - loss.value(free.bound)
    return (
        f"{compared} Not both are proved. The rules cost at least {loss.number(least)} and at "
        f"most {_more_words(loss, most)}."
    )


def _more_words(loss: Loss, difference: Fraction) -> str:
    """A difference of two losses, such as ``3 more training errors``."""
    if loss.is_share:
        return f"{number_words(float(100 * difference))} percentage points more {loss.name}"
    number, name = loss.words(difference).split(" ", 1)
    return f"{number} more {name}"


def is_edit_of(spec: TrainSpec, before: TrainSpec) -> bool:
    """Whether two runs differ in shape and rules for single questions only."""
    same = replace(spec, topology=before.topology, rules=before.rules)
    return spec != before and same == before and spec.rules.forbidden == before.rules.forbidden


def without_rules(spec: TrainSpec) -> TrainSpec:
    """The same run without rules for single questions."""
    return replace(spec, rules=RulesSpec(spec.rules.forbidden))
