"""The leaf table: what each leaf says, on how many rows, and how well that holds."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import SMALL_LEAF, LeafRow, leaf_table
from odt_core.problem import EncodedData
from odt_core.tree import Tree
from odt_core.words import unseen_words
from pages.build.train_parts.numbers import NONE, rate_html
from pages.build.train_parts.tables import name_html, plain_table
from pages.common.text import html_text, plain


def draw_leaves(tree: Tree, test: EncodedData | None) -> None:
    """Draw one row for each leaf, numbered as in the drawing."""
    positive = name_html(tree.positive_label)
    rows = leaf_table(tree, test)
    st.html(
        plain_table(
            "The leaves: rule, class, and share of the positive class in training and test",
            ["Leaf", "If", "Tree says", f"{positive} in training", f"{positive} in test"],
            [_cells(row) for row in rows],
        )
    )
    if any(row.is_small for row in rows):
        st.caption(
            f"Few rows: fewer than {SMALL_LEAF} training rows end in this leaf, so its share is "
            "little more than a guess."
        )
    if unseen_words(tree):
        st.caption(plain(unseen_words(tree)))


def _cells(row: LeafRow) -> list[str]:
    return [
        str(row.number),
        html_text(row.rule),
        f"<b>{name_html(row.predicted)}</b>",
        rate_html(row.train) + ("<br><i>few rows</i>" if row.is_small else ""),
        NONE if row.test is None else rate_html(row.test),
    ]
