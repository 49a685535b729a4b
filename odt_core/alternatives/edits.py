"""Changes of a tree's questions, written as the specification of a new training run.

A change becomes a rule for the question's decision node, or makes the shape smaller there. The
rules of earlier changes stay. One run can have several changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial

from odt_core.alternatives.placement import PlacedNode, arrange, drawn_nodes, placed_nodes
from odt_core.alternatives.question import Loss, Others, QuestionPart, Reach
from odt_core.errors import InputError
from odt_core.solution import Status
from odt_core.topology import AnyShape
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec, node_rule_words
from odt_core.tree import Decision, Tree
from odt_core.words import number_words, printable


class ChangeKind(StrEnum):
    """The kind of a change of one question."""

    ASK = "ask"
    """A rule says which column the question is about, or fixes the whole question."""
    NEVER = "never"
    """The question may no longer be about its present column."""
    KEEP = "keep"
    """The question stays as it is, with all questions below it. Labels of leaves may change."""
    LEAF = "leaf"
    """A leaf replaces the question."""


@dataclass(frozen=True)
class QuestionChange:
    """A change of one question of a drawn tree.

    Attributes
    ----------
    question : int
        Its place in `Tree.decisions`.
    kind : ChangeKind
        The kind of change.
    rule : NodeRuleSpec or None
        The rule, for `ASK`. Its node number is ignored.
    and_below : bool
        For `NEVER`: whether the column is also excluded from the questions below.
    """

    question: int
    kind: ChangeKind
    rule: NodeRuleSpec | None = None
    and_below: bool = False

    @classmethod
    def column(cls, question: int, column: str) -> QuestionChange:
        """Ask about this column. The search chooses its categories or its cut point."""
        return cls(question, ChangeKind.ASK, NodeRuleSpec(0, features=(column,)))

    def words(self, tree: Tree) -> str:
        """Write the change as plain text, such as ``question 2: not about age``."""
        number = self.question + 1
        if self.kind is ChangeKind.KEEP:
            return f"question {number}: as it is, with all below it"
        if self.kind is ChangeKind.LEAF:
            return f"question {number}: a leaf takes its place"
        rule = self.rule or NodeRuleSpec(0, never=(_asked_at(tree, self.question),))
        below = ", here or below" if self.and_below else ""
        return f"{node_rule_words(replace(rule, node=number))}{below}"


@dataclass(frozen=True)
class PlacedTree:
    """A trained tree, with the decision node of each question in the shape of its specification.

    Attributes
    ----------
    spec : TrainSpec
        The specification of its training.
    tree : Tree
        The tree, with at least one question.
    root : PlacedNode
        The shape, arranged as the tree is drawn.
    """

    spec: TrainSpec
    tree: Tree
    root: PlacedNode[NodeRuleSpec]

    @classmethod
    def of(cls, spec: TrainSpec, tree: Tree) -> PlacedTree:
        """Place a tree in the shape of its specification. A tree of any shape gets its own shape.

        Raises
        ------
        InputError
            If the tree has no question, or does not fit the specification.
        """
        if not tree.decisions:
            raise InputError("This tree asks nothing, so it has no question to change.")
        if isinstance(spec.topology, AnyShape):
            return cls(spec, tree, drawn_nodes(tree, 0, lambda node: None))
        rules = {rule.node - 1: replace(rule, node=0) for rule in spec.rules.nodes}
        root = arrange(tree, placed_nodes(spec.topology, rules))
        if root is None:
            raise InputError("This tree does not have the shape and rules of its run.")
        return cls(spec, tree, root)

    def rules_words(self) -> tuple[str, ...]:
        """Write the rules for single questions, with the questions' numbers in the drawing."""
        ruled = [place for place in self.root.walk() if place.rule is not None]
        asked = [place for place in ruled if place.question is not None]
        left_out = [place for place in ruled if place.question is None]
        return tuple(_rule_words(place) for place in (*asked, *left_out))

    @property
    def has_left_out(self) -> bool:
        """Whether the tree has no question at a node whose rule excludes a column."""
        return any(
            place.question is None and place.rule is not None and place.rule.never
            for place in self.root.walk()
        )

    def _with(self, root: PlacedNode[NodeRuleSpec]) -> TrainSpec:
        nodes = tuple(replace(rule, node=node + 1) for node, rule in root.rules)
        rules = RulesSpec(self.spec.rules.forbidden, nodes)
        return replace(self.spec, topology=root.topology, rules=rules)

    # ------------------------------------------------------------ what else may change

    def _base(self, changed: frozenset[int], others: Others) -> PlacedNode[NodeRuleSpec]:
        """The shape, with rules that keep the questions that may not change."""
        if others is Others.FREE:
            return self.root
        if others is Others.KEPT:
            asked = {id(self.tree.decisions[question]): question for question in changed}
            own = {place.question: place.rule for place in self.root.walk()}

            def rule(node: Decision) -> NodeRuleSpec | None:
                if id(node) not in asked:
                    return fixed_rule(self.tree, node)
                return _unfixed(own[asked[id(node)]])

            return drawn_nodes(self.tree, 0, rule)
        root = _with_paths_kept(self.root, changed, self.tree)
        assert root is not None
        return root

    def ranking_of(self, question: int, others: Others) -> tuple[TrainSpec, QuestionPart]:
        """Return the problem and the request for a ranking of columns at a question.

        Parameters
        ----------
        question : int
            The question's place in `Tree.decisions`.
        others : Others
            The other questions that may change.
        """
        base = self._base(frozenset([question]), others)
        node = base.number_of(question)
        part = QuestionPart(node, len(self.tree.features), question, others)
        return self._with(base), part

    # ------------------------------------------------------------ what questions become

    def with_changes(
        self, changes: Sequence[QuestionChange], others: Others = Others.FREE
    ) -> TrainSpec:
        """Return the specification with changes of one or more questions.

        While the questions above are free, the search can reverse them and swap their subtrees.
        Then another node takes the place of a changed question. So a column that is excluded at the
        question is excluded at such nodes too.

        Parameters
        ----------
        changes : sequence of QuestionChange
            At least one change, and at most one for each question.
        others : Others
            The other questions that may change.

        Raises
        ------
        InputError
            If a change cannot be made, or two changes contradict each other.
        """
        self._check(changes, others)
        root = self._base(frozenset(change.question for change in changes), others)
        for change in changes:
            if change.kind is not ChangeKind.NEVER:
                root = self._changed(root, change)
        nevers = [change for change in changes if change.kind is ChangeKind.NEVER]
        found = self._excluded(root, nevers)
        for change in nevers:
            others_only = self._excluded(root, [each for each in nevers if each is not change])
            for at in self._mirrored(others_only, change.question):
                found = self._excluded_at(found, at, change)
        return self._with(found)

    def _check(self, changes: Sequence[QuestionChange], others: Others) -> None:
        """Refuse changes that leave nothing to solve or contradict each other."""
        whole = {
            change.question: change
            for change in changes
            if change.kind in (ChangeKind.KEEP, ChangeKind.LEAF)
        }
        if 0 in whole and whole[0].kind is ChangeKind.LEAF:
            raise InputError(
                "The first question cannot become a leaf: a tree has at least one question."
            )
        if others is Others.KEPT and all(change.kind is ChangeKind.KEEP for change in changes):
            raise InputError("Nothing else may change, so there is nothing to improve.")
        for change in changes:
            for above, other in whole.items():
                if above < change.question < above + self._size(above):
                    stays = "stays as it is" if other.kind is ChangeKind.KEEP else "becomes a leaf"
                    raise InputError(
                        f"Question {above + 1} {stays}, so question {change.question + 1} below "
                        "it cannot change: make one of the two changes."
                    )

    def _size(self, question: int) -> int:
        """Count a question and the questions below it."""
        nodes = self.tree.decisions[question].walk()
        return sum(isinstance(node, Decision) for node in nodes)

    def _changed(
        self, root: PlacedNode[NodeRuleSpec], change: QuestionChange
    ) -> PlacedNode[NodeRuleSpec]:
        """Apply a change that does not affect other nodes."""
        node = root.number_of(change.question)
        found = root.changed(node, lambda place: self._become(place, change))
        assert found is not None
        return found

    def _become(
        self, place: PlacedNode[NodeRuleSpec], change: QuestionChange
    ) -> PlacedNode[NodeRuleSpec] | None:
        if change.kind is ChangeKind.LEAF:
            return None
        if change.kind is ChangeKind.KEEP:
            return drawn_nodes(self.tree, change.question, partial(fixed_rule, self.tree))
        return replace(place, rule=change.rule)

    def _mirrored(self, root: PlacedNode[NodeRuleSpec], question: int) -> tuple[int, ...]:
        """Find the nodes that can take a question's place if its own question is not fixed."""
        node = root.number_of(question)
        free = root.changed(node, lambda place: replace(place, rule=_unfixed(place.rule)))
        assert free is not None
        return interchangeable(free, node)[1:]

    def _excluded(
        self, root: PlacedNode[NodeRuleSpec], changes: Sequence[QuestionChange]
    ) -> PlacedNode[NodeRuleSpec]:
        for change in changes:
            node = root.number_of(change.question)
            root = self._excluded_at(root, node, change)
        return root

    def _excluded_at(
        self, root: PlacedNode[NodeRuleSpec], node: int, change: QuestionChange
    ) -> PlacedNode[NodeRuleSpec]:
        """Exclude a change's column at a node, and below it if the change says so."""
        name = _asked_at(self.tree, change.question)
        found = root.changed(
            node, lambda place: _excluding(place, name, change.question, change.and_below)
        )
        assert found is not None
        return found


