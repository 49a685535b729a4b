"""Download buttons for tables and figures. Each file is made on download."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from odt_core.export import signed_record
from odt_core.figures import Chart, FigureFormat, chart_file
from odt_core.jobs import Job

_FIGURES = {
    FigureFormat.HTML: "Figure (HTML)",
    FigureFormat.SVG: "Figure (SVG)",
    FigureFormat.PNG: "Figure (PNG)",
}


def draw_formula_switch(key: str) -> bool:
    """Draw the switch for CSV files that other programs read.

    Parameters
    ----------
    key : str
        The switch's key.

    Returns
    -------
    bool
        Whether text that begins like a formula stays as it is.
    """
    return bool(
        st.checkbox(
            "Keep text that begins like a formula",
            key=key,
            help="Without the tick, such text gets an apostrophe, so that a spreadsheet shows the "
            "text and does not compute it. Tick this if another program reads the file.",
        )
    )


def draw_figure_downloads(chart: Callable[[], Chart], stem: str) -> None:
    """Draw buttons for one chart in every format."""
    for kind, label in _FIGURES.items():
        draw_file(label, _maker(chart, kind), f"{stem}.{kind.value}", kind.mime)


def _maker(chart: Callable[[], Chart], kind: FigureFormat) -> Callable[[], bytes]:
    return lambda: chart_file(chart(), kind)


def draw_file(label: str, content: Callable[[], bytes], name: str, mime: str) -> None:
    """Draw a button that makes a file and downloads it."""
    st.download_button(
        label, content, name, mime, key=f"download_{name}", on_click="ignore", width="stretch"
    )


def result_json(job: Job) -> bytes:
    """Write the result of a job as a JSON file."""
    assert job.result is not None
    return json.dumps(signed_record(job.result), ensure_ascii=False, indent=1).encode()
