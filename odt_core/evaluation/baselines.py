"""Baselines on the same rows: CART, pruned CART, and one answer for all.

scikit-learn's CART splits a categorical feature into one category against the rest, while our trees
ask about sets. So CART is weaker by construction on categorical features, and every place that
shows it says so (`FAIRNESS`). For a goal that CART does not know, its leaves get new labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from odt_core.cart import fit_cart
from odt_core.evaluation.pruning import choose_pruning
from odt_core.problem import EncodedData, Feature, Gains, Objective
from odt_core.tree import Leaf, Node, Tree

FAIRNESS = (
    "CART is scikit-learn's. It splits a categorical column into one category against the rest, "
    "while our trees ask about sets of categories, so it is weaker by construction on such columns."
)
CART_DEPTH = 3
FLOOR_WEIGHTS = tuple(Fraction(w) for w in ("1", "1/3", "1/10", "3", "10"))
"""Weights of a negative row, times the goal's own, with which CART is fitted under floors."""


class Baseline(StrEnum):
    """A classifier that trees are compared with.

    ``cart-depth-3`` is CART with three levels (paper, section 5.4). ``cart-pruned`` is a CART
    pruned by cross-validation along its cost-complexity path. ``commoner-class`` gives every case
    the same class: the more frequent class, or the other class if a floor demands it.
    """

    CART_DEPTH_3 = "cart-depth-3"
    CART_PRUNED = "cart-pruned"
    COMMONER_CLASS = "commoner-class"

    @property
    def words(self) -> str:
        """The name on screens."""
        return _WORDS[self]

    def to_json(self) -> dict[str, str]:
        """Write the baseline as a dictionary that `from_json` can read."""
        return {"baseline": self.value}

    @classmethod
    def from_json(cls, record: Mapping[str, str]) -> Baseline:
        """Read what `to_json` wrote."""
        return cls(record["baseline"])


_WORDS = {
    Baseline.CART_DEPTH_3: "CART, depth 3",
    Baseline.CART_PRUNED: "CART, pruned",
    Baseline.COMMONER_CLASS: "Always the same class",
}


def can_ask_about_sets(features: Sequence[Feature]) -> bool:
    """Whether to show `FAIRNESS`: a categorical column has more than two categories."""
    return any(not feature.is_numerical and feature.n_values > 2 for feature in features)


def fit_baseline(
    baseline: Baseline,
    train: EncodedData,
    objective: Objective,
    *,
    seed: int = 0,
    groups: npt.NDArray[np.int64] | None = None,
) -> Tree | None:
    """Fit a baseline to training rows for the same goal as our trees.

    CART weighs the classes as the goal does. Under floors it is fitted with several weights, and
    the tree that does best in training is chosen. Its leaves get labels for the goal: a leaf is
    positive if its share of positive rows is large enough. The threshold is the share that serves
    the goal best and keeps the floors.

    Parameters
    ----------
    seed : int
        Breaks ties between splits, and assigns rows to the folds of the pruning.
    groups : int64[N], optional
        The group of each training row; the folds of the pruning keep groups together.

    Returns
    -------
    Tree or None
        A tree in which the two leaves of a node never have the same label. None if no labels of
        the leaves keep the floors.
    """
    gains = objective.gains(train.n_positive, train.n_negative)
    if baseline is Baseline.COMMONER_CLASS:
        root = Leaf(train.n_positive > train.n_negative, train.n_negative, train.n_positive)
        names = (train.target, train.positive_label, train.negative_label)
        return label_leaves(Tree(root, train.features, *names), gains)
    trees = []
    for weight in _class_weights(gains, objective):
        if baseline is Baseline.CART_DEPTH_3:
            tree = fit_cart(train, max_depth=CART_DEPTH, class_weight=weight, seed=seed)
        else:
            pruning = choose_pruning(train, weight, seed, groups)
            tree = fit_cart(train, class_weight=weight, seed=seed, pruning=pruning)
        trees.append(label_leaves(tree, gains))
    found = [tree for tree in trees if tree is not None]
    return max(found, key=lambda tree: gains.total(tree.confusion(train)), default=None)


def _class_weights(gains: Gains, objective: Objective) -> list[Fraction]:
    """List the weights of a negative row with which to fit CART.

    With the one weight, weighted accuracy is the goal. Under floors no single weight does that, so
    there are several.
    """
    weight = Fraction(1) if gains.counts_one_class else Fraction(gains.gain_tn, gains.gain_tp)
    if objective.min_tpr is None and objective.min_tnr is None:
        return [weight]
    return [weight * factor for factor in FLOOR_WEIGHTS]


def label_leaves(tree: Tree, gains: Gains) -> Tree | None:
    """Label a tree's leaves for a goal, and merge leaves of one node that have the same label.

    Parameters
    ----------
    tree : Tree
        Its leaves hold the counts of training rows.
    gains : Gains
        The goal on these rows.

    Returns
    -------
    Tree or None
        None if no labels keep the floors. Labels of leaves change only where that is better.
    """
    leaves = tree.leaves
    n_positive = np.array([leaf.n_positive for leaf in leaves])
    n_negative = np.array([leaf.n_negative for leaf in leaves])
    by_risk = np.argsort(-n_positive / np.maximum(n_positive + n_negative, 1), kind="stable")
    choices = [np.array([leaf.label for leaf in leaves])]
    for n_called in range(len(leaves) + 1):
        labels = np.zeros(len(leaves), dtype=bool)
        labels[by_risk[:n_called]] = True
        choices.append(labels)
    best: tuple[int, int] | None = None
    chosen = choices[0]
    for labels in choices:
        tp, tn = int(n_positive[labels].sum()), int(n_negative[~labels].sum())
        if tp < gains.min_tp or tn < gains.min_tn:
            continue
        worth = (gains.gain_tp * tp + gains.gain_tn * tn, tp + tn)
        if best is None or worth > best:
            best, chosen = worth, labels
    return None if best is None else _relabelled(tree, chosen)


def _relabelled(tree: Tree, labels: npt.NDArray[np.bool_]) -> Tree:
    remaining = iter(labels.tolist())

    def visit(node: Node) -> Node:
        if isinstance(node, Leaf):
            return Leaf(next(remaining), node.n_negative, node.n_positive)
        left, right = visit(node.left), visit(node.right)
        if isinstance(left, Leaf) and isinstance(right, Leaf) and left.label == right.label:
            return Leaf(left.label, node.n_negative, node.n_positive)
        return replace(node, left=left, right=right)

    return replace(tree, root=visit(tree.root))
