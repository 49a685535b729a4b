"""A CART of the same depth on the same rows, for comparison."""

from __future__ import annotations

from typing import Any

import streamlit as st

from odt_core.evaluation import FAIRNESS, Metrics, ReportedRate, can_ask_about_sets
from odt_core.export import tree_from_json
from odt_core.problem import EncodedData
from odt_core.words import count_words
from pages.common.drawings import draw_tree
from pages.common.html_tables import plain_table, value_html
from pages.common.results import NONE, metrics_of, reported_html

_MEASURES = (
    ReportedRate.SENSITIVITY,
    ReportedRate.SPECIFICITY,
    ReportedRate.ACCURACY,
    ReportedRate.BALANCED_ACCURACY,
)


def draw_cart(result: dict[str, Any], test: EncodedData | None) -> None:
    """Draw the counts and rates of this tree beside CART's, and CART's tree on demand."""
    columns = {
        "This tree, training": metrics_of(result["train"]),
        "CART, training": metrics_of(result["cart"]["train"]),
        "This tree, test": metrics_of(result["test"]),
        "CART, test": metrics_of(result["cart"]["test"]),
    }
    rows = [["Rows wrong", *(_wrong(found) for found in columns.values())]]
    rows += [
        [measure, *(reported_html(measure, found) for found in columns.values())]
        for measure in _MEASURES
    ]
    st.html(plain_table("This tree and CART in training and test", ["", *columns], rows))
    cart = tree_from_json(result["cart"]["tree"])
    fairness = f"{FAIRNESS} " if can_ask_about_sets(cart.features) else ""
    st.caption(
        f"CART picks each question for itself and knows no floors. {fairness}Its tree here has "
        f"{count_words(cart.n_leaves, 'leaf', 'leaves')}."
    )
    if st.toggle("Show CART's tree", key="train_show_cart", persist_state="session"):
        draw_tree(cart, test, key="train_cart_tree")


def _wrong(found: Metrics | None) -> str:
    if found is None:
        return NONE
    return value_html(f"{found.confusion.errors:,}", f"of {found.confusion.n:,}")
