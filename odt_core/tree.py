"""Decision trees: routing, counting, simplification and the canonical form.

A tree has its features and its training counts. So it can be drawn, read and applied without its
training data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.problem import EncodedData, Feature, Problem, Split
from odt_core.topology import Topology


@dataclass(frozen=True)
class Leaf:
    """A leaf.

    Attributes
    ----------
    label : bool
        The predicted class, True for positive.
    n_negative, n_positive : int
        Training rows in the leaf.
    """

    label: bool
    n_negative: int = 0
    n_positive: int = 0

    @property
    def n(self) -> int:
        """Training rows that end here."""
        return self.n_negative + self.n_positive

    def walk(self) -> Iterator[Node]:
        """Iterate over the leaf alone, as `Decision.walk` does over a subtree."""
        yield self


@dataclass(frozen=True)
class Decision:
    """A decision node: rows whose code is in `split.left` go left.

    Attributes
    ----------
    split : Split
        The question.
    left, right : Leaf or Decision
        The subtrees.
    observed : frozenset of int
        The feature's codes of training rows at this node.
    unseen_left : bool
        Whether values that no training row had go left. They follow most training rows.
    n_negative, n_positive : int
        Training rows at the node.
    """

    split: Split
    left: Node
    right: Node
    observed: frozenset[int] = frozenset()
    unseen_left: bool = True
    n_negative: int = 0
    n_positive: int = 0

    @property
    def n(self) -> int:
        """Training rows that pass here."""
        return self.n_negative + self.n_positive

    def walk(self) -> Iterator[Node]:
        """Iterate over the subtree in the order node, left subtree, right subtree."""
        yield self
        yield from self.left.walk()
        yield from self.right.walk()


Node = Leaf | Decision


@dataclass(frozen=True, eq=False)
class UnseenMet:
    """The rows that met a question with a value that no training row had.

    Attributes
    ----------
    features : tuple of int
        The U features of the tree, in rising order.
    anywhere : bool[N, U]
        Whether no training row had the row's value.
    here : bool[N, U]
        Whether training rows had the value, but none that reached the question.
    """

    features: tuple[int, ...]
    anywhere: npt.NDArray[np.bool_]
    here: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tree:
    """A decision tree over encoded features.

    Attributes
    ----------
    root : Leaf or Decision
        The root; a single leaf if no question helps.
    features : tuple of Feature
        The features, with the meaning of codes.
    target, positive_label, negative_label : str
        Names for pages and files.
    """

    root: Node
    features: tuple[Feature, ...]
    target: str = "class"
    positive_label: str = "positive"
    negative_label: str = "negative"

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves, left to right."""
        return tuple(node for node in self.walk() if isinstance(node, Leaf))

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The decision nodes in the order node, left subtree, right subtree."""
        return tuple(node for node in self.walk() if isinstance(node, Decision))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @cached_property
    def depth(self) -> int:
        """Levels of decisions on the longest path; 0 for a single leaf."""

        def levels(node: Node) -> int:
            if isinstance(node, Leaf):
                return 0
            return 1 + max(levels(node.left), levels(node.right))

        return levels(self.root)

    @cached_property
    def used_features(self) -> tuple[int, ...]:
        """The features of the decision nodes, in rising order."""
        return tuple(sorted({node.split.feature for node in self.decisions}))

    @property
    def asked_features(self) -> tuple[int, ...]:
        """The features of the decision nodes in the order node, left subtree, right subtree."""
        return tuple(dict.fromkeys(node.split.feature for node in self.decisions))

    @cached_property
    def paths(self) -> tuple[tuple[tuple[Decision, bool], ...], ...]:
        """The path to each leaf from the root, as steps (decision node, goes left)."""

        def visit(
            node: Node, steps: tuple[tuple[Decision, bool], ...]
        ) -> Iterator[tuple[tuple[Decision, bool], ...]]:
            if isinstance(node, Leaf):
                yield steps
                return
            yield from visit(node.left, (*steps, (node, True)))
            yield from visit(node.right, (*steps, (node, False)))

        return tuple(visit(self.root, ()))

    def walk(self) -> Iterator[Node]:
        """Iterate over all nodes in the order node, left subtree, right subtree."""
        return self.root.walk()

    def over_used_features(self) -> Tree:
        """Return a copy that has only the features of its decision nodes, in their order."""
        place = {feature: at for at, feature in enumerate(self.used_features)}

        def visit(node: Node) -> Node:
            if isinstance(node, Leaf):
                return node
            return replace(
                node,
                split=Split(place[node.split.feature], node.split.left),
                left=visit(node.left),
                right=visit(node.right),
            )

        features = tuple(self.features[feature] for feature in self.used_features)
        return replace(self, root=visit(self.root), features=features)

    def label_name(self, label: bool) -> str:
        """Return the user's name for a class."""
        return self.positive_label if label else self.negative_label

    def apply(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the leaf of each row, numbered as in `leaves`.

        Parameters
        ----------
        codes : int[N, G]
            Encoded rows; -1 is a value that no training row had.
        """
        reached = np.zeros(len(codes), dtype=np.int64)
        next_leaf = 0

        def visit(node: Node, rows: npt.NDArray[np.int64]) -> None:
            nonlocal next_leaf
            if isinstance(node, Leaf):
                reached[rows] = next_leaf
                next_leaf += 1
                return
            goes_left = self._goes_left(node, codes[rows, node.split.feature])
            visit(node.left, rows[goes_left])
            visit(node.right, rows[~goes_left])

        visit(self.root, np.arange(len(codes)))
        return reached

    def predict(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Predict the class of each row, True for positive. See `apply` for `codes`."""
        labels = np.array([leaf.label for leaf in self.leaves], dtype=np.bool_)
        return labels[self.apply(codes)]

    def absent(self, node: Decision) -> frozenset[int]:
        """Return values that training rows had, but none at this node, and that new rows may have.

        No row supports their side. The result leaves out values that an earlier question about the
        feature sends elsewhere, and bins of numbers, whose order decides their side.
        """
        feature = self.features[node.split.feature]
        first = feature.n_ordered if feature.is_numerical else 0
        known = frozenset(range(first, feature.n_values))
        return known & self._reaching[id(node)] - node.observed if node.observed else frozenset()

    @cached_property
    def _reaching(self) -> dict[int, frozenset[int]]:
        """The feature's values that can reach each decision node after the earlier questions."""
        found: dict[int, frozenset[int]] = {}

        def visit(node: Node, allowed: dict[int, frozenset[int]]) -> None:
            if isinstance(node, Leaf):
                return
            g, left = node.split.feature, node.split.left
            here = allowed.get(g, frozenset(range(self.features[g].n_values)))
            found[id(node)] = found.get(id(node), frozenset()) | here
            visit(node.left, {**allowed, g: here & left})
            visit(node.right, {**allowed, g: here - left})

        visit(self.root, {})
        return found

    def unseen_met(self, codes: npt.NDArray[np.integer]) -> UnseenMet:
        """Return the rows that met a question with an unseen value. See `apply` for `codes`."""
        column = {feature: at for at, feature in enumerate(self.used_features)}
        anywhere, here = np.zeros((2, len(codes), len(column)), dtype=np.bool_)

        def visit(node: Node, rows: npt.NDArray[np.int64]) -> None:
            if isinstance(node, Leaf):
                return
            values = codes[rows, node.split.feature]
            anywhere[rows, column[node.split.feature]] |= values < 0
            here[rows, column[node.split.feature]] |= np.isin(values, sorted(self.absent(node)))
            goes_left = self._goes_left(node, values)
            visit(node.left, rows[goes_left])
            visit(node.right, rows[~goes_left])

        visit(self.root, np.arange(len(codes)))
        return UnseenMet(self.used_features, anywhere, here)

    def confusion(self, data: EncodedData) -> Confusion:
        """Count the tree's answers on `data`."""
        return Confusion.count(data.y, self.predict(data.codes), data.weight)

    def mean_questions(self, data: EncodedData) -> float:
        """Return the mean number of questions per row of `data`."""
        asked = np.array([len(path) for path in self.paths])
        return float(np.average(asked[self.apply(data.codes)], weights=data.weight))

    def leaf_counts(self, data: EncodedData) -> list[tuple[int, int]]:
        """Return the (negative, positive) rows of `data` in each leaf, left to right."""
        reached = self.apply(data.codes)
        table = np.zeros((self.n_leaves, 2), dtype=np.int64)
        np.add.at(table, (reached, data.y.astype(np.int64)), data.weight)
        return [(int(negative), int(positive)) for negative, positive in table]

    def reads(self, data: EncodedData) -> bool:
        """Whether the codes of `data` mean what the tree's questions take them for."""
        ours, theirs = (
            [feature.meaning_of_codes for feature in features]
            for features in (self.features, data.features)
        )
        return ours == theirs

    @property
    def training_counts(self) -> list[tuple[int, int]]:
        """The (negative, positive) training rows in each leaf, left to right."""
        return [(leaf.n_negative, leaf.n_positive) for leaf in self.leaves]

    def confusion_of_leaves(self, counts: Sequence[tuple[int, int]]) -> Confusion:
        """Sum the (negative, positive) rows in each leaf into a 2x2 table."""
        tp = fp = tn = fn = 0
        for leaf, (negative, positive) in zip(self.leaves, counts, strict=True):
            if leaf.label:
                tp, fp = tp + positive, fp + negative
            else:
                tn, fn = tn + negative, fn + positive
        return Confusion(tp=tp, fp=fp, tn=tn, fn=fn)

    def _goes_left(self, node: Decision, values: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        n_values = self.features[node.split.feature].n_values
        side = np.zeros(n_values + 1, dtype=np.bool_)
        side[sorted(node.split.left)] = True
        side[n_values] = node.unseen_left
        return side[np.where(values < 0, n_values, values)]


def route(
    topology: Topology, splits: Sequence[Split], codes: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """Return the topology's leaf of each row, for given splits.

    Parameters
    ----------
    splits : sequence of Split
        A split for each decision node.
    codes : int[N, G]
        Encoded training rows (no unseen values).
    """
    leaf = np.zeros(len(codes), dtype=np.int64)

    def visit(child: int, rows: npt.NDArray[np.int64]) -> None:
        if child < 0:
            leaf[rows] = -1 - child
            return
        split = splits[child]
        goes_left = np.isin(codes[rows, split.feature], sorted(split.left))
        visit(topology.left[child], rows[goes_left])
        visit(topology.right[child], rows[~goes_left])

    visit(0, np.arange(len(codes)))
    return leaf


def count_assignment(
    problem: Problem, splits: Sequence[Split], labels: Sequence[bool]
) -> Confusion:
    """Route every training row through the splits and count the answers."""
    data = problem.data
    reached = route(problem.topology, splits, data.codes)
    predicted = np.asarray(labels, dtype=np.bool_)[reached]
    return Confusion.count(data.y, predicted, data.weight)


def keeps_smallest_leaf(problem: Problem, splits: Sequence[Split]) -> bool:
    """Whether every leaf with training rows keeps the problem's smallest leaf."""
    if problem.smallest_leaf is None:
        return True
    reached = route(problem.topology, splits, problem.data.codes)
    n_leaves = problem.topology.n_leaves
    rows = np.bincount(reached, minlength=n_leaves)
    held = np.zeros(n_leaves, dtype=np.int64)
    np.add.at(held, reached, problem.smallest_leaf.counted(problem.data))
    return bool(np.all((rows == 0) | (held >= problem.smallest_leaf.rows)))


def build_tree(problem: Problem, splits: Sequence[Split], labels: Sequence[bool]) -> Tree:
    """Build the canonical tree of the splits and labels of a topology.

    Nodes that send every training row one way, or have two leaves with the same label, vanish.
    Categories that no training row had at a node join the side that gives the shorter stated set.
    For a numerical feature, the cut moves to the middle of the empty bins. The stated set goes
    left. So the same classifier of the training rows always gives the same tree. A split that an
    expert fixed stays unchanged.

    Parameters
    ----------
    splits : sequence of Split
        A split for each decision node.
    labels : sequence of bool
        A label for each leaf, True for positive.
    """
    data, topology = problem.data, problem.topology

    def visit(child: int, rows: npt.NDArray[np.int64]) -> Node:
        weight, y = data.weight[rows], data.y[rows]
        n_positive = int(weight[y].sum())
        n_negative = int(weight.sum()) - n_positive
        if child < 0:
            return Leaf(bool(labels[-1 - child]), n_negative, n_positive)
        split = splits[child]
        values = data.codes[rows, split.feature]
        goes_left = np.isin(values, sorted(split.left))
        left = visit(topology.left[child], rows[goes_left])
        right = visit(topology.right[child], rows[~goes_left])
        if not goes_left.any():
            return right
        if goes_left.all():
            return left
        if isinstance(left, Leaf) and isinstance(right, Leaf) and left.label == right.label:
            return Leaf(left.label, n_negative, n_positive)
        observed_left = frozenset(int(value) for value in np.unique(values[goes_left]))
        observed_right = frozenset(int(value) for value in np.unique(values[~goes_left]))
        if problem.rules.at(child).split is not None:
            stated, swapped = split.left, False
        else:
            feature = data.features[split.feature]
            stated, swapped = _stated_set(feature, observed_left, observed_right)
        if swapped:
            left, right = right, left
        return Decision(
            split=Split(split.feature, stated),
            left=left,
            right=right,
            observed=observed_left | observed_right,
            unseen_left=left.n >= right.n,
            n_negative=n_negative,
            n_positive=n_positive,
        )

    root = visit(0, np.arange(len(data.y)))
    return Tree(root, data.features, data.target, data.positive_label, data.negative_label)


def _stated_set(
    feature: Feature, observed_left: frozenset[int], observed_right: frozenset[int]
) -> tuple[frozenset[int], bool]:
    """The set that a node states, and whether it is the set that went right before."""
    if feature.is_numerical:
        return _stated_threshold(feature, observed_left, observed_right)
    key_left = (len(observed_left), min(observed_left))
    key_right = (len(observed_right), min(observed_right))
    if key_left < key_right:
        return observed_left, False
    return observed_right, True


def _stated_threshold(
    feature: Feature, observed_left: frozenset[int], observed_right: frozenset[int]
) -> tuple[frozenset[int], bool]:
    """State a threshold: low values left, the missing bin on its rows' side, or right without rows.

    If one side had no ordered bin, the split only separates missing values.
    """
    missing = feature.n_values - 1 if feature.has_missing else None
    ordered_left = observed_left - {missing}
    ordered_right = observed_right - {missing}
    if not ordered_left or not ordered_right:
        assert missing is not None
        return frozenset({missing}), missing in observed_right
    swapped = min(ordered_right) < min(ordered_left)
    low, high = (ordered_right, ordered_left) if swapped else (ordered_left, ordered_right)
    last_low = (max(low) + min(high) - 1) // 2
    stated = set(range(last_low + 1))
    low_side = observed_right if swapped else observed_left
    if missing is not None and missing in low_side:
        stated.add(missing)
    return frozenset(stated), swapped
