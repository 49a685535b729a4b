"""``alternatives``: the near-optimal trees, best first, and the worth of each column."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from odt_core.alternatives import (
    AlternativesPart,
    AlternativesView,
    AlternativeTree,
    ColumnView,
    alternatives_csv,
    run_alternatives,
)
from odt_core.cli.inputs import load_table, make_spec
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study
from odt_core.cli.summary import aligned, both_rates, percent_text
from odt_core.errors import InputError, quoted
from odt_core.jobs import JobKind
from odt_core.solution import Status
from odt_core.training import Hooks
from odt_core.words import seconds_words


def run(options: argparse.Namespace) -> int:
    """List the trees, and print a table or, with ``--json``, one JSON object."""
    table = load_table(options)
    spec = make_spec(table, options)
    part = AlternativesPart(
        options.most,
        options.within,
        tuple(options.cost),
        tuple(options.without),
        tuple(options.only),
        options.max_total_cost,
    )
    _check_names(options, [column.name for column in spec.schema.columns])
    with stop_on_interrupt("the trees that were found") as stop:
        result = run_alternatives(table, spec, part, Hooks(should_stop=stop.is_set))
    record = result.to_json()
    view, costs = AlternativesView(record), dict(part.costs)
    shown = view.chosen(most_cost=options.max_cost, costs=costs)
    print_study(
        options,
        JobKind.ALTERNATIVES,
        record | {"trees": [tree.record for tree in shown]},
        lambda: _summary(record, view, shown, costs),
        lambda: alternatives_csv(shown, costs, keep_formulas=options.keep_formulas),
        option="--csv",
    )
    return EXIT_INTERRUPTED if result.status is Status.CANCELLED else 0


def _check_names(options: argparse.Namespace, known: Sequence[str]) -> None:
    """Refuse columns that the file does not have."""
    for option in ("without", "only"):
        for column in getattr(options, option):
            if column not in known:
                raise InputError(
                    f"--{option}: there is no column {quoted(column)}: check its name."
                )


def _summary(
    record: Mapping[str, Any],
    view: AlternativesView,
    shown: Sequence[AlternativeTree],
    costs: Mapping[str, Fraction],
) -> str:
    """Say what is proved, and list the trees and the columns."""
    lines = [
        f"{record['topology']}, {record['n_train']:,} training rows; "
        f"{seconds_words(record['seconds'])}.",
        view.proof_words(),
        *filter(None, [view.free_words()]),
    ]
    if not view.trees:
        return "\n".join(lines)
    lines.append("")
    if len(shown) < len(view.trees):
        lines.append(f"{len(shown):,} of {len(view.trees):,} trees keep --max-cost.")
        if not shown:
            lines.append("List more trees with --most, or search with --max-total-cost.")
    head = ["", "errors", "training TPR", "training TNR", "test errors", "test TPR", "test TNR"]
    head += ["questions per case", "cost per case", "columns"]
    rows = [head, *(_cells(tree, costs) for tree in shown)]
    lines += [*aligned(rows), ""]
    columns = sorted(view.columns, key=lambda column: -column.n_trees)
    lines += aligned([_COLUMN_HEAD, *(_column_cells(view, each) for each in columns)])
    lines += ["", "Each tree is the best of its choice of columns on the training rows."]
    if any(not tree.is_settled for tree in shown):
        lines.append("A question mark: the search ended before this was settled.")
    return "\n".join(lines)


_COLUMN_HEAD = ["column", "trees that ask about it", "best without it", "proved"]


def _cells(tree: AlternativeTree, costs: Mapping[str, Fraction]) -> list[str]:
    return [
        str(tree.place + 1) + ("" if tree.is_settled else "?"),
        f"{tree.train.errors:,}",
        *both_rates(tree.train, percent_text),
        "-" if tree.test is None else f"{tree.test.errors:,}",
        *both_rates(tree.test, percent_text),
        f"{tree.questions_per_case:.2f}",
        f"{tree.cost_per_case(costs):.2f}",
        ", ".join(tree.columns) or "-",
    ]


def _column_cells(view: AlternativesView, column: ColumnView) -> list[str]:
    least = "no tree"
    if column.least_without is not None:
        least = view.loss_words(column.least_without)
    elif not column.is_proved:
        least = "not found"
    asked = f"{column.n_trees:,} of {len(view.trees):,}"
    return [column.name, asked, least, "yes" if column.is_proved else "no"]
