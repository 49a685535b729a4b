"""A training run's result as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from odt_core.confusion import Confusion
from odt_core.evaluation import (
    FAIRNESS,
    Rate,
    can_ask_about_sets,
    floors,
    leaf_table,
    metrics,
    verdict,
)
from odt_core.training import TrainResult
from odt_core.words import goal_words, percent_words, printable

METRIC_ROWS = ("sensitivity", "specificity", "ppv", "npv", "accuracy")


def summarize(result: TrainResult) -> str:
    """Write the status, the tree as rules, and the rates in training and test."""
    solution, problem = result.solution, result.problem
    head = (
        f"{problem.topology.name}, {goal_words(problem.objective, problem.data.negative_label)}, "
        f"{problem.data.n_rows} training rows"
    )
    standing = f"{result.status_sentence}. {result.proof_sentence}"
    if solution.tree is None:
        return f"{head}\n{standing}"
    test = result.prepared.test
    counts = {"training": solution.tree.confusion(result.prepared.train)}
    if test is not None:
        counts["test"] = solution.tree.confusion(test)
    lines = [head, _verdict(result, counts), standing, "", *_rules(result)]
    lines += ["", *_counts(result, counts), "", *_rates(counts)]
    lines += _floors(result, counts)
    cart = result.cart.confusion(result.prepared.train if test is None else test)
    lines += [
        "",
        f"CART of the same depth: {cart.errors} of {cart.n} "
        f"{'training' if test is None else 'test'} rows wrong.",
    ]
    if can_ask_about_sets(problem.data.features):
        lines.append(FAIRNESS)
    return "\n".join(lines)


def _verdict(result: TrainResult, counts: dict[str, Confusion]) -> str:
    """The verdict on the tree, with its remark."""
    train, test = (
        metrics(counts[name]) if name in counts else None for name in ("training", "test")
    )
    assert train is not None
    found = verdict(result.spec.objective, train, test)
    return f"{found.text} {found.remark}"


def _rules(result: TrainResult) -> list[str]:
    tree = result.solution.tree
    assert tree is not None
    return [
        f"{row.predicted}: if {row.rule}  ({row.train.successes} of {row.train.n} training rows "
        f"are {printable(tree.positive_label)}{''.join(f'; {mark}' for mark in row.marks)})"
        for row in leaf_table(tree, result.prepared.test)
    ]


def _counts(result: TrainResult, counts: dict[str, Confusion]) -> list[str]:
    data = result.prepared.train
    head = ["", *(f"{name}, is {label}" for name in counts for label in _labels(result))]
    rows = [
        [f"predicted {data.positive_label}", *(n for c in counts.values() for n in (c.tp, c.fp))],
        [f"predicted {data.negative_label}", *(n for c in counts.values() for n in (c.fn, c.tn))],
    ]
    return aligned([head, *([str(cell) for cell in row] for row in rows)])


def _labels(result: TrainResult) -> tuple[str, str]:
    data = result.prepared.train
    return data.positive_label, data.negative_label


def _rates(counts: dict[str, Confusion]) -> list[str]:
    rows = [["", *counts]]
    for name in METRIC_ROWS:
        rows.append([name, *(rate_text(getattr(metrics(c), name)) for c in counts.values())])
    return aligned(rows)


def rate_text(rate: Rate) -> str:
    """Write a rate with x/n and its interval."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "- (no rows)"
    low, high = percent_words(rate.low), percent_words(rate.high)
    return f"{percent_words(rate.value)} ({rate.successes}/{rate.n}; {low} to {high})"


def both_rates(counts: Confusion | None, write: Callable[[Rate], str] = rate_text) -> list[str]:
    """Write sensitivity and specificity as two cells; "-" without such rows."""
    if counts is None:
        return ["-", "-"]
    found = metrics(counts)
    return [write(found.sensitivity), write(found.specificity)]


def percent_text(rate: Rate) -> str:
    """Write a rate as a percentage; "-" without rows."""
    return "-" if rate.value is None else percent_words(rate.value)


def _floors(result: TrainResult, counts: dict[str, Confusion]) -> list[str]:
    found = floors(
        result.spec.objective,
        metrics(counts["training"]),
        metrics(counts["test"]) if "test" in counts else None,
    )
    lines = []
    for floor in found:
        reached = f"training {rate_text(floor.train)}"
        if floor.test is not None:
            reached += f", test {rate_text(floor.test)}"
        lines.append(f"Floor on {floor.name} {percent_words(floor.asked)}: {reached}")
    return lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align cells in columns, one line for each row. Cells may have names from a file."""
    table = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
