"""The report's parts about studies: frontier, curves, comparison and stability."""

from __future__ import annotations

from collections.abc import Sequence

from odt_core.figures import (
    asked_chart,
    comparison_chart,
    instability_chart,
    roc_chart,
    sweep_chart,
)
from odt_core.reports.derivation import Derivation
from odt_core.reports.page import chart_html, escaped
from odt_core.reports.tables import NONE, table
from odt_core.studies import Comparison, CurveRow, FrontierView, Spread, StabilityResult
from odt_core.studies.comparison_words import (
    INTERVALS,
    honesty_words,
    interval_words,
    measure_words,
    points_words,
    verdict_words,
)
from odt_core.studies.stability_words import (
    corrected_words,
    points_of,
    remarks,
    stability_sentences,
)
from odt_core.studies.stability_words import interval_words as optimism_interval
from odt_core.words import count_words, number_words, percent_words


def frontier_html(found: FrontierView, derivation: Derivation) -> str:
    """Write the frontier of the tree's shape, with the tree's own point."""
    n_proved = sum(point.proved for point in found.points)
    points = count_words(len(found.points), "trade-off")
    proof = (
        "It is proved that no tree of the shape does better on both rates, and that no "
        "trade-off is missing."
        if found.bound is None
        else f"{n_proved:,} of them are proved; the search did not finish."
    )
    words = (
        f"The search found {points} between sensitivity and specificity that trees of the same "
        f"shape reach on the same training rows. {proof}"
    )
    test = None if derivation.test is None else derivation.test.confusion
    chart = roc_chart(found, tree=(derivation.train.confusion, test))
    caption = "Ring: this tree in training."
    if test is not None:
        caption += " Large diamond: this tree in test, with 95% intervals."
    return f"<p>{escaped(words)}</p>" + chart_html(chart, caption)


def curves_html(rows: Sequence[CurveRow]) -> str:
    """Write the curves: floors in training against rates in test over many splits."""
    sweep = rows[0].sweep
    words = (
        f"For each floor on training {sweep.word}, the best tree was found on many splits of the "
        "file into training and test rows, and then tested on the test rows."
    )
    head = ["Shape", "Floor", "Splits", "Training TPR", "Training TNR", "Test TPR", "Test TNR",
            "Test below floor"]  # fmt: skip
    return (
        f"<p>{escaped(words)}</p>"
        + chart_html(
            sweep_chart(rows, sweep),
            "Lines are means over splits. Bands reach from the 10th to the 90th percentile of the "
            "test value.",
        )
        + table("Means over splits with standard deviations", head, map(_curve_cells, rows))
    )


def _curve_cells(row: CurveRow) -> list[str]:
    spreads = (row.train_tpr, row.train_tnr, row.test_tpr, row.test_tnr)
    return [
        escaped(row.topology),
        f"{number_words(100 * row.level)}%",
        str(row.n),
        *(_spread(spread) for spread in spreads),
        f"{row.below} of {row.n}",
    ]


def _spread(spread: Spread) -> str:
    deviation = "" if spread.variance is None else f" ± {100 * spread.variance**0.5:.1f}"
    return f'{percent_words(spread.mean)}<span class="detail">{deviation}</span>'


def comparison_html(found: Comparison) -> str:
    """Write the comparison of shapes, caps and cut points with baselines in cross-validation."""
    measure = measure_words(found)
    sentences = [*verdict_words(found), honesty_words(found)]
    head = ["Candidate", f"Test {escaped(measure)} (95% interval)", "Difference to the best, "
            "points", "Leaves", "Proved"]  # fmt: skip
    rows = [
        [
            escaped(row.words),
            interval_words(row.score),
            NONE if place == found.best else points_words(row.difference),
            NONE if row.leaves is None else f"{row.leaves:.1f}",
            "" if row.is_baseline else f"{row.n_proved} of {len(row.runs)}",
        ]
        for place, row in enumerate(found.rows)
    ]
    chart = (
        chart_html(
            comparison_chart(found),
            f"Points: mean {measure} on the test rows of the folds, with 95% intervals. Vertical "
            "marks: the mean in training.",
        )
        if found.scored
        else ""
    )
    return (
        f"<p>{count_words(found.n_folds, 'fold')}. {escaped(' '.join(filter(None, sentences)))}</p>"
        f"{chart}{table('Candidates on the test rows of the folds', head, rows, 'names')}"
        f'<p class="muted">{escaped(INTERVALS)}</p>'
    )


def stability_html(found: StabilityResult, derivation: Derivation) -> str:
    """Write the stability of tree and answers on bootstrap resamples."""
    grouped = derivation.spec is not None and derivation.spec.schema.group is not None
    parts = [f"<p>{escaped(' '.join(stability_sentences(found)))}</p>", _optimism_table(found)]
    if found.asked_columns:
        parts.append(chart_html(asked_chart(found), "Columns that the trees ask about."))
    if found.rows is not None:
        labels = derivation.tree.negative_label, derivation.tree.positive_label
        parts.append(
            chart_html(
                instability_chart(found, labels),
                "Circles: training rows in each leaf, by the share of resamples whose tree gives "
                "another answer (Riley and Collins). Areas show the numbers of rows.",
            )
        )
    parts.append(f'<p class="muted">{escaped(" ".join(remarks(found, grouped=grouped)))}</p>')
    return "".join(parts)


def _optimism_table(found: StabilityResult) -> str:
    if found.optimism is None:
        return ""
    rows = [
        [
            escaped(name.capitalize().replace("(tpr)", "(TPR)").replace("(tnr)", "(TNR)")),
            percent_words(rate.apparent),
            f'<b>{corrected_words(rate)}</b> <span class="detail">{optimism_interval(rate)}</span>',
            f"{points_of(rate)} points",
        ]
        for name, rate in found.optimism.named
    ]
    head = ["", "Training rows", "Corrected for optimism", "Optimism"]
    return table("Rates to expect of new rows", head, rows)
