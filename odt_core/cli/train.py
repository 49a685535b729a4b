"""``train``: find the best tree and test it."""

from __future__ import annotations

import argparse
import json
import sys

from odt_core.cart.process import CartProcess
from odt_core.cli.inputs import load_table, make_spec, note
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.output import Pace, print_json, write_output
from odt_core.cli.summary import summarize
from odt_core.problem import Problem
from odt_core.solution import Status, TracePoint
from odt_core.training import Hooks, run_training

EXIT_NO_TREE = 1


def run(options: argparse.Namespace, cart_process: CartProcess | None = None) -> int:
    """Train a tree, and print a summary or, with ``--json``, one JSON object.

    Parameters
    ----------
    options : argparse.Namespace
        The parsed options.
    cart_process : CartProcess, optional
        A process that fits CART.
    """
    table = load_table(options)
    spec = make_spec(table, options)
    with stop_on_interrupt() as stop:
        hooks = Hooks(on_progress=_BoundPrinter(), should_stop=stop.is_set)
        result = run_training(table, spec, hooks, cart_process)
    for finding in result.prepared.divided:
        note(finding.message)
    try:
        if options.output is not None and result.model is not None:
            text = json.dumps(result.model.to_json(), indent=1, ensure_ascii=False)
            write_output(options.output, text.encode("utf-8"))
    finally:  # a file that cannot be written does not lose the answer
        if options.json:
            print_json(result.to_json())
        else:
            print(summarize(result))
    if result.solution.status is Status.CANCELLED:
        return EXIT_INTERRUPTED
    return 0 if result.solution.tree is not None else EXIT_NO_TREE


class _BoundPrinter:
    """Prints the first tree, then new progress, at most one line a second."""

    def __init__(self) -> None:
        self._has_tree = False
        self._pace = Pace()
        self._last_line = ""

    def __call__(self, problem: Problem, point: TracePoint) -> None:
        is_first_tree = point.incumbent is not None and not self._has_tree
        if not self._pace.is_due() and not is_first_tree:
            return
        self._has_tree |= is_first_tree
        value, bound = (
            "none yet" if total is None else f"{float(problem.gains.value(total)):g}"
            for total in (point.incumbent, point.bound)
        )
        line = f"best {value}, bound {bound}"
        if line != self._last_line:
            self._last_line = line
            print(f"{point.seconds:7.1f} s  {line}", file=sys.stderr)
