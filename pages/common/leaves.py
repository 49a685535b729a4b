"""The leaf table: what each leaf says, on how many rows, and how well that holds."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import CONTRADICTED, FEW_OF_CLASS, SMALL_LEAF, LeafRow, leaf_table
from odt_core.problem import EncodedData
from odt_core.tree import Tree
from odt_core.words import SHORT, unseen_words
from pages.common.numbers import NONE, rate_html
from pages.common.tables import name_html, plain_table
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
    marks = {mark for row in rows for mark in row.marks}
    if marks - {CONTRADICTED}:
        st.caption(
            f"Few rows: fewer than {SMALL_LEAF} training rows end in this leaf, or fewer than "
            f"{FEW_OF_CLASS} of the class it predicts. Its share is little more than a guess."
        )
    if CONTRADICTED in marks:
        st.caption("Test disagrees: most test rows in this leaf speak against its answer.")
    if unseen_words(tree):
        st.caption(plain(unseen_words(tree, SHORT)))


def _cells(row: LeafRow) -> list[str]:
    return [
        str(row.number),
        html_text(row.rule),
        f"<b>{name_html(row.predicted)}</b>"
        + "".join(f"<br><i>{html_text(mark)}</i>" for mark in row.marks),
        rate_html(row.train),
        NONE if row.test is None else rate_html(row.test),
    ]
