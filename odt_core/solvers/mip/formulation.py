"""The integer program of the paper's section 4, one kind of row after the other.

The notation is the paper's: group g is a feature, j in J(g) one of its categories or bins, k a
decision node, b a leaf, i a sample (here: identical rows of one class, with their weight). Numbers
in names count from 1, as in the paper's figures.

The program differs from the paper in three ways:

- A *lone* leaf, whose sibling is a decision node, has a label to decide. It becomes two leaves in
 one place, a negative and a positive leaf, and the label variable u opens one of them. The same
 holds for each leaf below a node whose complete question is fixed by a rule. "Leaf" below means
 such a labelled leaf. B+ and B- are the positive and the negative leaves.
- With a smallest leaf, a variable e of each leaf of the shape says whether any sample reaches it.
- The program minimises the gain lost in comparison with classifying every row correctly, in
 multiples of the largest unit that divides all gains. So it is integral for integral trees.

`Draft.z_is_continuous` and the next two methods decide which variables may be continuous.
docs/method.md has the argument, and shows where the paper's Proposition 3 fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from odt_core.confusion import Confusion
from odt_core.problem import EncodedData, Problem, Split
from odt_core.solvers.mip.options import DEFAULT_OPTIONS, MipOptions
from odt_core.solvers.mip.program import Floats, Ints, Program, ProgramBuilder, Sense
from odt_core.tree import keeps_smallest_leaf

NONE = -1
"""The column number of an absent variable."""


@dataclass(frozen=True)
class LabelledLeaf:
    """A leaf with one of its possible labels.

    Attributes
    ----------
    leaf : int
        The topology's leaf.
    label : bool
        True for positive.
    is_open : bool
        Whether the leaf can also have the other label, so that u decides.
    """

    leaf: int
    label: bool
    is_open: bool

    @property
    def name(self) -> str:
        """The leaf's part of variable names."""
        return f"b{self.leaf + 1}" + (("p" if self.label else "n") if self.is_open else "")


