"""Models from a model file, an exported run, or a run of the local store."""

from __future__ import annotations

import json
import re
from pathlib import Path

from odt_core.errors import InputError, quoted
from odt_core.export import Model

_RUN_ID = re.compile("[0-9a-f]{32}")


def load_model(name: str) -> Model:
    """Load a model from a JSON file or a stored run.

    Parameters
    ----------
    name : str
        A file from ``train --output`` or *Export* on the Runs page, or a run's id.

    Raises
    ------
    InputError
        If the file is missing, is not JSON or has no model, or the run does not exist.
    """
    path = Path(name)
    if _RUN_ID.fullmatch(name) and not path.exists():
        return _stored_model(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"The model {quoted(name)} cannot be read: give a file from 'train --output'."
        ) from error
    return _exported_model(text) if _is_run(text) else Model.from_text(text)


def _is_run(text: str) -> bool:
    """Whether a text is an exported run. Other code refuses text that is not JSON."""
    from odt_core.storage.runfile import FORMAT

    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.get("format") == FORMAT


def _exported_model(text: str) -> Model:
    from odt_core.storage.runfile import read_run_file

    return _model_of_run(read_run_file(text).run.values["model"])


def _stored_model(run_id: str) -> Model:
    """The model of a run of this computer's store."""
    from odt_core.storage import LOCAL_OWNER, Store

    store = Store()
    try:
        return _model_of_run(store.runs.get(LOCAL_OWNER, run_id).model)
    finally:
        store.close()


def _model_of_run(model: object) -> Model:
    if model is None:
        raise InputError("The run has no tree: give a run with a tree.")
    return Model.from_json(model)
