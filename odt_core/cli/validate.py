"""``validate``: a frozen tree on rows that did not train it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from odt_core.cli.inputs import load_table, note
from odt_core.cli.models import load_model
from odt_core.cli.output import print_json
from odt_core.cli.summary import METRIC_ROWS, aligned, rate_text
from odt_core.evaluation import Estimate, Subgroups, ratio_parts
from odt_core.studies import ValidationResult, ValidationSpec, run_validation
from odt_core.words import count_words, percent_words, printable


def run(options: argparse.Namespace) -> int:
    """Validate a tree, and print the result or, with ``--json``, one JSON object."""
    model = load_model(options.model)
    table = load_table(options)
    result = run_validation(table, ValidationSpec(model, by=options.by))
    for difference in result.differences:
        note(difference.words)
    if options.json:
        print_json(result.to_json())
    else:
        print("\n".join(_lines(result)))
    return 0


def _lines(result: ValidationResult) -> Iterator[str]:
    flow, found = result.flow, result.verdict
    yield f"{result.data.name}: {count_words(flow.read, 'row')} read, {flow.used:,} used"
    for exclusion in flow.excluded:
        yield f"  left out: {count_words(exclusion.rows, 'row')}, {exclusion.reason}"
    if result.flow_note:
        yield f"  {result.flow_note}"
    if result.n_groups is not None:
        yield (
            f"  the rows have {result.n_groups:,} different values of "
            f"{printable(result.group_column or '')}; the intervals treat rows as independent"
        )
    yield f"{found.text} {found.remark}"
    yield result.prevalence_shift
    yield from ("", *_counts(result), "", *_rates(result))
    for floor in result.floors:
        held = {True: "reached", False: "not reached", None: "unknown"}[floor.met_in_test]
        yield f"Floor on {floor.name} {percent_words(floor.asked)}: {held} in validation"
    yield from ("", *_calibration(result))
    if result.groups is not None:
        yield from ("", *_groups(result.groups))


def _counts(result: ValidationResult) -> list[str]:
    counts, tree = result.metrics.confusion, result.tree
    positive, negative = tree.positive_label, tree.negative_label
    return aligned(
        [
            ["validation", f"is {positive}", f"is {negative}"],
            [f"predicted {positive}", str(counts.tp), str(counts.fp)],
            [f"predicted {negative}", str(counts.fn), str(counts.tn)],
        ]
    )


def _rates(result: ValidationResult) -> list[str]:
    columns = {"training": result.train_metrics, "validation": result.metrics}
    if result.test_metrics is not None:
        columns["test"] = result.test_metrics
    rows = [["", *columns]]
    for name in METRIC_ROWS:
        rows.append([name, *(rate_text(getattr(found, name)) for found in columns.values())])
    return aligned(rows)


def _calibration(result: ValidationResult) -> list[str]:
    found = result.calibration
    rows = [["leaf", "risk in training", "observed", "expected events", "O:E"]]
    for leaf in found.leaves:
        rows.append(
            [
                str(leaf.number),
                rate_text(leaf.train),
                rate_text(leaf.observed),
                f"{leaf.expected:.1f}",
                _ratio(leaf.ratio),
            ]
        )
    rows.append(["all", "", rate_text(found.observed), f"{found.expected:.1f}",
                 _ratio(found.ratio)])  # fmt: skip
    return aligned(rows)


def _ratio(ratio: Estimate) -> str:
    words = ratio_parts(ratio)
    return "-" if words is None else f"{words.value} {words.interval}".rstrip()


def _groups(groups: Subgroups) -> list[str]:
    rows = [[groups.column, "rows", "sensitivity", "specificity", ""]]
    for group in groups.groups:
        found = group.metrics
        mark = "few rows of a class" if group.is_small else ""
        rates = [rate_text(found.sensitivity), rate_text(found.specificity)]
        rows.append([group.name, str(group.counts.n), *rates, mark])
    return aligned(rows)
