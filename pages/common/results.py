"""The numbers of a tree: verdict, 2x2 tables, rates, floors, leaves and subgroups."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.evaluation import (
    CHANCE_IN_GROUPS,
    CONTRADICTED,
    FEW_OF_CLASS,
    SMALL_LEAF,
    Estimate,
    Floor,
    LeafRow,
    Metrics,
    Rate,
    RateWords,
    ReportedRate,
    Subgroup,
    Subgroups,
    Tone,
    Verdict,
    few_in_groups_words,
    floors,
    frequencies,
    leaf_table,
    predictive_values,
    ratio_parts,
    share_parts,
    verdict,
)
from odt_core.exact import parse_percent
from odt_core.figures import subgroup_chart
from odt_core.problem import EncodedData, Objective
from odt_core.tree import Tree
from odt_core.words import SHORT, count_words, percent_words, unseen_words
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.markup import (
    count_table,
    html_text,
    name_html,
    plain,
    plain_table,
    shorten,
    value_html,
)
from pages.common.widgets import start_value


def draw_verdict(objective: Objective, train: Metrics, test: Metrics | None) -> None:
    """Draw the verdict on a tree: its test rows compared with training."""
    draw_found_verdict(verdict(objective, train, test))


def draw_found_verdict(found: Verdict) -> None:
    """Draw a verdict in the colour of its tone."""
    box = {
        Tone.GOOD: st.success,
        Tone.CAUTION: st.warning,
        Tone.BAD: st.error,
        Tone.UNTESTED: st.info,
    }[found.tone]
    box(plain(found.remark), title=plain(found.text))


DASH = "–"
_PREVALENCE = "train_prevalence"
_INTERVAL = re.compile(r"(> [-+.e\d]+ and )?<= [-+.e\d]+")


def draw_counts(title: str, counts: Confusion, tree: Tree) -> None:
    """Draw the 2x2 table of the rows that `title` names, with the user's class names."""
    st.markdown(f"**{title}** · {count_words(counts.n, 'row')}, {counts.errors:,} wrong")
    st.html(
        count_table(
            f"{title}: the tree's answers and the true classes, in rows",
            tree.positive_label,
            tree.negative_label,
            (counts.tp, counts.fp, counts.fn, counts.tn),
        )
    )


def reported_html(measure: ReportedRate, found: Metrics | None) -> str:
    """Write a measure with its interval; a dash without rows, or if it is not defined."""
    return _words_html(None if found is None else measure.words(found))


def draw_rates(train: Metrics, test: Metrics | None) -> None:
    """Draw all rates of training and test rows with their 95% intervals."""
    rows = [
        [measure, *(reported_html(measure, found) for found in (train, test))]
        for measure in ReportedRate
    ]
    st.html(plain_table("Rates in training and test", ["", "Training", "Test"], rows))
    st.caption(
        "Brackets show 95% intervals: Wilson's for shares, the log method for likelihood ratios. "
        "The tree was chosen on the training rows, so only the test column says what to expect "
        "of new cases."
    )


def rate_html(value: Rate | Estimate) -> str:
    """Write a share with x/n and its interval; a dash if it is not defined."""
    return _words_html(share_parts(value))


def ratio_html(value: Estimate) -> str:
    """Write a likelihood ratio with its interval; a dash if it is not defined."""
    return _words_html(ratio_parts(value))


def _words_html(words: RateWords | None) -> str:
    return DASH if words is None else value_html(words.value, words.counts, words.interval)


def draw_floors(objective: Objective, train: Metrics, test: Metrics | None) -> None:
    """Draw an objective's floors with the rates in training and test."""
    draw_found_floors(floors(objective, train, test), "test")


def draw_found_floors(found: Sequence[Floor], rows: str) -> None:
    """Draw floors with the reached rates; nothing without floors.

    The held-out rows are called `rows`: ``test`` or ``validation``.
    """
    if not found:
        return
    cells = [
        [
            floor.words,
            rate_html(floor.train),
            DASH if floor.test is None else f"{rate_html(floor.test)}<br>{floor.held_words(rows)}",
        ]
        for floor in found
    ]
    head = ["Floor", "Reached in training", f"Reached in {rows}"]
    st.html(plain_table("Floors and the rates reached", head, cells))


