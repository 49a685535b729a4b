"""The training problem: encoded rows, a tree shape, a goal and the user's conditions.

It does not depend on a solver. All quantities that decide anything are integers or fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.errors import InputError, quoted
from odt_core.topology import Topology

MISSING = "(missing)"
UNSEEN = -1
"""The code of a value that no training row had."""


class FeatureKind(StrEnum):
    """How a feature may be split: by any set of values, or by a threshold."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"


@dataclass(frozen=True)
class Feature:
    """A column after encoding (the paper's group).

    Attributes
    ----------
    name : str
        The column's name.
    kind : FeatureKind
        Categorical features split by a set of categories, numerical ones by a threshold.
    values : sequence of str
        The meaning of each code: category names, or the bins' intervals in rising order. The
        missing bin of a numerical feature, if it has one, comes last and is outside the order.
    cuts : tuple of float
        Numerical only: ``len(cuts) + 1`` ordered bins; bin ``b`` holds
        ``cuts[b-1] < x <= cuts[b]``.
    has_missing : bool
        Whether the last code of a numerical feature is its missing bin. A categorical feature's
        missing value is a category like any other.
    measure : str
        The meaning of the numbers if the column's cells are dates: ``age`` or ``year``. Empty for
        all other features.
    """

    name: str
    kind: FeatureKind
    values: Sequence[str]
    cuts: tuple[float, ...] = ()
    has_missing: bool = False
    measure: str = ""

    def __post_init__(self) -> None:
        if self.kind is FeatureKind.NUMERICAL and self.n_ordered != len(self.cuts) + 1:
            raise ValueError(f"feature {self.name!r}: {len(self.cuts)} cuts do not fit its bins")

    @property
    def n_values(self) -> int:
        """Number of codes, the paper's |J(g)|."""
        return len(self.values)

    @property
    def n_ordered(self) -> int:
        """Number of ordered bins of a numerical feature (without the missing bin)."""
        return self.n_values - (1 if self.has_missing else 0)

    @property
    def is_numerical(self) -> bool:
        """Whether the feature splits by threshold."""
        return self.kind is FeatureKind.NUMERICAL

    def interval(self, bins: Sequence[int]) -> tuple[float, float]:
        """Return the open lower end and the closed upper end of neighbouring bins, in any order.

        The lowest and the highest bin have an infinite end.
        """
        low, high = min(bins), max(bins)
        if high - low + 1 != len(bins):
            raise ValueError(f"feature {self.name!r}: the bins {bins} are not neighbours")
        ends = (-math.inf, *self.cuts, math.inf)
        return ends[low], ends[high + 1]

    @property
    def meaning_of_codes(self) -> tuple[object, ...]:
        """Equal for two features if each code means the same for both.

        The cut points give the meaning of bins. A file with very many bins does not have their
        names.
        """
        codes = self.cuts if self.is_numerical else tuple(self.values)
        return self.name, self.kind, codes, self.has_missing, self.measure


