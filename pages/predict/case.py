"""One case: its values on the left, and the answer, the path and possible changes on the right.

The values of a case are not stored. They are only in the widgets, and are forgotten when the user
leaves the view.
"""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import Rate, leaf_table
from odt_core.exact import shortest_decimal
from odt_core.export.reading import date_words
from odt_core.problem import Feature
from odt_core.scoring import CaseAnswer, Value, answer_case, value_doubt
from odt_core.tree import Tree
from odt_core.words import count_words, percent_words
from pages.common.drawings import draw_tree
from pages.common.markup import html_text, plain, plain_table, shorten
from pages.predict.frozen import FrozenTree

OTHERS = "predict_others"
CASE = "predict_case"
"""The beginning of the keys of a case's inputs."""
MOST_OTHERS = 60
"""The most inputs for columns that the tree does not ask about."""
ANOTHER = "another value"
"""The option for a category that no training row had."""


def draw_case(frozen: FrozenTree) -> None:
    """Draw the inputs and the tree's answer."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        st.header("The case", anchor=False)
        values, others = _draw_inputs(frozen), _draw_others(frozen)
        st.caption(
            "The values of this case are not stored or sent anywhere. They are forgotten when you "
            "leave this view."
        )
    with right:
        answer = answer_case(frozen.tree, values, frozen.ranges)
        with st.container(border=True):
            _draw_answer(frozen, answer)
            _draw_doubts(frozen, others)
        _draw_path(frozen, answer)


def _draw_inputs(frozen: FrozenTree) -> dict[int, Value]:
    """Draw the inputs for the tree's columns, in the order of its questions."""
    values: dict[int, Value] = {}
    for g in frozen.tree.asked_features:
        values |= _draw_input(frozen, g)
    return values


def _draw_others(frozen: FrozenTree) -> dict[int, Value]:
    """Draw the inputs for other columns in an expander, when it is opened."""
    tree = frozen.tree
    others = [g for g in range(len(tree.features)) if g not in tree.asked_features]
    values: dict[int, Value] = {}
    if not others:
        return values
    shown = others[:MOST_OTHERS]
    expander = st.expander(
        f"{count_words(len(others), 'column')} that the tree does not ask about",
        key=OTHERS,
        on_change="rerun",
    )
    keys = [_key(frozen, g) for g in shown]
    given = any(
        st.session_state.get(key) is not None or st.session_state.get(f"{key}_missing")
        for key in keys
    )
    if expander.open or given:  # given values stay when the expander is closed
        with expander:
            st.caption(
                "Their values do not change the answer. They show whether the case is like the "
                "training rows."
            )
            for g in shown:
                values |= _draw_input(frozen, g)
            if len(shown) < len(others):
                st.caption(f"{len(others) - len(shown):,} more columns are not shown here.")
    return values


def _draw_doubts(frozen: FrozenTree, others: dict[int, Value]) -> None:
    """Draw warnings about values of other columns that differ from training."""
    for g, value in others.items():
        doubt = value_doubt(frozen.tree.features[g], value, frozen.ranges.get(g))
        if doubt:
            st.warning(
                f"{plain(doubt)}. The answer does not depend on it, but no training row was like "
                "this case."
            )


def _key(frozen: FrozenTree, feature: int) -> str:
    return f"{CASE}_{frozen.job.id}_{feature}"


def _draw_input(frozen: FrozenTree, g: int) -> dict[int, Value]:
    """Draw the input for feature `g`. Return its value, if one is given."""
    feature, key = frozen.tree.features[g], _key(frozen, g)
    label = plain(shorten(feature.name, 60))
    if feature.is_numerical:
        values = _draw_number(feature, label, g, key)
    else:
        values = _draw_categories(feature, label, g, key)
    date = date_words(frozen.columns[g].reading)
    if date:
        st.caption(f"Give {date}, not the date.")
    return values


def _draw_categories(feature: Feature, label: str, g: int, key: str) -> dict[int, Value]:
    options = [*feature.values, ANOTHER]
    chosen = st.selectbox(
        label,
        range(len(options)),
        index=None,
        key=key,
        format_func=lambda at: shorten(options[at] or '""', 60),
        placeholder="not given yet",
    )
    if chosen is None:
        return {}
    # a category may be called "another value", so compare positions
    return {g: feature.values[chosen] if chosen < len(feature.values) else None}


