"""``stability``: would other rows give the same tree? Bootstrap refits."""

from __future__ import annotations

import argparse

from odt_core.cli.batches import ProgressPrinter, Stopwatch, run_jobs
from odt_core.cli.inputs import load_table, make_spec
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study, write_output
from odt_core.cli.summary import aligned
from odt_core.jobs import JobKind
from odt_core.studies import (
    RangeRun,
    StabilityResult,
    StabilitySpec,
    columns_csv,
    gather_stability,
    rows_csv,
)
from odt_core.studies.stability_words import (
    corrected_words,
    interval_words,
    points_of,
    remarks,
    stability_sentences,
)
from odt_core.training import TrainSpec
from odt_core.words import percent_words, seconds_words

PLACES = 3
"""The most cut points or sets of a column that the table names."""


def run(options: argparse.Namespace) -> int:
    """Refit a tree, and print the result or, with ``--json``, one JSON object."""
    stability = StabilitySpec(options.resamples)
    table = load_table(options)
    spec = make_spec(table, options)
    watch = Stopwatch()
    parts, kind = stability.parts(), JobKind.STABILITY
    printer = ProgressPrinter("resample" if options.jobs == 1 else "part")
    with stop_on_interrupt("the resamples that are done") as stop:
        results = run_jobs(
            options, table, spec, kind, parts, stop, printer, size=lambda part: part.n
        )
    runs = tuple(RangeRun.from_json(result) for result in results)
    result = gather_stability(runs)
    record = result.to_json() | {
        "runs": [RangeRun.joined(runs).to_json()] if runs else [],
        "asked": stability.resamples,
        **watch.study_json(table, spec, stop),
    }
    print_study(
        options,
        JobKind.STABILITY,
        record,
        lambda: "\n".join(_lines(result, spec, watch.seconds)),
        lambda: columns_csv(result, keep_formulas=options.keep_formulas),
    )
    if options.rows_output is not None:
        write_output(options.rows_output, rows_csv(result), option="--rows-output")
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _lines(result: StabilityResult, spec: TrainSpec, seconds: float) -> list[str]:
    """The sentences, and the columns as a table."""
    found = [*stability_sentences(result), ""]
    if result.fitted:
        found += [*aligned(_column_cells(result)), ""]
    if result.optimism is not None:
        found += [*aligned(_rate_cells(result)), ""]
    found += remarks(result, grouped=spec.schema.group is not None)
    return [*found, f"It took {seconds_words(seconds)}."]


def _column_cells(result: StabilityResult) -> list[list[str]]:
    rows = [["column", "asked", "first", "most often split at"]]
    for column in result.columns:
        if not column.asked:
            continue
        counted = [(f"{cut.cut:.6g}", cut.n) for cut in column.cuts]
        counted += [(one.words, one.n) for one in column.sets]
        counted.sort(key=lambda place: -place[1])
        places = [f"{words} ({n})" for words, n in counted]
        more = ", ..." if len(places) > PLACES else ""
        words = ", ".join(places[:PLACES]) + more
        rows.append([column.name, str(column.asked), str(column.at_root), words])
    return rows


def _rate_cells(result: StabilityResult) -> list[list[str]]:
    assert result.optimism is not None
    rows = [["rate", "training rows", "optimism, points", "corrected", "95% interval"]]
    for name, rate in result.optimism.named:
        corrected = [corrected_words(rate), interval_words(rate) or "-"]
        rows.append([name, percent_words(rate.apparent), points_of(rate), *corrected])
    return rows