class Draft:
    """The variables of the program, and the builder that collects its rows.

    Attributes
    ----------
    data : EncodedData
        The training rows, identical ones merged.
    allowed : list of tuple of int
        The groups that each node may use.
    gain : int64[N]
        The gain of classifying each (merged) row correctly, as in `Gains`.
    unit : int
        The largest number that divides every gain.
    leaves : tuple of LabelledLeaf
        B, left to right.
    v : int[K, G]
        Columns of v_g^k: group g is selected at node k.
    z : int[K, d]
        Columns of z_j^k: value j of its group goes left at node k.
    w : dict of (k, g) to int
        Columns of w_g^k: direction of a numerical group, side of a capped one.
    rising : dict of (k, g) to int[|J(g)|]
        Columns of the rising part of z, for numerical groups where z is continuous.
    u : dict of leaf to int
        Columns of the label variables.
    e : int[leaves]
        Columns of e_l: leaf l of the shape is reached; empty without a smallest leaf.
    c : int[N, B]
        Columns of c_b^i: row i is counted at leaf b; `NONE` where deleted.
    constant : int
        Column fixed at 1, whose cost is the gain of classifying every row correctly.
    """

    def __init__(self, problem: Problem, options: MipOptions) -> None:
        self.problem = problem
        self.options = options
        self.topology = problem.topology
        self.data: EncodedData = problem.data.merged()
        self.features = self.data.features
        self.allowed = [problem.allowed_features(k) for k in range(self.topology.n_nodes)]
        self.builder = ProgramBuilder()
        gains = problem.gains
        self.gain = self.data.weight * np.where(self.data.y, gains.gain_tp, gains.gain_tn)
        self.unit = max(int(np.gcd.reduce(self.gain)), 1)
        sizes = [feature.n_values for feature in self.features]
        self.offset: Ints = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.leaves = tuple(self._labelled_leaves())
        self.v = self._declare_v()
        self.z = self._declare_z()
        self.w, self.rising = self._declare_w()
        self.u = self._declare_u()
        self.e = self._declare_e()
        self.c = self._declare_c()
        self.constant = self._declare_constant()

    # ---- which variables may be continuous (section 4.3.4, corrected) ----

    @property
    def relaxes(self) -> bool:
        """Whether v and c are continuous. This is always valid, so only the switch decides."""
        return self.options.relax

    def z_is_continuous(self, k: int) -> bool:
        """Whether z may be continuous at a node: it has two leaves, and nothing couples rows.

        Floors and a smallest leaf couple rows.
        """
        couples = self.problem.gains.has_floor or self.problem.smallest_leaf is not None
        return self.relaxes and not couples and self.topology.has_two_leaves(k)

    def z_has_parts(self, k: int, g: int) -> bool:
        """Whether z is the sum of a rising and a falling part: continuous and of ordered bins."""
        return self.features[g].is_numerical and self.z_is_continuous(k)

    def w_is_continuous(self, g: int) -> bool:
        """Whether w may be continuous.

        It always may for a numerical group. With binary z, a z that both rises and falls requires
        w >= 1 and w <= 0. With continuous z, the rows describe the convex hull. A capped group's w
        is binary.
        """
        return self.relaxes and self.features[g].is_numerical

    @property
    def u_is_continuous(self) -> bool:
        """Whether labels may be continuous: for given questions, leaves are independent.

        A smallest leaf counts rows under either label, so it does not restrict labels.
        """
        return self.relaxes and not self.problem.gains.has_floor

    @property
    def deletes(self) -> bool:
        """Whether c exists only for correct leaves. A smallest leaf needs the other c, too."""
        return self.options.delete and self.problem.smallest_leaf is None

    # ---- variables ----

    def _labelled_leaves(self) -> Iterator[LabelledLeaf]:
        for leaf in range(self.topology.n_leaves):
            fixed = self.problem.fixed_label(leaf)
            if fixed is not None:
                yield LabelledLeaf(leaf, fixed, is_open=False)
            else:
                yield LabelledLeaf(leaf, False, is_open=True)
                yield LabelledLeaf(leaf, True, is_open=True)

    def _declare_v(self) -> Ints:
        """Add v. An expert rule that forbids a group at node k fixes v = 0 (paper, section 5.1)."""
        columns = []
        for k in range(self.topology.n_nodes):
            names = [f"v_k{k + 1}_g{g + 1}" for g in range(len(self.features))]
            upper = np.isin(np.arange(len(names)), self.allowed[k])
            columns.append(self.builder.add_columns(names, upper=upper, integer=not self.relaxes))
        return np.array(columns)

    def _declare_z(self) -> Ints:
        """Add z. A rule that fixes a node's complete question fixes its z."""
        columns = []
        for k in range(self.topology.n_nodes):
            names = [
                f"z_k{k + 1}_g{g + 1}_j{j + 1}"
                for g, feature in enumerate(self.features)
                for j in range(feature.n_values)
            ]
            lower, upper = np.zeros(len(names)), np.ones(len(names))
            split = self.problem.rules.at(k).split
            if split is not None:
                upper[:] = 0
                upper[self.offset[split.feature] + np.array(sorted(split.left), dtype=int)] = 1
                lower = upper
            columns.append(
                self.builder.add_columns(
                    names, lower=lower, upper=upper, integer=not self.z_is_continuous(k)
                )
            )
        return np.array(columns)

    def _declare_w(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], Ints]]:
        w, rising = {}, {}
        for k, g in self.groups_with_w():
            at = f"k{k + 1}_g{g + 1}"
            (w[k, g],) = self.builder.add_columns(
                [f"w_{at}"], lower=self.w_is_one(k, g), integer=not self.w_is_continuous(g)
            )
            if self.z_has_parts(k, g):
                names = [f"r_{at}_j{j + 1}" for j in range(self.features[g].n_values)]
                rising[k, g] = self.builder.add_columns(names)
        return w, rising

    def groups_with_w(self) -> Iterator[tuple[int, int]]:
        """Pairs (k, g) for which the order or the cap of group g restricts node k's questions."""
        for k in range(self.topology.n_nodes):
            if self.problem.rules.at(k).split is not None:
                continue
            for g in self.allowed[k]:
                feature = self.features[g]
                if self.problem.caps(feature) or (feature.is_numerical and feature.n_ordered > 1):
                    yield k, g

    def w_is_one(self, k: int, g: int) -> bool:
        """Whether w = 1 breaks the symmetry instead of anchors (sections 4.4 and 4.5)."""
        return self.problem.is_reversible(k) and self._breaks_by_direction(g)

    def _breaks_by_direction(self, g: int) -> bool:
        feature = self.features[g]
        if feature.is_numerical:
            return self.options.numerical_direction and feature.n_ordered > 1
        return self.options.card_direction and self.problem.caps(feature)

    def has_anchor(self, k: int, g: int) -> bool:
        """Whether group g's anchor must go left at node k; not if w = 1 breaks the symmetry."""
        return (
            self.options.anchor
            and self.problem.is_reversible(k)
            and g in self.allowed[k]
            and not self._breaks_by_direction(g)
        )

    @cached_property
    def anchor(self) -> tuple[int, ...]:
        """The anchor of each group: its most frequent value."""
        found = []
        for g, feature in enumerate(self.features):
            counts = np.bincount(self.data.codes[:, g], self.data.weight, feature.n_values)
            found.append(int(counts.argmax()))
        return tuple(found)

    def _declare_u(self) -> dict[int, int]:
        u = {}
        for leaf in sorted({b.leaf for b in self.leaves if b.is_open}):
            (u[leaf],) = self.builder.add_columns(
                [f"u_b{leaf + 1}"], integer=not self.u_is_continuous
            )
        return u

    def _declare_e(self) -> Ints:
        """Add e. If c is integral, and so z, then e is integral without being declared so."""
        if self.problem.smallest_leaf is None:
            return np.zeros(0, dtype=np.int64)
        names = [f"e_b{leaf + 1}" for leaf in range(self.topology.n_leaves)]
        return self.builder.add_columns(names, integer=not self.relaxes)

    def _declare_c(self) -> Ints:
        """Add c with objective (1a). With deletion (section 4.3.3), only for correct leaves."""
        n = len(self.data.y)
        columns = np.full((n, len(self.leaves)), NONE, dtype=np.int64)
        for b, leaf in enumerate(self.leaves):
            correct = self.data.y == leaf.label
            rows = np.flatnonzero(correct) if self.deletes else np.arange(n)
            columns[rows, b] = self.builder.add_columns(
                [f"c_i{i + 1}_{leaf.name}" for i in rows],
                cost=np.where(correct, -(self.gain // self.unit), 0)[rows],
                integer=not self.relaxes,
            )
        return columns

    def _declare_constant(self) -> int:
        """Add a column fixed at 1. Its cost is the gain of classifying every row correctly."""
        (column,) = self.builder.add_columns(
            ["constant"], lower=1, cost=(self.gain // self.unit).sum()
        )
        return int(column)

    # ---- expressions ----

    def went_left(self, k: int) -> Ints:
        """Columns int[N, G] whose sum is L(i, k) = sum of a_j^i z_j^k (paper, (4))."""
        return self.z[k][self.offset[:-1] + self.data.codes]

    def values(self, k: int, g: int) -> Ints:
        """Columns of z_j^k for j in J(g), in order."""
        return self.z[k, self.offset[g] : self.offset[g + 1]]

    def leaves_below(self, k: int, left: bool) -> Ints:
        """Indices of labelled leaves b with k in K^L(b) (or K^R(b))."""
        paths = self.topology.paths
        return np.array(
            [b for b, leaf in enumerate(self.leaves) if (k, left) in paths[leaf.leaf]], dtype=int
        )

    def counted(self, leaves: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield the rows of each class with the columns of their variables c_b^i at some leaves.

        The columns are int[len(rows), n], for the n leaves at which this class has variables. A
        class without rows or without variables is left out.
        """
        for label in (False, True):
            rows = np.flatnonzero(self.data.y == label)
            if len(rows) == 0:
                continue
            existing = [b for b in leaves if self.c[rows[0], b] != NONE]
            if existing:
                yield rows, self.c[np.ix_(rows, existing)]


# ---- section 4.1, the basic formulation ----


def one_group_per_node(draft: Draft) -> None:
    """(one-group-per-node): sum over g of v_g^k = 1."""
    names = [f"one_group_k{k + 1}" for k in range(len(draft.v))]
    draft.builder.add_rows(names, draft.v, 1, Sense.EQUAL, 1)


def decision_hierarchy(draft: Draft) -> None:
    """(decision_hierarchy): z_j^k <= v_g(j)^k."""
    sizes = np.diff(draft.offset)
    for k in range(len(draft.v)):
        columns = np.column_stack([draft.z[k], np.repeat(draft.v[k], sizes)])
        names = [
            f"hierarchy_k{k + 1}_g{g + 1}_j{j + 1}" for g, n in enumerate(sizes) for j in range(n)
        ]
        draft.builder.add_rows(names, columns, [1, -1], Sense.LESS, 0)


def left_right(draft: Draft) -> None:
    """(left), (right): c_b^i <= L(i, k) for k in K^L(b), c_b^i <= R(i, k) for k in K^R(b)."""
    for k in range(len(draft.v)):
        for b in draft.leaves_below(k, left=True):
            _at_most_left(draft, k, np.array([b]), f"left_k{k + 1}_{draft.leaves[b].name}")
        for b in draft.leaves_below(k, left=False):
            _at_most_right(draft, k, np.array([b]), f"right_k{k + 1}_{draft.leaves[b].name}")


def pick_one(draft: Draft) -> None:
    """(pickone): sum over b of c_b^i = 1; only if no c variable is deleted."""
    names = [f"pick_one_i{i + 1}" for i in range(len(draft.c))]
    draft.builder.add_rows(names, draft.c, 1, Sense.EQUAL, 1)


def open_labels(draft: Draft) -> None:
    """A leaf with an open label counts only rows of the label that u chooses.

    c_b^i <= u_b if b is positive, c_b^i <= 1 - u_b if it is negative.
    """
    for b, leaf in enumerate(draft.leaves):
        if not leaf.is_open:
            continue
        for rows, c in draft.counted(np.array([b])):
            columns = np.column_stack([c, np.full(len(rows), draft.u[leaf.leaf])])
            names = [f"label_i{i + 1}_{leaf.name}" for i in rows]
            if leaf.label:
                draft.builder.add_rows(names, columns, [1, -1], Sense.LESS, 0)
            else:
                draft.builder.add_rows(names, columns, [1, 1], Sense.LESS, 1)


def no_empty_branches(draft: Draft) -> None:
    """(pickmore), (pickless): v_g^k <= sum over J(g) of z_j^k <= (|J(g)| - 1) v_g^k."""
    for k in range(len(draft.v)):
        for g in draft.allowed[k]:
            columns = np.append(draft.values(k, g), draft.v[k, g])[None]
            size = columns.shape[1] - 1
            at = f"k{k + 1}_g{g + 1}"
            ones = np.ones(size)
            draft.builder.add_rows(
                [f"pick_more_{at}"], columns, np.append(ones, -1), Sense.GREATER, 0
            )
            draft.builder.add_rows(
                [f"pick_less_{at}"], columns, np.append(ones, 1 - size), Sense.LESS, 0
            )


# ---- section 4.3.1, strengthening ----


def strong_left_right(draft: Draft) -> None:
    """(strongleft), (strongright): (left), (right) for sums of c_b^i over b left (right) of k."""
    for k in range(len(draft.v)):
        _at_most_left(draft, k, draft.leaves_below(k, left=True), f"strong_left_k{k + 1}")
        _at_most_right(draft, k, draft.leaves_below(k, left=False), f"strong_right_k{k + 1}")


def _at_most_left(draft: Draft, k: int, leaves: Ints, name: str) -> None:
    """Sum of c_b^i over the leaves <= L(i, k)."""
    for rows, c in draft.counted(leaves):
        went_left = draft.went_left(k)[rows]
        signs = np.concatenate([np.ones(c.shape[1]), -np.ones(went_left.shape[1])])
        names = [f"{name}_i{i + 1}" for i in rows]
        draft.builder.add_rows(names, np.hstack([c, went_left]), signs, Sense.LESS, 0)


def _at_most_right(draft: Draft, k: int, leaves: Ints, name: str) -> None:
    """Sum of c_b^i over the leaves <= R(i, k) = 1 - L(i, k)."""
    for rows, c in draft.counted(leaves):
        names = [f"{name}_i{i + 1}" for i in rows]
        columns = np.hstack([c, draft.went_left(k)[rows]])
        draft.builder.add_rows(names, columns, 1, Sense.LESS, 1)


# ---- section 4.3.2, anchors ----


def anchors(draft: Draft) -> None:
    """(anchorfeatures): z_j(g)^k = v_g^k at nodes that can be reversed."""
    for k in range(len(draft.v)):
        groups = [g for g in range(len(draft.features)) if draft.has_anchor(k, g)]
        if not groups:
            continue
        anchored = [draft.values(k, g)[draft.anchor[g]] for g in groups]
        names = [f"anchor_k{k + 1}_g{g + 1}" for g in groups]
        columns = np.column_stack([anchored, draft.v[k, groups]])
        draft.builder.add_rows(names, columns, [1, -1], Sense.EQUAL, 0)


# ---- section 4.4, numerical features ----


def numerical_features(draft: Draft) -> None:
    """The bins of a numerical group go left from one end: z rises with j (w = 1) or falls (w = 0).

    The missing bin is outside the order and goes either way.
    """
    for k, g in draft.groups_with_w():
        if not draft.features[g].is_numerical:
            continue
        if (k, g) in draft.rising:
            _rising_and_falling_parts(draft, k, g)
        else:
            _rising_or_falling(draft, k, g)


def _rising_or_falling(draft: Draft, k: int, g: int) -> None:
    """The paper's rows, for binary z: z_j >= z_(j+1) - w and z_(j+1) >= z_j - (1 - w)."""
    z, w = draft.values(k, g)[: draft.features[g].n_ordered], draft.w[k, g]
    at = f"k{k + 1}_g{g + 1}"
    names = [f"{at}_j{j + 1}" for j in range(len(z) - 1)]
    columns = np.column_stack([z[:-1], z[1:], np.full(len(z) - 1, w)])
    draft.builder.add_rows(
        [f"falling_{name}" for name in names], columns, [1, -1, 1], Sense.GREATER, 0
    )
    draft.builder.add_rows(
        [f"rising_{name}" for name in names], columns, [-1, 1, -1], Sense.GREATER, -1
    )


def _rising_and_falling_parts(draft: Draft, k: int, g: int) -> None:
    """The convex hull of the paper's rows, for continuous z.

    With w between 0 and v, the paper's rows would allow every z to be 1/2. Here z is the sum of a
    rising part r of height w and a falling part z - r of height v - w:
    0 <= r_1 <= r_2 <= ... <= w and v - w >= z_1 - r_1 >= z_2 - r_2 >= ... >= 0. Both are chains of
    differences, so the corners are integral for given v, and w needs no branching.
    """
    feature, at = draft.features[g], f"k{k + 1}_g{g + 1}"
    v, w = draft.v[k, g], draft.w[k, g]
    z, r = draft.values(k, g), draft.rising[k, g]
    n = feature.n_ordered
    names = [f"{at}_j{j + 1}" for j in range(feature.n_values)]

    def rows(kind: str, columns: list[Ints], signs: list[int], sense: Sense) -> None:
        block = np.column_stack(columns)
        row_names = [f"{kind}_{name}" for name in names[: len(block)]]
        draft.builder.add_rows(row_names, block, signs, sense, 0)

    all_v, all_w = np.full(len(z), v), np.full(len(z), w)
    rows("rising", [r[: n - 1], r[1:n]], [1, -1], Sense.LESS)
    rows("falling", [z[: n - 1], r[: n - 1], z[1:n], r[1:n]], [1, -1, -1, 1], Sense.GREATER)
    rows("rising_part", [r, all_w], [1, -1], Sense.LESS)
    rows("falling_part", [z, r, all_v, all_w], [1, -1, -1, 1], Sense.LESS)
    rows("parts", [z, r], [1, -1], Sense.GREATER)
    draft.builder.add_rows([f"share_{at}"], np.array([[w, v]]), [1, -1], Sense.LESS, 0)
    if draft.problem.forbid_empty_branches:
        _no_empty_parts(draft, k, g)


def _no_empty_parts(draft: Draft, k: int, g: int) -> None:
    """(pickmore), (pickless) for the two parts of a numerical group, also as differences.

    A rising set is not empty if it has the last bin or the missing bin. It is not everything if it
    lacks the first bin or the missing bin. For a falling set, exchange first and last.
    """
    feature, at = draft.features[g], f"k{k + 1}_g{g + 1}"
    v, w = draft.v[k, g], draft.w[k, g]
    z, r = draft.values(k, g), draft.rising[k, g]
    outside = [feature.n_values - 1] if feature.has_missing else []
    first, last = [0, *outside], [feature.n_ordered - 1, *outside]
    ones = np.ones(len(first))

    def rising(kind: str, bins: list[int], least: float, sense: Sense) -> None:
        """Compare the sum of r over the bins with `least` times its height w."""
        columns = np.append(r[bins], w)[None]
        draft.builder.add_rows([f"rising_{kind}_{at}"], columns, [*ones, -least], sense, 0)

    def falling(kind: str, bins: list[int], least: float, sense: Sense) -> None:
        """Compare the sum of z - r over the bins with `least` times its height v - w."""
        columns = np.concatenate([z[bins], r[bins], [v, w]])[None]
        signs = [*ones, *-ones, -least, least]
        draft.builder.add_rows([f"falling_{kind}_{at}"], columns, signs, sense, 0)

    rising("more", last, 1, Sense.GREATER)
    rising("less", first, len(first) - 1, Sense.LESS)
    falling("more", first, 1, Sense.GREATER)
    falling("less", last, len(last) - 1, Sense.LESS)


# ---- section 4.5, max.card ----


def max_card(draft: Draft) -> None:
    """At most m values of a group go left (w = 1), or all but at most m (w = 0).

    These are the paper's rows scaled by v, because the printed rows are loose for fractional v.
    With q = |J(g)| - m: sum z <= m v + q (1 - w) and sum z >= q v - q w. They are left out for
    |J(g)| <= 2m + 1, because then every set has at most m values or all but at most m.
    """
    m = draft.problem.max_card
    for k, g in draft.groups_with_w():
        if draft.features[g].is_numerical:
            continue
        assert m is not None
        z, at = draft.values(k, g), f"k{k + 1}_g{g + 1}"
        q = len(z) - m
        columns = np.concatenate([z, [draft.v[k, g], draft.w[k, g]]])[None]
        ones = np.ones(len(z))
        draft.builder.add_rows(
            [f"at_most_m_{at}"], columns, np.append(ones, [-m, q]), Sense.LESS, q
        )
        draft.builder.add_rows(
            [f"all_but_m_{at}"], columns, np.append(ones, [-q, q]), Sense.GREATER, 0
        )


# ---- section 4.6, sensitivity and specificity ----


def floors(draft: Draft) -> None:
    """(minspec) and its mirror image: enough rows of a class are classified correctly."""
    gains = draft.problem.gains
    for label, name, least in (
        (True, "min_sensitivity", gains.min_tp),
        (False, "min_specificity", gains.min_tn),
    ):
        if least > 0:
            columns, weights = _correct(draft, label)
            draft.builder.add_rows([name], columns[None], weights, Sense.GREATER, least)


def _correct(draft: Draft, label: bool) -> tuple[Ints, Floats]:
    """Columns and weights of the c variables of correctly classified rows of a class."""
    rows = np.flatnonzero(draft.data.y == label)
    leaves = np.flatnonzero([leaf.label == label for leaf in draft.leaves])
    columns = draft.c[np.ix_(rows, leaves)]
    weights = np.broadcast_to(draft.data.weight[rows, None], columns.shape)
    return columns.ravel(), weights.ravel().astype(np.float64)


# ---- the smallest leaf (not in the paper) ----


def smallest_leaf(draft: Draft) -> None:
    """A leaf l of the shape that some sample reaches (e_l = 1) holds at least m samples.

    Let B(l) be the labelled leaves at l, and n_i the count of sample i:
    (reached) sum over b in B(l) of c_b^i <= e_l for every i, and
    (smallest leaf) sum over i of n_i times the sum over b in B(l) of c_b^i >= m e_l.
    Every c exists here (see `Draft.deletes`). By (pickone) each sample is in one leaf.
    """
    wanted = draft.problem.smallest_leaf
    if wanted is None:
        return
    counted = wanted.counted(draft.data)
    some = np.flatnonzero(counted)
    for leaf, e in enumerate(draft.e):
        c = draft.c[:, [b for b, labelled in enumerate(draft.leaves) if labelled.leaf == leaf]]
        names = [f"reached_i{i + 1}_b{leaf + 1}" for i in range(len(c))]
        columns = np.column_stack([c, np.full(len(c), e)])
        signs = np.append(np.ones(c.shape[1]), -1)
        draft.builder.add_rows(names, columns, signs, Sense.LESS, 0)
        columns = np.append(c[some].ravel(), e)[None]
        weights = np.append(np.repeat(counted[some], c.shape[1]), -wanted.rows)
        draft.builder.add_rows([f"smallest_leaf_b{leaf + 1}"], columns, weights, Sense.GREATER, 0)


# ---- a bound proved elsewhere ----


def proved_bound(draft: Draft, bound: int) -> None:
    """The total gain is at most `bound`, which another engine has proved."""
    columns, weights = [], []
    gains = draft.problem.gains
    for label, gain in ((True, gains.gain_tp), (False, gains.gain_tn)):
        found, weight = _correct(draft, label)
        columns.append(found)
        weights.append(weight * gain / draft.unit)
    draft.builder.add_rows(
        ["proved_bound"],
        np.concatenate(columns)[None],
        np.concatenate(weights),
        Sense.LESS,
        bound // draft.unit,
    )


# ---- all of it ----


TOLERANCE = 1e-6
"""The distance of a binary variable from 0 or 1 that a solver accepts. It may scale rows."""


@dataclass(frozen=True, eq=False)
class Formulation:
    """The program of a problem, with conversions of objectives and bounds.

    Attributes
    ----------
    draft : Draft
        The variables by their meaning.
    program : Program
        The program.
    """

    draft: Draft
    program: Program

    @property
    def most(self) -> int:
        """The total if every row were classified correctly, in `Gains`' whole numbers."""
        return int(self.draft.gain.sum())

    @cached_property
    def trivial_bound(self) -> int:
        """The total if each set of equal rows gets its better answer."""
        _, cell = np.unique(self.draft.data.codes, axis=0, return_inverse=True)
        of_class = np.zeros((cell.max() + 1, 2), dtype=np.int64)
        np.add.at(of_class, (cell.ravel(), self.draft.data.y.astype(int)), self.draft.gain)
        return int(of_class.max(axis=1).sum())

    def tolerance(self, objective: float) -> float:
        """The largest error of a solver's objective.

        At 1/2 or more, the program's numbers are so large that the solver cannot distinguish
        neighbouring whole numbers.
        """
        largest = self.most / self.draft.unit
        return 1e-5 + TOLERANCE * max(abs(objective), largest)

    def nearly_allows(self, confusion: Confusion) -> bool:
        """Whether a tree keeps the floors within a solver's tolerance."""
        gains, slack = self.draft.problem.gains, TOLERANCE * self.draft.data.n_rows
        return confusion.tp + slack >= gains.min_tp and confusion.tn + slack >= gains.min_tn

    def nearly_keeps_smallest_leaf(self, splits: Sequence[Split]) -> bool:
        """Whether every leaf holds enough samples within a solver's tolerance."""
        problem, wanted = self.draft.problem, self.draft.problem.smallest_leaf
        if wanted is None:
            return True
        slack = math.floor(TOLERANCE * self.draft.data.n_rows)
        eased = replace(wanted, rows=max(wanted.rows - slack, 1))
        return keeps_smallest_leaf(replace(problem, smallest_leaf=eased), splits)

    def total_of(self, objective: float) -> float:
        """Convert an objective of the program to a total."""
        return self.most - self.draft.unit * objective

    def objective_of(self, total: int) -> float:
        """Convert a total to the program's objective."""
        return (self.most - total) / self.draft.unit

    def bound_of(self, objective_bound: float) -> int:
        """Convert a lower bound on the objective to an upper bound on the total.

        Every tree has a whole objective, so the bound may be rounded up. The solver's tolerance is
        subtracted first, so that it does not round up to the next whole number.
        """
        lost = math.ceil(objective_bound - self.tolerance(objective_bound))
        return self.most - self.draft.unit * max(lost, 0)

    def incumbent_of(self, objective: float) -> int:
        """Convert a point's objective to a total that some tree at least reaches."""
        lost = math.floor(objective + self.tolerance(objective))
        return self.most - self.draft.unit * lost


def formulate(
    problem: Problem, options: MipOptions = DEFAULT_OPTIONS, *, bound: int | None = None
) -> Formulation:
    """Write the integer program of a problem.

    Parameters
    ----------
    problem : Problem
        The problem.
    options : MipOptions
        The switches of section 4.
    bound : int, optional
        A proved upper bound on the total, added as a row.
    """
    draft = Draft(problem, options)
    one_group_per_node(draft)
    decision_hierarchy(draft)
    if options.strengthen:
        strong_left_right(draft)
    else:
        left_right(draft)
    if not draft.deletes:
        pick_one(draft)
    open_labels(draft)
    anchors(draft)
    numerical_features(draft)
    max_card(draft)
    floors(draft)
    smallest_leaf(draft)
    if problem.forbid_empty_branches:
        no_empty_branches(draft)
    if bound is not None:
        proved_bound(draft, bound)
    return Formulation(draft, draft.builder.build())