def rules_in_drawing(spec: TrainSpec, tree: Tree) -> tuple[str, ...]:
    """Write the rules for single questions, with the questions' numbers in a run's drawn tree.

    Parameters
    ----------
    spec : TrainSpec
        The run's specification.
    tree : Tree
        The run's tree. If it has no question, or does not fit the specification, the numbers are
        those of the shape's nodes.
    """
    try:
        return PlacedTree.of(spec, tree).rules_words()
    except InputError:
        return tuple(node_rule_words(rule) for rule in spec.rules.nodes)


def _rule_words(place: PlacedNode[NodeRuleSpec]) -> str:
    """Write the rule of a node, which must have one."""
    assert place.rule is not None
    if place.question is not None:
        return node_rule_words(replace(place.rule, node=place.question + 1))
    words = node_rule_words(replace(place.rule, node=0))
    return words.replace("question 0:", "a question that is not asked:", 1)


def _asked_at(tree: Tree, question: int) -> str:
    """The column that a question is about."""
    return tree.features[tree.decisions[question].split.feature].name


def _unfixed(rule: NodeRuleSpec | None) -> NodeRuleSpec | None:
    """Return a rule, but None if it fixes the question."""
    return None if rule is None or rule.feature is not None else rule


def _excluding(
    place: PlacedNode[NodeRuleSpec], name: str, question: int, and_below: bool
) -> PlacedNode[NodeRuleSpec]:
    """Exclude a column at a node, and below it if `and_below`."""
    found = replace(place, rule=_excluding_rule(_unfixed(place.rule), name, question))
    if not and_below:
        return found
    left, right = (_excluding_below(child, name, question) for child in (place.left, place.right))
    return replace(found, left=left, right=right)