def draw_predictive_values(train: Metrics, test: Metrics | None, positive: str) -> float | None:
    """Draw PPV and NPV for the user's prevalence. At first it is the prevalence in training.

    Return the user's prevalence; None for the prevalence in training.
    """
    default = f"{100 * (train.prevalence.value or 0.0):.1f}"
    name = plain(shorten(positive, 30))
    # The label has no class name, because screen readers would read the escapes of such a name.
    text = st.text_input(
        "Share of the positive class where the tree will be used, in %",
        key=start_value(f"{_PREVALENCE}_{default}", default),
        persist_state="session",
        max_chars=12,
        width=420,
        help="The rows at hand need not be typical, as in case-control data. PPV and NPV depend "
        f"on how common {name} is; sensitivity and specificity do not.",
    )
    own = text != default
    try:
        share = parse_percent(text, "The prevalence") if own else train.prevalence.exact
        prevalence = float(share or 0)
        pairs = [
            None if m is None else predictive_values(m.confusion, prevalence) for m in (train, test)
        ]
    except InputError as error:
        st.error(plain(str(error)))
        return None
    rows = [
        [label, *(DASH if pair is None else rate_html(pair[i]) for pair in pairs)]
        for i, label in enumerate(("PPV", "NPV"))
    ]
    caption = f"Predictive values where {percent_words(prevalence)} are {positive}"
    st.html(plain_table(caption, ["", "Training", "Test"], rows))
    _draw_frequencies(train, test, prevalence, positive)
    st.caption(_beside_the_rates(train, None if own else test))
    return prevalence if own else None


def _draw_frequencies(
    train: Metrics, test: Metrics | None, prevalence: float, positive: str
) -> None:
    """Draw the outcomes of a thousand cases, training and test side by side."""
    of_train, of_test = (
        None if found is None else frequencies(found.confusion, prevalence)
        for found in (train, test)
    )
    lines = (
        ("Found", lambda found: found.found),
        ("Missed", lambda found: found.missed),
        ("False alarms", lambda found: found.false_alarms),
        ("Rightly cleared", lambda found: found.cleared),
    )
    rows = [
        [
            name,
            *(
                DASH if found is None else value_html(f"{of(found):,}")
                for found in (of_train, of_test)
            ),
        ]
        for name, of in lines
    ]
    caption = f"Of 1,000 cases, if {percent_words(prevalence)} are {positive}"
    st.html(plain_table(caption, ["Of 1,000 cases", "Training", "Test"], rows))


def _beside_the_rates(train: Metrics, test: Metrics | None) -> str:
    """Explain the difference between these predictive values and the table of rates.

    The rates of test rows matter only if the prevalence is that of the training rows.
    """
    words = (
        "The intervals come from the logit method, so they differ from those in the table above."
    )
    if test is None or train.prevalence.exact == test.prevalence.exact:
        return words
    shares = [
        f"{percent_words(found.prevalence.value or 0)} ({found.prevalence.successes:,} of "
        f"{found.prevalence.n:,}) of the {which} rows"
        for which, found in (("training", train), ("test", test))
    ]
    return (
        f"Both columns use the share in training. The positive class is {shares[0]} and "
        f"{shares[1]}, so PPV and NPV of the test rows differ a little from the table above. "
        f"{words}"
    )


