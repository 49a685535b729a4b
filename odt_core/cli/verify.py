"""``verify``: check by enumeration that no tree of a model's shape is better."""

from __future__ import annotations

import argparse
from functools import partial

from odt_core.cli.inputs import load_table, note
from odt_core.cli.interrupt import EXIT_INTERRUPTED, stop_on_interrupt
from odt_core.cli.models import load_model
from odt_core.cli.output import Pace, print_json
from odt_core.solvers.control import Control
from odt_core.verification import verify_model
from odt_core.words import percent_words

EXIT_NOT_SETTLED = 1


def run(options: argparse.Namespace) -> int:
    """Try every tree. The status is 0 if none is better; 1 if a tree is better or time ran out."""
    model = load_model(options.model)
    table = load_table(options)
    with stop_on_interrupt() as stop:
        control = Control(options.time_limit, should_stop=stop.is_set)
        found = verify_model(model, table, control, partial(_print_covered, Pace()))
        interrupted = stop.is_set() and found.verdict.holds is None
    if options.json:
        print_json(found.to_json())
    else:
        print(found.words)
    if interrupted:
        return EXIT_INTERRUPTED
    return 0 if found.verdict.holds else EXIT_NOT_SETTLED


def _print_covered(pace: Pace, covered: float) -> None:
    if pace.is_due():
        note(f"{percent_words(covered)} covered")