def _excluding_below(
    place: PlacedNode[NodeRuleSpec] | None, name: str, question: int
) -> PlacedNode[NodeRuleSpec] | None:
    if place is None:
        return None
    rule = place.rule
    if rule is not None and rule.feature == name:
        raise InputError(
            f"By another change, a question below question {question + 1} is "
            f"about {printable(name)}: undo one of the two changes."
        )
    if rule is None or rule.feature is None:
        rule = _excluding_rule(rule, name, question)
    left, right = (_excluding_below(child, name, question) for child in (place.left, place.right))
    return replace(place, left=left, right=right, rule=rule)


def _excluding_rule(rule: NodeRuleSpec | None, name: str, question: int) -> NodeRuleSpec:
    """Make a rule that excludes a further column."""
    if rule is None:
        return NodeRuleSpec(0, never=(name,))
    if rule.features is None:
        return replace(rule, never=tuple(dict.fromkeys((*rule.never, name))))
    others = tuple(other for other in rule.features if other != name)
    if not others:
        raise InputError(
            f"By an earlier change, question {question + 1} may only be about {printable(name)}: "
            "undo that change, or ask about another column."
        )
    return replace(rule, features=others)


def _with_paths_kept(
    place: PlacedNode[NodeRuleSpec] | None,
    changed: frozenset[int],
    tree: Tree,
) -> PlacedNode[NodeRuleSpec] | None:
    """Fix the questions above the changed questions; None if the subtree has no changed question.

    A node on the path without a question is removed. Otherwise the new tree could have one there.
    """
    if place is None:
        return None
    left = _with_paths_kept(place.left, changed, tree)
    right = _with_paths_kept(place.right, changed, tree)
    is_changed = place.question in changed
    if left is None and right is None:
        return place if is_changed else None
    if place.question is None:
        return left or right
    rule = place.rule if is_changed else fixed_rule(tree, tree.decisions[place.question])
    return replace(place, left=left or place.left, right=right or place.right, rule=rule)


