"""``path``: the least errors of any shape with at most k questions, for k = 0, 1, 2 ..."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from odt_core.cli.batches import ProgressPrinter, run_jobs
from odt_core.cli.inputs import load_table, make_spec
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study
from odt_core.cli.summary import aligned
from odt_core.data import Folding
from odt_core.errors import InputError
from odt_core.jobs import JobKind
from odt_core.studies import PathPoint, PathSpec, PathView, path_csv
from odt_core.training import prepare_training
from odt_core.words import count_words, percent_words, seconds_words


def run(options: argparse.Namespace) -> int:
    """Find a path, and print a table or, with ``--json``, one JSON object."""
    table = load_table(options)
    spec = make_spec(table, options)
    if options.folds is None and options.repeats is not None:
        raise InputError("--repeats needs folds: give --folds, too.")
    folding = None if options.folds is None else Folding(options.folds, options.repeats or 1)
    plan = PathSpec(options.most_questions, folding)
    if folding is not None:  # reports wrong folds before the search
        prepare_training(table, replace(spec, split=replace(spec.split, fold=next(iter(folding)))))
    printer = ProgressPrinter("path")
    with stop_on_interrupt("what was found of the path") as stop:
        results = run_jobs(options, table, spec, JobKind.PATH, plan.parts(), stop, printer)
    if not results or results[0]["settings"]["split"]["fold"] is not None:
        return EXIT_INTERRUPTED  # folds without a path on all training rows are not a result
    view = PathView.of(results)
    record = results[0] | {"cross_validation": None if folding is None else view.to_json()}
    print_study(
        options, JobKind.PATH, record, lambda: _summary(results[0], view), lambda: path_csv(view)
    )
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _summary(whole: Mapping[str, Any], view: PathView) -> str:
    """The points as a table, with cross-validated errors."""
    n_train = count_words(whole["n_train"], "training row")
    lines = [f"Any shape, {n_train}; {seconds_words(whole['seconds'])}.", ""]
    unseen = {each.questions: each for each in view.unseen}
    head = ["questions", "training errors", "proved", "shape"]
    head += ["wrong on unseen rows"] if unseen else []
    rows = [head]
    for point in view.points:
        row = [str(point.questions), _errors(point), _proved(point), point.topology or "-"]
        if point.questions in unseen:
            each = unseen[point.questions]
            spread = (
                "" if each.standard_error is None else f" ± {percent_words(each.standard_error)}"
            )
            row.append(f"{percent_words(each.share)}{spread}")
        elif unseen:
            row.append("-")
        rows.append(row)
    lines += aligned(rows)
    for point in view.points:
        if not point.is_proved:
            lines += ["", f"At most {count_words(point.questions, 'question')}: {point.words}."]
    if view.unseen:
        lines += ["", elbow_words(view)]
    return "\n".join(lines)


def elbow_words(view: PathView) -> str:
    """Say which number of questions is best in cross-validation."""
    folds = count_words(view.n_folds, "fold")
    text = f"Least error on unseen rows, over {folds}: {count_words(view.best or 0, 'question')}."
    if view.elbow is not None and view.elbow != view.best:
        text += (
            f" With {count_words(view.elbow, 'question')} it is within one standard error of that."
        )
    return text


def _errors(point: PathPoint) -> str:
    return "-" if point.train is None else str(point.train.errors)


def _proved(point: PathPoint) -> str:
    return "yes" if point.is_proved else "no"
