"""The table of near-optimal trees, in which a row can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from odt_core.alternatives import AlternativeTree
from odt_core.confusion import Confusion
from odt_core.words import printable
from pages.alternatives import keys
from pages.alternatives.near_result import ShownTrees
from pages.common.markup import shorten

SHORT, TALL = 12, 440
"""The most rows of a table in full height, and the height of a longer table in pixels."""
_LOSS = "loss"


def draw_near_table(shown: ShownTrees) -> None:
    """Draw all trees that pass the filters.

    Parameters
    ----------
    shown : ShownTrees
        The trees, at least one.
    """
    st.header("All of these trees", anchor=False)
    places = [tree.place for tree in shown.trees]
    key = f"{keys.TABLE}_{abs(hash(tuple(places)))}"
    names = [name for name in _columns(shown) if name != _LOSS or not shown.view.counts_errors]
    st.dataframe(
        pd.DataFrame([_row(tree, shown) for tree in shown.trees], columns=names),
        key=key,
        hide_index=True,
        on_select=partial(_choose_row, key, places, shown),
        selection_mode="single-row",
        height="content" if len(places) <= SHORT else TALL,
        column_config=_columns(shown),
        placeholder="–",
        alt="One row for each tree, the best first, with errors, rates, questions and cost",
    )
    st.caption("Tick a row to see its tree beside the best, above.")


def _choose_row(key: str, places: Sequence[int], shown: ShownTrees) -> None:
    event: Any = st.session_state.get(key)
    for row in event["selection"]["rows"] if event else []:
        if row < len(places):
            shown.choose(places[row])


def _columns(shown: ShownTrees) -> dict[str, Any]:
    """The table's columns. On a page of 1024 pixels all of them fit."""
    number = st.column_config.NumberColumn
    has_test = shown.view.trees[0].test is not None
    tested: dict[str, Any] = {"test_wrong": number("Test wrong", width=78)}
    rates: dict[str, Any] = {
        "test_tpr": _share("Test TPR", "Sensitivity in test"),
        "test_tnr": _share("Test TNR", "Specificity in test"),
    }
    return {
        "no": number("No.", width=42, pinned=True),
        "wrong": number("Wrong", width=58, help="The number of training rows with a wrong answer"),
        **(tested if has_test else {}),
        "columns": st.column_config.TextColumn("Columns", width=240 if has_test else 420),
        _LOSS: number(
            "Loss",
            width=60,
            format="%.4g",
            help=f"The distance from a perfect tree, in {shown.view.unit}",
        ),
        "tpr": _share("TPR", "Sensitivity in training"),
        "tnr": _share("TNR", "Specificity in training"),
        **(rates if has_test else {}),
        "questions": number(
            "Questions",
            width=76,
            format="%.2f",
            help="The mean number of questions per training row",
        ),
        "cost": number(
            "Cost", width=52, format="%.2f", help="The mean cost of the columns per training row"
        ),
    }


def _share(label: str, help: str) -> Any:
    return st.column_config.NumberColumn(
        label, help=help, format="%.1f%%", width=74 if " " in label else 62
    )


def _row(tree: AlternativeTree, shown: ShownTrees) -> dict[str, Any]:
    tested = tree.test
    return {
        "no": tree.place + 1,
        "wrong": tree.train.errors,
        "test_wrong": None if tested is None else tested.errors,
        "columns": ", ".join(shorten(printable(name), 30) for name in tree.columns) or "none",
        _LOSS: float(tree.loss),
        **_rates("", tree.train),
        **({} if tested is None else _rates("test_", tested)),
        "questions": tree.questions_per_case,
        "cost": tree.cost_per_case(shown.costs),
    }


def _rates(which: str, counts: Confusion) -> dict[str, float | None]:
    rates = {"tpr": (counts.tp, counts.n_positive), "tnr": (counts.tn, counts.n_negative)}
    return {
        f"{which}{name}": 100 * part / whole if whole else None
        for name, (part, whole) in rates.items()
    }
