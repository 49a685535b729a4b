"""The import of a run from a file."""

from __future__ import annotations

import streamlit as st

from odt_core.errors import InputError
from pages.common.messages import say
from pages.common.people import owner
from pages.common.server import store
from pages.common.text import plain, sentence
from pages.runs.checking import check_run_file
from pages.runs.listing import choose_runs

_ROUND = "runs_import_round"


def draw_import() -> None:
    """Draw the button that opens the uploader."""
    with st.popover("Import", key="runs_import"):
        number = int(st.session_state.get(_ROUND, 0))
        file = st.file_uploader(
            "A run's JSON file",
            type="json",
            key=f"runs_import_{number}",
            help="A file from 'Export'. The run appears in the table and is not started.",
        )
        if file is None:
            return
        try:
            run = store().exchange.import_run(owner(), file.getvalue(), check_run_file)
        except InputError as error:
            st.error(sentence(str(error)))
            return
    st.session_state[_ROUND] = number + 1
    choose_runs([run.id])
    say(f"Imported {plain(run.name or file.name)}.")
    st.rerun()
