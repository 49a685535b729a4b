"""A table with a tree's answers added, as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core import MADE_BY
from odt_core.data import Table
from odt_core.export.csv_cells import SOFTWARE, csv_cells, csv_text
from odt_core.scoring.scores import Doubt, Scores

PREDICTED, LEAF, RISK = "predicted", "leaf", "share_positive"
UNSEEN_COLUMN, UNSEEN_HERE_COLUMN, WARNINGS = "unseen", "unseen_at_question", "warnings"
ADDED = (PREDICTED, LEAF, RISK, UNSEEN_COLUMN, UNSEEN_HERE_COLUMN, WARNINGS, SOFTWARE)
"""The columns that `scored_csv` adds."""

BLOCK = 100_000
"""Number of rows that are written at a time."""


def scored_csv(scores: Scores, table: Table, *, keep_formulas: bool = False) -> bytes:
    """Write the table as CSV (UTF-8) with seven added columns.

    ``predicted`` is the class, ``leaf`` the leaf's number as in the drawing, and ``share_positive``
    the share of positive training rows in that leaf. ``unseen`` names columns whose value at a
    question no training row had. ``unseen_at_question`` names columns whose value training rows
    had, but none of those that reached the question. ``warnings`` says both in plain words. It also
    names text that was read as a missing number, and numbers outside the range of training.
    ``software`` is the program that answered. An added name gets a ``_`` if the table already has
    it.

    Parameters
    ----------
    scores : Scores
        The answers.
    table : Table
        The table that was scored.
    keep_formulas : bool
        Keep text that begins like a formula as it is. Otherwise it gets an apostrophe in front.
    """
    names = [*table.columns, *added_names(table.columns)]
    head = csv_text([names], keep_formulas=keep_formulas).encode("utf-8")
    columns: list[tuple[pa.Array, npt.NDArray[np.integer]]] = [
        (csv_cells(factor.values, keep_formulas=keep_formulas), factor.codes)
        for factor in table.factors.values()
    ]
    for texts, codes in added_columns(scores):
        columns.append((csv_cells(_texts(texts), keep_formulas=keep_formulas), codes))
    return b"".join([head, *_blocks(columns, table.n_rows)])


def added_columns(scores: Scores) -> list[tuple[list[str], npt.NDArray[np.int64]]]:
    """The added columns: the distinct texts of each column, and the number of each row's text."""
    tree = scores.tree
    patterns, of_row = scores.patterns
    return [
        ([tree.label_name(leaf.label) for leaf in tree.leaves], scores.leaves),
        ([str(number) for number in range(1, tree.n_leaves + 1)], scores.leaves),
        ([_share(leaf.n_positive, leaf.n) for leaf in tree.leaves], scores.leaves),
        ([pattern.columns(Doubt.NEW) for pattern in patterns], of_row),
        ([pattern.columns(Doubt.NEW_HERE) for pattern in patterns], of_row),
        ([pattern.words for pattern in patterns], of_row),
        ([MADE_BY], np.zeros(scores.n_rows, dtype=np.int64)),
    ]


def added_names(taken: Sequence[str]) -> list[str]:
    """Name the added columns, so that none has the name of a column of the table."""
    return [_free_name(name, taken) for name in ADDED]


def _blocks(
    columns: Sequence[tuple[pa.Array, npt.NDArray[np.integer]]], n_rows: int
) -> Iterator[bytes]:
    """Write the file's lines: cells joined by commas, row by row."""
    end = pa.scalar("\n", pa.large_string())
    comma = pa.scalar(",", pa.large_string())
    nothing = pa.scalar("", pa.large_string())
    for start in range(0, n_rows, BLOCK):
        cells = [texts.take(pa.array(codes[start : start + BLOCK])) for texts, codes in columns]
        lines = pc.binary_join_element_wise(
            pc.binary_join_element_wise(*cells, comma), end, nothing
        )
        # an array keeps its texts one after the other in its buffer
        offsets = np.frombuffer(lines.buffers()[1], dtype=np.int64)
        yield lines.buffers()[2][: int(offsets[lines.offset + len(lines)])].to_pybytes()


def _texts(texts: Sequence[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


def _share(part: int, n: int) -> str:
    return f"{part / n:.6g}" if n else "nan"


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
