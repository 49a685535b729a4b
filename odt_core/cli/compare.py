"""``compare``: which shape, cap, cut points and columns do best on unseen rows."""

from __future__ import annotations

import argparse

from odt_core.cli.batches import ProgressPrinter, Stopwatch, run_jobs
from odt_core.cli.inputs import load_table, make_spec, single_shapes
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study
from odt_core.cli.summary import aligned
from odt_core.data import Folding
from odt_core.data.sizes import parse_train_size
from odt_core.errors import InputError
from odt_core.evaluation import FAIRNESS, Measure
from odt_core.jobs import JobKind
from odt_core.studies import (
    Comparison,
    ComparisonSpec,
    CutPoints,
    FoldRates,
    FoldRun,
    compare_runs,
    comparison_csv,
)
from odt_core.studies.comparison_words import (
    INTERVALS,
    SIMPLICITY,
    honesty_words,
    interval_words,
    measure_words,
    points_words,
    short_seconds,
    verdict_words,
)
from odt_core.training import FeatureSelection, TrainSpec
from odt_core.words import count_words, goal_words, percent_words, seconds_words


def run(options: argparse.Namespace) -> int:
    """Compare candidates, and print a table or, with ``--json``, one JSON object."""
    table = load_table(options)
    spec = make_spec(table, options)
    plan = _plan(options)
    watch = Stopwatch()
    printer = ProgressPrinter("fold")
    with stop_on_interrupt("the folds that are done") as stop:
        results = run_jobs(options, table, spec, JobKind.COMPARE, plan.fold_parts(), stop, printer)
    runs = FoldRun.of_results(results)
    found = compare_runs(runs, spec.objective, len(plan.folding))
    record = found.to_json() | {
        "runs": [run.to_json() for run in runs],
        "folds": len(plan.folding),
        **watch.study_json(table, spec, stop),
    }
    head = f"{count_words(found.n_folds, 'fold')} of {_rows_words(spec)}, "
    head += f"{goal_words(spec.objective)}; {seconds_words(watch.seconds)}."
    lines = [head, "", *_lines(found)]
    print_study(
        options, JobKind.COMPARE, record, lambda: "\n".join(lines), lambda: comparison_csv(found)
    )
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _plan(options: argparse.Namespace) -> ComparisonSpec:
    """Read candidates and folds from the options."""
    folds, repeats = options.folds, options.repeats
    if options.hold_out is None:
        folding = Folding(5 if folds is None else folds, repeats or 1)
    elif folds is not None:
        raise InputError("--folds and --hold-out are two ways to divide the rows: give one.")
    else:
        folding = Folding(None, repeats or 5, parse_train_size(options.hold_out))
    return ComparisonSpec.grid(
        single_shapes(options),
        options.max_cards,
        [CutPoints(word) for word in options.cut_points],
        [FeatureSelection(word) for word in options.feature_selections],
        folding,
    )


def _rows_words(spec: TrainSpec) -> str:
    if spec.split.train_size == "all":
        return "all rows"
    return "the training rows (without the test rows)"


def _lines(found: Comparison) -> list[str]:
    """The table and its verdict."""
    if not found.rows:
        return ["No fold was finished."]
    fairness = FAIRNESS if found.has_sets else ""
    remarks = [INTERVALS, SIMPLICITY, fairness, honesty_words(found)]
    return [*aligned(_cells(found)), "", *verdict_words(found), "", *filter(None, remarks)]


def _cells(found: Comparison) -> list[list[str]]:
    rate = measure_words(found)
    head = ["candidate", f"test {rate}", "difference to the best, points", "test TPR", "test TNR"]
    head += [f"folds below {measure.words} floor" for measure, _ in found.floors]
    head += ["training accuracy", "leaves", "questions", "seconds", "proved"]
    rows = [head]
    for place, row in enumerate(found.rows):
        is_best = place == found.best
        rows.append(
            [
                row.words,
                interval_words(row.score),
                "best" if is_best else points_words(row.difference),
                _rate(row.test(Measure.SENSITIVITY)),
                _rate(row.test(Measure.SPECIFICITY)),
                *(f"{row.n_below(*floor)} of {row.n_trees}" for floor in found.floors),
                _rate(row.train(Measure.ACCURACY)),
                _number(row.leaves),
                _number(row.questions),
                short_seconds(row.seconds),
                "" if row.is_baseline else f"{row.n_proved} of {len(row.runs)}",
            ]
        )
    return rows


def _rate(rates: FoldRates) -> str:
    return "-" if rates.mean is None else percent_words(rates.mean)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
