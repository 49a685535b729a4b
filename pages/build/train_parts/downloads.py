"""The tree and the model as files."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from odt_core.export import ExportFormat, Model, export_model
from odt_core.jobs import Job
from odt_core.problem import EncodedData

_FILES = {
    ExportFormat.SVG: "Picture (SVG)",
    ExportFormat.PNG: "Picture (PNG)",
    ExportFormat.DOT: "Graphviz source (DOT)",
    ExportFormat.RULES: "Rules in words",
    ExportFormat.PYTHON: "Python function",
    ExportFormat.SQL: "SQL expression",
}


def draw_downloads(job: Job, test: EncodedData | None) -> None:
    """Draw the button that opens the list of files; each is made when it is asked for."""
    model = Model.from_json(job.model)
    stem = file_stem(job.spec.table_name, job.spec.train.topology.name)
    with st.popover("Download", width="content"):
        _draw("Model (JSON)", ExportFormat.JSON, lambda: model.to_text().encode(), stem)
        st.caption(
            "The model predicts new tables: `python -m odt_core predict MODEL.json DATA.csv`"
        )
        for kind, label in _FILES.items():
            _draw(label, kind, _maker(model, kind, test), stem)


def _maker(model: Model, kind: ExportFormat, test: EncodedData | None) -> Callable[[], bytes]:
    return lambda: export_model(model, kind, test=test)


def _draw(label: str, kind: ExportFormat, content: Callable[[], bytes], stem: str) -> None:
    st.download_button(
        label,
        content,
        f"{stem}{kind.extension}",
        kind.mime,
        key=f"train_download_{kind.value}",
        on_click="ignore",
        width="stretch",
    )


def file_stem(table: str, topology: str) -> str:
    """A file name that says what it is: the table's name and the shape.

    Examples
    --------
    >>> file_stem("ward 7 (new).csv", "depth-2"), file_stem("x.csv.gz", "((. .)(. .))")
    ('ward-7-new-depth-2', 'x-tree')
    """
    table = re.sub(r"\.(csv|tsv|txt|gz)\b", "", table, flags=re.IGNORECASE)
    shape = topology if topology[0].isalpha() else "tree"
    return re.sub(r"[^\w.]+", "-", f"{table}-{shape}").strip("-.")[:80] or "tree"
