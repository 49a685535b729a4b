"""The result of a validation."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import Calibration, ReportedRate, frequencies
from odt_core.figures import benefit_chart, calibration_chart
from odt_core.jobs import Job
from odt_core.studies import ValidationResult
from odt_core.words import count_words, number_words, percent_words
from pages.common.controls import draw_file, result_json
from pages.common.current_run import draw_unstored
from pages.common.drawings import draw_chart, draw_tree, hide_old_charts
from pages.common.layout import current_theme
from pages.common.markup import (
    file_stem,
    html_text,
    plain,
    plain_table,
    sentence,
    shorten,
    value_html,
)
from pages.common.results import (
    draw_counts,
    draw_found_floors,
    draw_found_verdict,
    draw_subgroups,
    rate_html,
    ratio_html,
    reported_html,
)
from pages.common.widgets import start_value
from pages.predict.scored_file import draw_differences

THRESHOLD = "predict_threshold"
THRESHOLDS = tuple(step / 200 for step in range(1, 199))
"""The threshold probabilities of the decision curve."""


def draw_validation_result(job: Job) -> None:
    """Draw a finished validation: first its results, then its sources."""
    assert job.result is not None
    result = ValidationResult.from_json(job.result)
    draw_unstored(job)
    draw_found_verdict(result.verdict)
    _draw_rows(result)
    left, right = st.columns(2)
    with left:
        draw_counts("Validation", result.metrics.confusion, result.tree)
    with right:
        draw_counts("Training", result.train_metrics.confusion, result.tree)
    if result.test_metrics is not None:
        with left:
            draw_counts("Test", result.test_metrics.confusion, result.tree)
    draw_found_floors(result.floors, "validation")
    _draw_rates(result)
    st.header("Do the leaves' risks hold?", anchor=False)
    _draw_calibration(result.calibration, result.tree.positive_label)
    st.header("Is acting on it worth it?", anchor=False)
    _draw_benefit(result)
    st.header("Does it hold in every group?", anchor=False)
    draw_subgroups(
        [each.column for each in result.subgroups],
        result.of_column,
        key="predict_groups",
        positive=result.tree.positive_label,
        negative=result.tree.negative_label,
        rows="validation",
    )
    with st.expander("The tree"):
        draw_tree(result.tree, None, key="predict_validated")
        st.caption("The leaves count training rows. The table of risks above counts the others.")
    with st.expander("Where this comes from"):
        _draw_origin(result, job)
    hide_old_charts()


def _draw_rows(result: ValidationResult) -> None:
    """Draw the flow of rows, the prevalence, and the differences from training."""
    flow = result.flow
    name = plain(shorten(result.data.name, 50))
    lines = [f"- **{flow.read:,}** read from {name}"]
    lines += [f"- {each.rows:,} left out: {sentence(each.reason)}" for each in flow.excluded]
    lines.append(f"- **{flow.used:,}** used for the validation")
    st.markdown("**Flow of rows**\n" + "\n".join(lines))
    if result.flow_note:
        st.caption(result.flow_note)
    if result.n_groups is not None and result.n_groups < flow.used:
        group = plain(shorten(result.group_column or "", 40))
        st.caption(
            f"The rows have {result.n_groups:,} different values of {group}. The intervals treat "
            f"rows as independent, so they are too narrow if rows of one {group} are alike."
        )
    st.markdown(plain(result.prevalence_shift))
    draw_differences(result.differences)
    doubtful = result.doubtful
    for n, words in (
        (doubtful.new, "a value that no training row had"),
        (doubtful.new_here, "a value that no training row had at that question"),
        (doubtful.not_numbers, "text where a number is expected"),
        (doubtful.beyond, "a number outside the range of the training rows"),
    ):
        if n:
            st.caption(f"{count_words(n, 'row')} met a question with {words}. They are counted.")


def _draw_rates(result: ValidationResult) -> None:
    columns = {"Validation": result.metrics, "Training": result.train_metrics}
    if result.test_metrics is not None:
        columns["Test"] = result.test_metrics
    rows = [
        [measure, *(reported_html(measure, found) for found in columns.values())]
        for measure in ReportedRate
    ]
    prevalences = (rate_html(found.prevalence) for found in columns.values())
    rows.append(["Prevalence", *prevalences])
    head = ["", *columns]
    st.html(plain_table("Rates in validation, training and test", head, rows, is_wide=True))
    st.caption(
        "Brackets show 95% intervals: Wilson's for shares, the log method for likelihood ratios."
    )
    prevalence = result.metrics.prevalence.exact
    found = None if prevalence is None else frequencies(result.metrics.confusion, prevalence)
    if found is not None:
        st.markdown(
            f"Of **1,000** such cases the tree finds **{found.found:,}**, misses "
            f"**{found.missed:,}** and raises **{found.false_alarms:,}** false alarms."
        )


def _draw_calibration(calibration: Calibration, positive: str) -> None:
    ratio = calibration.ratio
    words = plain(shorten(positive, 40))
    if ratio.value is not None:
        interval = ""
        if ratio.low is not None and ratio.high is not None:
            low, high = number_words(ratio.low, 3), number_words(ratio.high, 3)
            interval = f" (95% interval {low} to {high})"
        st.markdown(
            f"**{calibration.observed.successes:,}** rows are {words}. The leaves' training risks "
            f"predict **{calibration.expected:.1f}**. Observed to expected (O:E): "
            f"**{number_words(ratio.value, 3)}**{interval}."
        )
    draw_chart(calibration_chart(calibration, theme=current_theme()), key="predict_calibration")
    rows = [
        [
            str(leaf.number),
            html_text(leaf.rule),
            f"<b>{html_text(shorten(leaf.predicted, 24))}</b>",
            rate_html(leaf.train),
            rate_html(leaf.observed) + ("" if leaf.agrees is not False else "<br><i>differs</i>"),
            f"{leaf.expected:.1f}",
            ratio_html(leaf.ratio),
        ]
        for leaf in calibration.leaves
    ]
    head = ["Leaf", "If", "Tree says", "Risk in training", "Observed", "Expected events", "O:E"]
    st.html(plain_table("Expected and observed events in the leaves", head, rows, is_wide=True))
    if any(leaf.agrees is False for leaf in calibration.leaves):
        st.caption(
            "*Differs* means that chance does not explain the difference of the two risks: 0 is "
            "not in its 95% interval. The interval of O:E is that of a ratio. It can still contain "
            "1 if the difference is just beyond chance."
        )


def _draw_benefit(result: ValidationResult) -> None:
    default = round(100 * (result.train_metrics.prevalence.value or 0.5))
    threshold = st.number_input(
        "Threshold probability in %",
        min_value=1,
        max_value=98,
        step=1,
        key=start_value(THRESHOLD, min(max(default, 1), 98)),
        persist_state="session",
        width=260,
        help="The lowest risk at which you would act. At 10%, one found case is worth nine false "
        "alarms. It begins with the prevalence in training.",
    )
    share = threshold / 100
    curve = result.decision_curve(THRESHOLDS)
    draw_chart(
        benefit_chart([("the leaves", curve)], threshold=share, theme=current_theme()),
        key="predict_benefit",
    )
    own = result.net_benefit(share)
    at_threshold = result.decision_curve([share])
    rows = [
        ["Acting on positive answers", value_html(f"{own:.3f}")],
        ["Acting on everyone", value_html(f"{at_threshold.treat_all[0]:.3f}")],
        [
            "Acting where the leaf's training risk is at least the threshold",
            value_html(f"{at_threshold.tree[0]:.3f}"),
        ],
        ["Acting on no one", value_html("0")],
    ]
    head = ["", f"Net benefit at {percent_words(share, 0)}"]
    st.html(plain_table("Net benefit at the threshold", head, rows))


def _draw_origin(result: ValidationResult, job: Job) -> None:
    rows = [
        ["Validated on", html_text(f"{result.data.name}, SHA-256 {result.data.sha256}")],
        ["Part", html_text(result.part or "all rows that did not train the tree")],
        ["Trained on", html_text(f"{result.trained_on.name}, SHA-256 {result.trained_on.sha256}")],
        ["Tree and coding", html_text(f"SHA-256 {result.model_sha256}")],
        ["This validation", html_text(f"run {job.id}")],
    ]
    st.html(plain_table("Where this validation comes from", ["", ""], rows))
    draw_file(
        "Download the result (JSON)",
        lambda: result_json(job),
        f"{file_stem(result.data.name, 'validation')}.json",
        "application/json",
        width="content",
    )
