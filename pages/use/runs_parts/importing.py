"""Take in a run from a file; what other pages could not show is refused."""

from __future__ import annotations

import streamlit as st

from odt_core.errors import InputError
from odt_core.export import Model, tree_from_json
from odt_core.jobs import JobKind, JobSpec
from odt_core.storage import KeyMetrics, RunFile, RunPart
from pages.common.notices import say
from pages.common.people import owner
from pages.common.server import store
from pages.common.text import plain, sentence
from pages.use.runs_parts.listing import choose_runs

_ROUND = "runs_import_round"


def draw_import() -> None:
    """Draw the button that opens the uploader."""
    with st.popover("Import", key="runs_import"):
        number = int(st.session_state.get(_ROUND, 0))
        file = st.file_uploader(
            "A run's JSON file",
            type="json",
            key=f"runs_import_{number}",
            help="As 'Export' makes it. Nothing is run; the run appears in the table.",
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


def check_run_file(file: RunFile) -> None:
    """Refuse a run whose settings, tree or model this program cannot read.

    Raises
    ------
    InputError
        If so.
    """
    for part in (file.run, *(file.members or ())):
        try:
            _check_part(part, file.dataset)
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(
                f"The run's file cannot be used ({type(error).__name__}: {error}): export it again "
                "with the same version of the program."
            ) from error


def _check_part(part: RunPart, dataset: str) -> None:
    values = part.values
    spec = JobSpec.from_json(values["spec"])
    if spec.dataset != dataset:
        raise InputError("The run's file names two data sets: export it again.")
    if spec.kind.value != values["kind"]:
        raise InputError("The run's file names two kinds of run: export it again.")
    if values["model"] is not None:
        Model.from_json(values["model"])
    for found in (values["result"], values["best"]):
        if found is None:
            continue
        if spec.kind in (JobKind.TRAIN, JobKind.ADOPT):
            KeyMetrics.from_result(found)
            if found["tree"] is not None:
                tree_from_json(found["tree"])
        for point in found.get("points") or ():
            tree_from_json(point["tree"])
