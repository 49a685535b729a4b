"""``report``: write a model's report or rule card."""

from __future__ import annotations

import argparse

from odt_core.cli.export import write_stated
from odt_core.reports import SheetFormat


def run(options: argparse.Namespace) -> int:
    """Write the report, or the rule card."""
    return write_stated(options, SheetFormat.CARD if options.card else SheetFormat.REPORT)
