"""Drawings as plain text, for readers who cannot see them."""

from __future__ import annotations

from collections.abc import Iterator

from odt_core.evaluation.leaves import LeafRow, leaf_table
from odt_core.evaluation.rates import Rate
from odt_core.problem import EncodedData
from odt_core.topology import Topology
from odt_core.tree import Leaf, Node, Tree
from odt_core.words import (
    NO,
    YES,
    count_words,
    percent_words,
    printable,
    share_words,
    split_words,
    unseen_words,
)


def tree_summary(tree: Tree) -> str:
    """Describe a tree in one sentence, short enough for a picture's ``alt``."""
    names = [printable(tree.features[g].name) for g in tree.used_features]
    asked = f" about {', '.join(names)}" if names else ""
    return (
        f"Decision tree for {printable(tree.target)}, positive class "
        f"{printable(tree.positive_label)}: {count_words(len(tree.decisions), 'question')}{asked}; "
        f"{count_words(tree.n_leaves, 'leaf', 'leaves')}."
    )


def tree_alt_text(tree: Tree, test: EncodedData | None = None) -> str:
    """Write a tree as indented text that says everything that the drawing shows.

    Parameters
    ----------
    tree : Tree
        The tree.
    test : EncodedData, optional
        Test rows to count in the leaves.
    """
    rows = iter(leaf_table(tree, test))
    questions = iter(range(1, len(tree.decisions) + 1))
    positive = printable(tree.positive_label)

    def visit(node: Node, indent: str, lead: str) -> Iterator[str]:
        if isinstance(node, Leaf):
            yield f"{indent}{lead}{_leaf_text(next(rows), positive)}"
            return
        words = split_words(tree, node)
        number = next(questions)
        passing = count_words(node.n, "training row")
        yield f"{indent}{lead}question {number}: {words.question} ({passing})"
        yield from visit(node.left, indent + "  ", f"{YES} ({words.yes}): ")
        yield from visit(node.right, indent + "  ", f"{NO} ({words.no}): ")

    unseen = unseen_words(tree)
    lines = [tree_summary(tree), *visit(tree.root, "", "")]
    return "\n".join(lines + [unseen] if unseen else lines)


def _leaf_text(row: LeafRow, positive: str) -> str:
    text = f"leaf {row.number}: {row.predicted}; {_rate_text('training', row.train, positive)}"
    if row.test is not None:
        text += f"; {_rate_text('test', row.test, positive)}"
    return text + "".join(f"; {mark}" for mark in row.marks)


def _rate_text(which: str, rate: Rate, positive: str) -> str:
    if rate.value is None:
        return f"no {which} rows"
    share = percent_words(rate.value)
    return f"{share_words(rate.successes, rate.n, f'{which} row')} {positive} ({share})"


def topology_alt_text(topology: Topology) -> str:
    """Describe a tree shape in one sentence."""
    questions = count_words(topology.n_nodes, "question")
    leaves = count_words(topology.n_leaves, "leaf", "leaves")
    levels = count_words(topology.depth, "level")
    return f"Tree shape {topology.name}: {questions} on {levels}, {leaves}."