@dataclass(frozen=True, eq=False)
class EncodedData:
    """Rows as integer codes.

    Attributes
    ----------
    codes : int32[N, G]
        ``codes[i, g]`` is row i's value of feature g, an index into ``features[g].values``, or
        -1 for a value no training row had (never in training data).
    y : bool[N]
        True for the positive class.
    weight : int64[N]
        The number of rows that each row stands for.
    features : tuple of Feature
        The G features.
    target, positive_label, negative_label : str
        Names for pages and files.
    is_merged : bool
        Whether these rows are the result of `merged`.
    """

    codes: npt.NDArray[np.int32]
    y: npt.NDArray[np.bool_]
    weight: npt.NDArray[np.int64]
    features: tuple[Feature, ...]
    target: str = "class"
    positive_label: str = "positive"
    negative_label: str = "negative"
    is_merged: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        n, g = self.codes.shape
        if g != len(self.features) or self.y.shape != (n,) or self.weight.shape != (n,):
            raise ValueError("codes, y, weight and features do not fit each other")

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: not what another thread may be computing from the rows."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def n_rows(self) -> int:
        """Weighted number of rows."""
        return int(self.weight.sum())

    @property
    def n_features(self) -> int:
        """Number of features, the paper's |G|."""
        return len(self.features)

    @cached_property
    def n_columns(self) -> int:
        """Number of one-hot columns, the paper's d."""
        return sum(feature.n_values for feature in self.features)

    @cached_property
    def n_positive(self) -> int:
        """Weighted number of positive rows."""
        return int(self.weight[self.y].sum())

    @cached_property
    def n_negative(self) -> int:
        """Weighted number of negative rows."""
        return int(self.weight[~self.y].sum())

    def take(self, rows: npt.NDArray[np.integer | np.bool_]) -> EncodedData:
        """Return the rows at the given positions, or of a mask."""
        return self._rows(rows, self.weight[rows])

    def merged(self) -> EncodedData:
        """Merge identical rows of the same class, and add their weights.

        The result is ordered by class, then by codes, whatever the order of the rows.
        """
        return self if self.is_merged else self._merged

    @cached_property
    def _merged(self) -> EncodedData:
        key = self.y.astype(np.int64)
        size = 2
        for g, feature in enumerate(self.features):
            radix = feature.n_values + 1
            if size > (2**62) // radix:
                _, key = np.unique(key, return_inverse=True)
                size = len(self.y)
            key *= radix
            key += self.codes[:, g]
            key += 1
            size *= radix
        order = np.argsort(key)
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        weight = np.add.reduceat(self.weight[order], first)
        rows = order[first]
        merged = self._rows(rows, weight)
        object.__setattr__(merged, "is_merged", True)
        return merged

    def _rows(
        self, rows: npt.NDArray[np.integer | np.bool_], weight: npt.NDArray[np.int64]
    ) -> EncodedData:
        return replace(self, codes=take_rows(self.codes, rows), y=self.y[rows], weight=weight)


def take_rows(
    codes: npt.NDArray[np.int32], rows: npt.NDArray[np.integer | np.bool_]
) -> npt.NDArray[np.int32]:
    """Return the codes of the rows at the given positions, or of a mask.

    The codes of a feature are side by side in memory, because they are mostly read by feature.
    """
    chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    return np.take(codes.T, chosen, axis=1).T


@dataclass(frozen=True)
class Split:
    """The question of a decision node: is the feature's value in `left`? If so, the row goes left.

    Attributes
    ----------
    feature : int
        Index of the feature.
    left : frozenset of int
        The codes that go left. May be empty or all codes: the paper allows empty branches.
    """

    feature: int
    left: frozenset[int]

    def reversed(self, features: Sequence[Feature]) -> Split:
        """Return the reversed question: its set is the complement, so the answers change places."""
        everything = frozenset(range(features[self.feature].n_values))
        return Split(self.feature, everything - self.left)


class _Traits(NamedTuple):
    """The properties of a goal that texts and pages ask for."""

    floor_rate: str | None
    counts_rows: bool
    loses_rows: bool


class Goal(StrEnum):
    """The quantity to maximise."""

    ACCURACY = "accuracy"
    BALANCED = "balanced"
    MAX_TPR = "max-tpr"
    MAX_TNR = "max-tnr"

    @property
    def floor_rate(self) -> str | None:
        """The rate that needs a floor under this goal: ``tpr``, ``tnr`` or None."""
        return _TRAITS[self].floor_rate

    @property
    def counts_rows(self) -> bool:
        """Whether its value is a number of rows, which a class weight may weigh; else a rate."""
        return _TRAITS[self].counts_rows

    @property
    def loses_rows(self) -> bool:
        """Whether its loss is a number of rows, such as missed cases; else a rate."""
        return _TRAITS[self].loses_rows


_TRAITS = {
    Goal.ACCURACY: _Traits(None, counts_rows=True, loses_rows=True),
    Goal.BALANCED: _Traits(None, counts_rows=False, loses_rows=False),
    Goal.MAX_TPR: _Traits("tnr", counts_rows=False, loses_rows=True),
    Goal.MAX_TNR: _Traits("tpr", counts_rows=False, loses_rows=True),
}


