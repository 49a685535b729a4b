"""The leaf table: what each leaf says, on how many rows, and how well that holds on test rows."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.evaluation.rates import Rate
from odt_core.problem import EncodedData
from odt_core.tree import Tree
from odt_core.words import printable, rule_words

SMALL_LEAF = 10
"""Leaves with fewer training rows than this are flagged: their risk is a guess."""


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
    is_small : bool
        Whether too few training rows end here to trust the risk.
    """

    number: int
    rule: str
    label: bool
    predicted: str
    train: Rate
    test: Rate | None
    is_small: bool


def leaf_table(
    tree: Tree, test: EncodedData | None = None, *, small: int = SMALL_LEAF
) -> tuple[LeafRow, ...]:
    """One row for each leaf, left to right.

    Parameters
    ----------
    tree : Tree
        Carries its training counts.
    test : EncodedData, optional
        Rows that had no part in training.
    small : int
        Leaves with fewer training rows are flagged.
    """
    counts = None if test is None else tree.leaf_counts(test)
    rows = []
    for index, leaf in enumerate(tree.leaves):
        tested = None
        if counts is not None:
            negative, positive = counts[index]
            tested = Rate(positive, negative + positive)
        rows.append(
            LeafRow(
                number=index + 1,
                rule=rule_words(tree, index),
                label=leaf.label,
                predicted=printable(tree.label_name(leaf.label)),
                train=Rate(leaf.n_positive, leaf.n),
                test=tested,
                is_small=leaf.n < small,
            )
        )
    return tuple(rows)
