"""The report's parts about validations."""

from __future__ import annotations

from odt_core.evaluation import Subgroups, frequencies, ratio_parts
from odt_core.figures import calibration_chart
from odt_core.reports.benefit import benefit_html, groups_html
from odt_core.reports.page import chart_html, escaped
from odt_core.reports.tables import (
    count_table,
    floor_table,
    rate_cell,
    table,
    words_cell,
)
from odt_core.studies import ValidationResult
from odt_core.tree import Tree
from odt_core.words import count_words, printable

MOST_GROUPED = 4
"""The most columns whose groups the report shows."""


def validation_html(found: ValidationResult) -> str:
    """Write a validation: flow, 2x2 table, floors, calibration, net benefit and groups."""
    tree = found.tree
    title = f"Validation: {count_words(found.flow.used, 'row')}, answers and true classes"
    parts = [
        f"<p>{escaped(_source(found))}</p>",
        f'<p class="verdict">{escaped(found.verdict.text)} {escaped(found.verdict.remark)}</p>',
        f"<p>{escaped(_thousand(found))}</p>",
        _flow(found),
        count_table(title, found.metrics.confusion, tree),
        floor_table(found.floors, "validation"),
        "<h3>Risks of the leaves</h3>",
        _calibration(found),
        "<h3>Net benefit</h3>",
        benefit_html(found.decision_curve, found.net_benefit, "validation"),
    ]
    groups = groups_html(shown_groups(found.subgroups, tree, found.by), tree, "validation")
    parts += ["<h3>Groups</h3>", groups] if groups else []
    return "".join(parts)


def shown_groups(
    groups: tuple[Subgroups, ...], tree: Tree, first: str | None = None
) -> list[Subgroups]:
    """Choose the columns of the groups: the requested column, then the tree's, then others."""
    by_name = {each.column: each for each in groups}
    own = [tree.features[g].name for g in tree.used_features]
    order = dict.fromkeys([*([first] if first is not None else []), *own, *by_name])
    return [by_name[name] for name in order if name in by_name][:MOST_GROUPED]


def _source(found: ValidationResult) -> str:
    part = f" ({printable(found.part)})" if found.part else ""
    sentences = [
        f"Rows of {printable(found.data.name)}{part}, SHA-256 {found.data.sha256}.",
        "The tree was not changed.",
        found.prevalence_shift,
    ]
    if found.n_groups is not None and found.n_groups < found.flow.used:
        column = printable(found.group_column or "")
        sentences.append(
            f"The rows have {found.n_groups:,} different values of {column}. The intervals treat "
            f"rows as independent, so they are too narrow if rows of one {column} are alike."
        )
    return " ".join(sentences)


def _thousand(found: ValidationResult) -> str:
    """The outcomes of a thousand cases; empty if a class has no rows."""
    prevalence = found.metrics.prevalence.exact
    counts = None if prevalence is None else frequencies(found.metrics.confusion, prevalence)
    if counts is None:
        return ""
    return (
        f"Of 1,000 such cases the tree finds {counts.found:,}, misses {counts.missed:,} and raises "
        f"{counts.false_alarms:,} false alarms."
    )


def _flow(found: ValidationResult) -> str:
    flow = found.flow
    rows = [
        ["Read", f"{flow.read:,}"],
        *([f"Left out: {escaped(each.reason)}", f"{each.rows:,}"] for each in flow.excluded),
        ["Used", f"{flow.used:,}"],
    ]
    note = f'<p class="muted">{escaped(found.flow_note)}</p>' if found.flow_note else ""
    return table("Where the rows went", ["", "Rows"], rows) + note


def _calibration(found: ValidationResult) -> str:
    leaves = [
        [
            str(leaf.number),
            rate_cell(leaf.train),
            rate_cell(leaf.observed),
            f"{leaf.expected:.1f}",
            words_cell(ratio_parts(leaf.ratio)),
        ]
        for leaf in found.calibration.leaves
    ]
    positive = escaped(found.tree.positive_label)
    head = ["Leaf", f"{positive} in training", f"{positive} here", "Expected", "O:E"]
    caption = "Events expected from the training shares, and observed events"
    return chart_html(
        calibration_chart(found.calibration),
        "Each mark is a leaf with its number. On the dashed line, both risks agree.",
    ) + table(caption, head, leaves)
