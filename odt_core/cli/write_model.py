"""``write-model``: the integer program itself, as an LP or MPS file."""

from __future__ import annotations

import argparse
from pathlib import Path

from odt_core.cli.inputs import load_table, make_spec, note
from odt_core.solvers.mip.run import write_program
from odt_core.training import build_problem, prepare_training


def run(options: argparse.Namespace) -> int:
    """Write the program that ``train --engine cbc`` solves."""
    table = load_table(options)
    spec = make_spec(table, options)
    spec.one_topology("The integer program")
    problem = build_problem(prepare_training(table, spec), spec)
    write_program(problem, Path(options.output), spec.mip)
    note(f"Wrote {options.output}.")
    return 0
