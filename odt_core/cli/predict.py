"""``predict``: apply a model to a table."""

from __future__ import annotations

import argparse
from itertools import compress

from odt_core.cli.inputs import load_table, note
from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.data import Encoder, Table
from odt_core.export import Model
from odt_core.export.csv_cells import csv_text
from odt_core.tree import UnseenMet
from odt_core.words import count_words


def run(options: argparse.Namespace) -> int:
    """Write the table with the prediction, the leaf's share and marks on unseen values added."""
    model = load_model(options.model)
    table = load_table(options)
    content = predict_table(model, table, keep_formulas=options.keep_formulas)
    write_output(options.output, content)
    return 0


ADDED = ("predicted", "share_positive", "unseen", "unseen_at_question")
"""The columns that `predict_table` adds."""


def predict_table(model: Model, table: Table, *, keep_formulas: bool = False) -> bytes:
    """The table as CSV (UTF-8) with four columns added.

    ``predicted`` is the class, ``share_positive`` the share of positive training rows in the leaf.
    ``unseen`` names the columns whose value no training row had where a question met one,
    ``unseen_at_question`` those whose value training rows had, but none that came to the question.
    Text that a spreadsheet would take for a formula gets an apostrophe, unless `keep_formulas`.
    """
    tree = model.tree
    codes = Encoder.from_json(model.encoder).encode(table)
    reached, met = tree.apply(codes), tree.unseen_met(codes)
    _note_unseen(met)
    names = [tree.features[g].name for g in met.features]
    taken = list(table.columns)
    lines: list[list[str]] = [[*taken, *(_free_name(name, taken) for name in ADDED)]]
    leaves = tree.leaves
    for row, cells in enumerate(table.frame.itertuples(index=False, name=None)):
        leaf = leaves[reached[row]]
        share = leaf.n_positive / leaf.n if leaf.n else float("nan")
        marks = ["; ".join(compress(names, kind[row])) for kind in (met.anywhere, met.here)]
        lines.append([*cells, tree.label_name(leaf.label), f"{share:.6g}", *marks])
    return csv_text(lines, keep_formulas=keep_formulas).encode("utf-8")


def _note_unseen(met: UnseenMet) -> None:
    """Say how many rows met a question with a value that tells nothing about them."""
    for kind, words in (
        (
            met.anywhere,
            "that no training row had; they followed the branch that most training rows took "
            "(column unseen)",
        ),
        (
            met.here,
            "that training rows had, but none that came to the question: no row supports the "
            "answer (column unseen_at_question)",
        ),
    ):
        rows = int(kind.any(axis=1).sum())
        if rows:
            note(
                f"{rows:,} of {count_words(len(kind), 'row')} met a question about a value {words}."
            )


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


__all__ = ["predict_table", "run"]
