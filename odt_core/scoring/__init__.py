"""Trees on new rows: many rows of a table, or one case."""

from odt_core.scoring.case import (
    CaseAnswer,
    Value,
    answer_case,
    beyond_words,
    value_doubt,
)
from odt_core.scoring.differences import Difference, DifferenceKind
from odt_core.scoring.scored_csv import (
    ADDED,
    UNSEEN_COLUMN,
    UNSEEN_HERE_COLUMN,
    WARNINGS,
    added_columns,
    added_names,
    scored_csv,
)
from odt_core.scoring.scores import Doubt, Scores, doubt_words, score

__all__ = [
    "ADDED",
    "UNSEEN_COLUMN",
    "UNSEEN_HERE_COLUMN",
    "WARNINGS",
    "CaseAnswer",
    "Value",
    "answer_case",
    "beyond_words",
    "value_doubt",
    "Difference",
    "DifferenceKind",
    "Doubt",
    "Scores",
    "added_columns",
    "added_names",
    "doubt_words",
    "score",
    "scored_csv",
]
