"""The chosen tree in numbers: its floor, 2x2 tables, rates, predictive values, net benefit."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.evaluation import Metrics, Rate, metrics, net_benefit
from odt_core.problem import EncodedData
from odt_core.render import tree_alt_text
from odt_core.words import number_words, percent_words
from pages.common.leaves import draw_leaves
from pages.common.numbers import (
    NONE,
    draw_counts,
    draw_predictive_values,
    draw_rates,
    rate_html,
)
from pages.common.tables import plain_table, value_html
from pages.explore.sensitivity_parts.choose import Choice, sweep_words
from pages.explore.sensitivity_parts.view import FrontierView


def draw_point(view: FrontierView, choice: Choice, data: EncodedData | None) -> None:
    """Draw the chosen point's numbers, training and test side by side."""
    point = view.points[choice.index]
    train = metrics(point.train)
    test = None if point.test is None else metrics(point.test)
    _draw_floor(choice, train, test)
    left, right = st.columns(2, gap="medium")
    with left:
        draw_counts("Training", point.train, point.tree)
    with right:
        if point.test is None:
            st.markdown("**Test** · no rows")
            st.caption("Every row trains: keep some for testing on the Data page.")
        else:
            draw_counts("Test", point.test, point.tree)
    left, right = st.columns(2, gap="medium")
    with left:
        draw_rates(train, test)
    with right:
        draw_predictive_values(train, test, point.tree.positive_label)
        _draw_net_benefit(choice, point.train, point.test)
    with st.expander("Leaves"):
        draw_leaves(point.tree, data)
    with st.expander("The tree in words"):
        st.code(tree_alt_text(point.tree, data), language=None, wrap_lines=True)


def _draw_floor(choice: Choice, train: Metrics, test: Metrics | None) -> None:
    """The floor asked for, what training reached, and what test says: always together."""
    floor, word = choice.floor, choice.sweep.word
    reached: list[Rate] = [getattr(found, word) for found in (train, test) if found is not None]
    cells = [value_html(f"{number_words(float(100 * floor))}%"), *map(rate_html, reached)]
    if test is None:
        cells.append(NONE)
    st.html(
        plain_table(
            f"The floor on {word}, and the {word} reached in training and test",
            ["", "Floor asked for", "Reached in training", "Reached in test (95 % interval)"],
            [[sweep_words(choice.sweep), *cells]],
        )
    )
    if test is not None:
        _say_if_below(floor, reached[1])


def _say_if_below(floor: Fraction, test: Rate) -> None:
    """Say in words how the test interval lies to the floor."""
    words, kind = floor_verdict(floor, test)
    if kind == "below":
        st.warning(words)
    elif kind == "open":
        st.info(words)
    elif kind == "kept":
        st.success(words)


def floor_verdict(floor: Fraction, test: Rate) -> tuple[str, str]:
    """What the test rows say about a floor: a sentence, and below, open, kept or none."""
    if test.low is None or test.high is None:
        return "", "none"
    asked = f"{number_words(float(100 * floor))}%"
    span = f"{percent_words(test.low)} to {percent_words(test.high)}"
    if test.high < floor:
        return (
            f"The whole test interval ({span}) lies below the floor of {asked}: expect new cases "
            "to fall short of it. Ask for a higher floor, or a smaller tree.",
            "below",
        )
    if test.low < floor:
        return (
            f"The test interval ({span}) reaches below the floor of {asked}: the test rows do not "
            "settle that new cases will keep it.",
            "open",
        )
    return f"The whole test interval ({span}) lies at or above the floor of {asked}.", "kept"


def _draw_net_benefit(choice: Choice, train: Confusion, test: Confusion | None) -> None:
    fn, fp = choice.costs
    threshold = float(fp / (fn + fp))
    sets = [counts for counts in (train, test) if counts is not None]
    rows = [
        ["This tree", *(_benefit(counts, threshold) for counts in sets)],
        ["Treat all", *(_benefit(_everyone(counts), threshold) for counts in sets)],
        ["Treat none", *(value_html("0") for _ in sets)],
    ]
    head = ["Net benefit", "Training", "Test"][: len(sets) + 1]
    st.html(plain_table("Net benefit in training and test", head, rows))
    st.caption(
        f"True positives per row, less false positives weighed at the threshold of "
        f"{percent_words(threshold)} that your costs amount to."
    )


def _benefit(counts: Confusion, threshold: float) -> str:
    if counts.n == 0:
        return NONE
    return value_html(f"{net_benefit(counts, threshold):.3f}".replace("-", "−"))


def _everyone(counts: Confusion) -> Confusion:
    return Confusion(tp=counts.n_positive, fp=counts.n_negative, tn=0, fn=0)
