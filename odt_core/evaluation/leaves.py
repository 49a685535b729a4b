"""The leaf table: what each leaf says, on how many rows, and how well that holds on test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from odt_core.evaluation.rates import Rate
from odt_core.problem import EncodedData
from odt_core.tree import Leaf, Tree
from odt_core.words import printable, rule_words

SMALL_LEAF = 10
"""Leaves with fewer training rows than this are marked: their risk is a guess."""

FEW_OF_CLASS = 5
"""So are leaves with fewer training rows of the class they predict: few events carry the answer."""

FEW_ROWS, CONTRADICTED = "few rows", "test disagrees"
"""Marks of a leaf with few training rows, and of one whose test rows contradict its answer."""


@dataclass(frozen=True)
class LeafRow:
    """A leaf on training and test rows.

    Attributes
    ----------
    number : int
        Counted from 1, left to right, as in the drawing.
    rule : str
        The simplified path in words.
    label : bool
        The class the leaf predicts, True for positive.
    predicted : str
        The same in the user's word.
    train : Rate
        Events (rows of the positive class) of the training rows in the leaf: the risk.
    test : Rate or None
        The same of the test rows.
    marks : tuple of str
        Why not to trust the leaf, in words: `FEW_ROWS`, few rows of its class (``few sick``), or
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
    """One row for each leaf, left to right.

    Parameters
    ----------
    tree : Tree
        Carries its training counts.
    test : EncodedData or LeafCounts, optional
        Rows that had no part in training, or how many of them are in each leaf.
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
            rule=rule_words(tree, index),
            label=leaf.label,
            predicted=printable(tree.label_name(leaf.label)),
            train=Rate(leaf.n_positive, leaf.n),
            test=rate,
            marks=_marks(leaf, printable(tree.label_name(leaf.label)), rate, everyone),
        )
        for index, (leaf, rate) in enumerate(zip(tree.leaves, tested, strict=True))
    )


def _marks(leaf: Leaf, predicted: str, test: Rate | None, everyone: Rate) -> tuple[str, ...]:
    """Why not to trust a leaf; `everyone` is the share of positives of all test rows."""
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

    Most of them are of the other class. Where a floor or a weight made the leaf predict the rarer
    class of its training rows, that is no contradiction yet: there the test rows contradict it if
    the class is rarer in the leaf than in all test rows.
    """
    share, overall = test.exact, everyone.exact
    if share is None or overall is None:
        return False
    follows_majority = (
        2 * leaf.n_positive >= leaf.n if leaf.label else leaf.n >= 2 * leaf.n_positive
    )
    level = Fraction(1, 2) if follows_majority else overall
    return share < level if leaf.label else share > level
