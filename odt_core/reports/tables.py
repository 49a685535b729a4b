"""HTML tables of the sheets: rates, 2x2 tables and leaves, with escaped text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from odt_core.confusion import Confusion
from odt_core.evaluation import Floor, LeafRow, Metrics, Rate, RateWords, ReportedRate, share_parts
from odt_core.reports.page import escaped
from odt_core.tree import Tree

NONE = "–"
"""The sign for a value that is not defined."""


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], name: str = "") -> str:
    """Write a table. The first column has the rows' headers.

    Parameters
    ----------
    caption : str
        The caption; plain text.
    head : sequence of str
        Column headers as HTML.
    rows : iterable of sequence of str
        Cells as HTML.
    name : str
        A class of the style file.
    """
    names = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return (
        f'<table class="{name}"><caption>{escaped(caption)}</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
    )


def words_cell(words: RateWords | None) -> str:
    """Write a measure with its counts and interval; "-" if it is not defined."""
    if words is None:
        return NONE
    details = "".join(
        f' <span class="detail">{part}</span>' for part in (words.counts, words.interval) if part
    )
    return f"<b>{words.value}</b>{details}"


def rate_cell(rate: Rate | None) -> str:
    """Write a share with its counts and interval; "-" without rows."""
    return NONE if rate is None else words_cell(share_parts(rate))


def rate_table(
    sets: Mapping[str, Metrics],
    measures: Iterable[ReportedRate] = tuple(ReportedRate),
) -> str:
    """Write measures with 95% intervals, one column for each set of rows."""
    rows = [
        [measure.value, *(words_cell(measure.words(found)) for found in sets.values())]
        for measure in measures
    ]
    return table("Rates with 95% intervals", ["", *map(escaped, sets)], rows, "rates")


def count_table(title: str, counts: Confusion, tree: Tree) -> str:
    """Write a 2x2 table with the user's class names, positive class first."""
    yes, no = escaped(tree.positive_label), escaped(tree.negative_label)

    def cell(count: int, name: str) -> str:
        return f'<b>{count:,}</b><br><span class="detail">{name}</span>'

    return table(
        title,
        ["", f"is {yes}", f"is {no}"],
        [
            [f"tree says {yes}", cell(counts.tp, "true positives"),
             cell(counts.fp, "false positives")],
            [f"tree says {no}", cell(counts.fn, "false negatives"),
             cell(counts.tn, "true negatives")],
        ],
        "counts",
    )  # fmt: skip


def floor_table(found: Sequence[Floor], held_out: str) -> str:
    """Write floors with the reached rates; empty without floors.

    Parameters
    ----------
    found : sequence of Floor
        The floors.
    held_out : str
        The name of the held-out rows: ``test`` or ``validation``.
    """
    if not found:
        return ""
    rows = [
        [
            floor.words,
            rate_cell(floor.train),
            NONE
            if floor.test is None
            else f"{rate_cell(floor.test)}<br>{escaped(floor.held_words(held_out))}",
        ]
        for floor in found
    ]
    head = ["Floor", "Reached in training", f"Reached in {held_out}"]
    return table("A floor is sure to hold in training only", head, rows)


def leaf_rows(leaves: Sequence[LeafRow], tree: Tree) -> str:
    """Write the leaves: rule, answer, and share of the positive class in training and test."""
    positive = escaped(tree.positive_label)
    tested = any(row.test is not None for row in leaves)
    head = ["Leaf", "If", "Tree says", f"{positive} in training"]
    rows = [
        [
            str(row.number),
            escaped(row.rule),
            f"<b>{escaped(row.predicted)}</b>"
            + "".join(f'<br><i class="mark">! {escaped(mark)}</i>' for mark in row.marks),
            rate_cell(row.train),
            *([rate_cell(row.test)] if tested else []),
        ]
        for row in leaves
    ]
    return table(
        "The leaves, numbered as in the drawing",
        [*head, f"{positive} in test"] if tested else head,
        rows,
        "leaves",
    )
