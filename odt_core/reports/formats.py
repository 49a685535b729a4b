"""The kinds of sheets."""

from __future__ import annotations

from enum import StrEnum

from odt_core.export import Model
from odt_core.figures import FigureFormat
from odt_core.reports.card import rule_card
from odt_core.reports.derivation import Derivation
from odt_core.reports.evidence import NO_EVIDENCE, Evidence
from odt_core.reports.report import report
from odt_core.reports.statements import Statements
from odt_core.reports.summary import summary

NOTHING_STATED = Statements()


class SheetFormat(StrEnum):
    """A kind of sheet."""

    CARD = "card"
    REPORT = "html"
    SUMMARY = "summary"
    SUMMARY_PNG = "summary-png"

    @property
    def stem(self) -> str:
        """The sheet's name in file names."""
        return {"card": "rule-card", "html": "report", "summary-png": "summary"}.get(
            self.value, self.value
        )

    @property
    def extension(self) -> str:
        """The extension of the file's name, with its dot."""
        return {"summary": ".svg", "summary-png": ".png"}.get(self.value, ".html")

    @property
    def mime(self) -> str:
        """Media type, for downloads."""
        return {"summary": "image/svg+xml", "summary-png": "image/png"}.get(self.value, "text/html")


def write_sheet(
    model: Model,
    format: SheetFormat,
    statements: Statements = NOTHING_STATED,
    evidence: Evidence = NO_EVIDENCE,
) -> bytes:
    """Write a sheet as a file's bytes.

    Parameters
    ----------
    model : Model
        The model.
    format : SheetFormat
        The kind of sheet.
    statements : Statements
        The author's statements.
    evidence : Evidence
        Evidence for this model: validations for card and report, the frontier for report and
        summary, the rest for the report.

    Raises
    ------
    InputError
        If the model's facts are damaged, a validation belongs to another model, or Graphviz is not
        installed.
    """
    derivation = Derivation.of(model, evidence)
    if format is SheetFormat.CARD:
        return rule_card(derivation, statements)
    if format is SheetFormat.REPORT:
        return report(derivation, statements)
    kind = FigureFormat.PNG if format is SheetFormat.SUMMARY_PNG else FigureFormat.SVG
    return summary(derivation, statements, kind)