def interchangeable(root: PlacedNode[NodeRuleSpec], node: int) -> tuple[int, ...]:
    """Find the nodes that can take a node's place if questions above are reversed; itself first.

    Parameters
    ----------
    root : PlacedNode
        The shape. A fixed question cannot be reversed.
    node : int
        The node's number in the shape.
    """
    places = list(root.walk())
    numbers = {id(place): number for number, place in enumerate(places)}

    def visit(place: PlacedNode[NodeRuleSpec]) -> list[int] | None:
        """Find such nodes in a subtree; None if the node is not in it."""
        if numbers[id(place)] == node:
            return [node]
        for child, other in ((place.left, place.right), (place.right, place.left)):
            found = None if child is None else visit(child)
            if child is None or found is None:
                continue
            is_fixed = place.rule is not None and place.rule.feature is not None
            if is_fixed or other is None or not _is_alike(child, other):
                return found
            first, second = numbers[id(child)], numbers[id(other)]
            return [*found, *(at - first + second for at in found)]
        return None

    return tuple(visit(root) or ())


def _is_alike(one: PlacedNode[NodeRuleSpec], other: PlacedNode[NodeRuleSpec]) -> bool:
    """Whether two subtrees have the same nodes and rules."""
    return one.topology == other.topology and one.rules == other.rules


def fixed_rule(tree: Tree, node: Decision) -> NodeRuleSpec:
    """Make the rule that fixes a node's question as it is. Its node number is 0."""
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
    """Say how much rules cost against the best tree without them, and how far that is proved.

    Parameters
    ----------
    loss : Loss
        The loss that both trees minimise.
    ruled : Reach
        The tree with the rules.
    free : Reach
        The best tree without them, on the same rows.
    """
    if ruled.total is None or free.total is None:
        return "The cost of the rules is not known: no tree was found to compare with."
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
        return f"{compared} At least one is not proved, so the cost of the rules is not known."
    least = max(loss.value(ruled.bound) - best, Fraction(0))
    most = mine - loss.value(free.bound)
    return (
        f"{compared} At least one is not proved. The rules cost at least {loss.number(least)} and "
        f"at most {_more_words(loss, most)}."
    )


def _more_words(loss: Loss, difference: Fraction) -> str:
    """Write a difference of two losses, such as ``3 more training errors``."""
    if loss.is_share:
        return f"{number_words(100 * difference)} percentage points more {loss.name}"
    number, name = loss.words(difference).split(" ", 1)
    return f"{number} more {name}"


def is_edit_of(spec: TrainSpec, before: TrainSpec) -> bool:
    """Whether two runs differ only in their shapes and in their rules for single questions."""
    same = replace(spec, topology=before.topology, rules=before.rules)
    return spec != before and same == before and spec.rules.forbidden == before.rules.forbidden


def without_rules(spec: TrainSpec) -> TrainSpec:
    """Return the specification without rules for single questions."""
    return replace(spec, rules=RulesSpec(spec.rules.forbidden))
