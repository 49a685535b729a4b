"""The tree and the model as files, for programs and for people."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from odt_core.export import ExportFormat, Model, export_model
from odt_core.jobs import Job
from odt_core.problem import EncodedData
from odt_core.reports import Evidence, SheetFormat, Stage, Statements, write_sheet
from odt_core.studies import ValidationResult
from odt_core.studies.validation import model_sha256
from pages.common.state import work
from pages.common.text import file_stem

_FILES = {
    ExportFormat.SVG: "Picture (SVG)",
    ExportFormat.PNG: "Picture (PNG)",
    ExportFormat.DOT: "Graphviz source (DOT)",
    ExportFormat.RULES: "Rules in words",
    ExportFormat.PYTHON: "Python function",
    ExportFormat.SQL: "SQL expression",
}

_SHEETS = {
    SheetFormat.CARD: "Rule card (HTML)",
    SheetFormat.REPORT: "Report (HTML)",
    SheetFormat.SUMMARY: "One-page summary (SVG)",
    SheetFormat.SUMMARY_PNG: "One-page summary (PNG)",
}

LONGEST_USE, LONGEST_AUTHOR = 500, 120
"""Characters of what an author states."""


def draw_downloads(job: Job, test: EncodedData | None) -> None:
    """Draw the buttons that open the lists of files; each is made when it is asked for."""
    model = Model.from_json(job.model)
    stem = file_stem(job.spec.table_name, job.spec.train.topology.name)
    with st.popover("Download", width="content"):
        _draw("Model (JSON)", ExportFormat.JSON, lambda: model.to_text().encode(), stem)
        st.caption(
            "The model predicts new tables: `python -m odt_core predict MODEL.json DATA.csv`"
        )
        for kind, label in _FILES.items():
            _draw(label, kind, _maker(model, kind, test), stem)
    with st.popover("Sheets", width="content", help="For the bedside and for readers"):
        statements, validation = _ask_statements(), _validation_of(model)
        for sheet, label in _SHEETS.items():
            _draw(label, sheet, _sheet_maker(model, sheet, statements, validation), stem)
        st.caption(
            "A sheet is one file. Print it from the browser, also to PDF. "
            + (
                "Card and report hold the validation of this tree on the Predict page."
                if validation is not None
                else "Validate the tree on the Predict page to have that on card and report."
            )
        )


def _ask_statements() -> Statements:
    """What only the author can say; nothing of it is stored."""
    stage = st.selectbox(
        "Stage",
        list(Stage),
        key="train_sheet_stage",
        format_func=lambda stage: stage.capitalize(),
        persist_state="session",
    )
    use = st.text_area(
        "Intended use",
        key="train_sheet_use",
        max_chars=LONGEST_USE,
        placeholder="For whom, where, for which decision",
        height=80,
        persist_state="session",
    )
    author = st.text_input(
        "Author", key="train_sheet_author", max_chars=LONGEST_AUTHOR, persist_state="session"
    )
    return Statements(
        stage or Stage.DERIVED, use.strip()[:LONGEST_USE], author.strip()[:LONGEST_AUTHOR]
    )


def _validation_of(model: Model) -> ValidationResult | None:
    """The session's validation, if it is of this very model."""
    job = work().validation
    if job is None or job.result is None:
        return None
    found = ValidationResult.from_json(job.result)
    return found if found.model_sha256 == model_sha256(model) else None


def _maker(model: Model, kind: ExportFormat, test: EncodedData | None) -> Callable[[], bytes]:
    return lambda: export_model(model, kind, test=test)


def _sheet_maker(
    model: Model,
    sheet: SheetFormat,
    statements: Statements,
    validation: ValidationResult | None,
) -> Callable[[], bytes]:
    found = Evidence() if validation is None else Evidence(validations=(validation,))
    return lambda: write_sheet(model, sheet, statements, found)


def _draw(
    label: str, kind: ExportFormat | SheetFormat, content: Callable[[], bytes], stem: str
) -> None:
    name = stem if isinstance(kind, ExportFormat) else f"{stem}-{kind.stem}"
    st.download_button(
        label,
        content,
        f"{name}{kind.extension}",
        kind.mime,
        key=f"train_download_{kind.value}",
        on_click="ignore",
        width="stretch",
    )
