"""The model file: a tree with all that is needed to apply it to new tables."""

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
"""Raised whenever a file that an older program wrote could no longer be read as it was meant."""


SCHEMA = "model.schema.json"
"""The file beside this one that describes model files and tree files as a JSON Schema."""


def file_marks() -> dict[str, Any]:
    """What every file says of itself: the version of its form, and of the program."""
    return {"version": VERSION, "software": __version__}


def signed_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """A result with the version of the program that writes it, as files and commands give it."""
    return {**record, "software": __version__}


def model_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of model files and of trees written as JSON."""
    text = files("odt_core.export").joinpath(SCHEMA).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@dataclass(frozen=True, eq=False)
class Model:
    """A tree with the way from cells to codes.

    Attributes
    ----------
    tree : Tree
        The tree.
    schema : dict
        `odt_core.data.Schema` as JSON.
    encoder : dict
        `odt_core.data.Encoder` as JSON.
    facts : dict
        How it was trained, for readers and reports; nothing is computed from it.
    """

    tree: Tree
    schema: dict[str, Any]
    encoder: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The model as plain data, for JSON."""
        return {
            "format": FORMAT,
            **file_marks(),
            "tree": tree_to_json(self.tree),
            "schema": self.schema,
            "encoder": self.encoder,
            "facts": self.facts,
        }

    def to_text(self) -> str:
        """The model file's text."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, record: Any) -> Model:
        """Rebuild a model.

        Raises
        ------
        InputError
            If it is not a model, is of another version, or a field of it, its encoder or its schema
            is absent or wrong.
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
        # a damaged encoder or schema is refused here, not at the first prediction
        Encoder.from_json(model.encoder)
        Schema.from_json(model.schema)
        return model

    @classmethod
    def from_text(cls, text: str | bytes) -> Model:
        """Read a model file.

        Raises
        ------
        InputError
            If it is not JSON, or as `from_json`.
        """
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "The model file is not JSON: give the file that was saved after training."
            ) from error
        return cls.from_json(record)
