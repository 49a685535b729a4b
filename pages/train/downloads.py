"""Downloads of the tree and the model, for programs and for people."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from odt_core.data import Prepared
from odt_core.export import ExportFormat, Model, export_model
from odt_core.export.formats import FILES
from odt_core.jobs import Job
from odt_core.reports import Evidence, ModelStage, SheetFormat, Statements, write_sheet
from odt_core.solvers.mip.process import end_idle_child
from odt_core.solvers.mip.run import write_program
from odt_core.topology import AnyShape
from odt_core.training import TrainSpec, build_problem
from pages.common.controls import draw_file
from pages.common.markup import file_stem
from pages.train.evidence import evidence_of

_SHEETS = {
    SheetFormat.CARD: "Rule card (HTML)",
    SheetFormat.REPORT: "Report (HTML)",
    SheetFormat.SUMMARY: "One-page summary (SVG)",
    SheetFormat.SUMMARY_PNG: "One-page summary (PNG)",
}

MOST_PROGRAM = 100_000
"""The largest product of rows and decision nodes for which the page writes an integer program."""

_STAGE, _USE, _AUTHOR = "train_sheet_stage", "train_sheet_use", "train_sheet_author"
LONGEST_USE, LONGEST_AUTHOR = 500, 120
"""The most characters of the intended use, and of the author."""


def draw_downloads(job: Job, rows: Prepared) -> None:
    """Draw the buttons that open the lists of files. Each file is made on download."""
    model, test = Model.from_json(job.model), rows.test
    stem = file_stem(job.spec.table_name, job.spec.train.topology.name)
    with st.popover("Download", width="content"):
        _draw("Model (JSON)", ExportFormat.JSON, lambda: model.to_text().encode(), stem)
        st.caption(
            "The model predicts new tables: `python -m odt_core predict MODEL.json DATA.csv`"
        )
        for kind in FILES:
            if kind is not ExportFormat.JSON:  # the model holds the tree
                _draw(kind.label, kind, partial(export_model, model, kind, test=test), stem)
        _draw_program(job, rows, stem)
    with st.popover("Sheets", width="content", help="Sheets are for the bedside and for readers."):
        statements, gather = _ask_statements(), evidence_of(job, model, rows)
        for sheet, label in _SHEETS.items():
            _draw(label, sheet, partial(_sheet, model, sheet, statements, gather), stem)
        st.caption(
            "A sheet is one file. Print it from the browser, also to PDF. The report also has the "
            "groups of test rows, your studies of the same problem, and your validations of this "
            "tree."
        )


def _draw_program(job: Job, rows: Prepared, stem: str) -> None:
    """Draw the buttons of the integer program, if it exists and is not too large."""
    spec = job.spec.train
    if isinstance(spec.topology, AnyShape):
        st.caption(
            "There is no integer program for this tree: a program has one shape, and this tree is "
            "the best of any shape."
        )
        return
    if rows.train.n_rows * spec.topology.n_nodes > MOST_PROGRAM:
        st.caption(
            "The integer program of so many rows is very large. `python -m odt_core write-model` "
            "writes it."
        )
        return
    for kind in ("lp", "mps"):
        label = f"Integer program ({kind.upper()})"
        draw_file(label, partial(_program, spec, rows, kind), f"{stem}.{kind}", "text/plain")


def _program(spec: TrainSpec, rows: Prepared, kind: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="odt-program-") as folder:
        path = Path(folder) / f"program.{kind}"
        try:
            write_program(build_problem(rows, spec), path, spec.mip)
        finally:
            end_idle_child()  # a server does not keep the writing process
        return path.read_bytes()


def _ask_statements() -> Statements:
    """Draw fields for the author's statements, which are not stored."""
    stage = st.selectbox(
        "Stage",
        list(ModelStage),
        key=_STAGE,
        format_func=lambda stage: stage.capitalize(),
        persist_state="session",
    )
    use = st.text_area(
        "Intended use",
        key=_USE,
        max_chars=LONGEST_USE,
        placeholder="For whom, where, for which decision",
        height=80,
        persist_state="session",
    )
    author = st.text_input("Author", key=_AUTHOR, max_chars=LONGEST_AUTHOR, persist_state="session")
    return Statements(
        stage or ModelStage.DERIVED, use.strip()[:LONGEST_USE], author.strip()[:LONGEST_AUTHOR]
    )


def _sheet(
    model: Model,
    sheet: SheetFormat,
    statements: Statements,
    gather: Callable[[SheetFormat], Evidence],
) -> bytes:
    return write_sheet(model, sheet, statements, gather(sheet))


def _draw(
    label: str, kind: ExportFormat | SheetFormat, content: Callable[[], bytes], stem: str
) -> None:
    name = stem if isinstance(kind, ExportFormat) else f"{stem}-{kind.stem}"
    draw_file(label, content, f"{name}{kind.extension}", kind.mime)
