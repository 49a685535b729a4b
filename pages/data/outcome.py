"""The outcome, its positive class, and the balance of the classes."""

from __future__ import annotations

import streamlit as st

from odt_core.data import target_labels
from odt_core.words import count_words
from pages.common.markup import plain
from pages.common.widgets import show_value
from pages.data.bars import class_table
from pages.data.current_table import change_schema, choose_target, current

FEW_LABELS = 4
"""The most labels that are buttons side by side. More labels are a list."""

MOST_LETTERS = 36
"""The most characters of all these buttons together."""

MOST_LABELS = 500
"""The most labels that the list offers."""

_TARGET, _POSITIVE = "data_target", "data_positive"
_IN_LIST = "data_positive_in_list"
"""Keys of the two widgets for the positive class. With one key for both, the browser would not get
the value of a widget that replaces the other."""


def draw_outcome() -> None:
    """Draw the choice of outcome and positive class, and the balance of the classes."""
    data = current()
    table, schema = data.dataset.table, data.schema
    counts = target_labels(table, schema)
    st.header("Outcome", anchor=False)
    left, right = st.columns(2)
    with left:
        st.selectbox(
            "Column to predict",
            table.columns,
            key=show_value(_TARGET, schema.target),
            on_change=lambda: choose_target(st.session_state[_TARGET]),
        )
    with right:
        _draw_positive(list(counts), schema.positive)
    if schema.positive in counts:
        n_positive = counts[schema.positive]
        others = [label for label in counts if label != schema.positive]
        negative = others[0] if len(others) == 1 else f"not {schema.positive}"
        n_known = sum(counts.values())
        which = "All rows" if n_known == table.n_rows else "With an outcome"
        balance = {which: (n_positive, n_known - n_positive)}
        caption = f"Class balance of {schema.target}: {count_words(n_known, 'row')}"
        st.html(class_table(balance, schema.positive, negative, caption))


def _draw_positive(labels: list[str], positive: str) -> None:
    text = "Positive class: what sensitivity (TPR) counts"
    offered = labels[:MOST_LABELS]
    options = offered if positive in offered else [positive, *offered]
    if _fit_side_by_side(options):
        st.segmented_control(
            text,
            options,
            key=show_value(_POSITIVE, positive),
            format_func=plain,
            required=True,
            on_change=_positive_chosen,
            args=(_POSITIVE,),
        )
    else:
        st.selectbox(
            text,
            options,
            key=show_value(_IN_LIST, positive),
            on_change=_positive_chosen,
            args=(_IN_LIST,),
        )


def _fit_side_by_side(options: list[str]) -> bool:
    """Whether options are few, short, and distinct on the screen."""
    shown = {plain(option) for option in options}
    short = sum(map(len, options)) <= MOST_LETTERS
    return len(options) <= FEW_LABELS and short and len(shown) == len(options) and "" not in shown


def _positive_chosen(key: str) -> None:
    chosen = st.session_state[key]
    if chosen is not None:
        change_schema(lambda schema: schema.with_target(schema.target, chosen))
