"""Near-optimal trees beside the best one, and other columns that a question could be about."""

from odt_core.alternatives.ends import End
from odt_core.alternatives.study import (
    DEFAULT_NUMBER,
    MOST_NUMBER,
    AlternativesPart,
    cost_per_case,
    parse_cost,
    questions_per_case,
    run_alternatives,
)
from odt_core.alternatives.view import (
    AlternativesView,
    AlternativeTree,
    ColumnView,
    alternatives_csv,
)

__all__ = [
    "DEFAULT_NUMBER",
    "MOST_NUMBER",
    "AlternativeTree",
    "AlternativesPart",
    "AlternativesView",
    "ColumnView",
    "End",
    "alternatives_csv",
    "cost_per_case",
    "parse_cost",
    "questions_per_case",
    "run_alternatives",
]
