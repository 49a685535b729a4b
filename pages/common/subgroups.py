"""A tree's rates by the values of a column: a dot plot and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from odt_core.evaluation import FEW_OF_CLASS_IN_GROUP, Subgroup, Subgroups
from odt_core.render import subgroup_alt_text, subgroup_figure
from odt_core.words import list_words
from pages.common.charts import draw_chart
from pages.common.numbers import NONE, rate_html
from pages.common.tables import name_html, plain_table
from pages.common.text import plain, shorten
from pages.common.theme import current_theme


def draw_subgroups(
    columns: Sequence[str],
    of_column: Callable[[str], Subgroups | None],
    *,
    key: str,
    positive: str,
    negative: str,
    rows: str,
) -> None:
    """Draw the choice of a column, and the rates of its groups.

    Parameters
    ----------
    columns : sequence of str
        The columns that make groups.
    of_column : callable
        The groups of a column.
    key : str
        Of the choice; the chart's key begins with it.
    positive, negative : str
        The classes.
    rows : str
        Which rows are counted: ``test`` or ``validation``.
    """
    if not columns:
        st.caption("No column makes groups: all are constant, or name each row.")
        return
    column = st.selectbox(
        "Groups by",
        list(columns),
        key=key,
        persist_state="session",
        format_func=lambda name: shorten(name, 60),
        width=320,
        help="Any column of the file, also one that the tree does not ask about.",
    )
    found = of_column(str(column))
    if found is None or not found.groups:
        st.caption(f"There are no {rows} rows to show.")
        return
    draw_chart(
        subgroup_figure(found, theme=current_theme()),
        key=f"{key}_chart",
        alt=subgroup_alt_text(found),
    )
    _draw_table(found, positive, negative, rows)


def _draw_table(found: Subgroups, positive: str, negative: str, rows: str) -> None:
    head = [
        _roomy(name_html(found.column)),
        "Rows",
        _roomy(name_html(positive)),
        "Sensitivity (TPR)",
        "Specificity (TNR)",
        "Accuracy",
    ]
    body = [_cells(group, positive, negative) for group in found.groups]
    caption = f"Rates of the {rows} rows by {found.column}, with 95% intervals"
    st.html(plain_table(caption, head, body, is_wide=True))
    small = [group.name for group in found.groups if group.is_small]
    if small:
        st.caption(
            f"Few rows: {plain(list_words([shorten(name, 30) for name in small], ' and '))} "
            f"{'has' if len(small) == 1 else 'have'} fewer than {FEW_OF_CLASS_IN_GROUP} rows of a "
            "class. A rate of so few rows is little more than a guess."
        )
    st.caption(
        "Groups differ by chance too. Where intervals overlap widely, the rows do not show that "
        "the tree does better in one group than in another."
    )


def _roomy(name: str) -> str:
    """A name as HTML with room for some letters, so that a narrow page does not break each."""
    return f'<span style="display:inline-block;min-width:5.5rem">{name}</span>'


def _cells(group: Subgroup, positive: str, negative: str) -> list[str]:
    found, counts = group.metrics, group.counts
    marks = [
        name
        for name, is_few in (
            (positive, group.has_few_positive),
            (negative, group.has_few_negative),
        )
        if is_few
    ]
    few = f"<br><i>few {name_html(' and '.join(marks), 40)}</i>" if marks else ""
    return [
        _roomy(name_html(group.name, 40)) + few,
        f"{counts.n:,}",
        f"{counts.n_positive:,}" if counts.n else NONE,
        *(rate_html(rate) for rate in (found.sensitivity, found.specificity, found.accuracy)),
    ]
