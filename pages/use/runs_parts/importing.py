"""Take in a run from a file; what other pages could not show is refused."""

from __future__ import annotations

from typing import Any

import streamlit as st

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.export import Model, tree_from_json
from odt_core.jobs import JobKind, JobSpec
from odt_core.solution import Status, TracePoint
from odt_core.storage import KeyMetrics, RunFile, RunPart
from pages.common.notices import say
from pages.common.people import owner
from pages.common.server import store
from pages.common.text import plain, sentence
from pages.use.runs_parts.listing import choose_runs

_ROUND = "runs_import_round"
_READ = {
    "words": ("status", "proof"),
    "objective": ("total", "total_bound"),
    "seconds": ("total", "prepare"),
    "data": ("sha256",),
    "cart": ("train", "test", "tree"),
}
"""Parts of a training run's result that pages read, by the group they are in."""


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
            _check_result(found)
        for point in found.get("points") or ():
            tree_from_json(point["tree"])


def _check_result(found: dict[str, Any]) -> None:
    """What the Train page reads of a result."""
    KeyMetrics.from_result(found)
    Status(found["status"])
    for group, names in _READ.items():
        for name in names:
            found[group][name]
    for point in found["trace"]:
        TracePoint(*point)
    if found["tree"] is None:
        return
    tree_from_json(found["tree"])
    tree_from_json(found["cart"]["tree"])
    for counts in (found["train"], found["cart"]["train"]):
        Confusion(**counts)
