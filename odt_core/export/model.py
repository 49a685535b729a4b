"""The model file: a tree with everything needed to apply it to new tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from odt_core import __version__
from odt_core.data import Encoder, Schema
from odt_core.errors import InputError
from odt_core.export.fields import Fields
from odt_core.export.tree_json import tree_from_fields, tree_to_json
from odt_core.tree import Tree

FORMAT = "odt-model"
VERSION = 1
"""The version of model files. It rises if older files can no longer be read correctly."""


SCHEMA = "model.schema.json"
"""The JSON Schema of model files and tree files, beside this module."""


def file_marks() -> dict[str, Any]:
    """Return the versions of the file format and of the program, for every file."""
    return {"version": VERSION, "software": __version__}


def signed_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Add the program's version to a result, for files and commands."""
    return {**record, "software": __version__}


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of model files and tree files."""
    text = files("odt_core.export").joinpath(SCHEMA).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@dataclass(frozen=True, eq=False)
class Model:
    """A tree with the conversion of cells to codes.

    Attributes
    ----------
    tree : Tree
        The tree.
    schema : dict
        `odt_core.data.Schema` as JSON.
    encoder : dict
        `odt_core.data.Encoder` as JSON.
    facts : dict
        The facts of its training, for readers and reports. Predictions do not use them.
    """

    tree: Tree
    schema: dict[str, Any]
    encoder: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Write the model as plain data for JSON."""
        return {
            "format": FORMAT,
            **file_marks(),
            "tree": tree_to_json(self.tree),
            "schema": self.schema,
            "encoder": self.encoder,
            "facts": self.facts,
        }

    def to_text(self) -> str:
        """Write the text of the model file."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, record: Any) -> Model:
        """Rebuild a model.

        Raises
        ------
        InputError
            If the record is not a model or has another version, or a field of the model, its
            encoder or its schema is absent or wrong.
        """
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise InputError(
                f"This is not a model file (its field 'format' is not {FORMAT!r}): give the JSON "
                "that was saved after training."
            )
        fields = Fields(record, "")
        version = fields.count("version")
        if version != VERSION:
            raise InputError(
                f"The model file has version {version}, but this program reads version {VERSION}: "
                "train again, or use the program that wrote it."
            )
        model = cls(
            tree=tree_from_fields(fields.record("tree")),
            schema=fields.raw("schema"),
            encoder=fields.raw("encoder"),
            facts=fields.raw("facts"),
        )
        names = [entry.text("name") for entry in fields.record("encoder").records("columns")]
        if names != [feature.name for feature in model.tree.features]:
            raise fields.error("encoder", "names other columns than the tree's features")
        # refuse a damaged encoder or schema here, not at the first prediction
        Encoder.from_json(model.encoder)
        Schema.from_json(model.schema)
        return model

    @classmethod
    def from_text(cls, text: str | bytes) -> Model:
        """Read a model file.

        Raises
        ------
        InputError
            If the text is not JSON, or as `from_json`.
        """
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "The model file is not JSON: give the file that was saved after training."
            ) from error
        return cls.from_json(record)
