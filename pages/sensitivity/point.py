"""The numbers of the chosen tree: floor, 2x2 tables, rates, predictive values, net benefit."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.evaluation import metrics, net_benefit
from odt_core.problem import EncodedData
from odt_core.render import tree_alt_text
from odt_core.studies import Sweep, floor_objective
from odt_core.words import number_words, percent_words
from pages.common.markup import plain, plain_table, shorten, value_html
from pages.common.results import (
    DASH,
    draw_counts,
    draw_floors,
    draw_leaves,
    draw_predictive_values,
    draw_rates,
    draw_verdict,
)
from pages.sensitivity.chosen_point import ChosenPoint, alarm_words
from pages.sensitivity.frontier import KeptPoint


def draw_floor(chosen: ChosenPoint) -> None:
    """Draw the floor with the rate in training and in test, always together."""
    point, kept = chosen.point, chosen.kept
    objective = floor_objective(chosen.floor, chosen.sweep)
    test = None if point.test is None else metrics(point.test)
    left, right = st.columns([6, 5], gap="medium", vertical_alignment="center")
    with left:
        draw_floors(objective, metrics(point.train), test)
    with right:
        draw_verdict(objective, metrics(point.train), test)
        if chosen.reaches_floor and not chosen.serves_floor:
            st.caption(other_floor_words(chosen))
        if not kept.is_best:
            st.caption(unproved_words(kept))


def other_floor_words(chosen: ChosenPoint) -> str:
    """Say why the chosen tree is not the tree for the user's floor; Markdown."""
    asked, word = f"{number_words(100 * chosen.floor)}%", chosen.sweep.word
    if chosen.sweep.rate(chosen.point.train) < chosen.floor:
        why = f"This tree does not reach the floor of {asked} in training"
    else:
        other = chosen.sweep.other.word
        why = f"Another tree keeps the floor of {asked} on {word}, and has a higher {other}"
    return f"{why}. **Back to the floor** shows the tree for it."


def unproved_words(kept: KeptPoint) -> str:
    """Say how much better than a point another tree for the floor can be; plain text."""
    counts = kept.point.train
    have, errors = counts.fp, "false alarms"
    if kept.sweep is Sweep.TNR:
        have, errors = counts.fn, "missed cases"
    least = kept.view.fewest_errors(kept.floor, kept.sweep)
    if least >= have:
        return "Not proved: another tree may do as well here, and better in the other rate."
    return (
        f"Not proved best at this floor: it has {have:,} {errors} in training, and it is only "
        f"proved that no tree has fewer than {least:,}. Give the search more time."
    )


def draw_point(chosen: ChosenPoint, data: EncodedData | None) -> None:
    """Draw the chosen point's numbers, training and test side by side."""
    point = chosen.point
    train = metrics(point.train)
    test = None if point.test is None else metrics(point.test)
    left, right = st.columns(2, gap="medium")
    with left:
        draw_counts("Training", point.train, point.tree)
    with right:
        if point.test is None:
            st.markdown("**Test** · no rows")
            st.caption("Every row trains. Keep some rows for testing on the Data page.")
        else:
            draw_counts("Test", point.test, point.tree)
    left, right = st.columns(2, gap="medium")
    with left:
        draw_rates(train, test)
    with right:
        prevalence = draw_predictive_values(train, test, point.tree.positive_label)
        _draw_net_benefit(chosen, prevalence)
    # a closed expander makes nothing, because each step of the slider would wait for it
    with st.expander("Leaves", key="sens_leaves", on_change="rerun") as leaves:
        if leaves.open:
            draw_leaves(point.tree, data)
    with st.expander("The tree in words", key="sens_words", on_change="rerun") as words:
        if words.open:
            st.code(tree_alt_text(point.tree, data), language=None, wrap_lines=True)


def _draw_net_benefit(chosen: ChosenPoint, prevalence: float | None) -> None:
    point = chosen.point
    if chosen.ratio is None:
        st.caption(
            "Net benefit needs costs, and this tree is not the cheapest for any costs. Give the "
            "costs of a miss and of a false alarm above."
        )
        return
    threshold = threshold_of(chosen.ratio)
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
    costs = "your costs" if chosen.asked_ratio else assumed_words(chosen)
    st.caption(
        plain(
            f"{where}, net benefit is the true positives per row minus the weighted false "
            f"positives per row. The weight is for the threshold of {percent_words(threshold)}, "
            f"which comes from {costs}."
        )
    )


def threshold_of(ratio: Fraction) -> float:
    """The lowest risk at which acting pays, if a miss costs as much as `ratio` false alarms."""
    return float(1 / (1 + ratio))


def assumed_words(chosen: ChosenPoint) -> str:
    """Name the costs that are used if the user has set none; plain text."""
    assert chosen.ratio is not None
    return (
        f"{alarm_words(chosen.ratio)} for a miss (no costs are set; at this ratio, this tree is "
        "the cheapest)"
    )


def _benefit(counts: Confusion, threshold: float, prevalence: float | None) -> str:
    if counts.n == 0 or (prevalence is not None and not (counts.n_positive and counts.n_negative)):
        return DASH
    return value_html(f"{net_benefit(counts, threshold, prevalence):.3f}".replace("-", "−"))


def _everyone(counts: Confusion) -> Confusion:
    return Confusion(tp=counts.n_positive, fp=counts.n_negative, tn=0, fn=0)
