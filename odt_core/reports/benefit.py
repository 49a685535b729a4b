"""The report's parts about net benefit and subgroups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from odt_core.evaluation import (
    CHANCE_IN_GROUPS,
    THRESHOLDS,
    DecisionCurve,
    Subgroup,
    Subgroups,
    few_in_groups_words,
)
from odt_core.figures import benefit_chart, subgroup_chart
from odt_core.reports.page import chart_html, escaped
from odt_core.reports.tables import rate_cell, table
from odt_core.tree import Tree
from odt_core.words import percent_words

SHOWN_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The threshold probabilities in the table of net benefit."""

NAME = "the leaves"
"""The name of the curve of a tree's leaves."""


def benefit_html(
    curve: Callable[[Sequence[float]], DecisionCurve], own: Callable[[float], float], rows: str
) -> str:
    """Write the decision curve of a tree, and a table of its net benefit.

    Parameters
    ----------
    curve : callable
        Computes the decision curve at threshold probabilities.
    own : callable
        Computes the net benefit of the tree's own answers at a threshold probability.
    rows : str
        The name of the rows: ``test`` or ``validation``.
    """
    drawn = [(NAME, curve(THRESHOLDS))]
    shown = curve(SHOWN_THRESHOLDS)
    numbers = (
        ("Acting on positive answers", [own(threshold) for threshold in SHOWN_THRESHOLDS]),
        ("Acting on everyone", shown.treat_all),
        ("Acting where the leaf's training risk is at least the threshold", shown.tree),
        ("Acting on no one", [0.0 for _ in SHOWN_THRESHOLDS]),
    )
    cells = [[name, *(_number(value) for value in values)] for name, values in numbers]
    head = ["", *(percent_words(threshold, 0) for threshold in SHOWN_THRESHOLDS)]
    return chart_html(
        benefit_chart(drawn),
        f"Decision curve on the {rows} rows. The threshold is the lowest risk at which one would "
        "act. At 10%, one found case is worth nine false alarms.",
    ) + table(f"Net benefit on the {rows} rows, by threshold probability", head, cells)


def _number(value: float) -> str:
    return f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def groups_html(groups: Sequence[Subgroups], tree: Tree, rows: str) -> str:
    """Write rates by the values of columns: a dot plot of the first column, a table of each.

    Parameters
    ----------
    groups : sequence of Subgroups
        The groups of each column. Groups without rows are left out.
    tree : Tree
        The tree, with the class names.
    rows : str
        The name of the counted rows: ``test`` or ``validation``.
    """
    found = [each for each in groups if each.groups]
    if not found:
        return ""
    chart = chart_html(
        subgroup_chart(found[0]),
        f"The {rows} rows by {found[0].column}. Hollow marks: few rows of the class.",
    )
    tables = "".join(_group_table(each, tree, rows) for each in found)
    return f'{chart}{tables}<p class="muted">{escaped(CHANCE_IN_GROUPS)}</p>'


def _group_table(found: Subgroups, tree: Tree, rows: str) -> str:
    head = [
        escaped(found.column),
        "Rows",
        escaped(tree.positive_label),
        "Sensitivity",
        "Specificity",
        "Accuracy",
    ]
    caption = f"Rates of the {rows} rows by {found.column}, with 95% intervals"
    few = few_in_groups_words(found)
    below = f'<p class="muted">{escaped(few)}</p>' if few else ""
    return table(caption, head, [_group_cells(group) for group in found.groups], "groups") + below


def _group_cells(group: Subgroup) -> list[str]:
    found, counts = group.metrics, group.counts
    return [
        escaped(group.name),
        f"{counts.n:,}",
        f"{counts.n_positive:,}",
        *(rate_cell(rate) for rate in (found.sensitivity, found.specificity, found.accuracy)),
    ]
