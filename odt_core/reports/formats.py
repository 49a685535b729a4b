"""One door to every sheet."""

from __future__ import annotations

from enum import StrEnum

from odt_core.export import Model
from odt_core.render import FigureFormat
from odt_core.reports.card import rule_card
from odt_core.reports.derivation import Derivation
from odt_core.reports.evidence import NO_EVIDENCE, Evidence
from odt_core.reports.report import report
from odt_core.reports.statements import Statements
from odt_core.reports.summary import summary

NOTHING_STATED = Statements()


class SheetFormat(StrEnum):
    """What a model can be written as for people."""

    CARD = "card"
    REPORT = "html"
    SUMMARY = "summary"
    SUMMARY_PNG = "summary-png"

    @property
    def stem(self) -> str:
        """What the sheet is called in a file's name."""
        return {"card": "rule-card", "html": "report", "summary-png": "summary"}.get(
            self.value, self.value
        )

    @property
    def extension(self) -> str:
        """Of the file's name, with its dot."""
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
    """A sheet as a file's bytes.

    Parameters
    ----------
    model : Model
        The tree and how it was trained.
    format : SheetFormat
        Which sheet.
    statements : Statements
        What the author states.
    evidence : Evidence
        What was found of this very model: validations for card and report, the frontier for report
        and summary, everything else for the report.

    Raises
    ------
    InputError
        If what the model says of its training is damaged, a validation is of another model, or
        there is no Graphviz to draw with.
    """
    derivation = Derivation.of(model, evidence)
    if format is SheetFormat.CARD:
        return rule_card(derivation, statements)
    if format is SheetFormat.REPORT:
        return report(derivation, statements)
    kind = FigureFormat.PNG if format is SheetFormat.SUMMARY_PNG else FigureFormat.SVG
    return summary(derivation, statements, kind)
