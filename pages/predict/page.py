"""The Predict page: a frozen tree on one case, on a file of cases, and its validation."""

from __future__ import annotations

from collections.abc import Callable

from pages.common.layout import choose_page_view, follow_theme
from pages.common.server import show_store_errors
from pages.common.studies import MANY_CASES, ONE_CASE, PREDICT_VIEW, VALIDATION
from pages.predict.case import draw_case
from pages.predict.frozen import FrozenTree, choose_tree
from pages.predict.scored_file import draw_many
from pages.predict.validation import draw_validation

# The views. Streamlit would show a docstring here.
VIEWS: dict[str, Callable[[FrozenTree], None]] = {
    ONE_CASE: draw_case,
    MANY_CASES: draw_many,
    VALIDATION: draw_validation,
}


@show_store_errors()
def draw_page() -> None:
    """Draw the choice of a tree, and the chosen view below it."""
    view = choose_page_view("Predict", PREDICT_VIEW, VIEWS)
    frozen = choose_tree()
    VIEWS[view](frozen)
    follow_theme()


draw_page()