@dataclass(frozen=True)
class Objective:
    """The goal with its class weight and floors (paper, equation (1a) and section 4.6).

    Attributes
    ----------
    goal : Goal
        ``accuracy`` maximises TP + C * TN, ``balanced`` the mean of TPR and TNR, ``max-tpr`` and
        ``max-tnr`` one rate under a floor on the other.
    class_weight : Fraction
        C, for ``accuracy`` only.
    min_tpr, min_tnr : Fraction or None
        Floors on the training rows, each in [0, 1]. ``max-tpr`` needs `min_tnr` and ``max-tnr``
        needs `min_tpr`; any goal may have both.

    Raises
    ------
    InputError
        If a floor is missing or outside [0, 1], or the class weight is not positive.
    """

    goal: Goal = Goal.ACCURACY
    class_weight: Fraction = Fraction(1)
    min_tpr: Fraction | None = None
    min_tnr: Fraction | None = None

    def __post_init__(self) -> None:
        for name, floor in (("min-tpr", self.min_tpr), ("min-tnr", self.min_tnr)):
            if floor is not None and not 0 <= floor <= 1:
                raise InputError(f"{name} is {float(floor):g}: give a share between 0 and 1.")
        if self.class_weight <= 0:
            raise InputError("class-weight must be greater than 0.")
        if self.class_weight != 1 and not self.goal.counts_rows:
            raise InputError(
                f"class-weight only applies to the objective accuracy, not to {self.goal}."
            )
        for rate, floor, name in (
            ("tnr", self.min_tnr, "specificity"),
            ("tpr", self.min_tpr, "sensitivity"),
        ):
            if self.goal.floor_rate == rate and floor is None:
                raise InputError(
                    f"The objective {self.goal} needs a floor on {name}: give min-{rate}."
                )

    def gains(self, n_positive: int, n_negative: int) -> Gains:
        """Convert the objective to whole numbers, for so many rows of each class."""
        if self.goal is Goal.ACCURACY:
            ratio = self.class_weight
            gain_tp, gain_tn, scale = ratio.denominator, ratio.numerator, ratio.denominator
        elif self.goal is Goal.BALANCED:
            gain_tp, gain_tn = max(n_negative, 1), max(n_positive, 1)
            common = math.gcd(gain_tp, gain_tn)
            scale = 2 * max(n_positive, 1) * max(n_negative, 1) // common
            gain_tp, gain_tn = gain_tp // common, gain_tn // common
        elif self.goal is Goal.MAX_TPR:
            gain_tp, gain_tn, scale = 1, 0, max(n_positive, 1)
        elif self.goal is Goal.MAX_TNR:
            gain_tp, gain_tn, scale = 0, 1, max(n_negative, 1)
        else:
            assert_never(self.goal)
        return Gains(
            gain_tp,
            gain_tn,
            scale,
            min_tp=math.ceil((self.min_tpr or 0) * n_positive),
            min_tn=math.ceil((self.min_tnr or 0) * n_negative),
        )


@dataclass(frozen=True)
class Gains:
    """An objective in whole numbers: maximise ``gain_tp * TP + gain_tn * TN`` under two floors.

    Attributes
    ----------
    gain_tp, gain_tn : int
        The worth of a correct positive and of a correct negative row.
    scale : int
        The objective's value is the whole number divided by this.
    min_tp, min_tn : int
        The fewest correct positive and negative rows (0: no floor), rounded up exactly.
    """

    gain_tp: int
    gain_tn: int
    scale: int
    min_tp: int
    min_tn: int

    @property
    def has_floor(self) -> bool:
        """Whether there is a floor. Floors couple the rows (docs/method.md)."""
        return self.min_tp > 0 or self.min_tn > 0

    @property
    def counts_one_class(self) -> bool:
        """Whether only one class counts. Then the other class's rate is not decided."""
        return self.gain_tp == 0 or self.gain_tn == 0

    def total(self, confusion: Confusion) -> int:
        """The objective of these counts as a whole number."""
        return self.gain_tp * confusion.tp + self.gain_tn * confusion.tn

    def value(self, total: int) -> Fraction:
        """Convert a total to the objective's unit."""
        return Fraction(total, self.scale)

    def allows(self, confusion: Confusion) -> bool:
        """Whether these counts keep the floors."""
        return confusion.tp >= self.min_tp and confusion.tn >= self.min_tn


class LeafCount(StrEnum):
    """The rows that the smallest leaf counts: all training rows, or those of the rarer class."""

    ROWS = "rows"
    RARER_CLASS = "rarer-class"


