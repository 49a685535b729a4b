"""``predict``: apply a model to a table."""

from __future__ import annotations

import argparse

from odt_core.cli.inputs import load_table, note
from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.data import Table
from odt_core.export import Model
from odt_core.scoring import Doubt, Scores, score, scored_csv
from odt_core.words import count_words


def run(options: argparse.Namespace) -> int:
    """Write the table with answers and warnings, and note differences to the training data."""
    model = load_model(options.model)
    table = load_table(options)
    content = predict_table(model, table, keep_formulas=options.keep_formulas)
    write_output(options.output, content)
    return 0


def predict_table(model: Model, table: Table, *, keep_formulas: bool = False) -> bytes:
    """Score a table as CSV (see `odt_core.scoring.scored_csv`). Notes go to standard error."""
    scores = score(model, table)
    for difference in scores.differences:
        note(difference.words)
    _note_doubts(scores)
    return scored_csv(scores, table, keep_formulas=keep_formulas)


def _note_doubts(scores: Scores) -> None:
    """Note how many rows met a question with a doubtful value."""
    for doubt, words in (
        (
            Doubt.NEW,
            "that no training row had; they followed the branch that most training rows took "
            "(column unseen)",
        ),
        (
            Doubt.NEW_HERE,
            "that training rows had, but none that reached the question: no row supports the "
            "answer (column unseen_at_question)",
        ),
    ):
        rows = scores.n_with(doubt)
        if rows:
            of_all = count_words(scores.n_rows, "row")
            note(f"{rows:,} of {of_all} met a question about a value {words}.")
