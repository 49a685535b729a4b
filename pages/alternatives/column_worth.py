"""The worth of each column over all near-optimal trees: figure, table and downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import streamlit as st

from odt_core.alternatives import AlternativesView, ColumnView, alternatives_csv
from odt_core.figures import columns_chart
from odt_core.figures.columns import MOST_COLUMNS
from odt_core.jobs import Batch
from odt_core.words import count_words
from pages.alternatives import keys
from pages.alternatives.near_result import ShownTrees
from pages.common.controls import draw_figure_downloads, draw_file, draw_formula_switch, result_json
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.markup import file_stem, html_text, name_html, plain_table


def draw_column_worth(batch: Batch, shown: ShownTrees) -> None:
    """Draw the worth of each column: figure, table and downloads.

    Parameters
    ----------
    batch : Batch
        The study that made the list.
    shown : ShownTrees
        The trees of the list.
    """
    view = shown.view
    st.header("What each column is worth", anchor=False)
    if view.columns:
        _draw_ranked(view)
    else:
        st.caption("The list ended before the search without each column began.")
    _draw_downloads(batch, view, shown.costs)


def _draw_ranked(view: AlternativesView) -> None:
    """Draw the figure of the columns, and their table."""
    columns = view.ranked_columns
    draw_chart(columns_chart(view, theme=current_theme()), key=keys.WORTH)
    more = len(columns) - MOST_COLUMNS
    rest = f" {count_words(more, 'further column')} in the table." if more > 0 else ""
    st.caption(
        "On the left is the share of the listed trees that ask about each column. The filters do "
        "not change it. On the right is the best tree that does not ask about the column. A mark "
        f"on the dotted line means that this tree is as good as the best tree.{rest}"
    )
    with st.expander("All columns as a table", key=keys.WORTH_TABLE):
        st.html(_table(view, columns))


def _table(view: AlternativesView, columns: Sequence[ColumnView]) -> str:
    """Write the table of all columns, also for readers who do not see the figure."""
    n = len(view.trees)
    rows = [
        [name_html(column.name, 60), f"{column.n_trees:,} of {n:,}", _without_words(view, column)]
        for column in columns
    ]
    head = ["Column", "Trees that ask about it", "Best tree without it"]
    return plain_table("What each column is worth", head, rows)


def _without_words(view: AlternativesView, column: ColumnView) -> str:
    """Describe the least loss without a column, and what is proved; HTML."""
    if column.least_without is None:
        return "no such tree, proved" if column.is_proved else "none found"
    words = view.loss_words(column.least_without)
    if column.is_proved:
        return html_text(words)
    at_least = "" if column.bound_without is None else f"; {view.loss_words(column.bound_without)}"
    return html_text(f"{words}, not proved{at_least}{' at best' if at_least else ''}")


def _draw_downloads(batch: Batch, view: AlternativesView, costs: Mapping[str, Fraction]) -> None:
    stem = file_stem(batch.jobs[0].spec.table_name, "alternatives")
    with st.popover("Download", width="content"):
        keep = draw_formula_switch(keys.KEEP_FORMULAS)
        draw_file(
            "Trees (CSV)",
            lambda: alternatives_csv(view.trees, costs, keep_formulas=keep),
            f"{stem}.csv",
            "text/csv",
        )
        draw_file(
            "Trees and columns (JSON)",
            lambda: result_json(batch.jobs[0]),
            f"{stem}.json",
            "application/json",
        )
        if view.columns:
            draw_figure_downloads(lambda: columns_chart(view, theme=current_theme()), stem)
