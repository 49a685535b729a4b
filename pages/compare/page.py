"""The Compare page: which shape, cap and cut points do best on unseen rows."""

from __future__ import annotations

from collections.abc import Callable

from odt_core.data import Prepared
from pages.common.drawings import hide_old_charts
from pages.common.layout import choose_page_view, follow_theme
from pages.common.studies import CANDIDATES, COMPARE_VIEW, PATH, STABILITY
from pages.common.tables import ReadyData, need_data, need_rows
from pages.compare.candidates import draw_candidates
from pages.compare.path import draw_path
from pages.compare.stability import draw_stability

# The views, each with its own controls. Streamlit would show a docstring here.
VIEWS: dict[str, Callable[[ReadyData, Prepared], None]] = {
    CANDIDATES: draw_candidates,
    PATH: draw_path,
    STABILITY: draw_stability,
}


def draw_page(data: ReadyData) -> None:
    """Draw the chosen view below the page's title."""
    rows = need_rows(data)
    view = choose_page_view("Compare", COMPARE_VIEW, VIEWS)
    VIEWS[view](data, rows)
    hide_old_charts()
    follow_theme()


draw_page(need_data())