@dataclass(frozen=True)
class SmallestLeaf:
    """The smallest size of a leaf.

    Every leaf with training rows must have at least `rows` of them. A leaf without training rows
    vanishes from the tree, and the condition ignores it.

    Attributes
    ----------
    rows : int
        The smallest weighted number of rows.
    of : LeafCount
        Whether all rows count or only those of the rarer class (if both have equally many rows, the
        positive class).

    Raises
    ------
    InputError
        If `rows` is below 1.
    """

    rows: int
    of: LeafCount = LeafCount.ROWS

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise InputError(f"min-leaf is {self.rows}: give a whole number of at least 1.")

    def counted(self, data: EncodedData) -> npt.NDArray[np.int64]:
        """Return the count of each row in its leaf, its weight or 0, as int64[N]."""
        if self.of is LeafCount.ROWS:
            return data.weight
        rarer_is_positive = data.n_positive <= data.n_negative
        return np.where(data.y == rarer_is_positive, data.weight, 0)


@dataclass(frozen=True)
class NodeRule:
    """An expert's rule for one decision node.

    Attributes
    ----------
    features : frozenset of int or None
        The only features that the node may use; None for any.
    split : Split or None
        A fixed split. It overrides max_card. The labels of its leaves stay free.
    """

    features: frozenset[int] | None = None
    split: Split | None = None


@dataclass(frozen=True)
class Rules:
    """Expert rules.

    Attributes
    ----------
    forbidden : frozenset of int
        Features that no node may use, except a node with a fixed split.
    nodes : tuple of (int, NodeRule)
        Rules for single decision nodes, by the topology's numbers.
    """

    forbidden: frozenset[int] = frozenset()
    nodes: tuple[tuple[int, NodeRule], ...] = ()

    def at(self, node: int) -> NodeRule:
        """Return the rule of a decision node, which may be empty."""
        return dict(self.nodes).get(node, NodeRule())


