"""Changes of a tree at one question, each as the specification of a new training run.

A change becomes a rule for the question's decision node, or cuts the shape there. Rules of earlier
changes stay, so changes add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from odt_core.alternatives.placement import PlacedNode, arrange, drawn_nodes, shape_nodes
from odt_core.alternatives.question import QuestionPart
from odt_core.errors import InputError
from odt_core.topology import AnyShape
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec
from odt_core.tree import Decision, Tree
from odt_core.words import printable


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

    def node_of(self, question: int) -> int:
        """The decision node, from 0, at which a question of the tree is asked."""
        node = self.root.number_of(question)
        assert node is not None
        return node

    @property
    def arranged(self) -> TrainSpec:
        """The same problem, with its shape arranged as the tree is drawn."""
        return self._with(self.root)

    def _with(self, root: PlacedNode[NodeRuleSpec]) -> TrainSpec:
        nodes = tuple(replace(rule, node=node + 1) for node, rule in root.rules)
        rules = RulesSpec(self.spec.rules.forbidden, nodes)
        return replace(self.spec, topology=root.topology, rules=rules)

    def _changed(
        self,
        question: int,
        change: Callable[[PlacedNode[NodeRuleSpec]], PlacedNode[NodeRuleSpec] | None],
    ) -> TrainSpec:
        root = self.root.changed(self.node_of(question), change)
        if root is None:
            raise InputError("The first question cannot become a leaf: a tree asks at least one.")
        return self._with(root)

    def _ruled(self, question: int, rule: NodeRuleSpec) -> TrainSpec:
        return self._changed(question, lambda place: replace(place, rule=rule))

    # ------------------------------------------------------------ what a question may become

    def ask_column(self, question: int, column: str) -> TrainSpec:
        """The question is about this column; the search chooses categories or cut point.

        Parameters
        ----------
        question : int
            Its place in `Tree.decisions`.
        column : str
            A feature's name.
        """
        return self._ruled(question, NodeRuleSpec(0, features=(column,)))

    def ask_exactly(self, question: int, rule: NodeRuleSpec) -> TrainSpec:
        """The question is this very one; the number of the rule's node is not looked at."""
        return self._ruled(question, rule)

    def never_ask(self, question: int) -> TrainSpec:
        """The question is not about the column that it is about now.

        Columns that an earlier rule excludes stay excluded.

        Raises
        ------
        InputError
            If the rule allows no other column.
        """
        split = self.tree.decisions[question].split
        name = self.tree.features[split.feature].name

        def exclude(place: PlacedNode[NodeRuleSpec]) -> PlacedNode[NodeRuleSpec]:
            rule = place.rule
            if rule is None or rule.feature is not None:
                return replace(place, rule=NodeRuleSpec(0, never=(name,)))
            if rule.features is None:
                return replace(place, rule=replace(rule, never=(*rule.never, name)))
            others = tuple(other for other in rule.features if other != name)
            if not others:
                raise InputError(
                    f"Question {question + 1} may only be about {printable(name)}: allow it "
                    "another column first."
                )
            return replace(place, rule=replace(rule, features=others))

        return self._changed(question, exclude)

    def keep_subtree(self, question: int) -> TrainSpec:
        """The question and all below it stay as they are; the answers of leaves follow the rows."""
        return self._changed(
            question, lambda place: drawn_nodes(self.tree, question, self._fixed_rule)
        )

    def make_leaf(self, question: int) -> TrainSpec:
        """A leaf takes the question's place.

        Raises
        ------
        InputError
            If it is the first question.
        """
        return self._changed(question, lambda place: None)

    def _fixed_rule(self, node: Decision) -> NodeRuleSpec:
        return fixed_rule(self.tree, node)

    # ------------------------------------------------------------ what is to be ranked

    def ranking_of(self, question: int, *, others_kept: bool) -> tuple[TrainSpec, QuestionPart]:
        """The problem in which columns are ranked at a question, and where.

        Parameters
        ----------
        question : int
            Its place in `Tree.decisions`.
        others_kept : bool
            Whether all other questions stay as they are. Then the shape is the tree's own.
        """
        n_columns = len(self.tree.features)
        if not others_kept:
            return self.arranged, QuestionPart(self.node_of(question), n_columns)
        asked = self.tree.decisions[question]
        root = drawn_nodes(
            self.tree, 0, lambda node: None if node is asked else self._fixed_rule(node)
        )
        return self._with(root), QuestionPart(question, n_columns)


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


def is_edit_of(spec: TrainSpec, before: TrainSpec) -> bool:
    """Whether two runs differ in shape and rules for single questions only."""
    same = replace(spec, topology=before.topology, rules=before.rules)
    return spec != before and same == before and spec.rules.forbidden == before.rules.forbidden


def without_rules(spec: TrainSpec) -> TrainSpec:
    """The same run without rules for single questions."""
    return replace(spec, rules=RulesSpec(spec.rules.forbidden))
