"""``export`` and ``report``: a model as a picture, as rules, as code or as a sheet for people."""

from __future__ import annotations

import argparse

from odt_core.cli.evidence import load_evidence
from odt_core.cli.inputs import note
from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.errors import InputError
from odt_core.export import ExportFormat, export_model
from odt_core.reports import ModelStage, SheetFormat, Statements, write_sheet


def run(options: argparse.Namespace) -> int:
    """Write the model in one of the formats."""
    formats = (*ExportFormat, *SheetFormat)
    chosen = SheetFormat.REPORT if options.format == "report" else options.format
    if chosen not in formats:
        raise InputError(f"The format {chosen!r} is not known: choose one of {', '.join(formats)}.")
    if chosen in tuple(SheetFormat):
        content = _sheet(options, SheetFormat(chosen))
    else:
        content = export_model(load_model(options.model), chosen)
    write_output(options.output, content)
    return 0


def _sheet(options: argparse.Namespace, chosen: SheetFormat) -> bytes:
    """Make a sheet with what its author states."""
    statements = Statements(
        ModelStage.parse(options.stage), options.intended_use.strip(), options.author.strip()
    )
    model = load_model(options.model)
    evidence = load_evidence(options, model, chosen)
    if chosen in (SheetFormat.SUMMARY, SheetFormat.SUMMARY_PNG) and evidence.frontier is None:
        source = (
            "give --data with the training file, or --evidence with"
            if options.file is None
            else "its search takes more than a second. Give --evidence with"
        )
        note(f"The summary shows no frontier: {source} the output of 'frontier --json'.")
    return write_sheet(model, chosen, statements, evidence)
