"""Training and test side by side: 2x2 tables, rates with intervals, floors, predictive values."""

from __future__ import annotations

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.evaluation import (
    Estimate,
    Floor,
    Metrics,
    Rate,
    RateWords,
    ReportedRate,
    floors,
    frequencies,
    metrics,
    predictive_values,
    ratio_parts,
    share_parts,
)
from odt_core.problem import Objective
from odt_core.training import parse_percent
from odt_core.tree import Tree
from odt_core.words import count_words, number_words, percent_words
from pages.common.tables import count_table, plain_table, value_html
from pages.common.text import plain, shorten

NONE = "–"


def metrics_of(counts: dict[str, int] | None) -> Metrics | None:
    """The rates of four counts by name, as a result holds them."""
    return None if counts is None else metrics(Confusion(**counts))


def draw_counts(title: str, counts: Confusion, tree: Tree) -> None:
    """Draw a 2x2 table in the user's own words.

    Parameters
    ----------
    title : str
        Which rows.
    counts : Confusion
        The four counts.
    tree : Tree
        Gives the class names.
    """
    st.markdown(f"**{title}** · {count_words(counts.n, 'row')}, {counts.errors:,} wrong")
    st.html(
        count_table(
            f"{title}: what the tree says against what is, in rows",
            tree.positive_label,
            tree.negative_label,
            (counts.tp, counts.fp, counts.fn, counts.tn),
        )
    )


def reported_html(measure: ReportedRate, found: Metrics | None) -> str:
    """A measure with its interval; a dash where there are no rows or it is not defined."""
    return _words_html(None if found is None else measure.words(found))


def draw_rates(train: Metrics, test: Metrics | None) -> None:
    """Draw all rates of training and test rows with their 95% intervals."""
    rows = [
        [measure, *(reported_html(measure, found) for found in (train, test))]
        for measure in ReportedRate
    ]
    st.html(plain_table("Rates in training and test", ["", "Training", "Test"], rows))
    st.caption(
        "The brackets hold 95% intervals: Wilson's for shares, the log method for likelihood "
        "ratios. "
        "The tree was chosen on the training rows, so only the test column says what to expect "
        "of new cases."
    )


def rate_html(value: Rate | Estimate) -> str:
    """A share with x/n and its interval; a dash where it is not defined."""
    return _words_html(share_parts(value))


def ratio_html(value: Estimate) -> str:
    """A likelihood ratio with its interval; a dash where it is not defined."""
    return _words_html(ratio_parts(value))


def _words_html(words: RateWords | None) -> str:
    return NONE if words is None else value_html(words.value, words.counts, words.interval)


def draw_floors(objective: Objective, train: Metrics, test: Metrics | None) -> None:
    """Draw the floors that were asked for beside what was reached; nothing without floors."""
    found = floors(objective, train, test)
    if not found:
        return
    rows = [
        [
            f"{floor.name.capitalize()} at least {number_words(float(100 * floor.asked))}%",
            rate_html(floor.train),
            NONE if floor.test is None else f"{rate_html(floor.test)}<br>{_met(floor)}",
        ]
        for floor in found
    ]
    st.html(
        plain_table(
            "Floors asked for, and reached",
            ["Floor asked for", "Reached in training", "Reached in test"],
            rows,
        )
    )


def _met(floor: Floor) -> str:
    """What the test rows say of the floor, with what their number leaves open."""
    rate = floor.test
    if rate is None or rate.low is None or rate.high is None:
        return ""
    if rate.low >= floor.asked:
        return "the floor holds in test too"
    if rate.high < floor.asked:
        return "the whole interval is below the floor: expect new cases to miss it"
    if floor.met_in_test:
        return "reached in test, but the interval goes below the floor: it is not settled"
    return "below the floor, as is usual: it was set on the training rows"


def draw_predictive_values(train: Metrics, test: Metrics | None, positive: str) -> float | None:
    """Draw PPV and NPV for the user's own prevalence; that of the training rows at first.

    Returns
    -------
    float or None
        The prevalence, where the user gave one.
    """
    default = f"{100 * (train.prevalence.value or 0.0):.1f}"
    name = plain(shorten(positive, 30))
    # The label names no class: whoever hears it would hear the escapes of a name from a file, too.
    text = st.text_input(
        "Share of the positive class where the tree will be used, in %",
        value=default,
        key=f"train_prevalence_{default}",
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
        [label, *(NONE if pair is None else rate_html(pair[i]) for pair in pairs)]
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
    """Draw what becomes of a thousand cases, training and test side by side."""
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
                NONE if found is None else value_html(f"{of(found):,}")
                for found in (of_train, of_test)
            ),
        ]
        for name, of in lines
    ]
    caption = f"Of 1,000 cases, where {percent_words(prevalence)} are {positive}"
    st.html(plain_table(caption, ["Of 1,000 cases", "Training", "Test"], rows))


def _beside_the_rates(train: Metrics, test: Metrics | None) -> str:
    """Why these predictive values are not those of the table of rates.

    Parameters
    ----------
    train : Metrics
        The rates of the training rows.
    test : Metrics or None
        Those of the test rows, where the share is the training rows' own.
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
