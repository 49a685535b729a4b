"""The view Many cases: a file of cases with the tree's answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from odt_core.data import Table
from odt_core.errors import InputError
from odt_core.export.csv_cells import SOFTWARE
from odt_core.scoring import (
    ADDED,
    UNSEEN_COLUMN,
    UNSEEN_HERE_COLUMN,
    WARNINGS,
    Difference,
    Scores,
    added_columns,
    added_names,
    score,
    scored_csv,
)
from odt_core.words import count_words, percent_words
from pages.common.controls import draw_file, draw_formula_switch
from pages.common.markup import file_stem, plain, sentence, shorten
from pages.predict.files import choose_file
from pages.predict.frozen import FrozenTree

KEEP_FORMULAS, ONLY_WARNINGS = "predict_keep_formulas", "predict_only_warnings"
IN_THE_FILE_ONLY = (UNSEEN_COLUMN, UNSEEN_HERE_COLUMN, SOFTWARE)
"""Added columns that the page does not show. The warnings describe the first two."""
SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_LETTERS = 200, 60, 200
"""The most rows, columns and characters of a cell that the page shows. The file has all."""


def draw_many(frozen: FrozenTree) -> None:
    """Draw the choice of a file, and its rows with the answers."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        st.header("The cases", anchor=False)
        dataset = choose_file(frozen)
    with right:
        if dataset is None:
            _draw_empty()
            return
        try:
            scores = score(frozen.model, dataset.table)
        except InputError as error:
            st.error(sentence(str(error)), title="This file cannot be scored")
            st.caption(
                "To change how a file is read (decimal mark, delimiter, lines to skip), open it on "
                "the Data page, and choose it here again."
            )
            return
        _draw_summary(scores)
        draw_differences(scores.differences)
        _draw_download(scores, dataset.table)
        _draw_rows(scores, dataset.table)


def _draw_empty() -> None:
    with st.container(border=True):
        st.markdown(
            "Choose a file with one row for each case. The tree only needs the columns that it "
            "asks about. You get the file with answer, leaf, risk and warnings for each row."
        )


def _draw_summary(scores: Scores) -> None:
    tree, n = scores.tree, scores.n_rows
    n_positive = int(np.count_nonzero(scores.positive))
    n_doubtful = int(np.count_nonzero(scores.is_doubtful))
    positive, negative = (
        plain(shorten(label, 40)) for label in (tree.positive_label, tree.negative_label)
    )
    share = percent_words(n_positive / n) if n else "none"
    st.markdown(
        f"Of **{count_words(n, 'row')}**, the tree says **{positive}** for **{n_positive:,}** "
        f"({plain(share)}) and **{negative}** for **{n - n_positive:,}**."
    )
    if n_doubtful:
        st.warning(
            f"{count_words(n_doubtful, 'row')} met a question with a doubtful value. The column "
            "*warnings* says why."
        )


def draw_differences(differences: tuple[Difference, ...]) -> None:
    """Draw the differences between a file and the training data, one sentence each."""
    if not differences:
        st.caption("The tree's columns have no values that the training data did not have.")
        return
    with st.expander(
        f"{count_words(len(differences), 'difference')} to the training data", expanded=True
    ):
        st.markdown("\n".join(f"- {sentence(each.words)}" for each in differences))


def _draw_download(scores: Scores, table: Table) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        keep = bool(st.session_state.get(KEEP_FORMULAS, False))
        draw_file(
            "Download all rows (CSV)",
            lambda: scored_csv(scores, table, keep_formulas=keep),
            f"{file_stem(table.name, 'scored')}.csv",
            "text/csv",
            type="primary",
            width="content",
        )
        draw_formula_switch(KEEP_FORMULAS)


def _draw_rows(scores: Scores, table: Table) -> None:
    """Draw the first rows, with the answers first."""
    rows = np.arange(min(SHOWN_ROWS, table.n_rows))
    if scores.is_doubtful.any():
        only = st.checkbox("Only rows with warnings", key=ONLY_WARNINGS)
        if only:
            rows = np.flatnonzero(scores.is_doubtful)[:SHOWN_ROWS]
    frame = _frame(scores, table, rows)
    st.dataframe(
        frame,
        hide_index=True,
        height=420,
        column_config={
            name: st.column_config.TextColumn(width=260)
            for own_name, name in zip(ADDED, added_names(table.columns), strict=True)
            if own_name == WARNINGS
        },
        alt=f"{len(rows)} rows with the tree's answers",
        lazy=False,
    )
    if len(rows) < table.n_rows:
        st.caption(f"{len(rows):,} of {table.n_rows:,} rows. The download has all rows.")


def _frame(scores: Scores, table: Table, rows: np.ndarray) -> pd.DataFrame:
    cells: dict[str, object] = {"row": rows + 1}
    for own_name, name, (texts, codes) in zip(
        ADDED, added_names(table.columns), added_columns(scores), strict=True
    ):
        if own_name not in IN_THE_FILE_ONLY:
            cells[name] = np.array(texts, dtype=object)[codes[rows]]
    for name in table.columns[:SHOWN_COLUMNS]:
        factor = table.factors[name]
        texts = factor.values.take(factor.codes[rows]).to_pylist()
        cells[name] = [text[:SHOWN_LETTERS] for text in texts]
    return pd.DataFrame(cells)
