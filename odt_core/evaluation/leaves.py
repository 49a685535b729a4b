"""The leaf table: the answer of each leaf, its rows, and whether test rows confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from odt_core.evaluation.rates import Rate
from odt_core.problem import EncodedData
from odt_core.tree import Leaf, Tree
from odt_core.words import printable, spoken_conditions

SMALL_LEAF = 10
"""Leaves with fewer training rows than this get a mark, because their risk is a guess."""

FEW_OF_CLASS = 5
"""Leaves with fewer training rows than this of their own class get a mark as well."""

FEW_ROWS, CONTRADICTED = "few rows", "test disagrees"
"""Marks of a leaf with few training rows, and of a leaf whose test rows contradict its answer."""


@dataclass(frozen=True)
class LeafRow:
    """A leaf on training and test rows.

    Attributes
    ----------
    number : int
        The leaf's number from 1, left to right, as in the drawing.
    rule : str
        The simplified path in plain words.
    label : bool
        The class that the leaf predicts, True for positive.
    predicted : str
        The name of that class.
    train : Rate
        Share of positive training rows in the leaf: the risk.
    test : Rate or None
        The same for the test rows.
    marks : tuple of str
        Reasons not to trust the leaf: `FEW_ROWS`, few rows of its class (``few sick``), or
        `CONTRADICTED`.
    """

    number: int
    rule: str
    label: bool
    predicted: str
    train: Rate
    test: Rate | None
    marks: tuple[str, ...] = ()


LeafCounts = Sequence[tuple[int, int]]
"""Negative and positive rows in each leaf, left to right."""


def leaf_table(tree: Tree, test: EncodedData | LeafCounts | None = None) -> tuple[LeafRow, ...]:
    """Make the leaf table: one row for each leaf, left to right.

    Parameters
    ----------
    tree : Tree
        The tree with its training counts.
    test : EncodedData or LeafCounts, optional
        Rows that had no part in training, or their number in each leaf.
    """
    tested: Sequence[Rate | None] = [None] * tree.n_leaves
    everyone = Rate(0, 0)
    if test is not None:
        counts = tree.leaf_counts(test) if isinstance(test, EncodedData) else test
        rates = [Rate(positive, negative + positive) for negative, positive in counts]
        everyone = Rate(sum(rate.successes for rate in rates), sum(rate.n for rate in rates))
        tested = rates
    return tuple(
        LeafRow(
            number=index + 1,
            rule=spoken_conditions(tree, index),
            label=leaf.label,
            predicted=printable(tree.label_name(leaf.label)),
            train=Rate(leaf.n_positive, leaf.n),
            test=rate,
            marks=_marks(leaf, printable(tree.label_name(leaf.label)), rate, everyone),
        )
        for index, (leaf, rate) in enumerate(zip(tree.leaves, tested, strict=True))
    )


def _marks(leaf: Leaf, predicted: str, test: Rate | None, everyone: Rate) -> tuple[str, ...]:
    """Reasons not to trust a leaf; `everyone` is the share of positives among all test rows."""
    found = []
    own = leaf.n_positive if leaf.label else leaf.n_negative
    if leaf.n < SMALL_LEAF:
        found.append(FEW_ROWS)
    elif own < FEW_OF_CLASS:
        found.append(f"few {predicted}")
    if test is not None and _contradicts(leaf, test, everyone):
        found.append(CONTRADICTED)
    return tuple(found)


def _contradicts(leaf: Leaf, test: Rate, everyone: Rate) -> bool:
    """Whether test rows contradict a leaf's answer.

    In general they do if most of them are of the other class. A floor or a weight can make a leaf
    predict the class that is rarer among its training rows. Then the test rows contradict it only
    if that class is rarer in the leaf than among all test rows.
    """
    share, overall = test.exact, everyone.exact
    if share is None or overall is None:
        return False
    follows_majority = (
        2 * leaf.n_positive >= leaf.n if leaf.label else leaf.n >= 2 * leaf.n_positive
    )
    level = Fraction(1, 2) if follows_majority else overall
    return share < level if leaf.label else share > level
