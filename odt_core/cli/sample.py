"""``sample``: write one of the built-in data sets as a CSV file."""

from __future__ import annotations

import argparse

from odt_core.cli.output import write_output
from odt_core.data import SAMPLES
from odt_core.errors import InputError


def run(options: argparse.Namespace) -> int:
    """Write the sample's table."""
    sample = SAMPLES.get(options.name)
    if sample is None:
        raise InputError(
            f"There is no sample {options.name!r}: choose one of {', '.join(SAMPLES)}."
        )
    write_output(options.output, sample.csv())
    return 0