def _draw_number(feature: Feature, label: str, g: int, key: str) -> dict[int, Value]:
    is_missing = bool(st.session_state.get(f"{key}_missing", False))
    number = st.number_input(
        label,
        value=None,
        step=_step(feature),
        format="%g",
        key=key,
        placeholder="missing" if is_missing else "not given yet",
        disabled=is_missing,
    )
    st.checkbox("value missing", key=f"{key}_missing")
    if is_missing:
        return {g: None}
    return {} if number is None else {g: float(number)}


def _step(feature: Feature) -> float:
    """The step of the number field's arrows: one unit of the last digit of the cut points.

    It is 1 if all cut points are halfway between whole numbers.
    """
    texts = [shortest_decimal(cut).partition(".")[2] for cut in feature.cuts]
    digits = max((len(text) for text in texts if text != "5"), default=0)
    return float(10 ** -min(digits, 6))


def _draw_answer(frozen: FrozenTree, answer: CaseAnswer) -> None:
    """Draw the answer with its reasons, or name the next value that the tree needs."""
    tree = frozen.tree
    if answer.leaf is None:
        assert answer.waits_for is not None
        name = plain(shorten(tree.features[answer.waits_for].name, 60))
        st.markdown(f"**Not answered yet.** Next, the tree needs **{name}**.")
        return
    leaf = tree.leaves[answer.leaf]
    row = leaf_table(tree, frozen.test)[answer.leaf]
    label = plain(shorten(tree.label_name(leaf.label), 60))
    st.markdown(f"### The tree says: {label}")
    st.markdown(f"In training, {_risk(row.train, tree)}")
    if row.test is not None:
        st.markdown(f"In test, {_risk(row.test, tree)}")
    st.markdown(f"**Why:** leaf {row.number} is for every case where {plain(row.rule)}.")
    for doubt in answer.doubts:
        st.warning(f"{plain(doubt)}. No training row supports this step.")
    for mark in row.marks:
        st.warning(f"About this leaf: {plain(mark)}. Its risk is little more than a guess.")


def _risk(rate: Rate, tree: Tree) -> str:
    """Describe the share of positive rows in the leaf, with its interval; Markdown."""
    positive = plain(shorten(tree.positive_label, 40))
    if rate.value is None or rate.low is None or rate.high is None:
        return "no row reached this leaf."
    return (
        f"**{rate.successes:,} of {count_words(rate.n, 'row')}** in this leaf were {positive}: "
        f"**{plain(percent_words(rate.value))}** (95% interval {plain(percent_words(rate.low))} to "
        f"{plain(percent_words(rate.high))})."
    )


def _draw_path(frozen: FrozenTree, answer: CaseAnswer) -> None:
    """Draw the tree with the case's path, the questions with distances, and the changes."""
    tree = frozen.tree
    draw_tree(
        tree,
        frozen.test,
        key="predict_drawn",
        marked=frozenset(answer.nodes) if answer.leaf is None else frozenset(),
        lit_leaf=answer.leaf,
    )
    if answer.steps:
        rows = [
            [
                f"{step.number}. {html_text(step.question)}",
                f"<b>{step.answer}</b>",
                html_text(step.distance_words),
            ]
            for step in answer.steps
        ]
        head = ["Question", "Answer", "How far from the cut point"]
        st.html(plain_table("The questions on the path of this case", head, rows))
    if answer.changes:
        label = tree.leaves[answer.changes[0].leaf].label
        other = plain(shorten(tree.label_name(label), 40))
        lines = [
            f"- if {plain(change.words)} (leaf {change.leaf + 1})" for change in answer.changes
        ]
        st.markdown(f"**The smallest change that would change the answer to {other}:**")
        st.markdown("\n".join(lines))
        st.caption(
            "This describes the tree's decision. It does not predict what would happen to a "
            "patient whose value changed."
        )
    elif answer.leaf is not None:
        st.caption("Every leaf that a case can reach has this answer.")
