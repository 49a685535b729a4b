"""``export``: a model's tree as a picture, as rules or as code."""

from __future__ import annotations

import argparse

from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.export import export_model


def run(options: argparse.Namespace) -> int:
    """Write the tree in one of the formats."""
    model = load_model(options.model)
    write_output(options.output, export_model(model, options.format))
    return 0
