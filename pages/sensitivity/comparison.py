"""Two trees of the frontier side by side, with marked differences."""

from __future__ import annotations

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.evaluation import ReportedRate, metrics, tree_changes
from odt_core.problem import EncodedData
from odt_core.studies import OperatingPoint
from odt_core.words import percent_words
from pages.common.drawings import draw_tree
from pages.common.markup import plain, plain_table
from pages.common.results import reported_html
from pages.sensitivity.chosen_point import ChosenPoint

_MEASURES = (
    ReportedRate.SENSITIVITY,
    ReportedRate.SPECIFICITY,
    ReportedRate.PPV,
    ReportedRate.NPV,
    ReportedRate.ACCURACY,
)


def draw_pin(chosen: ChosenPoint) -> None:
    """Draw the button that puts the chosen point aside, or takes it back."""
    if chosen.pinned is None:
        st.button(
            "Compare",
            key="sens_pin",
            help="Put this tree aside, then choose another. The page shows both side by side.",
            on_click=_pin,
            args=(chosen, chosen.index),
        )
    else:
        st.button("Stop comparing", key="sens_unpin", on_click=_pin, args=(chosen, None))
        if chosen.compared is None:
            st.caption("Now choose another point.")


def _pin(chosen: ChosenPoint, index: int | None) -> None:
    st.session_state[chosen.pin_key] = index


def draw_comparison(chosen: ChosenPoint, data: EncodedData | None) -> None:
    """Draw the tree that was put aside and the chosen tree."""
    assert chosen.compared is not None
    before, after = chosen.view.points[chosen.compared], chosen.point
    changes = tree_changes(before.tree, after.tree)
    with st.container(border=True):
        st.header("Compared", anchor=False)
        left, right = st.columns(2, gap="medium")
        for column, name, point, marked in (
            (left, "Put aside", before, changes.before),
            (right, "Chosen", after, changes.after),
        ):
            with column:
                st.markdown(f"**{name}** · {_words(point)}")
                draw_tree(point.tree, data, key=f"sens_{name.split()[0].lower()}", marked=marked)
        if changes.is_empty:
            st.markdown("Both trees are the same.")
        for sentence in changes.sentences:
            st.markdown(f"- {plain(sentence)}")
        st.markdown(plain(difference_words(before, after)))
        _draw_rates(before, after)


def _words(point: OperatingPoint) -> str:
    return plain(
        f"training sensitivity {percent_words(point.train.tpr)}, "
        f"specificity {percent_words(point.train.tnr)}"
    )


def difference_words(before: OperatingPoint, after: OperatingPoint) -> str:
    """Compare the numbers of errors of two trees, in training and in test."""
    parts = [f"in training {_difference(before.train, after.train)}"]
    if before.test is not None and after.test is not None:
        parts.append(f"in test {_difference(before.test, after.test)}")
    return f"Compared with the tree put aside, the chosen tree has {'; '.join(parts)}."


def _difference(before: Confusion, after: Confusion) -> str:
    misses = _more(after.fn - before.fn, "missed case", "missed cases")
    alarms = _more(after.fp - before.fp, "false alarm", "false alarms")
    return f"{misses} and {alarms}"


def _more(change: int, one: str, many: str) -> str:
    if change == 0:
        return f"as many {many}"
    size = f"{abs(change):,}"
    return f"{size} {'more' if change > 0 else 'fewer'} {one if abs(change) == 1 else many}"


def _draw_rates(before: OperatingPoint, after: OperatingPoint) -> None:
    sets = [
        metrics(counts) if counts is not None else None
        for counts in (before.train, after.train, before.test, after.test)
    ]
    rows = [[measure, *(reported_html(measure, found) for found in sets)] for measure in _MEASURES]
    head = ["", "Put aside, training", "Chosen, training", "Put aside, test", "Chosen, test"]
    st.html(plain_table("Both trees in training and test", head, rows))