@dataclass(frozen=True, eq=False)
class Problem:
    """A training problem.

    Attributes
    ----------
    data : EncodedData
        The training rows.
    topology : Topology
        The tree's shape.
    objective : Objective
        The objective, with its floors.
    max_card : int or None
        A categorical split sends at most this many categories one way (paper, section 4.5): the
        left set has at most `max_card` of the feature's categories, or all but at most that many.
    rules : Rules
        Expert rules.
    forbid_empty_branches : bool
        At least one category of the chosen feature goes each way at every node (the paper's
        (pickmore) and (pickless)), counted over the feature's categories, not over the rows.
    smallest_leaf : SmallestLeaf or None
        The smallest size of leaves with training rows; None for no condition.

    Raises
    ------
    InputError
        If there are no rows or features, or a cap, rule or smallest leaf cannot be met.
    """

    data: EncodedData
    topology: Topology
    objective: Objective = Objective()
    max_card: int | None = None
    rules: Rules = field(default_factory=Rules)
    forbid_empty_branches: bool = False
    smallest_leaf: SmallestLeaf | None = None

    def __post_init__(self) -> None:
        if self.data.n_rows == 0:
            raise InputError("There are no training rows: choose a larger training set.")
        if self.data.n_features == 0:
            raise InputError("There is no feature to split on: mark at least one column as used.")
        if self.max_card is not None and self.max_card < 1:
            raise InputError("max-card must be at least 1, or none for no cap.")
        for node, rule in self.rules.nodes:
            if not 0 <= node < self.topology.n_nodes:
                raise InputError(
                    f"A rule names decision node {node + 1}, but the shape {self.topology.name} "
                    f"has nodes 1 to {self.topology.n_nodes}."
                )
            if rule.split is not None:
                self._check_fixed(node, rule.split)
        for node in range(self.topology.n_nodes):
            if self.rules.at(node).split is None and not self.allowed_features(node):
                raise InputError(
                    f"Decision node {node + 1} has no feature left to split on: allow one there."
                )
        self._check_smallest_leaf()

    def _check_smallest_leaf(self) -> None:
        if self.smallest_leaf is None:
            return
        most, least = int(self.smallest_leaf.counted(self.data).sum()), self.smallest_leaf.rows
        if least > most:
            which = "" if self.smallest_leaf.of is LeafCount.ROWS else " of the rarer class"
            raise InputError(
                f"min-leaf is {least:,}, but there are only {most:,} training rows{which}: "
                "give a smaller number."
            )

    def _check_fixed(self, node: int, split: Split) -> None:
        feature = self.data.features[split.feature]
        where = f"The split fixed at decision node {node + 1} on {quoted(feature.name)}"
        if any(not 0 <= code < feature.n_values for code in split.left):
            raise InputError(f"{where} names a category that the training rows do not have.")
        if not is_threshold(feature, split.left):
            raise InputError(f"{where} is not a threshold: give one side of a single cut point.")
        if self.forbid_empty_branches and not 0 < len(split.left) < feature.n_values:
            raise InputError(f"{where} leaves a branch empty, which the settings forbid.")

    @cached_property
    def gains(self) -> Gains:
        """The objective in whole numbers."""
        return self.objective.gains(self.data.n_positive, self.data.n_negative)

    @property
    def perfect_total(self) -> int:
        """The objective of a tree without errors, as a whole number (see `Gains`)."""
        gains, data = self.gains, self.data
        return data.n_positive * gains.gain_tp + data.n_negative * gains.gain_tn

    def allowed_features(self, node: int) -> tuple[int, ...]:
        """Return the features that a decision node may use. A fixed split has only its feature."""
        rule = self.rules.at(node)
        if rule.split is not None:
            return (rule.split.feature,)
        return tuple(
            g
            for g, feature in enumerate(self.data.features)
            if g not in self.rules.forbidden
            and (rule.features is None or g in rule.features)
            and not (self.forbid_empty_branches and feature.n_values < 2)
        )

    def fixed_label(self, leaf: int) -> bool | None:
        """Return the fixed label of a leaf; None if the label is a decision.

        If both children of a node are leaves, left is negative and right is positive, because
        reversing the question gives the other labelling. The label of a lone leaf, and the labels
        below a node with a fixed split, are decisions.
        """
        node, goes_left = self.topology.paths[leaf][-1]
        if not self.topology.has_two_leaves(node) or self.rules.at(node).split is not None:
            return None
        return not goes_left

    def is_reversible(self, node: int) -> bool:
        """Whether reversing the node's question and swapping its subtrees changes nothing.

        True if no child is a leaf, both subtrees have the same shape and rules, and the node's
        split is not fixed (paper, section 4.3.2).
        """
        topology = self.topology
        if topology.touches_leaf(node) or not topology.is_symmetric(node):
            return False
        if self.rules.at(node).split is not None:
            return False
        left, right = topology.children(node)
        pairs = zip(topology.descendants[left], topology.descendants[right], strict=True)
        return all(self.rules.at(a) == self.rules.at(b) for a, b in pairs)

    def caps(self, feature: Feature) -> bool:
        """Whether max_card forbids any set of the feature's categories."""
        return (
            self.max_card is not None
            and not feature.is_numerical
            and feature.n_values > 2 * self.max_card + 1
        )

    def admits(self, node: int, split: Split) -> bool:
        """Whether a decision node may have this split."""
        rule = self.rules.at(node)
        if rule.split is not None:
            return split == rule.split
        if split.feature not in self.allowed_features(node):
            return False
        feature = self.data.features[split.feature]
        size = len(split.left)
        if not all(0 <= code < feature.n_values for code in split.left):
            return False
        if self.forbid_empty_branches and not 0 < size < feature.n_values:
            return False
        if self.caps(feature):
            assert self.max_card is not None
            return size <= self.max_card or size >= feature.n_values - self.max_card
        return is_threshold(feature, split.left)

    def admits_all(self, splits: Sequence[Split], labels: Sequence[bool]) -> bool:
        """Whether splits and leaf labels are a tree of this problem.

        It does not check floors and the smallest leaf, which need the rows.
        """
        return (
            len(splits) == self.topology.n_nodes
            and len(labels) == self.topology.n_leaves
            and all(self.admits(node, split) for node, split in enumerate(splits))
            and all(
                self.fixed_label(leaf) in (None, bool(label)) for leaf, label in enumerate(labels)
            )
        )


def is_threshold(feature: Feature, left: frozenset[int]) -> bool:
    """Whether a set of codes is one side of a cut; always true for categorical features.

    The missing bin of a numerical feature may be on either side.
    """
    if not feature.is_numerical:
        return True
    ordered = sorted(code for code in left if code < feature.n_ordered)
    if not ordered:
        return True
    contiguous = ordered[-1] - ordered[0] + 1 == len(ordered)
    return contiguous and (ordered[0] == 0 or ordered[-1] == feature.n_ordered - 1)
