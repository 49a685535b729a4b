"""Read a model file."""

from __future__ import annotations

from pathlib import Path

from odt_core.errors import InputError
from odt_core.export import Model


def load_model(name: str) -> Model:
    """The model in a JSON file.

    Raises
    ------
    InputError
        If the file is missing, is not JSON, or is not a model.
    """
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"The model {name!r} cannot be read: give the file that 'train --output' wrote."
        ) from error
    return Model.from_text(text)
