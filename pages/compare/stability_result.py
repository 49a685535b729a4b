"""The result of bootstrap refits: sentences, figures, corrected rates, files."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import ReportedRate
from odt_core.figures import asked_chart, cuts_chart, instability_chart
from odt_core.jobs import Batch
from odt_core.studies import StabilityResult, columns_csv, rows_csv
from odt_core.studies.stability_words import (
    corrected_words,
    interval_words,
    points_of,
    remarks,
    stability_sentences,
)
from odt_core.words import count_words, percent_words, seconds_words
from pages.common.controls import draw_figure_downloads, draw_file, draw_formula_switch
from pages.common.drawings import draw_chart
from pages.common.layout import current_theme
from pages.common.markup import file_stem, html_text, name_html, plain, plain_table, value_html
from pages.common.studies import draw_study_failure
from pages.common.tables import rows_of

MOST_SETS = 8
"""The most sets of categories that the page lists."""


def draw_stability_result(batch: Batch, found: StabilityResult) -> None:
    """Draw the result of the finished resamples.

    Parameters
    ----------
    batch : Batch
        The study, which is over.
    found : StabilityResult
        The result.
    """
    nothing = "" if found.refits else "It was stopped before the first resample was done."
    draw_study_failure(batch, nothing=nothing)
    if nothing:
        return
    draw_verdict(found)
    spec = batch.jobs[0].spec
    st.caption(
        plain(
            f"{spec.table_name}: {count_words(len(found.refits), 'resample')} in "
            f"{seconds_words(batch.seconds)}."
        )
    )
    if not found.fitted:
        return
    _draw_rates(found)
    draw_columns(found, "stability_columns")
    _draw_cuts(found)
    _draw_rows(batch, found)
    _draw_downloads(batch, found)
    grouped = spec.train.schema.group is not None
    for words in remarks(found, grouped=grouped):
        st.caption(plain(words))


def draw_verdict(found: StabilityResult) -> None:
    """Draw the result in sentences."""
    with st.container(border=True, key="stability_verdict"):
        first, *others = stability_sentences(found)
        st.markdown(f"**{plain(first)}**")
        for words in others:
            st.markdown(plain(words))


def _draw_rates(found: StabilityResult) -> None:
    """Draw rates on the training rows, corrected for optimism, and on the test rows."""
    if found.optimism is None or found.original is None:
        return
    test = found.original.test
    rows = []
    has_both = test is not None and test.n_positive and test.n_negative
    for name, rate, measure in (
        (ReportedRate.SENSITIVITY, found.optimism.sensitivity, "tpr"),
        (ReportedRate.SPECIFICITY, found.optimism.specificity, "tnr"),
        (ReportedRate.ACCURACY, found.optimism.accuracy, "accuracy"),
    ):
        tested = percent_words(getattr(test, measure)) if has_both else "–"
        rows.append(
            [
                f"<b>{html_text(name)}</b>",
                html_text(percent_words(rate.apparent)),
                value_html(corrected_words(rate), interval_words(rate)),
                html_text(f"{points_of(rate)} points"),
                html_text(tested),
            ]
        )
    head = " (95% interval)" if found.optimism.has_interval else ""
    st.header("What to expect of new rows", anchor=False)
    st.html(
        plain_table(
            "Rates on training rows, corrected for optimism, and on test rows",
            ["", "Training rows", f"Corrected for optimism{head}", "Optimism", "Test rows"],
            rows,
        )
    )


def _labels(batch: Batch) -> tuple[str, str]:
    """The negative and the positive class."""
    train = rows_of(batch.jobs[0]).train
    return train.negative_label, train.positive_label


def draw_columns(found: StabilityResult, key: str) -> None:
    """Draw how often trees ask about each column. `key` is the chart's key."""
    if not found.asked_columns:
        return
    st.header("Which columns the trees ask about", anchor=False)
    draw_chart(asked_chart(found, theme=current_theme()), key=key)


def _draw_cuts(found: StabilityResult) -> None:
    sets = sorted(
        ((one.n, column.name, one.words) for column in found.columns for one in column.sets),
        key=lambda item: (-item[0], item[1:]),
    )
    if found.cut_columns:
        st.header("Where numbers are cut", anchor=False)
        draw_chart(cuts_chart(found, theme=current_theme()), key="stability_cuts")
        st.caption(
            "These are the most frequent columns. A stem is a cut point. Its height is the "
            "number of questions with this cut point in all refits."
        )
    if sets:
        st.header("Which sets of categories the trees use", anchor=False)
        cells = [
            [name_html(name), html_text(words), html_text(f"{n:,}")]
            for n, name, words in sets[:MOST_SETS]
        ]
        st.html(plain_table("Sets of categories", ["Column", "Question", "Times"], cells))


def _draw_rows(batch: Batch, found: StabilityResult) -> None:
    if found.rows is None:
        return
    st.header("For which rows the answer changes", anchor=False)
    draw_chart(
        instability_chart(found, _labels(batch), theme=current_theme()), key="stability_rows"
    )
    st.caption(
        "A line is a leaf of the tree of all training rows, with its answer and its share of "
        "positive rows. A circle stands for training rows, and its place is the share of resamples "
        "whose tree gives them another answer (Riley and Collins). Its area shows the number of "
        "rows."
    )


def _draw_downloads(batch: Batch, found: StabilityResult) -> None:
    stem = file_stem(batch.jobs[0].spec.table_name, "stability")
    with st.popover("Download", width="content"):
        keep = draw_formula_switch("stability_keep_formulas")
        draw_file(
            "Columns (CSV)",
            lambda: columns_csv(found, keep_formulas=keep),
            f"{stem}-columns.csv",
            "text/csv",
        )
        if found.rows is not None:
            draw_file("Rows (CSV)", lambda: rows_csv(found), f"{stem}-rows.csv", "text/csv")
        theme = current_theme()
        if found.asked_columns:
            st.caption("Columns of the questions")
            draw_figure_downloads(lambda: asked_chart(found, theme=theme), f"{stem}-columns")
        if found.cut_columns:
            st.caption("Cut points")
            draw_figure_downloads(lambda: cuts_chart(found, theme=theme), f"{stem}-cuts")
        if found.rows is not None:
            st.caption("Rows whose answer changes")
            draw_figure_downloads(
                lambda: instability_chart(found, _labels(batch), theme=theme), f"{stem}-rows"
            )
