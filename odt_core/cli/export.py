"""``export``: a model as a picture, as rules, as code or as a sheet for people."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.errors import MALFORMED, InputError
from odt_core.export import ExportFormat, export_model
from odt_core.reports import SheetFormat, Stage, Statements, write_sheet
from odt_core.studies import ValidationResult


def run(options: argparse.Namespace) -> int:
    """Write the model in one of the formats."""
    formats = (*ExportFormat, *SheetFormat)
    if options.format not in formats:
        raise InputError(
            f"The format {options.format!r} is not known: choose one of {', '.join(formats)}."
        )
    if options.format in tuple(SheetFormat):
        return write_stated(options, SheetFormat(options.format))
    write_output(options.output, export_model(load_model(options.model), options.format))
    return 0


def write_stated(options: argparse.Namespace, chosen: SheetFormat) -> int:
    """Write a sheet with what its author states."""
    statements = Statements(
        Stage.parse(options.stage), options.intended_use.strip(), options.author.strip()
    )
    validation = None if options.validation is None else _load_validation(options.validation)
    content = write_sheet(load_model(options.model), chosen, statements, validation)
    write_output(options.output, content)
    return 0


def _load_validation(name: str) -> ValidationResult:
    """What ``validate --json`` printed, from a file."""
    try:
        return ValidationResult.from_json(json.loads(Path(name).read_text(encoding="utf-8")))
    except (OSError, RecursionError, *MALFORMED) as error:
        raise InputError(
            f"--validation: {name!r} cannot be read: give what 'validate --json' printed."
        ) from error
