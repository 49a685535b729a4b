"""``curve``: training against testing sensitivity over many splits (paper, section 5.8)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from odt_core.cli.batches import ProgressPrinter, Stopwatch, run_jobs
from odt_core.cli.inputs import load_table, make_spec, note, single_shapes
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study
from odt_core.cli.summary import aligned
from odt_core.jobs import JobKind
from odt_core.studies import (
    PAPER_LEVELS,
    CurveRow,
    CurveRun,
    CurveSpec,
    Spread,
    Sweep,
    check_curve,
    curve_csv,
    curve_table,
)
from odt_core.words import count_words, seconds_words


def run(options: argparse.Namespace) -> int:
    """Make a curve, and print a table or, with ``--json``, one JSON object."""
    table = load_table(options)
    spec = make_spec(table, options)
    curve = CurveSpec(
        levels=options.levels or PAPER_LEVELS,
        topologies=single_shapes(options),
        repeats=options.repeats,
        sweep=Sweep(options.sweep),
    )
    check_curve(spec)
    watch = Stopwatch()
    printer = ProgressPrinter("split")
    with stop_on_interrupt("the repeats that are done") as stop:
        results = run_jobs(options, table, spec, JobKind.CURVE, curve.parts(), stop, printer)
    runs = CurveRun.of_results(results)
    rows = curve_table(runs)
    done = len({run.seed for run in runs})
    record = _to_json(curve, rows, runs) | {"repeats_done": done}
    record |= watch.study_json(table, spec, stop)
    head = (
        f"{count_words(done, 'split')} in {seconds_words(watch.seconds)}; floors on training "
        f"{curve.sweep.word}, variances over splits."
    )
    print_study(
        options,
        JobKind.CURVE,
        record,
        lambda: "\n\n".join(filter(None, [head, _table(rows), unproved_words(rows)])),
        lambda: curve_csv(rows),
    )
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _to_json(
    curve: CurveSpec, rows: tuple[CurveRow, ...], runs: tuple[CurveRun, ...]
) -> dict[str, Any]:
    return {
        "levels": [float(100 * level) for level in curve.levels],
        "sweep": curve.sweep.value,
        "topologies": [topology.name for topology in curve.topologies],
        "repeats": curve.repeats,
        "table": [row.to_json() for row in rows],
        "runs": [run.to_json() for run in runs],
    }


def _table(rows: tuple[CurveRow, ...]) -> str:
    """The paper's table: mean and variance in percent."""
    head = ["shape", "floor", "splits", "training TPR", "training TNR", "test TPR", "test TNR"]
    head += ["below floor"]
    if not rows:
        note("No split was finished.")
    cells = [
        [row.topology, f"{float(100 * row.level):g}", str(row.n)]
        + [_spread(s) for s in (row.train_tpr, row.train_tnr, row.test_tpr, row.test_tnr)]
        + [f"{row.below} of {row.n}"]
        for row in rows
    ]
    return "\n".join(aligned([head, *cells]))


def unproved_words(rows: Sequence[CurveRow]) -> str:
    """Say how many trees are not proved best at their floor; empty if all are."""
    unproved = sum(row.n - row.proved for row in rows)
    if not unproved:
        return ""
    trees = count_words(unproved, "tree is", "trees are")
    return f"{trees} not proved best at the floor: give a longer --time-limit."


def _spread(spread: Spread) -> str:
    if spread.variance is None:
        return f"{100 * spread.mean:.1f}"
    return f"{100 * spread.mean:.1f} ({10_000 * spread.variance:.2f})"