def draw_leaves(tree: Tree, test: EncodedData | None) -> None:
    """Draw one row for each leaf, numbered as in the drawing."""
    positive = name_html(tree.positive_label)
    rows = leaf_table(tree, test)
    st.html(
        plain_table(
            "The leaves: rule, class, and share of the positive class in training and test",
            ["Leaf", "If", "Tree says", f"{positive} in training", f"{positive} in test"],
            [_leaf_cells(row) for row in rows],
            is_wide=True,
        )
    )
    marks = {mark for row in rows for mark in row.marks}
    if marks - {CONTRADICTED}:
        st.caption(
            f"Few rows: fewer than {SMALL_LEAF} training rows end in this leaf, or fewer than "
            f"{FEW_OF_CLASS} of the class it predicts. Its share is little more than a guess."
        )
    if CONTRADICTED in marks:
        st.caption("Test disagrees: most test rows in this leaf have the other class.")
    if unseen_words(tree):
        st.caption(plain(unseen_words(tree, SHORT)))


def _leaf_cells(row: LeafRow) -> list[str]:
    return [
        str(row.number),
        html_text(row.rule),
        f"<b>{name_html(row.predicted)}</b>"
        + "".join(f"<br><i>{html_text(mark)}</i>" for mark in row.marks),
        rate_html(row.train),
        DASH if row.test is None else rate_html(row.test),
    ]


def draw_subgroups(
    columns: Sequence[str],
    of_column: Callable[[str], Subgroups | None],
    *,
    key: str,
    positive: str,
    negative: str,
    rows: str,
) -> None:
    """Draw the choice of a column, and the rates of its groups.

    Parameters
    ----------
    columns : sequence of str
        The columns that make groups.
    of_column : callable
        Counts the groups of a column.
    key : str
        The choice's key, and the prefix of the chart's key.
    positive, negative : str
        The classes.
    rows : str
        The name of the counted rows: ``test`` or ``validation``.
    """
    if not columns:
        st.caption(
            "No column makes groups: every column is constant, or has a different value in each "
            "row."
        )
        return
    column = st.selectbox(
        "Groups by",
        list(columns),
        key=key,
        persist_state="session",
        format_func=lambda name: shorten(name, 60),
        width=320,
        help="You can choose any column of the file, even if the tree does not ask about it.",
    )
    found = of_column(str(column))
    if found is None or not found.groups:
        st.caption(f"There are no {rows} rows to show.")
        return
    found = replace(found, groups=tuple(map(_typeset, found.groups)))
    draw_chart(subgroup_chart(found, theme=current_theme()), key=f"{key}_chart")
    _draw_groups(found, positive, negative, rows)


def _typeset(group: Subgroup) -> Subgroup:
    """The group of an interval of numbers with "≤" in its name."""
    name = group.name.replace("<=", "≤") if _INTERVAL.fullmatch(group.name) else group.name
    return replace(group, name=name)


def _draw_groups(found: Subgroups, positive: str, negative: str, rows: str) -> None:
    head = [
        _roomy(name_html(found.column)),
        "Rows",
        _roomy(name_html(positive)),
        ReportedRate.SENSITIVITY,
        ReportedRate.SPECIFICITY,
        ReportedRate.ACCURACY,
    ]
    body = [_group_cells(group, positive, negative) for group in found.groups]
    caption = f"Rates of the {rows} rows by {found.column}, with 95% intervals"
    st.html(plain_table(caption, head, body, is_wide=True))
    few = few_in_groups_words(found)
    if few:
        st.caption(plain(few))
    st.caption(CHANCE_IN_GROUPS)


def _roomy(name: str) -> str:
    """A name as HTML with a minimum width, so that a narrow page does not break every letter."""
    return f'<span style="display:inline-block;min-width:5.5rem">{name}</span>'


def _group_cells(group: Subgroup, positive: str, negative: str) -> list[str]:
    found, counts = group.metrics, group.counts
    marks = [
        name
        for name, is_few in (
            (positive, group.has_few_positive),
            (negative, group.has_few_negative),
        )
        if is_few
    ]
    few = f"<br><i>few {name_html(' and '.join(marks), 40)}</i>" if marks else ""
    return [
        _roomy(name_html(group.name, 40)) + few,
        f"{counts.n:,}",
        f"{counts.n_positive:,}" if counts.n else DASH,
        *(rate_html(rate) for rate in (found.sensitivity, found.specificity, found.accuracy)),
    ]
