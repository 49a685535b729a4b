"""A CART of the same depth on the same rows, for comparison."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import FAIRNESS, Metrics, ReportedRate, can_ask_about_sets
from odt_core.problem import EncodedData
from odt_core.training import StoredResult
from odt_core.words import count_words
from pages.common.drawings import draw_tree
from pages.common.markup import plain_table, value_html
from pages.common.results import NONE, reported_html

_SHOW = "train_show_cart"
_MEASURES = (
    ReportedRate.SENSITIVITY,
    ReportedRate.SPECIFICITY,
    ReportedRate.ACCURACY,
    ReportedRate.BALANCED_ACCURACY,
)


def draw_cart(result: StoredResult, test: EncodedData | None) -> None:
    """Draw the counts and rates of this tree beside CART's, and CART's tree on demand."""
    columns = {
        "This tree, training": result.train,
        "CART, training": result.cart_train,
        "This tree, test": result.test,
        "CART, test": result.cart_test,
    }
    rows = [["Rows wrong", *(_wrong(found) for found in columns.values())]]
    rows += [
        [measure, *(reported_html(measure, found) for found in columns.values())]
        for measure in _MEASURES
    ]
    st.html(plain_table("This tree and CART in training and test", ["", *columns], rows))
    cart = result.cart_tree
    fairness = f"{FAIRNESS} " if can_ask_about_sets(cart.features) else ""
    st.caption(
        f"CART chooses one question after the other and keeps no floors. {fairness}Its tree here "
        f"has {count_words(cart.n_leaves, 'leaf', 'leaves')}."
    )
    if st.toggle("Show CART's tree", key=_SHOW, persist_state="session"):
        draw_tree(cart, test, key="train_cart_tree")


def _wrong(found: Metrics | None) -> str:
    if found is None:
        return NONE
    return value_html(f"{found.confusion.errors:,}", f"of {found.confusion.n:,}")
