"""Sheets about a tree: the rule card, the report and the one-page summary."""

from odt_core.reports.derivation import Derivation
from odt_core.reports.evidence import Evidence
from odt_core.reports.formats import SheetFormat, write_sheet
from odt_core.reports.statements import ModelStage, Statements

__all__ = [
    "Derivation",
    "Evidence",
    "SheetFormat",
    "ModelStage",
    "Statements",
    "write_sheet",
]
