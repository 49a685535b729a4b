"""The chosen tree in numbers: its floor, 2x2 tables, rates, predictive values, net benefit."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.evaluation import Rate, metrics, net_benefit
from odt_core.problem import EncodedData
from odt_core.render import tree_alt_text
from odt_core.studies import Sweep
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
from pages.common.text import plain, shorten
from pages.explore.sensitivity_parts.choose import Choice, sweep_words
from pages.explore.sensitivity_parts.view import FrontierView, ViewPoint


def draw_floor(view: FrontierView, choice: Choice) -> None:
    """Draw the floor asked for, what training reached, and what test says: always together."""
    point, floor, word = view.points[choice.index], choice.floor, choice.sweep.word
    train = getattr(metrics(point.train), word)
    test = None if point.test is None else getattr(metrics(point.test), word)
    cells = [value_html(f"{number_words(float(100 * floor))}%"), rate_html(train)]
    left, right = st.columns([6, 5], gap="medium", vertical_alignment="center")
    left.html(
        plain_table(
            f"The floor on {word}, and the {word} reached in training and test",
            ["", "Floor asked for", "Training", "Test (95% interval)"],
            [[sweep_words(choice.sweep), *cells, NONE if test is None else rate_html(test)]],
        )
    )
    with right:
        if test is not None:
            _say_how_it_lies(floor, test)
        if not view.is_best_at(choice.index, floor, choice.sweep):
            st.caption(unproved_words(view, choice.index, floor, choice.sweep))


def _say_how_it_lies(floor: Fraction, test: Rate) -> None:
    """Say in words how the test interval lies to the floor."""
    words, kind = floor_verdict(floor, test)
    if kind == "below":
        st.warning(words)
    elif kind == "open":
        st.info(words)
    elif kind == "kept":
        st.success(words)


def unproved_words(view: FrontierView, index: int, floor: Fraction, sweep: Sweep) -> str:
    """How much better than a point a tree that keeps the floor could still be; plain text."""
    errors = "false alarms" if sweep is Sweep.TPR else "missed cases"
    counts = view.points[index].train
    have = counts.fp if sweep is Sweep.TPR else counts.fn
    least = view.fewest_errors(floor, sweep)
    if least >= have:
        return "Not proved: another tree may do as well here, and better in the other rate."
    return (
        f"Not proved best at this floor: it has {have:,} {errors} in training, and all that is "
        f"proved is that no tree has fewer than {least:,}. Give the search more time."
    )


def draw_point(view: FrontierView, choice: Choice, data: EncodedData | None) -> None:
    """Draw the chosen point's numbers, training and test side by side."""
    point = view.points[choice.index]
    train = metrics(point.train)
    test = None if point.test is None else metrics(point.test)
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
        prevalence = draw_predictive_values(train, test, point.tree.positive_label)
        _draw_net_benefit(choice, point, prevalence)
    # what is folded away is not made: a step of the slider would wait for it
    with st.expander("Leaves", key="sens_leaves", on_change="rerun") as leaves:
        if leaves.open:
            draw_leaves(point.tree, data)
    with st.expander("The tree in words", key="sens_words", on_change="rerun") as words:
        if words.open:
            st.code(tree_alt_text(point.tree, data), language=None, wrap_lines=True)


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


def _draw_net_benefit(choice: Choice, point: ViewPoint, prevalence: float | None) -> None:
    fn, fp = choice.costs
    threshold = float(fp / (fn + fp))
    sets = [counts for counts in (point.train, point.test) if counts is not None]
    rows = [
        ["This tree", *(_benefit(counts, threshold, prevalence) for counts in sets)],
        ["Treat all", *(_benefit(_everyone(counts), threshold, prevalence) for counts in sets)],
        ["Treat none", *(value_html("0") for _ in sets)],
    ]
    head = ["Net benefit", "Training", "Test"][: len(sets) + 1]
    st.html(plain_table("Net benefit in training and test", head, rows))
    where = (
        "At the prevalence of the rows"
        if prevalence is None
        else f"Where {percent_words(prevalence)} are {shorten(point.tree.positive_label, 40)}"
    )
    st.caption(
        plain(
            f"{where}: true positives per row, less false positives weighed at the threshold of "
            f"{percent_words(threshold)} that your costs amount to."
        )
    )


def _benefit(counts: Confusion, threshold: float, prevalence: float | None) -> str:
    if counts.n == 0 or (prevalence is not None and not (counts.n_positive and counts.n_negative)):
        return NONE
    return value_html(f"{net_benefit(counts, threshold, prevalence):.3f}".replace("-", "−"))


def _everyone(counts: Confusion) -> Confusion:
    return Confusion(tp=counts.n_positive, fp=counts.n_negative, tn=0, fn=0)
