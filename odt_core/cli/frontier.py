"""``frontier``: every undominated pair of sensitivity and specificity of a shape."""

from __future__ import annotations

import argparse

from odt_core.cli.inputs import load_table, make_spec
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import print_study
from odt_core.cli.summary import aligned, both_rates
from odt_core.evaluation import CostRange, cheapest
from odt_core.jobs import JobKind
from odt_core.solution import Status
from odt_core.studies import FrontierResult, frontier_csv, run_frontier
from odt_core.training import Hooks
from odt_core.words import count_words, number_words, seconds_words


def run(options: argparse.Namespace) -> int:
    """Find a frontier, and print a table or, with ``--json``, one JSON object."""
    table = load_table(options)
    spec = make_spec(table, options)
    with stop_on_interrupt("what was found of the frontier") as stop:
        result = run_frontier(table, spec, Hooks(should_stop=stop.is_set))
    chosen = None
    if options.costs is not None and result.points:
        pairs = [(point.fn, point.fp) for point in result.points]
        chosen = cheapest(pairs, *options.costs)
    print_study(
        options,
        JobKind.FRONTIER,
        result.to_json() | ({} if options.costs is None else {"best_for_costs": chosen}),
        lambda: summarize_frontier(result, chosen),
        lambda: frontier_csv(result.points, keep_formulas=options.keep_formulas),
    )
    return EXIT_INTERRUPTED if result.status is Status.CANCELLED else 0


def summarize_frontier(result: FrontierResult, chosen: int | None = None) -> str:
    """Write the points as a table, with training and test rows."""
    rows = [["", "FN", "FP", "training TPR", "training TNR", "test TPR", "test TNR", "best for"]]
    for index, point in enumerate(result.points):
        mark = ("*" if index == chosen else "") + ("" if point.proved else "?")
        cost = cost_words(point.cost)
        rates = [*both_rates(point.train), *both_rates(point.test)]
        rows.append([mark, str(point.fn), str(point.fp), *rates, cost])
    lines = [
        f"{result.problem.topology.name}, {result.prepared.train.n_rows} training rows: "
        f"{count_words(len(result.points), 'point')} in {seconds_words(result.seconds)}. "
        + status_sentence(result),
        "",
        *aligned(rows),
    ]
    if any(not point.proved for point in result.points):
        lines += ["", "?  not proved: a tree that dominates it may exist."]
    if chosen is not None:
        among = "" if result.bound is None else " of the points found"
        lines += ["", f"*  best{among} for the costs given."]
    words = "best for: ratios of a false negative's cost to a false positive's"
    among = "" if result.bound is None else ", among the points found"
    lines += ["", f"{words}{among}."]
    return "\n".join(lines)


def status_sentence(result: FrontierResult) -> str:
    """Say which part of the frontier is proved."""
    if result.status is Status.OPTIMAL:
        return "Every point is proved, and none is missing."
    proved = sum(point.proved for point in result.points)
    how = "Stopped early" if result.status is Status.CANCELLED else "Time ran out"
    return f"{how}: {proved} of these points are proved, and other points may be missing."


def cost_words(cost: CostRange | None) -> str:
    """Write the cost ratios for which a point is the best; "-" if none."""
    if cost is None:
        return "-"
    low = number_words(cost.low, 4)
    if cost.high is None:
        return f"{low} and more"
    high = number_words(cost.high, 4)
    return low if low == high else f"{low} to {high}"
